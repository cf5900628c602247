//! Replays one cycle to collect every comparison made in it, or those about one pod.
//!
//! # Rule
//! Recording never changes a decision, so a cycle can be replayed from the state before it at a higher recording level.
//! Details are therefore computed on demand instead of being stored.

use std::sync::Arc;

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::trace::{Check, Event, Level, Trace};

/// One cycle with every comparison made in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The record of the cycle.
    pub record: CycleRecord,
    /// The policy's comparisons, decisive or not; its events and refusals are in the record.
    pub trace: Trace,
}

/// Runs the next cycle on a copy of a state. `None`: there is no next cycle.
pub fn explain(before: &Simulation, level: Level) -> Option<Explanation> {
    let mut again = before.clone();
    again.set_level(level);
    let (record, trace) = again.advance_traced()?;
    Some(Explanation { record, trace })
}

/// The decisive checks of an event of the next cycle after a state. `None`: it is none of that cycle, or not about a pod.
pub(super) fn checks_of(mut before: Simulation, event: Event) -> Option<Arc<[Check]>> {
    before.set_level(Level::Decisive);
    let (record, _) = before.advance_explaining(Some(event.subject().pod?))?;
    record.events.into_iter().find(|recorded| recorded.event == event).map(|recorded| recorded.checks)
}
