//! The input of a simulation, resolved from a scenario.

use crate::cluster::{Capacity, Cluster, NodeState, QueueResource};
use crate::id::{Id, JobId, NodeId, PartitionId, QueueId};
use crate::policy::{Policy, Rhythm};
use crate::time::Time;
use crate::units::{PerResource, Resource};

/// The input of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The world at the start.
    pub cluster: Cluster,
    /// The policy of the only or first partition.
    pub policy: Policy,
    /// The rhythm of the only or first partition.
    pub rhythm: Rhythm,
    /// Policies and rhythms of the further partitions, in file order: the same policy, possibly with other settings.
    /// Partitions that are not listed are scheduled like the first.
    pub further: Vec<(Policy, Rhythm)>,
    /// External events by time, then file order, without submissions, which are `Job::submit`.
    pub timeline: Vec<Planned>,
}

impl Plan {
    /// The policy and rhythm of a partition.
    pub fn scheduling(&self, partition: PartitionId) -> (&Policy, Rhythm) {
        let further = partition.index().checked_sub(1).and_then(|i| self.further.get(i));
        further.map_or((&self.policy, self.rhythm), |(policy, rhythm)| (policy, *rhythm))
    }
}

/// A timeline entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Time at which it takes effect.
    pub at: Time,
    /// Position in the scenario's timeline.
    pub entry: u32,
    pub change: PlanChange,
}

impl Planned {
    /// The policies with new settings that it puts in place.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        let scheduling = match &self.change {
            PlanChange::Settings { scheduling } => scheduling.as_slice(),
            PlanChange::Queue { .. } | PlanChange::Node { .. } | PlanChange::EndJob { .. } => &[],
        };
        scheduling.iter().map(|(policy, _)| policy)
    }
}

/// An external change.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanChange {
    /// A queue's values for some resources, and its priority, are replaced.
    Queue {
        queue: QueueId,
        /// The new priority, if it changes.
        priority: Option<i32>,
        /// All values of the queue after the change, in every partition in which it changes.
        resources: Vec<(PartitionId, PerResource<QueueResource>)>,
        /// Resources that changed, for the log.
        changed: Vec<Resource>,
    },
    /// The state or the capacity of a node changes.
    Node {
        node: NodeId,
        /// The new state, if it changes.
        state: Option<NodeState>,
        /// The new capacity, if it changes.
        capacity: Option<Capacity>,
    },
    /// The policy reloads its settings.
    Settings {
        /// The new policy and rhythm of each partition: the same policy with other settings.
        scheduling: Vec<(Policy, Rhythm)>,
    },
    /// A job is withdrawn or completed from outside.
    EndJob { job: JobId },
}
