//! Explanations recorded during a cycle.

pub(super) mod faults;
pub(super) mod not_selected;
pub(super) mod notes;
pub(super) mod outlooks;
pub(super) mod recorder;
pub(super) mod refusals;
pub(super) mod serving_order;
pub(super) mod subjects;
