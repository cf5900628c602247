//! Replays one cycle to collect every comparison made in it.
//!
//! # Rule
//! Recording never changes a decision, so a cycle can be replayed from the state before it at a higher recording level.
//! Details are therefore computed on demand instead of being stored.

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::trace::{Level, Trace};

/// One cycle with every comparison made in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The record of the cycle.
    pub record: CycleRecord,
    /// The policy's comparisons, decisive or not, and its refusals; its events are in the record.
    pub trace: Trace,
}

/// Runs the next cycle on a copy of a state. `None`: there is no next cycle.
pub fn explain(before: &Simulation, level: Level) -> Option<Explanation> {
    let mut again = before.clone();
    again.set_level(level);
    let (record, trace) = again.advance_traced()?;
    Some(Explanation { record, trace })
}
