//! The subject of an entry in the event list.

use serde::{Deserialize, Serialize};

use crate::trace::{Event, Mark};

/// An event, or a place where the simulation is not comparable with the real scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    Event(Event),
    /// A limit of the model.
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
