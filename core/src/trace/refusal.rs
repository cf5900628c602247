//! Refusals: why a job is still pending, and what could change that.

use serde::{Deserialize, Serialize};

use super::check::{Check, Quantity};
use crate::id::{JobId, NodeId, QueueId};
use crate::time::Time;
use crate::units::Resource;

/// Why a job is still pending at the end of a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The job.
    pub job: JobId,
    /// The dominant reason.
    pub gate: Gate,
    /// Further reasons that apply.
    pub also: Vec<Gate>,
    /// The comparisons: those of the dominant reason, then those of the others.
    pub checks: Vec<Check>,
    /// The expected end of the refusal.
    pub outlook: Outlook,
}

impl Refusal {
    /// What was free on the nodes that were tried, if room was a reason.
    pub fn free(&self) -> Option<FreeGpus> {
        std::iter::once(&self.gate).chain(&self.also).find_map(|gate| match gate {
            Gate::NoNode { free, .. } => *free,
            _ => None,
        })
    }

    /// Whether the bound of [`Gate::OverLimit`] is a quota.
    pub fn is_over_quota(&self) -> bool {
        self.checks.first().is_some_and(|check| check.right.quantity == Quantity::Quota)
    }
}

/// The stage of scheduling at which a pending job was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Gate {
    /// Too few of its pods are ready to be scheduled.
    NotReady,
    /// Its queue is not a leaf.
    NotALeaf,
    /// The scheduler did not accept the job when it was submitted.
    NotAccepted {
        /// The reason.
        why: NotAccepted,
    },
    /// One of its pods does not fit even on an empty node.
    TooLarge {
        /// The resource that is insufficient on every node.
        resource: Resource,
    },
    /// A queue on the path would exceed its limit.
    OverLimit {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// The user or a group of the user would exceed a limit in a queue on the path.
    UserLimit {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// A queue on the path, or the user in it, has reached its maximum number of running jobs.
    TooManyJobs {
        /// The queue.
        queue: QueueId,
    },
    /// Non-preemptible jobs of a queue on the path would exceed its quota.
    NonPreemptibleOverQuota {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// The queue is above its fair share and may not reclaim.
    NotEntitled {
        /// The queue.
        queue: QueueId,
    },
    /// No permitted eviction makes enough room.
    NoVictims {
        /// Number of scenarios tried.
        tried: u32,
        /// The ancestor of the job's queue that may not reclaim more; `None`: the queue itself was compared.
        ancestor: Option<QueueId>,
    },
    /// The possible victims have not reached their minimum runtime yet.
    VictimsProtected {
        /// Time at which enough victims have reached it.
        until: Time,
    },
    /// No node fits the next pod of the chunk.
    NoNode {
        /// Pods of the chunk that were placed before the failure.
        placed: u32,
        /// Pods of the chunk.
        of: u32,
        /// Number of nodes per reason.
        reasons: Vec<(NodeReason, u32)>,
        /// GPUs that were free at the attempt, if known.
        free: Option<FreeGpus>,
    },
    /// Earlier jobs in the same queue come first.
    Behind {
        /// The first of those jobs.
        job: JobId,
    },
    /// Room is claimed; victims are terminating.
    WaitingForVictims {
        /// Time at which the last victim is gone, if known.
        until: Option<Time>,
    },
    /// Room is reserved for part of its gang; no pod starts before there is room for all.
    GangIncomplete {
        /// Number of pods with a reservation.
        held: u32,
        /// Number of pods that need one.
        of: u32,
        /// Time at which the reservations expire; `None`: there are none.
        until: Option<Time>,
    },
    /// The reservations for its gang were incomplete at the timeout, so the job has failed.
    GangFailed,
    /// Its queue accepts no gangs, or none of this size.
    GangRefused,
    /// The scheduler chose a node that has no device left, so the pod cannot be bound.
    NoDevice {
        /// The node.
        node: NodeId,
    },
    /// It preempted once, which freed too little, and it does not preempt again.
    PreemptedTooLittle,
    /// Not tried before a known time.
    Delayed {
        /// The time.
        until: Time,
        /// The reason.
        why: Delay,
    },
    /// Not tried: it may be tried only once in this partition.
    TriedOnce,
    /// Not tried: an equal or easier job already failed in this cycle.
    LikeFailed {
        /// That job.
        job: JobId,
    },
}

/// Why a scheduler does not accept a job into its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotAccepted {
    /// The queue is not in its present configuration.
    NoQueue,
    /// The queue is being removed: present jobs may finish, but no others are accepted.
    Draining,
}

/// Why a job is not tried before a known time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delay {
    /// The reservations for its gang have expired; its pods are tried one by one from then on.
    GangExpired,
    /// Too many of its pods found no node.
    Backoff,
    /// It may start on free room, but may not evict other jobs yet.
    Preemption,
}

