//! The action that needs victims, and its bound on them.
//!
//! # Source
//! kai.md 6.1-6.3

use crate::policy::kai::solve::victims::Allocations;

/// The action that needs victims.
#[derive(Debug)]
pub(in crate::policy::kai) enum VictimSearch {
    /// From other queues, as far as fair with respect to the allocations before any attempt.
    Reclaim(Allocations),
    /// From lower priority in the same queue.
    Preemption,
    /// From any queue, if every victim is placed again.
    Consolidation {
        /// Maximum number of victims considered, less one.
        most: Option<u32>,
    },
}
