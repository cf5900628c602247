//! Which events are looked at.

use fairground::words::Selection;

pub use fairground::moment::Kind;

/// Whose events jumps stop at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Those of the selection; all if no queue or job is selected.
    #[default]
    Selected,
    /// All.
    All,
    /// Those of a queue with what is below it.
    Queue(String),
    /// Those of a job.
    Job(String),
}

/// What the lane of events shows, and what is marked below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLaneOptions {
    /// The kinds that it leaves out.
    pub without: Kinds,
    /// Whose events have a row of their own, and are stopped at.
    pub followed: Option<Selection>,
    /// The two ends of the marked range, in order.
    pub range: Option<(u32, u32)>,
}

/// Some of the kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Whether a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
    /// Takes a kind in or out.
    pub fn put(&mut self, kind: Kind, is_in: bool) {
        self.0 = self.0 & !(1 << kind as u16) | u16::from(is_in) << kind as u16;
    }
    /// All of them, in order.
    pub fn all(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}
