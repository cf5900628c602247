//! The events of a cycle, in order.

use crate::trace::{Event, Recorded};

/// Events in order of occurrence.
pub type Log = Vec<Recorded>;

/// Appends an event without comparisons.
pub fn log(events: &mut Log, event: Event) {
    events.push(Recorded { event, action: "", checks: Default::default() });
}
