//! Why a job is still pending: how far it came, and what could change that.

use super::check::Check;
use crate::id::{JobId, QueueId};
use crate::kit::sort;
use crate::time::Time;
use crate::units::Resource;

/// Why a job is still pending at the end of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The job.
    pub job: JobId,
    /// How far it came; the dominant reason.
    pub gate: Gate,
    /// Further reasons that held as well.
    pub also: Vec<Gate>,
    /// The numbers compared.
    pub checks: Vec<Check>,
    /// What could change it by itself.
    pub outlook: Outlook,
}

/// How far a pending job came.
#[derive(Clone, Debug, PartialEq)]
pub enum Gate {
    /// Too few pods are ready.
    NotReady,
    /// The queue has children.
    NotALeaf,
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
    },
    /// No node fits the next pod of the chunk.
    NoNode {
        /// Pods of the chunk that were placed before the one that was not.
        placed: u32,
        /// Pods of the chunk.
        of: u32,
        /// For each reason, on how many nodes.
        reasons: Vec<(NodeReason, u32)>,
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
    /// Not tried: an equal or easier job failed already in this cycle.
    LikeFailed {
        /// That job.
        job: JobId,
    },
}

/// Why a node does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
        sort::sort(&mut reasons);
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

/// What could change a refusal by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// The next cycle.
    NextCycle,
    /// When something frees.
    WhenFreed,
    /// When somebody may be reclaimed from.
    WhenReclaimed,
    /// Only an edit.
    OnlyByEdit,
    /// Nothing.
    Never,
}
