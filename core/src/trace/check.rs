//! Comparisons `left op right`, with their subject and rule.

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::time::Time;
use crate::units::Resource;

/// One comparison. Law: evaluating `left op right` gives `holds`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The rule that makes the comparison.
    #[serde(skip)]
    pub rule: Rule,
    /// The subject of the comparison.
    pub subject: Subject,
    /// Left-hand side.
    pub left: Term,
    /// The operator.
    pub op: Op,
    /// Right-hand side.
    pub right: Term,
    /// The result.
    pub holds: bool,
    /// Key of the known fault of the modelled product without which the result would be another one. The policy's table
    /// of versions has its text.
    pub fault: Option<std::sync::Arc<str>>,
}

impl Check {
    /// Creates a check and evaluates it, so that the result is consistent with the sides.
    pub fn new(rule: Rule, subject: Subject, left: Term, op: Op, right: Term) -> Check {
        let holds = op.eval(&left.value, &right.value);
        Check { rule, subject, left, op, right, holds, fault: None }
    }

    /// The same check, decided by a known fault.
    pub fn decided_by_fault(self, key: &str) -> Check {
        Check { fault: Some(key.into()), ..self }
    }
}

/// The subject of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The queue, or the one on the left-hand side.
    pub queue: Option<QueueId>,
    /// The queue on the right-hand side.
    pub other_queue: Option<QueueId>,
    /// The job.
    pub job: Option<JobId>,
    /// The other job: a victim or a competitor.
    pub other_job: Option<JobId>,
    /// The pod.
    pub pod: Option<PodId>,
    /// The node, or the one on the left-hand side.
    pub node: Option<NodeId>,
    /// The node on the right-hand side.
    pub other_node: Option<NodeId>,
    /// The resource, if the comparison concerns a single one.
    pub resource: Option<Resource>,
}

/// A side of a comparison: a quantity, its value, and what the value was computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The quantity.
    pub quantity: Quantity,
    /// Its value.
    pub value: Value,
    /// The amounts it was computed from, of the same owner: quota, fair share and limit of an
    /// [`Quantity::Allocatable`], allocation and fair share of a [`Quantity::Saturation`]. Empty for plain amounts.
    pub parts: Vec<Term>,
}

impl Term {
    /// A plain amount.
    pub fn new(quantity: Quantity, value: Value) -> Term {
        Term { quantity, value, parts: Vec::new() }
    }

    /// The same term with the amounts it was computed from.
    pub fn computed_from(self, parts: Vec<Term>) -> Term {
        Term { parts, ..self }
    }

    /// The term of a quantity: this one, or the first among its parts and theirs.
    pub fn find(&self, quantity: Quantity) -> Option<&Term> {
        if self.quantity == quantity {
            return Some(self);
        }
        self.parts.iter().find_map(|part| part.find(quantity))
    }
}

