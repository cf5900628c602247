//! The scheduling back-off: a job that may be tried only once in a node pool.
//!
//! # Rule
//! When a cycle closes, a job gets the condition *unschedulable on this node pool* if some of its pods are pending or
//! gated, enough of them exist to start it, and none is active (a claim of the cycle counts as active). A job whose
//! back-off is not -1 and whose newest condition is for this pool is not loaded from then on: it requests nothing, it
//! is not tried, and it is never a victim; what its terminating pods hold stays allocated. A condition is newest until
//! the job is offered to another pool, which adds a condition of its own before it offers the job back. A job without
//! waiting pods loses all its conditions, but such a job was placed, so it has none for this pool.
//!
//! # Source
//! kai.md 1.3; upstream `pkg/scheduler/cache/cluster_info/cluster_info.go` (which jobs are loaded) and
//! `pkg/scheduler/cache/status_updater/default_status_updater.go` (`RecordJobStatusEvent`: when the condition is set)
//!
//! # Differs
//! upstream writes the condition shortly after the cycle, so a job may be tried once more; here it never is

use crate::policy::kai::record::notes::count;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::JobRef;
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject};

/// 1.3.
pub static BACKOFF: Rule = Rule(&RuleRecord {
    key: "kai/backoff",
    says: "a job with a scheduling back-off is not tried again in a node pool where all of its pods stayed pending",
    formula: "active pods <= 0 at the end of a cycle",
    source: "kai.md 1.3",
    differs: "",
});

impl Session<'_> {
    /// Jobs with a single try that stayed pending, at the end of the cycle.
    pub fn set_aside(&self) -> Vec<JobRef> {
        let is_over = |&job: &JobRef| {
            let (facts, state) = (self.facts_of(job), self.job(job));
            let is_tried = facts.is_tried_once && !facts.is_set_aside;
            is_tried && state.is_waiting() && state.is_ready() && state.n_active_allocated <= 0
        };
        self.own_jobs().filter(is_over).collect()
    }

    /// The comparison that excludes the job from further cycles.
    pub fn why_set_aside(&self, job: JobRef) -> Check {
        let active = count(Quantity::Pods, self.job(job).n_active_allocated);
        let subject = Subject { queue: None, ..self.about_job(job) };
        Check::new(BACKOFF, subject, active, Op::AtMost, count(Quantity::Constant, 0))
    }
}
