//! What queues hold, want and lost, as sums over their pods.

use super::Cluster;
use crate::id::{Arena, PartitionId, QueueId};
use crate::units::RESOURCES_MAX;

/// CPU millicores, memory bytes, thousandths of GPUs and of named resources, by index.
pub type Sums = [i64; RESOURCES_MAX];

/// What a queue and its descendants hold and want.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSums {
    /// Held by pods that start or run.
    pub allocated: Sums,
    /// The part of `allocated` that may not be taken.
    pub non_preemptible: Sums,
    /// Held by pods evicted.
    pub leaving: Sums,
    /// Asked for by pods that wait.
    pub waiting: Sums,
    /// Work of evicted pods that has to be done again (none of jobs that resume): amounts × milliseconds held since the start of the scenario.
    pub lost: [i128; RESOURCES_MAX],
    /// Pods evicted by the policy.
    pub evictions: u64,
    /// How often a pod that had lost its work was placed again.
    pub restarts: u64,
    /// For how long such pods waited for it, in all, milliseconds.
    pub restart_wait_ms: i128,
}

/// Sums of queues, in all and in each of several partitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct QueueTotals {
    pub all: Arena<QueueId, QueueSums>,
    /// Empty if there is only one partition.
    pub pools: Arena<PartitionId, Arena<QueueId, QueueSums>>,
}

impl QueueTotals {
    /// Nothing yet.
    pub fn of(cluster: &Cluster) -> QueueTotals {
        let nothing = || cluster.queues.ids().map(|_| QueueSums::default()).collect();
        let pools = cluster.partitions.ids().filter(|_| cluster.partitions.len() > 1);
        QueueTotals { all: nothing(), pools: pools.map(|_| nothing()).collect() }
    }
}
