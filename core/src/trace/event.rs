//! What happened. Folding the events of a run alone gives the same placements as the cluster.

use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::cluster::{Devices, NodeState};
use crate::id::{JobId, NodeId, PartitionId, PodId};

/// An event with the checks that decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// What happened.
    pub event: Event,
    /// The action of the cycle in which it was decided; empty outside of policies, and under those whose cycle has no parts.
    pub action: &'static str,
    /// What decided it; empty below level *decisive*.
    pub checks: Vec<Check>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The job became known.
    Submitted {
        /// The job.
        job: JobId,
    },
    /// Pods that are created later than their job joined it.
    Joined {
        /// The job.
        job: JobId,
        /// How many.
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
    /// The pod runs already when its job becomes known: something else than the scheduler placed it.
    Found {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// Its devices there.
        devices: Devices,
    },
    /// The pod has other devices than before: its node has fewer, or has some again that it lacked.
    Dealt {
        /// The pod.
        pod: PodId,
        /// Its node.
        node: NodeId,
        /// Its devices from now on.
        devices: Devices,
    },
    /// Room is held for the pod: until the end of the cycle if it is not free yet, or until its gang has room.
    Claimed {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
    },
    /// What was claimed for the pod, earlier in the cycle or for as long as its gang was waited for, is given up; the pod
    /// waits on.
    Unclaimed {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
        /// For another job, if it is for one.
        by: Option<JobId>,
    },
    /// The pod was evicted.
    Evicted {
        /// The pod.
        pod: PodId,
        /// Where it runs.
        node: NodeId,
        /// For whom.
        by: Option<JobId>,
        /// Why.
        reason: EvictReason,
    },
    /// An evicted pod is gone.
    Gone {
        /// The pod.
        pod: PodId,
        /// Where it ran.
        node: NodeId,
    },
    /// An evicted pod waits again.
    Requeued {
        /// The pod.
        pod: PodId,
    },
    /// An evicted pod is gone for good: nobody makes another in its place.
    NotReplaced {
        /// The pod.
        pod: PodId,
    },
    /// The pod ended by itself.
    Finished {
        /// The pod.
        pod: PodId,
        /// Where it ran.
        node: NodeId,
    },
    /// The last pod of the job ended.
    JobDone {
        /// The job.
        job: JobId,
    },
    /// The last pod of the job is over, and so many were evicted and not replaced that the job did not do its work.
    JobEvicted {
        /// The job.
        job: JobId,
    },
    /// No part of the job was placed, so from now on it is offered to the next partition of its list.
    Offered {
        /// The job.
        job: JobId,
        /// To which.
        partition: PartitionId,
    },
    /// All of the job still waits and it is not tried again in its partition.
    SetAside {
        /// The job.
        job: JobId,
    },
    /// A timeline entry of the scenario took effect.
    Changed {
        /// Its position in the scenario's timeline.
        entry: u32,
        /// The node whose state it changes, if it changes one, and its state from now on.
        node: Option<(NodeId, NodeState)>,
    },
}

/// Why a pod was evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EvictReason {
    /// Another queue takes back up to its fair share.
    ReclaimedForFairShare,
    /// Another queue takes back its quota.
    ReclaimedForQuota,
    /// A job of higher priority in the same queue.
    Preempted,
    /// To be placed elsewhere so that another job fits.
    Moved,
    /// Its queue uses more than a limit that was lowered.
    AboveLimit,
    /// Its gang fell below the minimum for too long.
    StaleGang,
    /// Its node is gone.
    NodeLost,
    /// The scenario's timeline withdrew it.
    Withdrawn,
}

impl EvictReason {
    /// As programs read it.
    pub fn key(self) -> &'static str {
        match self {
            EvictReason::ReclaimedForFairShare => "reclaimed-for-fair-share",
            EvictReason::ReclaimedForQuota => "reclaimed-for-quota",
            EvictReason::Preempted => "preempted",
            EvictReason::Moved => "moved",
            EvictReason::AboveLimit => "above-limit",
            EvictReason::StaleGang => "stale-gang",
            EvictReason::NodeLost => "node-lost",
            EvictReason::Withdrawn => "withdrawn",
        }
    }
}
