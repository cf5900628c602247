//! Who else was there when something was taken, and why it was not taken from them.

use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::id::{JobId, QueueId};

/// Somebody who stays although work was taken for a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotSelected {
    /// The job it was taken for.
    pub by: JobId,
    /// Who stays.
    pub whom: Whom,
    /// Why.
    pub why: Protection,
}

/// Who stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Whom {
    /// A queue with all below it.
    Queue(QueueId),
    /// A job.
    Job(JobId),
}

/// Why somebody stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Protection {
    /// Its work may not be taken at all.
    NonPreemptible,
    /// So many of its pods, its core, may not be taken.
    Core {
        /// How many.
        pods: u32,
    },
    /// A comparison that a victim has to pass, and that it failed.
    Failed(Check),
    /// It passed this comparison, but others came first and were enough.
    Later(Check),
    /// It is in the queue of the job it would be taken for, which takes from others only.
    OwnQueue {
        /// So many jobs hold something there.
        jobs: u32,
    },
    /// Others were enough.
    NotNeeded,
}
