//! The actions of a cycle, one file each, and shared helpers.

pub(super) mod allocate;
pub(super) mod consolidate;
pub(super) mod preempt;
pub(super) mod reclaim;
pub(super) mod stale_gang;
