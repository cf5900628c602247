//! Protection of jobs that started recently.
//!
//! # Rule
//! A job is protected while `now < last start + D`. Against preemption D is the nearest value from its leaf upward,
//! else the default. Against reclaim, method *queue*: the same with the reclaim value; method *lca*: if the top queues
//! differ, the value of the victim's top queue, else the nearest one upward from the child, on the victim's path, of
//! the lowest common ancestor. A protected job that is not elastic is never a victim; a protected elastic job keeps the
//! minimum of every pod set.
//!
//! # Source
//! kai.md 6.8
//!
//! # Differs
//! nothing; Q-12 (one such elastic victim blocks the rest of the step) reproduced

use crate::policy::kai::config::ReclaimResolve;
use crate::policy::kai::record::notes::real;
use crate::policy::kai::session::Session;
use crate::policy::kai::share::shares::Queue;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject};

/// 6.8.
pub static RAN_LONG_ENOUGH: Rule = Rule(&RuleRecord {
    key: "kai/min-runtime/ran-long-enough",
    says: "a job cannot be evicted until it has run for the minimum runtime",
    formula: "now - last start >= minimum runtime",
    source: "kai.md 6.8",
    differs: "pods of an elastic job above its minimum can be evicted at any time",
});

/// The action from which a victim is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) enum Against {
    /// Reclaim by a job of this queue.
    Reclaim(QueueRef),
    /// Preemption by a job of the same queue.
    Preemption,
}

impl Session<'_> {
    /// Whether the job's minimum runtime has not yet elapsed.
    pub fn is_protected(&self, victim: JobRef, against: Against) -> bool {
        let Some(started) = self.job(victim).last_start_s else { return false };
        self.inputs.plugins.min_runtime && self.inputs.now_s < started + self.min_runtime(victim, against)
    }

    /// Whether the minimum runtime of a queue protects any job.
    pub fn may_protect(&self, queue: QueueRef, against: Against) -> bool {
        let (minimum, _) = self.min_runtime_in(queue, against);
        self.inputs.plugins.min_runtime && self.inputs.now_s < self.state.latest_start_s + minimum
    }

    /// The comparison that protects `victim` from `job`.
    pub fn protection(&self, job: JobRef, victim: JobRef, against: Against) -> Option<Check> {
        let started = self.job(victim).last_start_s?;
        let (minimum, setting_queue) = self.min_runtime_and_queue(victim, against);
        let other_queue = setting_queue.map(|queue| self.state.queues[queue.ix()].id);
        let other_job = Some(self.facts_of(victim).id);
        let subject = Subject { other_job, other_queue, ..self.about_job(job) };
        let ran = real(Quantity::Runtime, self.inputs.now_s - started);
        let minimum = real(Quantity::MinRuntime, minimum);
        Some(Check::new(RAN_LONG_ENOUGH, subject, ran, Op::AtLeast, minimum))
    }

    /// Whether any task of the job may become a victim.
    pub fn may_be_victim(&self, victim: JobRef, against: Against) -> bool {
        !self.is_protected(victim, against) || self.job(victim).is_elastic()
    }

    /// Minimum runtime D in seconds.
    pub fn min_runtime(&self, victim: JobRef, against: Against) -> f64 {
        self.min_runtime_and_queue(victim, against).0
    }

    /// Minimum runtime D in seconds and the queue that sets it; no queue for the default.
    fn min_runtime_and_queue(&self, victim: JobRef, against: Against) -> (f64, Option<QueueRef>) {
        self.facts_of(victim).queue.map_or((0.0, None), |queue| self.min_runtime_in(queue, against))
    }

    fn min_runtime_in(&self, queue: QueueRef, against: Against) -> (f64, Option<QueueRef>) {
        let (minimum, default) = match against {
            Against::Preemption => {
                let minimum = self.nearest(queue, |q| q.preempt_min_runtime_s);
                (minimum, self.inputs.config.default_preempt_min_runtime_s)
            }
            Against::Reclaim(claimant_queue) => {
                (self.reclaim_min_runtime(claimant_queue, queue), self.inputs.config.default_reclaim_min_runtime_s)
            }
        };
        minimum.map_or((default, None), |(queue, seconds)| (seconds, Some(queue)))
    }

    fn reclaim_min_runtime(&self, claimant_queue: QueueRef, victim: QueueRef) -> Option<(QueueRef, f64)> {
        let minimum = |q: &Queue| q.reclaim_min_runtime_s;
        if self.inputs.config.reclaim_resolve == ReclaimResolve::Queue {
            return self.nearest(victim, minimum);
        }
        let up = |queue_ref| self.state.path_up(Some(queue_ref));
        let is_common = |queue: QueueRef| up(claimant_queue).any(|q| q == queue);
        if is_common(victim) {
            return self.nearest(victim, minimum);
        }
        // First queue on the victim's path below the lowest common ancestor; its top queue if there is no common
        // ancestor.
        let parent = |queue: QueueRef| self.state.queues[queue.ix()].parent;
        let below = up(victim).find(|&q| parent(q).is_none_or(is_common)).unwrap_or(victim);
        match parent(below) {
            None => minimum(&self.state.queues[below.ix()]).map(|seconds| (below, seconds)),
            Some(_) => self.nearest(below, minimum),
        }
    }

    fn nearest(&self, queue: QueueRef, minimum: impl Fn(&Queue) -> Option<f64>) -> Option<(QueueRef, f64)> {
        self.state.path_up(Some(queue)).find_map(|q| Some((q, minimum(&self.state.queues[q.ix()])?)))
    }
}
