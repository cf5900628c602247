//! Limits of all work and quotas of non-preemptible work.
//!
//! # Rule
//! From the leaf to the root, for each requested resource: *over limit* if `limit < Allocated + requested`; for
//! non-preemptible jobs also *over quota* if `Deserved < AllocatedNotPreemptible + requested`. Unlimited bounds are
//! skipped. The job as a whole is tested with its chunk, each task on its node. What requests of device memory count in
//! both tests differs between the revisions, see `request.rs`.
//!
//! # Source
//! kai.md 5.3; kai-v0.17.md 15.2, 15.3
//!
//! # Differs
//! nothing

use super::super::record::notes::Excess;
use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::record::notes::real;
use crate::policy::kai::session::Session;
use crate::policy::kai::share::shares::Queue;
use crate::policy::kai::task::JobRef;
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject};
use crate::units::Resource;

/// 5.3.
pub static LIMIT: Rule = Rule(&RuleRecord {
    key: "kai/capacity/limit",
    says: "no queue on the path to the root can exceed its limit",
    formula: "allocated + requested <= limit",
    source: "kai.md 5.3",
    differs: "an omitted limit means 0",
});
/// 5.3.
pub static QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/capacity/quota",
    says: "non-preemptible jobs cannot exceed the quota of any queue on the path to the root",
    formula: "allocated not preemptible + requested <= quota",
    source: "kai.md 5.3",
    differs: "preemptible work above the quota does not count",
});

impl Session<'_> {
    /// 5.3: both tests over the whole path, limits first; `fixed` is the part that must fit in quota.
    pub fn over_capacity(&self, job: JobRef, requested: Quantities, fixed: Option<Quantities>) -> Option<Excess> {
        if !self.inputs.plugins.proportion {
            return None;
        }
        let limit = |q: &Queue| (q.allocated, q.limit);
        self.first_excess(job, requested, false, limit).or_else(|| self.over_quota(job, fixed))
    }

    /// The quota test alone.
    pub fn over_quota(&self, job: JobRef, fixed: Option<Quantities>) -> Option<Excess> {
        let fixed = fixed.filter(|_| self.inputs.plugins.proportion)?;
        self.first_excess(job, fixed, true, |q| (q.allocated_np, q.deserved))
    }

    fn first_excess(
        &self,
        job: JobRef,
        requested: Quantities,
        of_quota: bool,
        bound: impl Fn(&Queue) -> (Quantities, Quantities),
    ) -> Option<Excess> {
        let mut next = self.facts_of(job).queue;
        while let Some(queue) = next {
            let q = &self.state.queues[queue.ix()];
            let (allocated, bound) = bound(q);
            let (allocated, requested, bound) = (allocated.to_array(), requested.to_array(), bound.to_array());
            for resource in 0..3 {
                let (allocated, requested, bound) = (allocated[resource], requested[resource], bound[resource]);
                if bound != UNLIMITED && requested != 0.0 && bound < allocated + requested {
                    return Some(Excess { queue, resource, of_quota, allocated, requested, bound });
                }
            }
            next = q.parent;
        }
        None
    }

    /// The comparison that an excess failed.
    pub fn excess_check(&self, job: JobRef, excess: Excess) -> Check {
        let Excess { queue, resource, of_quota, allocated, requested, bound } = excess;
        let resource = Some(Resource::ACCOUNTED[resource]);
        let subject = Subject { resource, ..self.about_queue(job, queue) };
        let (rule, left, right) = if of_quota {
            (QUOTA, Quantity::AllocatedNonPreemptible, Quantity::Quota)
        } else {
            (LIMIT, Quantity::AllocatedWithJob, Quantity::Limit)
        };
        let with_job = real(left, allocated + requested)
            .computed_from(vec![real(Quantity::Before, allocated), real(Quantity::Request, requested)]);
        Check::new(rule, subject, with_job, Op::AtMost, real(right, bound))
    }

    /// The comparisons of a chunk within all bounds, for resources that have bounds.
    pub fn capacity_checks(&self, job: JobRef, requested: Quantities, fixed: Option<Quantities>) -> Vec<Check> {
        let mut checks = Vec::new();
        let leaf = self.facts_of(job).queue.filter(|_| self.inputs.plugins.proportion);
        for queue in self.state.path_up(leaf) {
            let q = &self.state.queues[queue.ix()];
            let mut compare = |of_quota, requested: Quantities, allocated: Quantities, bound: Quantities| {
                for resource in 0..3 {
                    let (allocated, requested, bound) =
                        (allocated.to_array()[resource], requested.to_array()[resource], bound.to_array()[resource]);
                    if bound != UNLIMITED && requested != 0.0 {
                        let excess = Excess { queue, resource, of_quota, allocated, requested, bound };
                        checks.push(self.excess_check(job, excess));
                    }
                }
            };
            compare(false, requested, q.allocated, q.limit);
            if let Some(fixed) = fixed {
                compare(true, fixed, q.allocated_np, q.deserved);
            }
        }
        checks
    }
}
