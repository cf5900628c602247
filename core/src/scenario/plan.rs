//! A scenario with its meaning: what a simulation starts from.

use crate::cluster::{Capacity, Cluster, NodeState, QueueResource};
use crate::id::{Id, JobId, NodeId, PartitionId, QueueId};
use crate::policy::{Policy, Rhythm};
use crate::time::Time;
use crate::units::{PerResource, Resource};

/// What a simulation starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The world at the start.
    pub cluster: Cluster,
    /// Who decides; with several partitions, in the first.
    pub policy: Policy,
    /// When.
    pub rhythm: Rhythm,
    /// Who decides in the further partitions and when, in file order: the same policy, perhaps with other switches.
    /// Partitions that are not listed are as the first.
    pub further: Vec<(Policy, Rhythm)>,
    /// What happens from outside, by time, then file order. Submissions are not in it: they are `Job::submit`.
    pub timeline: Vec<Planned>,
}

impl Plan {
    /// Who decides in a partition, and when.
    pub fn scheduling(&self, partition: PartitionId) -> (&Policy, Rhythm) {
        let further = partition.index().checked_sub(1).and_then(|at| self.further.get(at));
        further.map_or((&self.policy, self.rhythm), |(policy, rhythm)| (policy, *rhythm))
    }
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

impl Planned {
    /// The policies that take over with it, with other switches.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        let scheduling = match &self.change {
            PlanChange::Settings { scheduling } => scheduling.as_slice(),
            PlanChange::Queue { .. } | PlanChange::Node { .. } | PlanChange::EndJob { .. } => &[],
        };
        scheduling.iter().map(|(policy, _)| policy)
    }
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
        /// All values of the queue after the change, in every partition in which it changes.
        resources: Vec<(PartitionId, PerResource<QueueResource>)>,
        /// Resources that changed, for the log.
        changed: Vec<Resource>,
    },
    /// A node goes down, is drained or comes back, or has more or less than before.
    Node {
        /// The node.
        node: NodeId,
        /// What it is from now on, if that changes.
        state: Option<NodeState>,
        /// What it has from now on, if that changes.
        capacity: Option<Capacity>,
    },
    /// The policy reads its switches anew.
    Settings {
        /// Who decides from now on in each partition, and when: the same policy with other switches.
        scheduling: Vec<(Policy, Rhythm)>,
    },
    /// A job is withdrawn or completed from outside.
    EndJob {
        /// The job.
        job: JobId,
    },
}
