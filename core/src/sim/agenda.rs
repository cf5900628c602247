//! The queue of future events.
//!
//! # Rule
//! Entries are taken in the order (time, kind, sequence). The sequence is the position in the file of the pod, timeline
//! entry or job. At one instant pods end first, then evicted pods are gone, then starting pods run, then timeline
//! entries take effect, then jobs arrive; the scheduler runs after all of them. Arrivals and timeline entries are known
//! from the start: copies of an agenda share one sorted list of them and hold a position in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, PodId};
use crate::scenario::Planned;
use crate::time::Time;

/// Kind of an event; the variants are in their order at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgendaKind {
    /// A pod ends by itself.
    End,
    /// An evicted pod is gone.
    Gone,
    /// A starting pod runs.
    Run,
    /// An entry of the plan's timeline takes effect.
    Change,
    /// A job is submitted, or pods join it.
    Submit,
    /// The passage of time may change a decision: a minimum runtime or a grace period ends.
    Timer,
}

impl AgendaKind {
    /// Whether it triggers a run of the scheduler.
    pub fn triggers_run(self) -> bool {
        self != AgendaKind::Run
    }
}

/// Time, kind and sequence.
pub type AgendaEntry = (Time, AgendaKind, u32);

/// Future entries in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agenda {
    /// Entries known from the start, sorted; those from `next` on are in the future.
    planned: Arc<[AgendaEntry]>,
    next: usize,
    /// Cancelled entries of `planned`.
    dropped: BTreeSet<AgendaEntry>,
    /// Entries added during the run.
    added: BTreeSet<AgendaEntry>,
}

impl Agenda {
    /// Creates the agenda of a plan: the timeline, the submissions and the joining pods.
    pub fn of(cluster: &Cluster, timeline: &[Planned]) -> Agenda {
        let changes = timeline.iter().zip(0..).map(|(planned, position)| (planned.at, AgendaKind::Change, position));
        let is_future = |pod: PodId| cluster.pods[pod].phase == Phase::Future;
        let is_known = |job: JobId| cluster.live_jobs.binary_search(&job).is_ok();
        let future_jobs =
            cluster.jobs.iter().filter(|(id, job)| !is_known(*id) && job.pod_ids().next().is_some_and(is_future));
        let arrivals = future_jobs.map(|(id, job)| (job.submit, AgendaKind::Submit, id.0));
        // Pods that join a job at one instant share one entry.
        let joining = cluster.joining.iter().filter(|joining| is_future(joining.pod));
        let mut joins: Vec<_> =
            joining.map(|joining| (joining.at, AgendaKind::Submit, cluster.pods[joining.pod].job.0)).collect();
        joins.dedup();
        joins.sort();
        joins.dedup();
        Agenda::new(changes.chain(arrivals).chain(joins).collect())
    }
    /// Creates an agenda from entries in any order.
    fn new(mut entries: Vec<AgendaEntry>) -> Agenda {
        entries.sort();
        Agenda { planned: entries.into(), ..Agenda::default() }
    }
    /// Adds an entry.
    pub fn add(&mut self, entry: AgendaEntry) {
        self.added.insert(entry);
    }
    /// Cancels an entry.
    pub fn cancel(&mut self, entry: AgendaEntry) {
        if !self.added.remove(&entry) && self.planned[self.next..].binary_search(&entry).is_ok() {
            self.dropped.insert(entry);
            self.skip_dropped();
        }
    }
    /// Removes and returns the first entry if it is due by the given time.
    pub fn take_due(&mut self, until: Time) -> Option<AgendaEntry> {
        let (planned, added) = (self.planned.get(self.next).copied(), self.added.first().copied());
        let first = planned.into_iter().chain(added).min()?;
        if first.0 > until {
            return None;
        }
        if added == Some(first) {
            self.added.pop_first();
        } else {
            self.next += 1;
            self.skip_dropped();
        }
        Some(first)
    }
    fn skip_dropped(&mut self) {
        while self.planned.get(self.next).is_some_and(|entry| self.dropped.remove(entry)) {
            self.next += 1;
        }
    }
    /// Returns the earliest time at which an entry triggers a run; `trigger` maps an entry to that time, never before
    /// it is due.
    pub fn next_trigger(&self, trigger: &dyn Fn(AgendaEntry) -> Option<Time>) -> Option<Time> {
        let mut planned = self.planned[self.next.min(self.planned.len())..].iter();
        let mut first = planned.find_map(|entry| trigger(*entry).filter(|_| !self.dropped.contains(entry)));
        for entry in &self.added {
            if first.is_some_and(|first| first <= entry.0) {
                break;
            }
            first = first.into_iter().chain(trigger(*entry)).min();
        }
        first
    }
    /// Time of the first entry of any kind.
    pub fn first(&self) -> Option<Time> {
        self.planned.get(self.next).into_iter().chain(self.added.first()).map(|entry| entry.0).min()
    }
    /// Approximate size of a copy, in bytes.
    pub fn weight(&self) -> u64 {
        ((self.added.len() + self.dropped.len()) * 2 * size_of::<AgendaEntry>()) as u64
    }
    /// Whether no entry is left.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.next >= self.planned.len()
    }
}

/// Returns the entry for the end of a phase that ends by itself.
pub fn end_of(phase: Phase, pod: PodId) -> Option<AgendaEntry> {
    match phase {
        Phase::Starting { until } => Some((until, AgendaKind::Run, pod.0)),
        Phase::Running { until: Some(until), .. } => Some((until, AgendaKind::End, pod.0)),
        Phase::Terminating { until, .. } => Some((until, AgendaKind::Gone, pod.0)),
        _ => None,
    }
}
