//! What will happen by itself, and when.
//!
//! # Rule
//! Entries are taken in the order (time, kind, sequence). The sequence is the file order of what the entry is about:
//! pod, timeline position or job. At one instant work ends first, then what was told to go is gone, then
//! what was starting runs, then the timeline takes effect, then new work arrives; the scheduler looks after all
//! of them.

use std::collections::BTreeSet;

use crate::time::Time;

/// What kind of thing happens; the order is the order at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A pod ends by itself.
    End,
    /// A pod that was told to go is gone.
    Gone,
    /// A pod that was starting runs.
    Run,
    /// An entry of the plan's timeline takes effect.
    Change,
    /// A job becomes known.
    Submit,
}

impl Kind {
    /// Whether it is a reason to ask the scheduler.
    pub fn is_news(self) -> bool {
        self != Kind::Run
    }
}

/// Future entries in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agenda {
    entries: BTreeSet<(Time, Kind, u32)>,
}

impl Agenda {
    /// Adds an entry.
    pub fn add(&mut self, at: Time, kind: Kind, sequence: u32) {
        self.entries.insert((at, kind, sequence));
    }
    /// Removes an entry that will not happen.
    pub fn cancel(&mut self, at: Time, kind: Kind, sequence: u32) {
        self.entries.remove(&(at, kind, sequence));
    }
    /// Takes the first entry, if it is due by then.
    pub fn take_due(&mut self, by: Time) -> Option<(Time, Kind, u32)> {
        let first = *self.entries.first()?;
        if first.0 > by {
            return None;
        }
        self.entries.pop_first()
    }
    /// When the scheduler has to be asked at the earliest.
    pub fn next_news(&self) -> Option<Time> {
        self.entries.iter().find(|(_, kind, _)| kind.is_news()).map(|&(at, _, _)| at)
    }
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether nothing will happen by itself.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
