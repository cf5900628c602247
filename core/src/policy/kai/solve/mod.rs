//! Search for victims that let a job run, and its fairness checks.

pub(super) mod attempts;
pub(super) mod candidates;
pub(super) mod filters;
pub(super) mod hypothesis;
pub(super) mod immovable;
pub(super) mod min_runtime;
pub(super) mod reclaimable;
pub(super) mod simulate;
pub(super) mod solver;
pub(super) mod victim_search;
pub(super) mod victims;
