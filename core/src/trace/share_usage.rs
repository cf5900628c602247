//! How a policy that measures use in shares of a pool's capacity sees its pools, and how it gave away what was free in them.

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, PartitionId, QueueId};

/// A number as the policy decides by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exact {
    /// In lowest terms; `None`: the terms are longer than a machine word.
    pub fraction: Option<(u64, u64)>,
    /// The nearest real number.
    pub real: f64,
}

/// Amounts of several resources, in policy units.
pub type Vector = Vec<(u8, f64)>;

/// A pool that is shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharePool {
    /// The queue whose private pool it is; `None`: the public pool.
    pub of: Option<QueueId>,
    /// How many times what its hosts have they offer, where it is more than once.
    pub over_commit: Vec<(u8, f64)>,
    /// The unit sizes that are in use or asked for.
    pub sizes: Vec<UnitSize>,
    /// Consumers in tree order, each leaf with its allocations.
    pub rows: Vec<UsageRow>,
    /// How the share usage quotas were divided, in order; `None`: no job waits, and every quota equals the usage.
    pub division: Option<Vec<QuotaStep>>,
}

/// The capacity of a pool for one unit size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitSize {
    /// What one unit asks for.
    pub unit: Vector,
    /// How many hosts hold how many units each when they are empty.
    pub hosts: Vec<(u32, u64)>,
    /// The sum over all hosts.
    pub capacity: u64,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UsageOf {
    /// All consumers of the pool.
    #[default]
    Pool,
    /// A consumer.
    Consumer,
    /// A job.
    Allocation,
    /// The pods of one kind in a job: the only kind of an allocation, or one of several below it.
    SubAllocation,
}

/// The numbers of a consumer, an allocation or a sub-allocation in one pool, in shares of the pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageRow {
    /// What it is.
    pub of: UsageOf,
    /// Its name; of several sub-allocations of one allocation their own.
    pub name: String,
    /// How many rows are above it in the tree.
    pub depth: u32,
    /// The queue it is or belongs to.
    pub queue: Option<QueueId>,
    /// Its unit size, by position, if all of its units have one.
    pub size: Option<u32>,
    /// Units that exist.
    pub units: u32,
    /// Their share.
    pub usage: Exact,
    /// The same without units that leave and with those that are promised: what is compared.
    pub projected: Exact,
    /// What it could use.
    pub demand: Exact,
    /// What only consumers have.
    pub consumer: Option<ConsumerUsage>,
}

/// What a consumer has beyond its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsumerUsage {
    /// Share ratio among its siblings, in lowest terms.
    pub ratio: u64,
    /// Share priority.
    pub priority: i64,
    /// Share usage quota.
    pub quota: Exact,
    /// Share limit: the resources that it limits.
    pub limit: Vector,
    /// Static share quota, by resource.
    pub static_quota: Vector,
    /// Dynamic share quota, by resource.
    pub dynamic_quota: Vector,
}

/// One consumer's turn in the division of share usage quotas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuotaStep {
    /// Whose quota is divided; `None`: the use of the whole pool.
    pub of: Option<QueueId>,
    /// The consumer.
    pub queue: Option<QueueId>,
    /// Its share priority.
    pub priority: i64,
    /// What is left to be divided.
    pub rest: Exact,
    /// Its ratio, and the sum of the ratios of all that still take part.
    pub ratio: (u64, u64),
    /// Its part by ratio.
    pub offer: Exact,
    /// What it could use.
    pub demand: Exact,
    /// The smaller of the two.
    pub quota: Exact,
}

/// One unit, or several that start together, taken out of what is free in a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The node pool.
    pub partition: PartitionId,
    /// The queue whose private pool it is; `None`: the public pool.
    pub pool: Option<QueueId>,
    /// The choices on the way from the pool down to the leaf.
    pub choices: Vec<ShareChoice>,
    /// Where the units start; empty: nothing fits, and the leaf is left out from then on.
    pub nodes: Vec<NodeId>,
}

/// A choice among siblings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareChoice {
    /// All children, in tree order.
    pub children: Vec<ShareCandidate>,
    /// Which of them was chosen.
    pub chosen: u32,
    /// Another one had as little: the chosen one is the first in the tree.
    pub is_tie: bool,
    /// Its usage with the new units.
    pub after: Exact,
}

/// A child in a choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareCandidate {
    /// The consumer.
    pub queue: QueueId,
    /// Its part of what its parent gets; `None`: it is satisfied or nothing fits, so it is out of the tree.
    pub part: Option<(u64, u64)>,
    /// Projected usage, and that for each unit of share ratio.
    pub usage: [Exact; 2],
}
