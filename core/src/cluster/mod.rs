//! The world: nodes, queues, jobs and pods, in neutral words and exact integers.
//!
//! Invariant: the cluster knows no policy. There is no fair share and no claim in it; quota, limit, weight
//! and priority are plain fields whose meaning a policy gives. Only `lifecycle` changes a pod's phase.

mod audit;
mod capacity;
mod job;
mod lifecycle;
mod node;
mod pod;
mod queue;
mod sums;
mod usage;

use std::sync::Arc;

use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, PodSetId, QueueId};
use crate::time::{Span, Time};

pub use audit::{Finding, audit, audit_live, audit_nodes};
pub use job::{Gang, Job, JobSpec, PodSet, Preemptible, Restart};
pub use lifecycle::{BindError, Displaced, World, request_of};
pub use node::{Capacity, Node, NodeState};
pub use pod::{
    Devices, Effect, Found, GpuRequest, Joining, NodeSelector, Phase, Pod, PodRules, PodSpec, Request,
    Requirement, Taint, Toleration, Wanted, is_tolerated,
};
pub use queue::{Queue, QueueResource};
pub use sums::{QueueSums, Sums};
pub use usage::NodeUse;

/// Everything that exists, as one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Separately scheduled parts, in file order.
    pub partitions: Arena<PartitionId, Partition>,
    /// Machines, in file order.
    pub nodes: Arena<NodeId, Node>,
    /// The organisation trees; a parent may stand after its children. The tree is the same in every partition, the
    /// values may differ: see [`Cluster::queues_in`].
    pub queues: Arena<QueueId, Queue>,
    /// Jobs, in file order, whether or not they were submitted already.
    pub jobs: Arena<JobId, Job>,
    /// Pod sets; those of one job are adjacent.
    pub pod_sets: Arena<PodSetId, PodSet>,
    /// Pods; those of one job are adjacent, in pod-set order.
    pub pods: Arena<PodId, Pod>,
    /// Pods that run already when their jobs become known, later than at the start; ascending.
    pub found: Vec<Found>,
    /// Pods that join their jobs later than at the submission, ascending.
    pub joining: Vec<Joining>,
    /// Submitted jobs that have not ended, ascending. Kept by `lifecycle`.
    pub live_jobs: Vec<JobId>,
    /// How long things take between cycles.
    pub delays: Delays,
    /// What the resources beside CPU, memory and GPUs are called: the nth is `Resource::named(n)`.
    pub named: Vec<Arc<str>>,
}

/// A separately scheduled part of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Display name.
    pub name: Arc<str>,
    /// The same queues as the cluster's with the values they have here; `None`: the cluster's own.
    pub queues: Option<Arena<QueueId, Queue>>,
}

impl Partition {
    /// A partition in which queues have the cluster's values.
    pub fn new(name: &str) -> Partition {
        Partition { name: name.into(), queues: None }
    }
}

/// How long things take between cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// From bind to running.
    pub start: Span,
    /// From evict to gone. Zero: gone before the next cycle, still seen as terminating after this one.
    pub termination: Span,
}

impl Cluster {
    /// The pods of a job, in pod-set order.
    pub fn pods_of(&self, job: JobId) -> impl DoubleEndedIterator<Item = (PodId, &Pod)> {
        self.jobs[job].pod_ids().map(|id| (id, &self.pods[id]))
    }

    /// The pods of a job that start or run and may not be taken. Of a semi-preemptible job, in each pod set, the first by
    /// name, as many as its minimum: those are the ones that stay when others are taken from the end.
    pub fn fixed_pods(&self, job: JobId) -> Vec<PodId> {
        let holds = |pod: &Pod| matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
        let held = self.pods_of(job).filter(|(_, pod)| holds(pod)).map(|(id, _)| id);
        let mut fixed: Vec<PodId> = match self.jobs[job].preemptible {
            Preemptible::Yes => Vec::new(),
            Preemptible::No | Preemptible::Semi => held.collect(),
        };
        if self.jobs[job].preemptible == Preemptible::Semi {
            fixed.sort_by_key(|&pod| (self.pods[pod].pod_set, self.pods[pod].name.clone()));
            let (mut set, mut n) = (None, 0);
            fixed.retain(|&pod| {
                let own = self.pods[pod].pod_set;
                n = if set == Some(own) { n + 1 } else { 1 };
                set = Some(own);
                n <= self.pod_sets[own].min_available
            });
        }
        fixed
    }

    /// Whether a job is over because its pods were evicted and nobody replaced them: in a pod set, fewer came to their own end
    /// than have to run together. Those that were evicted beyond that it did without. A job that was withdrawn is done.
    pub fn is_evicted(&self, job: JobId) -> bool {
        let j = &self.jobs[job];
        let has = |is: fn(Phase) -> bool| self.pods_of(job).any(|(_, pod)| is(pod.phase));
        if j.restart != Restart::Never || j.ended.is_none() || has(|p| matches!(p, Phase::Removed { .. })) {
            return false;
        }
        j.pod_set_ids().any(|set| {
            let phases = || self.pods_of(job).filter(|(_, pod)| pod.pod_set == set).map(|(_, pod)| pod.phase);
            let n_finished = phases().filter(|phase| matches!(phase, Phase::Finished { .. })).count();
            phases().any(|phase| matches!(phase, Phase::Evicted { .. }))
                && n_finished < self.pod_sets[set].min_available.max(1) as usize
        })
    }

    /// When a pod joins its job, if that is later than at the submission.
    pub fn joins_at(&self, pod: PodId) -> Option<Time> {
        let found = self.joining.binary_search_by_key(&pod, |joining| joining.pod);
        found.ok().map(|at| self.joining[at].at)
    }

    /// The pods of a job that have not joined it yet, each with its moment. None before the job is submitted.
    pub fn joining_of(&self, job: JobId) -> impl Iterator<Item = Joining> + '_ {
        let (first, n) = self.jobs[job].pods;
        let from = self.joining.partition_point(|joining| joining.pod < first);
        let of_job = self.joining[from..].iter().take_while(move |joining| joining.pod.0 < first.0 + n);
        let is_live = self.live_jobs.binary_search(&job).is_ok();
        let yet = move |joining: &&Joining| is_live && self.pods[joining.pod].phase == Phase::Future;
        of_job.filter(yet).copied()
    }

    /// The queues with the values they have in a partition.
    pub fn queues_in(&self, partition: PartitionId) -> &Arena<QueueId, Queue> {
        let own = self.partitions.get(partition).and_then(|partition| partition.queues.as_ref());
        own.unwrap_or(&self.queues)
    }

    /// From a queue up to its root, the queue itself first.
    pub fn path_to_root(&self, queue: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(queue), |&q| self.queues[q].parent)
    }
}
