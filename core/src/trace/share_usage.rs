//! Pools of a policy that measures usage in shares of a pool's capacity, and its assignments of free units.

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, PartitionId, QueueId};

/// An exact number as used in the policy's decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exact {
    /// Numerator and denominator in lowest terms; `None`: a term exceeds 64 bits.
    pub fraction: Option<(u64, u64)>,
    /// The nearest floating-point number.
    pub real: f64,
}

/// Resource indices with amounts in policy units.
pub type Vector = Vec<(u8, f64)>;

/// A pool that is divided by share usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharePool {
    /// The queue whose private pool it is; `None`: the public pool.
    pub of: Option<QueueId>,
    /// Over-commit ratios of the resources that its hosts offer more than once.
    pub over_commit: Vec<(u8, f64)>,
    /// The unit sizes in use or requested.
    pub sizes: Vec<UnitSize>,
    /// Free slots, and all slots of the pool; `None`: the pool is not divided into slots.
    pub free_slots: Option<(u64, u64)>,
    /// Consumers in tree order, each leaf with its allocations.
    pub rows: Vec<UsageRow>,
    /// Steps in the division of share usage quotas; `None`: no job is pending, and every quota equals the usage.
    pub division: Option<Vec<QuotaStep>>,
}

/// The capacity of a pool for one unit size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitSize {
    /// Request of one unit.
    pub unit: Vector,
    /// Number of hosts, and the units that each holds when empty.
    pub hosts: Vec<(u32, u64)>,
    /// The sum over all hosts.
    pub capacity: u64,
}

/// The subject of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UsageOf {
    /// All consumers of the pool.
    #[default]
    Pool,
    /// A consumer.
    Consumer,
    /// A job.
    Allocation,
    /// A pod set of a job: the only one of an allocation, or one of several below it.
    SubAllocation,
}

/// The numbers of a consumer, an allocation or a sub-allocation in one pool, in shares of the pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageRow {
    /// Subject of the row.
    pub of: UsageOf,
    /// Name of the subject; a sub-allocation has its own name only if there are several.
    pub name: String,
    /// Depth in the tree, 0 for the pool.
    pub depth: u32,
    /// The queue of the consumer, or the one to which the job belongs.
    pub queue: Option<QueueId>,
    /// Position of its unit size, if all of its units have the same.
    pub size: Option<u32>,
    /// Number of allocated units.
    pub units: u32,
    /// Share of the allocated units.
    pub usage: Exact,
    /// Usage without terminating units and with promised ones; this is the compared value.
    pub projected: Exact,
    /// Share that it could use.
    pub demand: Exact,
    /// Values that only consumers have.
    pub consumer: Option<ConsumerUsage>,
}

/// Values of a consumer beyond its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsumerUsage {
    /// Share usage quota.
    pub quota: Exact,
    /// Share limit, with the limited resources only.
    pub limit: Vector,
    /// Static share quota, by resource.
    pub static_quota: Vector,
    /// Dynamic share quota, by resource.
    pub dynamic_quota: Vector,
}

/// One consumer's step in the division of share usage quotas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuotaStep {
    /// The consumer whose quota is divided; `None`: the usage of the whole pool is divided.
    pub of: Option<QueueId>,
    /// The consumer.
    pub queue: Option<QueueId>,
    /// Its share priority.
    pub priority: i64,
    /// Remainder to be divided.
    pub rest: Exact,
    /// Its ratio, and the sum of the ratios of the remaining consumers.
    pub ratio: (u64, u64),
    /// Its part of the remainder by ratio.
    pub offer: Exact,
    /// Share that it could use.
    pub demand: Exact,
    /// The smaller of offer and demand.
    pub quota: Exact,
}

/// The assignment of one free unit of a pool, or of several that start together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The node pool.
    pub partition: PartitionId,
    /// The queue whose private pool it is; `None`: the public pool.
    pub pool: Option<QueueId>,
    /// The choices on the path from the pool down to the leaf.
    pub choices: Vec<ShareChoice>,
    /// Nodes of the units; empty: nothing fits, and the leaf takes no further part.
    pub nodes: Vec<NodeId>,
}

/// A choice among siblings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareChoice {
    /// All children, in tree order.
    pub children: Vec<ShareCandidate>,
    /// Position of the chosen child.
    pub chosen: u32,
    /// Whether another child had the same usage, so that tree order decided.
    pub is_tie: bool,
    /// Usage of the chosen child with the new units.
    pub after: Exact,
}

/// A child in a choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareCandidate {
    /// The consumer.
    pub queue: QueueId,
    /// Its part of its parent's share; `None`: it is satisfied or nothing fits, so it takes no further part.
    pub part: Option<(u64, u64)>,
    /// Projected usage, and projected usage per unit of share ratio.
    pub usage: [Exact; 2],
}
