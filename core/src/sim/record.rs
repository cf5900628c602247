//! The record of one cycle.

use std::sync::Arc;

use crate::time::Time;
use crate::trace::{Event, Ledger, LostClaim, Mark, NotSelected, Recorded, Refusal, Search, Unfinished};

/// The record of one cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleRecord {
    /// Number of the cycle, from 1; 0 is the opening state.
    pub cycle: u32,
    /// Start of the cycle.
    pub time: Time,
    /// External events since the last cycle, then the policy's decisions, each in order.
    pub events: Vec<Recorded>,
    /// Number of external events, at the beginning of `events`.
    pub n_outside: u32,
    /// Decisions of the cycle that are not comparable with the real scheduler.
    pub marks: Vec<Mark>,
    /// Queues and jobs that were not selected as victims in the cycle, with the reason. Empty at level *outcomes*.
    pub not_selected: Vec<NotSelected>,
    /// Searches for victims in the cycle. Empty at level *outcomes*.
    pub searches: Vec<Search>,
    /// Claims that only counted as made in the cycle.
    pub unfinished: Vec<Unfinished>,
    /// Why pending jobs are pending; shared with the previous cycle when equal. Empty at level *outcomes*.
    pub refusals: Arc<Vec<Refusal>>,
    /// Jobs that have claimed room and lost it, and claim it again.
    pub lost_claims: Vec<LostClaim>,
    /// The policy's numbers after the cycle, summed over the partitions; shared with the previous cycle when equal.
    pub ledger: Arc<Ledger>,
    /// The numbers of each partition, in file order; empty if there is only one.
    pub pools: Vec<Arc<Ledger>>,
    /// Hash of placements, phases and ledger after the cycle.
    pub digest: u64,
}

/// Events in order of occurrence.
pub type Log = Vec<Recorded>;

/// Appends an event without comparisons.
pub fn log(events: &mut Log, event: Event) {
    events.push(Recorded { event, action: "", checks: Default::default() });
}
