//! What one cycle came to.

use std::sync::Arc;

use crate::time::Time;
use crate::trace::{Ledger, Mark, NotSelected, Recorded, Refusal};

/// What one cycle came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleRecord {
    /// Number, from 1; 0 is the opening state.
    pub cycle: u32,
    /// When.
    pub time: Time,
    /// What happened since the last cycle, then what the policy decided, each in order.
    pub events: Vec<Recorded>,
    /// How many of `events` happened outside, before the policy was asked.
    pub n_outside: u32,
    /// Where the policy's model cannot be held against the real scheduler.
    pub marks: Vec<Mark>,
    /// Who stays although work was taken in the cycle, and why. Empty at level *outcomes*.
    pub not_selected: Vec<NotSelected>,
    /// Why pending jobs are pending; shared with the cycle before when equal. Empty at level *outcomes*.
    pub refusals: Arc<Vec<Refusal>>,
    /// The policy's numbers after the cycle; shared with the cycle before when equal. With several partitions their
    /// sums.
    pub ledger: Arc<Ledger>,
    /// The numbers in each partition, in file order; empty if there is only one.
    pub pools: Vec<Arc<Ledger>>,
    /// Hash of placements, phases and ledger after the cycle.
    pub digest: u64,
}
