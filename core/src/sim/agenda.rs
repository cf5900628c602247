//! What will happen by itself, and when.
//!
//! # Rule
//! Entries are taken in the order (time, kind, sequence). The sequence is the file order of what the entry is about:
//! pod, timeline position or job. At one instant work ends first, then what was evicted is gone, then
//! what was starting runs, then the timeline takes effect, then new work arrives; the scheduler looks after all
//! of them. Arrivals and the timeline are known from the start: they are one sorted list that is never copied, and a position in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::time::Time;

/// What kind of thing happens; the order is the order at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A pod ends by itself.
    End,
    /// A pod that was evicted is gone.
    Gone,
    /// A pod that was starting runs.
    Run,
    /// An entry of the plan's timeline takes effect.
    Change,
    /// A job becomes known, or pods that join it.
    Submit,
    /// Time itself may change a decision: a minimum runtime or a grace is over.
    Look,
}

impl Kind {
    /// Whether it is a reason to ask the scheduler.
    pub fn is_news(self) -> bool {
        self != Kind::Run
    }
}

/// When, what, about whom.
pub type Entry = (Time, Kind, u32);

/// Future entries in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agenda {
    /// Known from the start, sorted; everything from `next` on is still to come.
    known: Arc<[Entry]>,
    next: usize,
    /// Known entries that will not happen.
    dropped: BTreeSet<Entry>,
    /// Made during the run.
    made: BTreeSet<Entry>,
}

impl Agenda {
    /// With what is known from the start, in any order.
    pub fn new(mut known: Vec<Entry>) -> Agenda {
        known.sort();
        Agenda { known: known.into(), ..Agenda::default() }
    }
    /// Adds an entry.
    pub fn add(&mut self, entry: Entry) {
        self.made.insert(entry);
    }
    /// Removes an entry that will not happen.
    pub fn cancel(&mut self, entry: Entry) {
        if !self.made.remove(&entry) && self.known[self.next..].binary_search(&entry).is_ok() {
            self.dropped.insert(entry);
            self.skip_dropped();
        }
    }
    /// Takes the first entry, if it is due by then.
    pub fn take_due(&mut self, by: Time) -> Option<Entry> {
        let (known, made) = (self.known.get(self.next).copied(), self.made.first().copied());
        let first = known.into_iter().chain(made).min()?;
        if first.0 > by {
            return None;
        }
        if made == Some(first) {
            self.made.pop_first();
        } else {
            self.next += 1;
            self.skip_dropped();
        }
        Some(first)
    }
    fn skip_dropped(&mut self) {
        while self.known.get(self.next).is_some_and(|entry| self.dropped.remove(entry)) {
            self.next += 1;
        }
    }
    /// When there is the first news, given when an entry brings some; never before it is due.
    pub fn next_news(&self, news: &dyn Fn(Entry) -> Option<Time>) -> Option<Time> {
        let mut known = self.known[self.next.min(self.known.len())..].iter();
        let mut first = known.find_map(|entry| news(*entry).filter(|_| !self.dropped.contains(entry)));
        for entry in &self.made {
            if first.is_some_and(|first| first <= entry.0) {
                break;
            }
            first = first.into_iter().chain(news(*entry)).min();
        }
        first
    }
    /// When the first entry of any kind is due.
    pub fn first(&self) -> Option<Time> {
        self.known.get(self.next).into_iter().chain(self.made.first()).map(|entry| entry.0).min()
    }
    /// What a copy weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        ((self.made.len() + self.dropped.len()) * 2 * size_of::<Entry>()) as u64
    }
    /// Whether nothing will happen by itself.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty() && self.next >= self.known.len()
    }
}
