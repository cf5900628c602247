//! Events of a run. Law: the placements can be rebuilt from the events alone.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check::{Check, Subject};
use crate::cluster::{Devices, NodeState};
use crate::id::{JobId, NodeId, PartitionId, PodId};

/// An event with its decisive checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The event.
    pub event: Event,
    /// The action of the cycle that decided it; empty for external events and under policies whose cycle has no
    /// actions.
    pub action: &'static str,
    /// The decisive checks; empty below level *decisive*, and if there are too many events.
    pub checks: Arc<[Check]>,
}

/// An event, external or decided by a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The job was submitted.
    Submitted {
        /// The job.
        job: JobId,
    },
    /// Pods that are created after the submission joined their job.
    Joined {
        /// The job.
        job: JobId,
        /// Number of pods.
        pods: u32,
    },
    /// The pod was placed.
    Bound {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// Its devices there; filled in when the decision is applied.
        devices: Devices,
    },
    /// The pod was already running when its job was submitted, placed outside the scheduler.
    Found {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// Its devices there.
        devices: Devices,
    },
    /// The devices of the pod were reassigned after its node lost or regained devices.
    DevicesChanged {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// Its new devices.
        devices: Devices,
    },
    /// Room is reserved for the pod: until the end of the cycle if it is not free yet, or until its gang has room.
    Claimed {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
    },
    /// A reservation of the cycle, or for a gang, is withdrawn; the pod stays pending.
    Unclaimed {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
        /// The job for which it is withdrawn, if there is one.
        by: Option<JobId>,
    },
    /// The pod was evicted.
    Evicted {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// The job for which it was evicted, if there is one.
        by: Option<JobId>,
        /// The reason.
        reason: EvictReason,
    },
    /// An evicted pod is gone.
    Gone {
        /// The pod.
        pod: PodId,
        /// Its former node.
        node: NodeId,
    },
    /// An evicted pod was requeued.
    Requeued {
        /// The pod.
        pod: PodId,
    },
    /// An evicted pod is gone and not replaced.
    NotReplaced {
        /// The pod.
        pod: PodId,
    },
    /// The pod ended by itself.
    Finished {
        /// The pod.
        pod: PodId,
        /// Its former node.
        node: NodeId,
    },
    /// The last pod of the job ended.
    JobDone {
        /// The job.
        job: JobId,
    },
    /// The last pod of the job is over, and the job failed because evicted pods were not replaced.
    JobEvicted {
        /// The job.
        job: JobId,
    },
    /// No pod of the job was placed; it is offered to the next partition of its list.
    Offered {
        /// The job.
        job: JobId,
        /// That partition.
        partition: PartitionId,
    },
    /// The job is still entirely pending and is not tried again in its partition.
    SetAside {
        /// The job.
        job: JobId,
    },
    /// A timeline entry of the scenario took effect.
    Changed {
        /// Its position in the scenario's timeline.
        entry: u32,
        /// The node whose state it changes, if any, and the new state.
        node: Option<(NodeId, NodeState)>,
        /// The job that it ends, if any.
        ended: Option<JobId>,
    },
}

impl Event {
    /// The job, or the pod of a job, that it concerns; its node; and, as `other_job`, the job on whose behalf it
    /// happened.
    pub fn subject(&self) -> Subject {
        let none = Subject::default();
        match *self {
            Event::Submitted { job }
            | Event::Joined { job, .. }
            | Event::JobDone { job }
            | Event::JobEvicted { job }
            | Event::SetAside { job }
            | Event::Offered { job, .. } => Subject { job: Some(job), ..none },
            Event::Bound { pod, node, .. }
            | Event::Found { pod, node, .. }
            | Event::DevicesChanged { pod, node, .. }
            | Event::Claimed { pod, node }
            | Event::Gone { pod, node }
            | Event::Finished { pod, node } => Subject { pod: Some(pod), node: Some(node), ..none },
            Event::Unclaimed { pod, node, by } | Event::Evicted { pod, node, by, .. } => {
                Subject { pod: Some(pod), node: Some(node), other_job: by, ..none }
            }
            Event::Requeued { pod } | Event::NotReplaced { pod } => Subject { pod: Some(pod), ..none },
            Event::Changed { node, ended, .. } => Subject { job: ended, node: node.map(|(node, _)| node), ..none },
        }
    }
}

/// Why a pod was evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EvictReason {
    /// Reclaimed by another queue, up to its fair share.
    ReclaimedForFairShare,
    /// Reclaimed by another queue, up to its quota.
    ReclaimedForQuota,
    /// Reclaimed by another queue of higher priority, up to its quota.
    ReclaimedForPriority,
    /// Preempted by a job of higher priority in the same queue.
    Preempted,
    /// Moved to another node so that another job fits.
    Moved,
    /// Its queue exceeds its limit.
    AboveLimit,
    /// Its gang was below the minimum for too long.
    StaleGang,
    /// Its node went down.
    NodeLost,
    /// Withdrawn by the scenario's timeline.
    Withdrawn,
}

impl EvictReason {
    /// Identifier in machine-readable output.
    pub fn key(self) -> &'static str {
        match self {
            EvictReason::ReclaimedForFairShare => "reclaimed-for-fair-share",
            EvictReason::ReclaimedForQuota => "reclaimed-for-quota",
            EvictReason::ReclaimedForPriority => "reclaimed-for-priority",
            EvictReason::Preempted => "preempted",
            EvictReason::Moved => "moved",
            EvictReason::AboveLimit => "above-limit",
            EvictReason::StaleGang => "stale-gang",
            EvictReason::NodeLost => "node-lost",
            EvictReason::Withdrawn => "withdrawn",
        }
    }
}
