//! Who is served before whom, and what queues show of what is below them, as a policy sees it at one instant.

use serde::{Deserialize, Serialize};

use super::check::{Check, Term};
use crate::id::{JobId, QueueId};

/// One level of the order in which a policy will look at queues and jobs next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderLevel {
    /// The queue whose children, or whose jobs, these are; `None`: the root.
    pub of: Option<QueueId>,
    /// How many are in the order.
    pub n: u32,
    /// The first of them, the one that was asked about and its neighbours, in order.
    pub places: Vec<OrderPlace>,
    /// The one that was asked about wants nothing now, so it has no place.
    pub subject_is_absent: bool,
}

/// A queue or a job in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderPlace {
    /// From 1.
    pub position: u32,
    /// The queue; none for a job, and for a queue that the scenario does not know.
    pub queue: Option<QueueId>,
    /// The job; none for a queue.
    pub job: Option<JobId>,
    /// What the policy calls it.
    pub name: String,
    /// It, or something below it, was asked about.
    pub is_subject: bool,
    /// Its own numbers, in the order in which they count.
    pub keys: Vec<Term>,
    /// How it compares with the one before it, in the order in which the rules count: of all but the last the sides are
    /// equal, the last decided. Empty for the first of all.
    pub behind: Vec<Check>,
}

/// What a queue's siblings are compared with, under a policy whose queues have such a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePriority {
    /// The queue.
    pub queue: QueueId,
    /// The largest priority that comes up from below; none while nothing is outstanding there.
    pub raw: Option<i32>,
    /// What the queue adds to it.
    pub offset: i32,
    /// The queue hides what comes from below and shows its offset instead.
    pub is_fence: bool,
    /// What the parent sees; none while nothing is outstanding.
    pub effective: Option<i32>,
}

/// A priority before a pod was placed and after it; `None`: nothing was outstanding.
pub type BeforeAfter = [Option<i32>; 2];

/// A pod that was placed, and the priorities that follow from what is still outstanding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorityStep {
    /// What was placed, by the policy's own name.
    pub task: String,
    /// The queue of its application.
    pub queue: Option<QueueId>,
    /// Its application.
    pub application: String,
    /// The dynamic priority of the application.
    pub dynamic: BeforeAfter,
    /// Effective priorities that changed, from the leaf up.
    pub queues: Vec<(QueueId, BeforeAfter)>,
}
