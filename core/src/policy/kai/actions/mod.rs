//! The actions of a cycle, one file each, and what they have in common.

pub(super) mod allocate;
pub(super) mod backoff;
pub(super) mod chunk;
pub(super) mod consolidate;
pub(super) mod preempt;
pub(super) mod reclaim;
pub(super) mod stale_gang;
