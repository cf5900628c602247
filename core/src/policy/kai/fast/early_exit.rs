//! A shortcut: an action ends when none of the remaining jobs can change anything.
//!
//! # Rule
//! An action pops its jobs in order; a job that fails a test changes nothing. If every remaining job fails, popping
//! them changes nothing either, whatever their order. Allocating only takes room and raises allocations, so a job
//! that does not fit now will not fit later in the action; entitlement to reclaim and the room for consolidation change
//! only on commit. The signatures that an action would have cached for skipped jobs are computed before anything
//! changes.
//!
//! # Source
//! kai.md 4.2, 5.7, 6.1, 7.1, 7.2
//!
//! # Differs
//! nothing. Not used when explanations are recorded, which need every job's own reason; nor after an eviction in
//! the session, because chunks may be stale then; nor where numbers are not whole (`SessionState::sums_are_exact`)

use std::collections::BTreeMap;

use crate::cluster::Preemptible;
use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::task::{JobRef, QueueRef};

/// Jobs of an action that may change something.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Candidates {
    is_used: bool,
    is_candidate: Vec<bool>,
    n: usize,
}

impl Candidates {
    /// Selects the jobs that pass a test.
    pub fn new(s: &mut Session<'_>, jobs: &[JobRef], mut test: impl FnMut(&mut Session<'_>, JobRef) -> bool) -> Self {
        if !s.state.sums_are_exact
            || !s.state.evicted.is_empty()
            || s.notes.is_on()
            || !s.inputs.config.queue_depth.is_empty()
        {
            return Candidates::default();
        }
        let mut is_candidate = vec![false; s.inputs.facts.len()];
        let mut n = 0;
        for &job in jobs {
            if test(s, job) {
                is_candidate[job.ix()] = true;
                n += 1;
            }
        }
        Candidates { is_used: true, is_candidate, n }
    }

    /// Whether no candidate remains.
    pub fn is_over(&self, state: &SessionState) -> bool {
        self.holds(state) && self.n == 0
    }

    /// Whether a job may change something.
    pub fn includes(&self, state: &SessionState, job: JobRef) -> bool {
        !self.holds(state) || self.is_candidate[job.ix()]
    }

    /// Whether the selection is still right: not after a rollback that left something behind.
    fn holds(&self, state: &SessionState) -> bool {
        self.is_used && state.sums_are_exact
    }

    /// Removes a popped job.
    pub fn popped(&mut self, job: JobRef) {
        if self.is_used && std::mem::take(&mut self.is_candidate[job.ix()]) {
            self.n -= 1;
        }
    }

    /// Adds a job pushed back.
    pub fn pushed(&mut self, job: JobRef) {
        if self.is_used && !std::mem::replace(&mut self.is_candidate[job.ix()], true) {
            self.n += 1;
        }
    }

    /// Disables the shortcut: after a commit any job may succeed.
    pub fn committed(&mut self) {
        self.is_used = false;
    }
}

/// Whether a chunk of one preemptible pod may fit, by queue and class of the pod.
pub(in crate::policy::kai) type MayFit = BTreeMap<(Option<QueueRef>, u32), bool>;

impl Session<'_> {
    /// Notes jobs skipped by an action that uses signatures.
    pub fn defer_signatures(&mut self, jobs: &[JobRef]) {
        if self.inputs.config.use_scheduling_signatures {
            self.caches.unsigned.extend_from_slice(jobs);
        }
    }

    /// Computes the signatures of skipped jobs; required before anything changes.
    pub fn compute_deferred_signatures(&mut self) {
        for job in std::mem::take(&mut self.caches.unsigned) {
            self.signature(job);
        }
    }

    /// Whether the next chunk of a job may fit in the current state, for which `cache` has the answers so far.
    pub fn may_fit(&mut self, job: JobRef, all_nodes: &[bool], cache: &mut MayFit) -> bool {
        let class = self.class_of_chunk(job);
        if let Some(&fits) = class.and_then(|class| cache.get(&class)) {
            return fits;
        }
        let fits = Feasibility::new(self, job, all_nodes).is_none_or(|p| p.is_open(self, all_nodes, &[]));
        cache.extend(class.map(|class| (class, fits)));
        fits
    }

    fn class_of_chunk(&mut self, job: JobRef) -> Option<(Option<QueueRef>, u32)> {
        let facts = self.facts_of(job);
        let queue = Some(facts.queue).filter(|_| facts.preemptible == Preemptible::Yes)?;
        match self.chunk(job, false)[..] {
            [task] => Some((queue, self.pod_of(task).kind)),
            _ => None,
        }
    }
}
