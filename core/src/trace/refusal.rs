//! Why a job is still pending: how far it came, and what could change that.

use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::id::{JobId, NodeId, QueueId};
use crate::time::Time;
use crate::units::Resource;

/// Why a job is still pending at the end of a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The job.
    pub job: JobId,
    /// How far it came; the dominant reason.
    pub gate: Gate,
    /// Further reasons that held as well.
    pub also: Vec<Gate>,
    /// The numbers compared.
    pub checks: Vec<Check>,
    /// What ends it.
    pub outlook: Outlook,
}

/// How far a pending job came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Gate {
    /// Too few pods are ready.
    NotReady,
    /// The queue has children.
    NotALeaf,
    /// The scheduler did not accept the job when it was submitted.
    NotAccepted {
        /// Why.
        why: NotAccepted,
    },
    /// No node could hold a pod of it even when empty.
    TooLarge {
        /// The resource that no node has enough of.
        resource: Resource,
    },
    /// A queue on the path would exceed its limit.
    OverLimit {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// The user, or its group, would exceed its limit in a queue on the path.
    UserLimit {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// A queue on the path, or the user in it, runs as many jobs as it may.
    TooManyJobs {
        /// The queue.
        queue: QueueId,
    },
    /// Non-preemptible work may not exceed the quota.
    NonPreemptibleOverQuota {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// The queue is above its fair share and may not take from others.
    NotEntitled {
        /// The queue.
        queue: QueueId,
    },
    /// Nothing may be taken that would help.
    NoVictims {
        /// How many hypotheses were tried.
        tried: u32,
        /// The ancestor of the job's queue that may not take more, where not the queue itself was compared.
        ancestor: Option<QueueId>,
    },
    /// Those that could be evicted for it have not run for their minimum runtime yet.
    VictimsProtected {
        /// When the last of those that it needs has.
        until: Time,
    },
    /// No node fits the next pod of the chunk.
    NoNode {
        /// Pods of the chunk that were placed before the one that was not.
        placed: u32,
        /// Pods of the chunk.
        of: u32,
        /// For each reason, on how many nodes.
        reasons: Vec<(NodeReason, u32)>,
        /// GPUs that were free when it was tried, if that is known.
        free: Option<FreeGpus>,
    },
    /// Earlier jobs in the same queue come first.
    Behind {
        /// The first of them.
        job: JobId,
    },
    /// Room is claimed; victims are leaving.
    WaitingForVictims {
        /// When the last of them is gone, if known.
        until: Option<Time>,
    },
    /// Room is held for some of its gang; nothing starts before there is some for all.
    GangIncomplete {
        /// For how many pods room is held.
        held: u32,
        /// For how many it is wanted.
        of: u32,
        /// When what is held is given up; none while nothing is held.
        until: Option<Time>,
    },
    /// The room for its gang did not come together in time, so it has failed.
    GangFailed,
    /// Its queue takes no gang, or none that large.
    GangRefused,
    /// The scheduler placed it on a node that has no device left for it, so that it cannot be bound.
    NoDevice {
        /// The node.
        node: NodeId,
    },
    /// Not tried: it was tried once in this partition, and that is all it may be.
    TriedOnce,
    /// Not tried: an equal or easier job failed already in this cycle.
    LikeFailed {
        /// That job.
        job: JobId,
    },
}

/// Why a scheduler does not accept a job into its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotAccepted {
    /// Its configuration does not have the queue at present.
    NoQueue,
    /// The queue is being removed: what is there may end, nothing new comes in.
    Draining,
}

impl Gate {
    /// The queue and the resource that it names.
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
            | Gate::TriedOnce
            | Gate::LikeFailed { .. } => (None, None),
        }
    }
}

/// GPUs that are free, or become free without further evictions, on the nodes that take part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FreeGpus {
    /// On all nodes together.
    pub total: f64,
    /// On the node with most.
    pub most: f64,
}

/// Why a node does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeReason {
    /// Not enough of the resource is free or leaving.
    Insufficient(Resource),
    /// No pod slot.
    PodSlots,
    /// Down or drained.
    NotReady,
    /// Labels do not match.
    Selector,
    /// A taint that is not tolerated.
    Taint,
    /// The queue's limit or quota on this node.
    Gate,
}

impl NodeReason {
    /// On how many nodes each reason holds, in their order; of one reason per node.
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

/// What ends a refusal, as far as the policy can tell at the end of the cycle.
///
/// A promise holds while nothing comes from outside: no entry of the scenario's timeline takes effect and no job is
/// submitted. *The job is served* means that pods of it start or room is claimed for them; *the next cycle* is the next one of
/// its partition. `tests/tests/laws_outlook.rs` runs on and checks each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outlook {
    /// The next cycle serves the job, refuses it by another gate, or serves another job.
    NextCycle,
    /// The reason ends at a known moment: in the first cycle from then on the job is served, or another gate refuses it (the
    /// same gate with a later moment is another). If nothing else happens until then and the reason is
    /// [`Ending::Protection`], that cycle evicts or starts something.
    At {
        /// The moment.
        time: Time,
        /// What is over then.
        what: Ending,
    },
    /// With `at`: jobs end by themselves, and the end of this one frees the last of what the job needs. If nothing else
    /// happens until then, the first cycle from then on serves the job, or another job first. Without: the job is not served as
    /// long as this one, which has no end, keeps all its pods.
    WhenEnds {
        /// The job that ends.
        job: JobId,
        /// When it ends if it is not evicted; none if it has no end.
        at: Option<Time>,
    },
    /// No pod of the job starts unless the scenario changes.
    OnlyByEdit,
    /// It depends on what other jobs do; nothing is promised.
    NotForeseeable,
}

impl Outlook {
    /// Of a reason that ends at a moment, where no cycle takes place before `earliest`.
    pub fn of_end(earliest: Time, time: Time, what: Ending) -> Outlook {
        if time <= earliest { Outlook::NextCycle } else { Outlook::At { time, what } }
    }
}

/// What is over at a moment that is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Evicted pods are gone.
    Termination,
    /// The minimum runtime of those that could be evicted.
    Protection,
    /// Room is no longer held for a gang.
    Reservation,
    /// A gang that got no room may be tried pod by pod.
    Backoff,
}
