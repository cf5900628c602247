//! What an entry of the event list is about.

use serde::{Deserialize, Serialize};

use crate::trace::{Event, Mark};

/// What happened, or what is known of a place where the simulation cannot be held against the real scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// It happened.
    Event(Event),
    /// Where the model ends.
    Mark(Mark),
}

impl From<Event> for What {
    fn from(event: Event) -> What {
        What::Event(event)
    }
}
impl From<Mark> for What {
    fn from(mark: Mark) -> What {
        What::Mark(mark)
    }
}
