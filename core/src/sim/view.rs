//! Queries on a state: pods of a job by phase, claims, and the order in which queues and jobs are served.

use super::partition_state::PartitionState;
use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::cluster::Phase;
use crate::id::{JobId, NodeId, PartitionId, PodId, QueueId};
use crate::trace::{Event, Holdings, OrderLevel, QueuePriority, SharePool};

/// Number of a job's pods, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// Starting or running.
    pub running: u32,
    /// Pending or gated.
    pub pending: u32,
    /// Terminating.
    pub leaving: u32,
    /// Finished, removed, or evicted and not replaced.
    pub over: u32,
}

/// A reservation of room on a node for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimView {
    /// The pod that is to use it.
    pub pod: PodId,
    /// The node that has it.
    pub node: NodeId,
}

impl Simulation {
    /// The position of a queue or a job in the order of a partition's next pass, level by level with its neighbours;
    /// see [`crate::policy::Scheduler::order`].
    pub fn order_in(&self, partition: PartitionId, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.order(view, &part.memory, queue, job)
    }

    /// The pools of a partition that are divided by share usage.
    pub fn share_pools_in(&self, partition: PartitionId) -> Vec<SharePool> {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.share_pools(view, &part.memory)
    }

    /// The owned nodes of a partition; see [`crate::policy::Scheduler::holdings`].
    pub fn holdings_in(&self, partition: PartitionId) -> Holdings {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.holdings(view, &part.memory)
    }

    /// Reservations for pending pods that outlast the cycle.
    pub fn held(&self) -> Vec<ClaimView> {
        let held_in =
            |(partition, part): (PartitionId, &PartitionState)| part.policy.held(self.view(partition), &part.memory);
        let claims = self.state.partitions.iter().flat_map(held_in);
        claims.map(|(pod, node)| ClaimView { pod, node }).collect()
    }

    /// The priorities by which sibling queues of a partition are compared; see
    /// [`crate::policy::Scheduler::priorities`].
    pub fn priorities_in(&self, partition: PartitionId) -> Vec<QueuePriority> {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.priorities(view, &part.memory)
    }

    /// Counts a job's pods by phase.
    pub fn pod_counts(&self, job: JobId) -> PodCounts {
        let mut counts = PodCounts::default();
        for (_, pod) in self.cluster().pods_of(job) {
            match pod.phase {
                Phase::Starting { .. } | Phase::Running { .. } => counts.running += 1,
                Phase::Pending | Phase::Gated => counts.pending += 1,
                Phase::Terminating { .. } => counts.leaving += 1,
                phase if phase.is_over() => counts.over += 1,
                _ => {}
            }
        }
        counts
    }
}

impl CycleRecord {
    /// Claims made in the cycle and not withdrawn in it, in order.
    pub fn claims(&self) -> Vec<ClaimView> {
        let mut claims: Vec<ClaimView> = Vec::new();
        for recorded in &self.events {
            match recorded.event {
                Event::Claimed { pod, node } => claims.push(ClaimView { pod, node }),
                Event::Unclaimed { pod, .. } => claims.retain(|claim| claim.pod != pod),
                _ => {}
            }
        }
        claims
    }
}
