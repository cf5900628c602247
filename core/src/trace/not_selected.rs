//! Queues and jobs that were not selected as victims, and the reasons.

use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::id::{JobId, QueueId};

/// A queue or job that was not selected when pods were evicted for a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotSelected {
    /// The job for which pods were evicted.
    pub by: JobId,
    /// The queue or job that was not selected.
    pub candidate: Candidate,
    /// The reason.
    pub why: Protection,
}

/// A possible victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Candidate {
    /// A queue with its descendants.
    Queue(QueueId),
    /// A job.
    Job(JobId),
}

/// Why a candidate was not selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Protection {
    /// It is not preemptible.
    NonPreemptible,
    /// The core of a semi-preemptible job may not be evicted.
    Core {
        /// Number of pods in the core.
        pods: u32,
    },
    /// It failed this comparison, which a victim has to pass.
    Failed(Check),
    /// It passed this comparison, but earlier candidates sufficed.
    Later(Check),
    /// It is in the claimant's own queue, and the claimant reclaims only from other queues.
    OwnQueue {
        /// Number of jobs in that queue that hold resources.
        jobs: u32,
    },
    /// Other victims sufficed.
    NotNeeded,
}
