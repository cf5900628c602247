//! What victims are looked for: an action with what it may take.
//!
//! # Source
//! kai.md 6.1-6.3

use crate::policy::kai::solve::reclaimable::Held;

/// On whose behalf victims are looked for, and what may be taken.
#[derive(Debug)]
pub(in crate::policy::kai) enum Taking {
    /// From other queues, as far as that is fair with respect to what they held at first.
    Reclaim(Held),
    /// From lower priority in the same queue.
    Preemption,
    /// From anybody, if it is placed elsewhere.
    Consolidation {
        /// Most jobs that are considered.
        most: Option<u32>,
    },
}
