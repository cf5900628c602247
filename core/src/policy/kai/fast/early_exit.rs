//! A shortcut: an action ends when none of the jobs that are left can change anything.
//!
//! # Rule
//! An action pops its jobs in order; a job that fails a test changes nothing. If every job that is left fails, popping
//! them changes nothing either, whatever their order. Allocating only takes room and raises what queues hold, so a job
//! that does not fit now will not fit later in the action; entitlement to reclaim and the room for consolidation change
//! only when something is committed. What an action would have remembered of the jobs it left out (their signature) is
//! made up for before anything changes.
//!
//! # Source
//! kai.md 4.2, 5.7, 6.1, 7.1, 7.2
//!
//! # Differs
//! nothing. Not used when explanations are wanted, which need every job's own reason; nor once something was evicted in
//! the session, because chunks may be stale then; nor where numbers are not whole ([`Session::is_whole`])

use crate::policy::kai::fast::feasibility::Prospect;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::JobRef;

/// Jobs of an action that may change something.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Hopeful {
    is_used: bool,
    hopes: Vec<bool>,
    n: usize,
}

impl Hopeful {
    /// Those of some jobs that pass a test.
    pub fn new(
        s: &mut Session<'_>,
        jobs: &[JobRef],
        mut test: impl FnMut(&mut Session<'_>, JobRef) -> bool,
    ) -> Self {
        if !s.is_whole || !s.evicted.is_empty() || s.notes.is_on() || !s.config.queue_depth.is_empty() {
            return Hopeful::default();
        }
        let mut hopes = vec![false; s.n_jobs];
        let mut n = 0;
        for &job in jobs {
            if test(s, job) {
                hopes[job.ix()] = true;
                n += 1;
            }
        }
        Hopeful { is_used: true, hopes, n }
    }

    /// Whether none is left.
    pub fn is_over(&self) -> bool {
        self.is_used && self.n == 0
    }

    /// A job was popped.
    pub fn popped(&mut self, job: JobRef) {
        if self.is_used && std::mem::take(&mut self.hopes[job.ix()]) {
            self.n -= 1;
        }
    }

    /// A job came back.
    pub fn pushed(&mut self, job: JobRef) {
        if self.is_used && !std::mem::replace(&mut self.hopes[job.ix()], true) {
            self.n += 1;
        }
    }

    /// Something was committed: anybody may have hopes again.
    pub fn committed(&mut self) {
        self.is_used = false;
    }
}

impl Session<'_> {
    /// An action that looks at signatures leaves the rest of its jobs out.
    pub fn leave_out(&mut self, jobs: &[JobRef]) {
        if self.config.use_scheduling_signatures {
            self.unsigned.extend_from_slice(jobs);
        }
    }

    /// Something is about to change: makes up for what left-out jobs would have been remembered by.
    pub fn make_up(&mut self) {
        for job in std::mem::take(&mut self.unsigned) {
            self.signature(job);
        }
    }

    /// Whether the next chunk of a job may fit as things are.
    pub fn may_fit(&mut self, job: JobRef, all: &[bool]) -> bool {
        Prospect::new(self, job, all).is_none_or(|p| p.is_open(self, all, &[]))
    }
}
