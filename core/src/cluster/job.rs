//! Jobs and their pod sets.

use std::sync::Arc;

use crate::id::{JobId, PartitionId, PodId, PodSetId, QueueId};
use crate::time::{Span, Time};

/// What is admitted and ordered, one gang or an elastic group of pods: its specification, which all copies of a world
/// share, and its state. The fields of the specification are read as the job's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What never changes.
    pub spec: Arc<JobSpec>,
    /// The partition it is offered to now.
    pub partition: PartitionId,
    /// How often it was offered to another partition so far. Kept by `lifecycle`.
    pub offers: u32,
    /// When its first pod started running for the first time. Kept by `lifecycle`.
    pub first_start: Option<Time>,
    /// When its last pod ended. Kept by `lifecycle`.
    pub ended: Option<Time>,
    /// How many of its pods were evicted so far. Kept by `lifecycle`.
    pub evictions: u32,
    /// When a pod was last bound after none ran, as the scenario or the run says.
    pub last_start: Option<Time>,
}

impl std::ops::Deref for Job {
    type Target = JobSpec;

    fn deref(&self) -> &JobSpec {
        &self.spec
    }
}

/// What never changes about a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Unique name; also the last tie-break of policies that say so.
    pub name: Arc<str>,
    /// A leaf queue.
    pub queue: QueueId,
    /// Those it may run in, in the order in which it is offered to them; empty: only `partition`.
    pub pools: Vec<PartitionId>,
    /// Whether it is tried once only in each partition it is offered to, under policies that know that.
    pub is_tried_once: bool,
    /// Larger first inside a queue.
    pub priority: i32,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// Tie-break by age.
    pub created: Time,
    /// When it becomes known to the scheduler.
    pub submit: Time,
    /// How long each pod runs; `None`: until the end of the run.
    pub lasts: Option<Span>,
    /// What becomes of its pods that lose their place.
    pub restart: Restart,
    /// Who submitted it, where the scenario says.
    pub user: Option<Arc<str>>,
    /// First pod set and number of pod sets.
    pub pod_sets: (PodSetId, u32),
    /// First pod and number of pods.
    pub pods: (PodId, u32),
    /// How room is held for its pods until all that must start together have some; `None`: it is not.
    pub gang: Option<Gang>,
    /// For which job those of its pods are evicted that are being evicted at the start, as the scenario says.
    pub evicted_for: Option<JobId>,
}

/// Whether the pods of a job may be evicted for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preemptible {
    /// None of them.
    #[default]
    No,
    /// Those above its minimum: of each pod set, as many as must run together are its core and may not be taken.
    Semi,
    /// All of them.
    Yes,
}

impl From<bool> for Preemptible {
    fn from(all: bool) -> Preemptible {
        if all { Preemptible::Yes } else { Preemptible::No }
    }
}

/// What becomes of a pod that lost its place: evicted by the policy, or its node is gone.
///
/// A policy does not know it: it takes pods, and what takes their place is the business of who made them. KAI's consolidation
/// deletes pods too, to have them started again elsewhere by whoever made them; of a job that nobody looks after they are gone
/// like all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// A new pod waits in its place, with all the work before it.
    #[default]
    Again,
    /// A new pod waits in its place, with only the rest of the work before it.
    Resume,
    /// Nobody makes a new pod: it is gone for good, and so is its work.
    Never,
}

/// How room is held for a gang before any of its pods starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gang {
    /// Whether the job fails if the room does not come together in time; else its pods start as they fit.
    pub is_hard: bool,
    /// How long the first room that is held waits for the rest.
    pub timeout: Span,
}

/// The pods of one kind in a job.
#[derive(Clone, Debug, PartialEq)]
pub struct PodSet {
    /// Unique in the job; `default` when the scenario names none.
    pub name: Arc<str>,
    /// The job.
    pub job: JobId,
    /// How many pods must be placed together before any runs.
    pub min_available: u32,
    /// Inner groups from the root; empty for a flat job.
    pub path: Vec<Arc<str>>,
}

impl Job {
    /// The partition after the present one in its list; `None`: it has only one.
    pub fn next_pool(&self) -> Option<PartitionId> {
        let at = self.pools.iter().position(|pool| *pool == self.partition)?;
        let next = self.pools[(at + 1) % self.pools.len()];
        (next != self.partition).then_some(next)
    }
    /// Its pods in order.
    pub fn pod_ids(&self) -> impl DoubleEndedIterator<Item = PodId> + use<> {
        let (first, n) = self.pods;
        (first.0..first.0 + n).map(PodId)
    }
    /// Where its pods stand among all pods.
    pub fn pod_range(&self) -> std::ops::Range<usize> {
        let (first, n) = self.pods;
        first.0 as usize..(first.0 + n) as usize
    }
    /// Its pod sets in order.
    pub fn pod_set_ids(&self) -> impl DoubleEndedIterator<Item = PodSetId> + use<> {
        let (first, n) = self.pod_sets;
        (first.0..first.0 + n).map(PodSetId)
    }
}
