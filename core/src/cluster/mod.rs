//! The world: nodes, queues, jobs and pods, in neutral terms and exact integers.
//!
//! Invariant: the cluster is independent of policies. It holds neither fair shares nor claims; quota, limit, weight and
//! priority are plain fields that a policy interprets. Only `lifecycle` changes a pod's phase.

mod audit;
mod capacity;
mod contended;
mod job;
mod lifecycle;
mod node;
mod pod;
mod queue;

use std::sync::Arc;

use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, PodSetId, QueueId};
use crate::time::{Span, Time};

pub use audit::{Finding, audit, audit_live, audit_nodes};
pub use job::{Gang, Job, JobSpec, PodSet, Preemptible, Restart};
pub use lifecycle::{BindError, ClusterState, Displaced, request_of};
pub use node::{Capacity, Node, NodeState, NodeUse};
pub use pod::{
    Devices, Effect, Found, GpuRequest, Joining, LabelOperator, NodeSelector, Phase, Pod, PodRules, PodSpec, Request,
    Requirement, Taint, Toleration, is_tolerated,
};
pub use queue::{Queue, QueueResource, QueueSums, Sums};

/// The complete cluster as one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Separately scheduled parts, in file order.
    pub partitions: Arena<PartitionId, Partition>,
    /// Nodes, in file order.
    pub nodes: Arena<NodeId, Node>,
    /// The queue trees; a parent may come after its children. The trees are the same in every partition, the values may
    /// differ: see [`Cluster::queues_in`].
    pub queues: Arena<QueueId, Queue>,
    /// Jobs, in file order, including those not submitted yet.
    pub jobs: Arena<JobId, Job>,
    /// Pod sets; those of one job are adjacent.
    pub pod_sets: Arena<PodSetId, PodSet>,
    /// Pods; those of one job are adjacent, in pod-set order.
    pub pods: Arena<PodId, Pod>,
    /// Pods that already run when their jobs are submitted after the start; ascending.
    pub found: Vec<Found>,
    /// Pods that join their jobs after the submission; ascending.
    pub joining: Vec<Joining>,
    /// Submitted jobs that have not ended, ascending. Maintained by `lifecycle`.
    pub live_jobs: Vec<JobId>,
    /// Startup and termination times.
    pub delays: Delays,
    /// Names of the resources other than CPU, memory and GPUs: the nth is `Resource::named(n)`.
    pub named: Vec<Arc<str>>,
}

/// A separately scheduled part of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Display name.
    pub name: Arc<str>,
    /// The cluster's queues with the values of this partition; `None`: the cluster's own values.
    pub queues: Option<Arena<QueueId, Queue>>,
}

impl Partition {
    /// Creates a partition in which queues have the cluster's values.
    pub fn new(name: &str) -> Partition {
        Partition { name: name.into(), queues: None }
    }
}

/// Startup and termination times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Time from bind to running.
    pub start: Span,
    /// Time from eviction to gone. Zero: gone before the next cycle, still terminating after this one.
    pub termination: Span,
}

impl Cluster {
    /// The pods of a job, in pod-set order.
    pub fn pods_of(&self, job: JobId) -> impl DoubleEndedIterator<Item = (PodId, &Pod)> {
        self.jobs[job].pod_ids().map(|id| (id, &self.pods[id]))
    }

    /// The starting and running pods of a job that may not be evicted. Of a semi-preemptible job these are, in each pod
    /// set, the first pods by name up to its minimum, because pods are evicted from the end.
    pub fn fixed_pods(&self, job: JobId) -> Vec<PodId> {
        let holds = |pod: &Pod| matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
        let holding = self.pods_of(job).filter(|(_, pod)| holds(pod)).map(|(id, _)| id);
        let mut fixed: Vec<PodId> = match self.jobs[job].preemptible {
            Preemptible::Yes => Vec::new(),
            Preemptible::No | Preemptible::Semi => holding.collect(),
        };
        if self.jobs[job].preemptible == Preemptible::Semi {
            fixed.sort_by_key(|&pod| (self.pods[pod].pod_set, self.pods[pod].name.clone()));
            let (mut set, mut n) = (None, 0);
            fixed.retain(|&pod| {
                let pod_set = self.pods[pod].pod_set;
                n = if set == Some(pod_set) { n + 1 } else { 1 };
                set = Some(pod_set);
                n <= self.pod_sets[pod_set].min_available
            });
        }
        fixed
    }

    /// Whether a job ended because evicted pods were not replaced: a pod set with an evicted pod has fewer finished
    /// pods than its minimum. Evictions beyond the minimum do not count, and neither does a withdrawn job.
    pub fn is_evicted(&self, job: JobId) -> bool {
        let j = &self.jobs[job];
        let has = |test: fn(Phase) -> bool| self.pods_of(job).any(|(_, pod)| test(pod.phase));
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

    /// Time at which a pod joins its job; `None`: at the submission.
    pub fn joins_at(&self, pod: PodId) -> Option<Time> {
        let position = self.joining.binary_search_by_key(&pod, |joining| joining.pod);
        position.ok().map(|i| self.joining[i].at)
    }

    /// The pods of a submitted job that have not joined it yet, with their times; empty before the submission.
    pub fn joining_of(&self, job: JobId) -> impl Iterator<Item = Joining> + '_ {
        let (first, n) = self.jobs[job].pods;
        let start = self.joining.partition_point(|joining| joining.pod < first);
        let of_job = self.joining[start..].iter().take_while(move |joining| joining.pod.0 < first.0 + n);
        let is_live = self.live_jobs.binary_search(&job).is_ok();
        let is_expected = move |joining: &&Joining| is_live && self.pods[joining.pod].phase == Phase::Future;
        of_job.filter(is_expected).copied()
    }

    /// The queues with their values in a partition.
    pub fn queues_in(&self, partition: PartitionId) -> &Arena<QueueId, Queue> {
        let of_partition = self.partitions.get(partition).and_then(|partition| partition.queues.as_ref());
        of_partition.unwrap_or(&self.queues)
    }

    /// Iterates from a queue up to its root, the queue itself first.
    pub fn path_to_root(&self, queue: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(queue), |&q| self.queues[q].parent)
    }
}
