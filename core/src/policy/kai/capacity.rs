//! Limits of all work, quotas of non-preemptible work.
//!
//! # Rule
//! From the leaf to the root, for each resource that is asked for: *over limit* if `limit < Allocated + requested`; for
//! non-preemptible jobs also *over quota* if `Deserved < AllocatedNotPreemptible + requested`. Unlimited is skipped. The
//! job as a whole is tested with its chunk (memory requests count no GPU), each task on its node with its part of one
//! device only.
//!
//! # Source
//! kai.md 5.3
//!
//! # Differs
//! nothing; Q-7 (the node's test sees one device) reproduced

use super::number::UNLIMITED;
use super::request::{Request, part};
use super::session::{Queue, Session};
use super::snapshot::Quantities;
use super::task::{JobRef, QueueRef};

/// The first queue and resource (0 CPU, 1 memory, 2 GPU) at which a chunk is too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    pub queue: QueueRef,
    pub resource: usize,
    /// Of the quota of non-preemptible work, not of the limit.
    pub of_quota: bool,
    pub held: f64,
    pub asked: f64,
    pub bound: f64,
}

/// What a task's node test asks for.
pub(super) fn asked_on_node(request: &Request, device_mib: i64) -> Quantities {
    let wants_none = request.is_cpu_only();
    let gpu = if wants_none { 0.0 } else { part(request.mib_on(device_mib), device_mib) };
    Quantities { cpu: request.cpu, memory: request.memory, gpu }
}

impl Session<'_> {
    /// 5.3: both tests over the whole path, limits first.
    pub fn over_capacity(&self, job: JobRef, asked: Quantities) -> Option<Excess> {
        if !self.plugins.proportion {
            return None;
        }
        let limit = |q: &Queue| (q.allocated, q.limit);
        self.first_excess(job, asked, false, limit).or_else(|| self.over_quota(job, asked))
    }

    /// The quota test alone.
    pub fn over_quota(&self, job: JobRef, asked: Quantities) -> Option<Excess> {
        if !self.plugins.proportion || self.facts_of(job).preemptible {
            return None;
        }
        self.first_excess(job, asked, true, |q| (q.allocated_np, q.deserved))
    }

    fn first_excess(
        &self,
        job: JobRef,
        asked: Quantities,
        of_quota: bool,
        bound: impl Fn(&Queue) -> (Quantities, Quantities),
    ) -> Option<Excess> {
        let mut at = self.facts_of(job).queue;
        while let Some(queue) = at {
            let q = &self.queues[queue.ix()];
            let (held, bound) = bound(q);
            let (held, asked, bound) = (held.to_array(), asked.to_array(), bound.to_array());
            for resource in 0..3 {
                let (held, asked, bound) = (held[resource], asked[resource], bound[resource]);
                if bound != UNLIMITED && asked != 0.0 && bound < held + asked {
                    return Some(Excess { queue, resource, of_quota, held, asked, bound });
                }
            }
            at = q.parent;
        }
        None
    }

    /// What a chunk asks for at the job's test: a memory request counts no GPU.
    pub fn asked_by(&self, chunk: &[super::task::TaskRef]) -> Quantities {
        let mut asked = Quantities::default();
        for &task in chunk {
            asked += self.pod_of(task).request.plain();
        }
        asked
    }
}
