//! A scenario with its meaning: what a simulation starts from.

use crate::cluster::{Cluster, QueueResource};
use crate::id::{JobId, NodeId, QueueId};
use crate::policy::{Policy, Rhythm};
use crate::time::Time;
use crate::units::{PerResource, Resource};

/// What a simulation starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The world at the start.
    pub cluster: Cluster,
    /// Who decides.
    pub policy: Policy,
    /// When.
    pub rhythm: Rhythm,
    /// What happens from outside, by time, then file order. Submissions are not in it: they are `Job::submit`.
    pub timeline: Vec<Planned>,
}

/// Something planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// When.
    pub at: Time,
    /// Position in the scenario's timeline.
    pub entry: u32,
    /// What.
    pub change: PlanChange,
}

/// A change from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanChange {
    /// A queue's values for some resources, and its priority, are replaced.
    Queue {
        /// The queue.
        queue: QueueId,
        /// The new priority, if it changes.
        priority: Option<i32>,
        /// All values of the queue after the change.
        resources: PerResource<QueueResource>,
        /// Resources that changed, for the log.
        changed: Vec<Resource>,
    },
    /// A node goes down or comes back.
    Node {
        /// The node.
        node: NodeId,
        /// Whether it takes part from now on.
        ready: bool,
    },
    /// A job is withdrawn or completed from outside.
    EndJob {
        /// The job.
        job: JobId,
    },
}
