//! Explanations recorded during a cycle.

pub(super) mod delay;
pub(super) mod faults;
pub(super) mod immovable;
pub(super) mod not_selected;
pub(super) mod outlooks;
mod past_usage;
pub(super) mod refusals;
pub(super) mod search;
pub(super) mod serving_order;
pub(super) mod subjects;
