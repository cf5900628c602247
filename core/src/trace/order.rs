//! The order of queues and jobs, and priorities derived from pending work, under a policy at one instant.

use serde::{Deserialize, Serialize};

use super::check::{Check, Term};
use crate::id::{JobId, QueueId};

/// One level of the order of a policy's next pass over queues and jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderLevel {
    /// The queue whose children or jobs are ordered; `None`: the root.
    pub of: Option<QueueId>,
    /// Number of queues or jobs in the order.
    pub n: u32,
    /// The first of them, the subject of the query and its neighbours, in order.
    pub places: Vec<OrderPlace>,
    /// Whether the subject of the query has no place because it requests nothing now.
    pub subject_is_absent: bool,
}

/// A queue or a job in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderPlace {
    /// Position in the order, from 1.
    pub position: u32,
    /// The queue; `None` for a job, and for a queue that is not in the scenario.
    pub queue: Option<QueueId>,
    /// The job; `None` for a queue.
    pub job: Option<JobId>,
    /// Its name in the policy.
    pub name: String,
    /// Whether it is the subject of the query or one of its ancestors.
    pub is_subject: bool,
    /// Its sort keys, the most significant first.
    pub keys: Vec<Term>,
    /// Comparisons with its predecessor, the most significant first: the sides are equal in all but the last, which
    /// decided. Empty for the first place.
    pub behind: Vec<Check>,
}

/// The priority by which a queue is compared with its siblings, under a policy that derives one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePriority {
    /// The queue.
    pub queue: QueueId,
    /// Largest priority of pending requests below the queue; `None`: nothing is pending there.
    pub raw: Option<i32>,
    /// Offset that the queue adds to it.
    pub offset: i32,
    /// Whether the queue is a priority fence: its offset replaces the priorities from below.
    pub is_fence: bool,
    /// Priority that the parent sees; `None`: nothing is pending.
    pub effective: Option<i32>,
}

/// A priority before and after a placement; `None`: nothing was pending.
pub type BeforeAfter = [Option<i32>; 2];

/// The placement of a pod, and the priorities that result from the remaining requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorityStep {
    /// The pod's name in the policy.
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