/// A quantity in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Quantity {
    /// Amount allocated to a queue.
    Allocated,
    /// Allocation of a queue's non-preemptible jobs if the job were placed.
    AllocatedNonPreemptible,
    /// Allocation of a queue if the job were placed.
    AllocatedWithJob,
    /// What a queue held, of the kind that the term adds the job to.
    Before,
    /// Allocation of a queue after the evictions for a job.
    AllocatedAfter,
    /// Allocation of a queue without the victims.
    AllocatedWithoutVictims,
    /// Quota of a queue.
    Quota,
    /// Limit of a queue.
    Limit,
    /// Entitlement of a queue.
    FairShare,
    /// Entitlement of a queue if past usage did not count.
    FairShareWithoutUsage,
    /// The larger of quota and entitlement, capped by the limit.
    Allocatable,
    /// Allocated over allocatable, the largest over the resources.
    DominantShare,
    /// Allocated over fair share.
    Saturation,
    /// Requested amount.
    Request,
    /// Requested amount that is not granted yet.
    Remaining,
    /// Capacity.
    Capacity,
    /// The largest capacity of all nodes, whether or not a pod may use them.
    LargestNode,
    /// Free amount.
    Idle,
    /// Free amount plus that of terminating pods.
    IdleOrReleasing,
    /// Amount that the victims of a preemption free.
    Freed,
    /// Amount reserved for another job on a node.
    Reserved,
    /// Requested GPU memory in MiB.
    GpuMemory,
    /// GPU memory in MiB that counts as one GPU.
    GpuMemoryUnit,
    /// A priority.
    Priority,
    /// What a queue adds to priorities, or a fence puts in their place.
    PriorityOffset,
    /// A time of creation.
    Created,
    /// A weight.
    Weight,
    /// Past usage.
    Usage,
    /// A count of pods.
    Pods,
    /// A count of jobs.
    Jobs,
    /// A count of other jobs that may be evicted or moved.
    PreemptibleJobs,
    /// Number of pods that have to run together.
    MinAvailable,
    /// Whether a rule applies: 0 or 1.
    Applies,
    /// A node's score.
    Score,
    /// Part of a score: packing or spreading.
    ScorePlacement,
    /// Part of a score: a node without GPUs, for a pod that needs none.
    ScoreCpuNode,
    /// Part of a score: the room is free now.
    ScoreFreeNow,
    /// Part of a score: the pod joins others on a shared device.
    ScoreSharing,
    /// Part of a score: the node is nominated for the pod.
    ScoreNominated,
    /// A name.
    Name,
    /// A constant of the rule.
    Constant,
    /// Run time so far.
    Runtime,
    /// Minimum run time.
    MinRuntime,
    /// Time since the creation or the last eviction of a job.
    Waited,
    /// Time that a job waits before it may evict others.
    PreemptionDelay,
    /// A node's place in an order.
    Position,
    /// Number of requests of the pod's size that a node still has room for.
    Units,
    /// Whether a queue owns the node: 0 or 1.
    Owned,
    /// Allocation of a queue on nodes without owner if the job were placed there.
    UnownedWithJob,
    /// What a queue may hold on nodes without owner.
    UnownedShare,
    /// Whether a node accepts pods: 0 or 1.
    Ready,
    /// Whether the pod tolerates the taints of a node: 0 or 1.
    Tolerated,
    /// Whether the pod selects a node: 0 or 1.
    Selected,
    /// Number of pods that a node may hold.
    PodSlots,
}

/// A value. Unlimited is `f64::INFINITY`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A real number in the resource's policy unit (millicores, bytes, GPUs), or a ratio.
    Real(f64),
    /// A ratio and a rule's factor for it; their product is compared.
    Product([f64; 2]),
    /// CPU millicores, memory bytes, GPUs.
    Triple([f64; 3]),
    /// A count, priority or truth value.
    Count(i64),
    /// A moment.
    Time(Time),
    /// A name.
    Name(std::sync::Arc<str>),
    /// A count and what a rule adds to it; their sum is compared.
    Sum([i64; 2]),
}

/// The operator of a comparison. For triples it applies to *all* resources; `Exceeds` is the negation of `AtMost`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Strictly less (in all resources).
    Less,
    /// At most (in all resources).
    AtMost,
    /// Equal.
    Equal,
    /// Not at most: greater (in at least one resource).
    Exceeds,
    /// At least.
    AtLeast,
}

impl Op {
    /// Evaluates `left op right`; `false` for values of different kinds.
    pub fn eval(self, left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Real(l), Value::Real(r)) => self.holds(l, r),
            (Value::Product([l, factor]), Value::Real(r)) => self.holds(&(l * factor), r),
            (Value::Triple(l), Value::Triple(r)) => match self {
                Op::Exceeds => l.iter().zip(r).any(|(l, r)| l > r),
                _ => l.iter().zip(r).all(|(l, r)| self.holds(l, r)),
            },
            (Value::Count(l), Value::Count(r)) => self.holds(l, r),
            (Value::Sum([l, added]), Value::Count(r)) => self.holds(&l.saturating_add(*added), r),
            (Value::Time(l), Value::Time(r)) => self.holds(l, r),
            (Value::Name(l), Value::Name(r)) => self.holds(l, r),
            _ => false,
        }
    }

    fn holds<T: PartialOrd + ?Sized>(self, l: &T, r: &T) -> bool {
        match self {
            Op::Less => l < r,
            Op::AtMost => l <= r,
            Op::Equal => l == r,
            Op::Exceeds => l > r,
            Op::AtLeast => l >= r,
        }
    }
}
