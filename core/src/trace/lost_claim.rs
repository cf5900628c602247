//! Room that a job claims repeatedly and loses each time.

use serde::{Deserialize, Serialize};

use crate::id::JobId;

/// A job for which pods are evicted again and again, because another job starts in the room it has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostClaim {
    /// The job.
    pub job: JobId,
    /// The job that took the room last.
    pub taker: JobId,
    /// How often the room was taken and claimed again since a pod of the job last started.
    pub times: u32,
}

impl LostClaim {
    /// From this number of losses on, the repetition counts as a loop.
    const LOOP_MIN: u32 = 3;

    /// Whether the run repeats itself.
    pub fn is_loop(&self) -> bool {
        self.times >= LostClaim::LOOP_MIN
    }
}
