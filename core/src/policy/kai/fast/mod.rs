//! Shortcuts: they shorten a cycle without changing its result.

pub(super) mod early_exit;
#[cfg(test)]
mod equality_tests;
pub(super) mod feasibility;
pub(super) mod inert_jobs;
pub(super) mod signatures;
