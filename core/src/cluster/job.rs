//! Jobs and their pod sets.

use std::sync::Arc;

use crate::id::{JobId, PartitionId, PodId, PodSetId, QueueId};
use crate::time::{Span, Time};

/// The unit of admission and order, a gang or an elastic group of pods: its specification, shared by all copies of a
/// world, and its state. Dereferences to the specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The immutable part.
    pub spec: Arc<JobSpec>,
    /// The partition to which it is offered now.
    pub partition: PartitionId,
    /// How often it was offered to another partition so far. Maintained by `lifecycle`.
    pub offers: u32,
    /// First start of one of its pods. Maintained by `lifecycle`.
    pub first_start: Option<Time>,
    /// End of its last pod. Maintained by `lifecycle`.
    pub ended: Option<Time>,
    /// Evictions of its pods so far. Maintained by `lifecycle`.
    pub evictions: u32,
    /// Latest time at which a pod was bound while no other held resources, from the scenario or the run.
    pub last_start: Option<Time>,
}

impl std::ops::Deref for Job {
    type Target = JobSpec;

    fn deref(&self) -> &JobSpec {
        &self.spec
    }
}

/// The immutable part of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Unique name; also the final tie-break of some policies.
    pub name: Arc<str>,
    /// Its queue, a leaf.
    pub queue: QueueId,
    /// The partitions it may run in, in the order of the offers; empty: only `partition`.
    pub pools: Vec<PartitionId>,
    /// Whether each partition tries it only once per offer, under policies that support this.
    pub is_tried_once: bool,
    /// Priority inside the queue; larger first.
    pub priority: i32,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// Time of creation, a tie-break of some policies.
    pub created: Time,
    /// Time at which the scheduler learns of it.
    pub submit: Time,
    /// Run time of each pod; `None`: until the end of the run.
    pub lasts: Option<Span>,
    /// What happens to pods that are evicted or lose their node.
    pub restart: Restart,
    /// The submitting user; `None` if the scenario names none.
    pub user: Option<Arc<str>>,
    /// First pod set and number of pod sets.
    pub pod_sets: (PodSetId, u32),
    /// First pod and number of pods.
    pub pods: (PodId, u32),
    /// How room is reserved until all pods that start together have some; `None`: no reservation.
    pub gang: Option<Gang>,
    /// How long after its creation or an eviction it may not evict others, under policies that support this.
    pub preemption_delay: Option<Span>,
    /// How long it may stay below its minimum, if it has a value of its own; `Some(None)`: for ever.
    pub staleness_grace: Option<Option<Span>>,
    /// Number of members that a group of pod sets needs, by the name of the group; that of the job itself is empty. A
    /// group that is not listed needs all.
    pub min_sub_groups: Vec<(Arc<str>, u32)>,
    /// The job for which its pods that terminate at the start were evicted, if the scenario names one.
    pub evicted_for: Option<JobId>,
}

/// Whether the pods of a job may be evicted for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preemptible {
    /// No pod.
    #[default]
    No,
    /// Pods above the minimum of their pod set; the others are its core.
    Semi,
    /// All pods.
    Yes,
}

impl From<bool> for Preemptible {
    fn from(all: bool) -> Preemptible {
        if all { Preemptible::Yes } else { Preemptible::No }
    }
}

/// What happens to a pod that was evicted by the policy or lost its node.
///
/// Policies do not see this: they only evict pods, and a controller outside the scheduler replaces them. That holds for
/// moves as well: without a controller, a pod that was to be moved is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// A new pod with all the work replaces it.
    #[default]
    Again,
    /// A new pod with the remaining work replaces it.
    Resume,
    /// It is not replaced; its work is lost.
    Never,
}

/// How room is reserved for a gang before any of its pods starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gang {
    /// Whether the job fails if the reservation is incomplete at the timeout; otherwise its pods start as they fit.
    pub is_hard: bool,
    /// Time from the first reservation until the timeout.
    pub timeout: Span,
}

/// Pods of a job with the same specification.
#[derive(Clone, Debug, PartialEq)]
pub struct PodSet {
    /// Name, unique in the job; `default` if the scenario names none.
    pub name: Arc<str>,
    pub job: JobId,
    /// Number of pods that have to be placed together.
    pub min_available: u32,
    /// Names of the nested groups from the root; empty for a flat job.
    pub path: Vec<Arc<str>>,
}

impl Job {
    /// The partition after the present one in its list, cyclically; `None`: there is no other.
    pub fn next_pool(&self) -> Option<PartitionId> {
        let position = self.pools.iter().position(|pool| *pool == self.partition)?;
        let next = self.pools[(position + 1) % self.pools.len()];
        (next != self.partition).then_some(next)
    }
    /// Number of members that a group needs, unless all; the name of the job itself is empty.
    pub fn min_sub_group(&self, group: &str) -> Option<usize> {
        self.min_sub_groups.iter().find(|(name, _)| **name == *group).map(|&(_, n)| n as usize)
    }
    /// Its pods in order.
    pub fn pod_ids(&self) -> impl DoubleEndedIterator<Item = PodId> + use<> {
        let (first, n) = self.pods;
        (first.0..first.0 + n).map(PodId)
    }
    /// Its pod sets in order.
    pub fn pod_set_ids(&self) -> impl DoubleEndedIterator<Item = PodSetId> + use<> {
        let (first, n) = self.pod_sets;
        (first.0..first.0 + n).map(PodSetId)
    }
}
