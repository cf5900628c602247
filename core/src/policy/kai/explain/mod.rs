//! Explanations recorded during a cycle.

pub(super) mod not_selected;
pub(super) mod outlooks;
mod past_usage;
pub(super) mod refusals;
pub(super) mod serving_order;
