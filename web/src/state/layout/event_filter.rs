//! Filter of events.

use fairground::words::Selection;

pub use fairground::moment::EventKind;

/// Subject of the events that jumps stop at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventSubject {
    /// The selection; all events if no queue or job is selected.
    #[default]
    Selected,
    /// All events.
    All,
    /// A queue and its descendants.
    Queue(String),
    Job(String),
}

/// Options of the event lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLaneOptions {
    /// Hidden kinds.
    pub without: Kinds,
    /// The subject of events that have a row of their own and that jumps stop at.
    pub followed: Option<Selection>,
    /// The ends of the selected range, in order.
    pub range: Option<(u32, u32)>,
}

/// A set of kinds of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Whether it contains a kind.
    pub fn has(self, kind: EventKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
    /// Adds or removes a kind.
    pub fn put(&mut self, kind: EventKind, is_in: bool) {
        self.0 = self.0 & !(1 << kind as u16) | u16::from(is_in) << kind as u16;
    }
    /// Its kinds, in order.
    pub fn all(self) -> impl Iterator<Item = EventKind> {
        EventKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}
