//! What will happen by itself, and when.
//!
//! # Rule
//! Entries are taken in the order (time, kind, sequence). The sequence is the file order of what the entry is about:
//! pod, timeline position or job. At one instant work ends first, then what was evicted is gone, then
//! what was starting runs, then the timeline takes effect, then new work arrives; the scheduler looks after all
//! of them. Arrivals and the timeline are known from the start: they are one sorted list that is never copied, and a position in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, PodId};
use crate::scenario::Planned;
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
    Timer,
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
    /// The timeline and every job's arrival.
    pub fn of(cluster: &Cluster, timeline: &[Planned]) -> Agenda {
        let changes =
            timeline.iter().zip(0..).map(|(planned, position)| (planned.at, Kind::Change, position));
        let is_future = |pod: PodId| cluster.pods[pod].phase == Phase::Future;
        let is_known = |job: JobId| cluster.live_jobs.binary_search(&job).is_ok();
        let later = cluster
            .jobs
            .iter()
            .filter(|(id, job)| !is_known(*id) && job.pod_ids().next().is_some_and(is_future));
        let arrivals = later.map(|(id, job)| (job.submit, Kind::Submit, id.0));
        // Pods that join at one moment are one entry.
        let yet = cluster.joining.iter().filter(|joining| is_future(joining.pod));
        let mut joins: Vec<_> =
            yet.map(|joining| (joining.at, Kind::Submit, cluster.pods[joining.pod].job.0)).collect();
        joins.dedup();
        joins.sort();
        joins.dedup();
        Agenda::new(changes.chain(arrivals).chain(joins).collect())
    }
    /// With entries in any order.
    fn new(mut known: Vec<Entry>) -> Agenda {
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

/// The entry for the end of a phase that ends by itself.
pub fn end_of(phase: Phase, pod: PodId) -> Option<Entry> {
    match phase {
        Phase::Starting { until } => Some((until, Kind::Run, pod.0)),
        Phase::Running { until: Some(until), .. } => Some((until, Kind::End, pod.0)),
        Phase::Terminating { until } => Some((until, Kind::Gone, pod.0)),
        _ => None,
    }
}
