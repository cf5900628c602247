//! Queues: the values they have in a partition, and the sums over their pods.

use std::sync::Arc;

use super::Cluster;
use crate::id::{Arena, PartitionId, QueueId};
use crate::time::Time;
use crate::units::{Bound, PerResource, RESOURCES_MAX, Weight};

/// A node of the queue tree: a department, project or team.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Unique name; also the final tie-break of some policies.
    pub name: Arc<str>,
    /// Name shown to users; empty: the unique name.
    pub display_name: Arc<str>,
    /// `None` for a root.
    pub parent: Option<QueueId>,
    /// Child queues in file order; empty for a leaf.
    pub children: Vec<QueueId>,
    /// Priority of the queue; larger first where a policy uses it.
    pub priority: Option<i32>,
    /// Time of creation, a tie-break of some policies.
    pub created: Time,
    /// Quota, limit and weight of each accounted resource.
    pub resources: PerResource<QueueResource>,
    /// Past usage as a share of the cluster's capacity, in millionths.
    pub usage: PerResource<Weight>,
    /// Minimum runtime before a job here may be preempted by its own queue.
    pub preempt_min_runtime: Option<crate::time::Span>,
    /// Minimum runtime before a job here may be reclaimed by another queue.
    pub reclaim_min_runtime: Option<crate::time::Span>,
}

/// Time of creation of the first queue without a given one, in milliseconds, far before everything else; later queues
/// follow one millisecond apart.
const CREATED_FIRST_MS: i64 = -1_000_000_000_000;

/// More queues than any file has.
const IN_FILE_ORDER_MAX: i64 = 1_000_000;

impl Queue {
    /// The time of creation of the nth queue of a file, counted from 0, that gives none.
    pub fn created_in_file_order(n: usize) -> Time {
        Time::from_millis(CREATED_FIRST_MS.saturating_add(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    /// Whether a time of creation, in seconds, only stands for the order in the file.
    pub fn is_file_order(created_s: f64) -> bool {
        let [first, end] = [0, IN_FILE_ORDER_MAX].map(|n| (CREATED_FIRST_MS + n) as f64 / 1000.0);
        (first..end).contains(&created_s)
    }
}

/// Quota, limit and weight of a queue for one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueResource {
    /// Guaranteed amount.
    pub quota: Bound,
    /// Largest permitted amount.
    pub limit: Bound,
    /// Relative share of the surplus; `None` if the scenario sets none.
    pub weight: Option<Weight>,
}

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