impl Gate {
    /// The queue and the resource of the reason, if any.
    pub fn about(&self) -> (Option<QueueId>, Option<Resource>) {
        match *self {
            Gate::OverLimit { queue, resource }
            | Gate::UserLimit { queue, resource }
            | Gate::NonPreemptibleOverQuota { queue, resource } => (Some(queue), Some(resource)),
            Gate::TooManyJobs { queue } | Gate::NotEntitled { queue } => (Some(queue), None),
            Gate::NoVictims { ancestor, .. } => (ancestor, None),
            Gate::TooLarge { resource } => (None, Some(resource)),
            Gate::NotReady
            | Gate::NotALeaf
            | Gate::NotAccepted { .. }
            | Gate::VictimsProtected { .. }
            | Gate::NoNode { .. }
            | Gate::Behind { .. }
            | Gate::WaitingForVictims { .. }
            | Gate::GangIncomplete { .. }
            | Gate::GangFailed
            | Gate::GangRefused
            | Gate::NoDevice { .. }
            | Gate::PreemptedTooLittle
            | Gate::Delayed { .. }
            | Gate::TriedOnce
            | Gate::LikeFailed { .. } => (None, None),
        }
    }
}

/// GPUs that are free, or become free without further evictions, on available nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FreeGpus {
    /// Sum over all nodes.
    pub total: f64,
    /// Largest number on one node.
    pub most: f64,
}

/// Of the free GPUs of each node.
impl FromIterator<f64> for FreeGpus {
    fn from_iter<T: IntoIterator<Item = f64>>(of_nodes: T) -> FreeGpus {
        let add = |sum: FreeGpus, free: f64| FreeGpus { total: sum.total + free, most: sum.most.max(free) };
        of_nodes.into_iter().fold(FreeGpus::default(), add)
    }
}

/// Why a pod does not fit on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeReason {
    /// The resource is insufficient, including that of terminating pods.
    Insufficient(Resource),
    /// No pod slot.
    PodSlots,
    /// Down or being drained.
    NotReady,
    /// Labels do not match.
    Selector,
    /// A taint that is not tolerated.
    Taint,
    /// Another queue holds it, and this one may not use it.
    Held,
    /// Of another pool than the one from which the other pods of the job are.
    OtherPool,
    /// A limit or quota of the queue allows no more on it.
    Gate,
    /// Its room is reserved for this job.
    Reserved(JobId),
}

impl NodeReason {
    /// Counts the nodes per reason, in the order of reasons; the argument has one reason per node.
    pub fn counted(mut reasons: Vec<NodeReason>) -> Vec<(NodeReason, u32)> {
        reasons.sort();
        let mut counted: Vec<(NodeReason, u32)> = Vec::new();
        for reason in reasons {
            match counted.last_mut() {
                Some((last, n)) if *last == reason => *n += 1,
                _ => counted.push((reason, 1)),
            }
        }
        counted
    }
}

/// The expected end of a refusal, as far as the policy can foresee it at the end of the cycle.
///
/// A prediction holds as long as no entry of the scenario's timeline takes effect and no job is submitted. *The job is
/// served* means that pods of it start or room is reserved for them; *the next cycle* is the next one of its partition.
/// `tests/tests/laws_outlook.rs` verifies each prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outlook {
    /// The next cycle serves the job, refuses it by another gate, or serves another job.
    NextCycle,
    /// The reason ends at a known time: the first cycle from then on serves the job or refuses it by another gate (the
    /// same gate with a later time counts as another). If nothing else happens until then and the reason is
    /// [`Ending::Protection`], that cycle evicts or starts something. [`Ending::PreemptionDelay`] predicts only that.
    At {
        /// The time.
        time: Time,
        /// What ends at that time.
        what: Ending,
    },
    /// With `at`: the end of this job, the last of several jobs that end by themselves, frees the last of the room
    /// needed. If nothing else happens until then, the first cycle from then on serves the pending job, or another job
    /// first. Without: the pending job is not served as long as this one, which has no end, keeps all its pods.
    WhenEnds {
        /// The job that ends.
        job: JobId,
        /// Its end if it is not evicted; `None`: it has no end.
        at: Option<Time>,
    },
    /// No pod of the job starts unless the scenario changes.
    OnlyByEdit,
    /// It depends on other jobs; nothing is predicted.
    NotForeseeable,
}

impl Outlook {
    /// The outlook of a reason that ends at a known time, if no cycle takes place before `earliest`.
    pub fn of_end(earliest: Time, time: Time, what: Ending) -> Outlook {
        if time <= earliest { Outlook::NextCycle } else { Outlook::At { time, what } }
    }

    /// The outlook of jobs behind one with this outlook, where jobs start strictly in order: a job behind one that
    /// never starts never starts either.
    pub fn of_those_behind(self) -> Outlook {
        if self == Outlook::OnlyByEdit { Outlook::OnlyByEdit } else { Outlook::NotForeseeable }
    }
}

/// A cause of waiting that ends at a known time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Termination of evicted pods.
    Termination,
    /// Minimum runtime of possible victims.
    Protection,
    /// Reservation for a gang.
    Reservation,
    /// Time before which the job is not tried.
    Backoff,
    /// Time before which the job may not preempt.
    PreemptionDelay,
    /// Time before which the job may not evict others, whether or not it finds victims then.
    NoEvictions,
}
