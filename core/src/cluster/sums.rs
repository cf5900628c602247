//! Allocated, requested and lost amounts of queues, as sums over their pods.

use super::Cluster;
use crate::id::{Arena, PartitionId, QueueId};
use crate::units::RESOURCES_MAX;

/// CPU millicores, memory bytes, thousandths of GPUs and of named resources, by resource index.
pub type Sums = [i64; RESOURCES_MAX];

/// Sums over the pods of a queue and its descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSums {
    /// Held by starting and running pods.
    pub allocated: Sums,
    /// The part of `allocated` that may not be preempted.
    pub non_preemptible: Sums,
    /// Held by terminating pods.
    pub leaving: Sums,
    /// Requested by pending and gated pods.
    pub waiting: Sums,
    /// The part of `waiting` requested by gated pods.
    pub gated: Sums,
    /// Work of evicted pods that has to be repeated (none for jobs that resume): amounts × milliseconds held since the
    /// start of the scenario.
    pub lost: [i128; RESOURCES_MAX],
    /// Pods evicted by the policy.
    pub evictions: u64,
    /// Number of placements of pods that had been evicted or lost.
    pub restarts: u64,
    /// Total time those pods were pending before these placements, milliseconds.
    pub restart_wait_ms: i128,
}

impl QueueSums {
    /// Allocated and pending amounts, without those of gated pods.
    pub fn requested(&self) -> Sums {
        std::array::from_fn(|r| self.allocated[r] + self.waiting[r] - self.gated[r])
    }
}

/// Sums of queues over all partitions and, if there are several, in each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct QueueTotals {
    pub all: Arena<QueueId, QueueSums>,
    /// Empty if there is only one partition.
    pub pools: Arena<PartitionId, Arena<QueueId, QueueSums>>,
}

impl QueueTotals {
    /// Creates zero sums.
    pub fn of(cluster: &Cluster) -> QueueTotals {
        let zeros = || cluster.queues.ids().map(|_| QueueSums::default()).collect();
        let pools = cluster.partitions.ids().filter(|_| cluster.partitions.len() > 1);
        QueueTotals { all: zeros(), pools: pools.map(|_| zeros()).collect() }
    }
}
