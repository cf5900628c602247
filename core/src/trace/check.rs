//! Comparisons: `left op right`, with what was compared about whom, and by which rule.

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::time::Time;
use crate::units::Resource;

/// One comparison. Law: evaluating `left op right` gives `holds`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The rule that asked for it.
    #[serde(skip)]
    pub rule: Rule,
    /// Whom it is about.
    pub subject: Subject,
    /// Left-hand side.
    pub left: Term,
    /// How the sides are compared.
    pub op: Op,
    /// Right-hand side.
    pub right: Term,
    /// The result.
    pub holds: bool,
}

impl Check {
    /// Makes a check and evaluates it, so that it cannot disagree with its own numbers.
    pub fn new(rule: Rule, subject: Subject, left: Term, op: Op, right: Term) -> Check {
        let holds = op.eval(&left.value, &right.value);
        Check { rule, subject, left, op, right, holds }
    }
}

/// Whom a comparison is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The queue, or the one on the left.
    pub queue: Option<QueueId>,
    /// The queue on the right.
    pub other_queue: Option<QueueId>,
    /// The job.
    pub job: Option<JobId>,
    /// The other job: a victim, a rival.
    pub other_job: Option<JobId>,
    /// The pod.
    pub pod: Option<PodId>,
    /// The node.
    pub node: Option<NodeId>,
    /// The resource, if the comparison is about one only.
    pub resource: Option<Resource>,
}

/// A side of a comparison: which quantity, and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// What is compared.
    pub quantity: Quantity,
    /// Its value.
    pub value: Value,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Quantity {
    /// What a queue holds.
    Allocated,
    /// What a queue holds and may not lose.
    AllocatedNonPreemptible,
    /// What a queue would hold with the job.
    AllocatedWithJob,
    /// What a queue would hold without the victims.
    AllocatedWithoutVictims,
    /// The guaranteed part.
    Quota,
    /// The hard ceiling.
    Limit,
    /// The entitlement.
    FairShare,
    /// The larger of quota and entitlement, capped by the limit.
    Allocatable,
    /// Allocated over allocatable, the largest over the resources.
    DominantShare,
    /// Allocated over fair share.
    Saturation,
    /// What is asked for.
    Request,
    /// What is asked for and not granted yet.
    Remaining,
    /// What is there.
    Capacity,
    /// What is free.
    Idle,
    /// What is free or leaving.
    IdleOrReleasing,
    /// A priority.
    Priority,
    /// An age.
    Created,
    /// A weight.
    Weight,
    /// Past usage.
    Usage,
    /// A count of pods.
    Pods,
    /// A count of jobs.
    Jobs,
    /// How many pods must run together.
    MinAvailable,
    /// Whether a rule applies: 0 or 1.
    Applies,
    /// A node's score.
    Score,
    /// A name.
    Name,
    /// A constant of the rule.
    Constant,
    /// How long something has run.
    Runtime,
    /// How long something must run.
    MinRuntime,
}

/// A value. Unlimited is `f64::INFINITY`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A real number in the resource's policy unit (millicores, bytes, GPUs), or a ratio.
    Real(f64),
    /// A ratio and the factor that a rule multiplies it by; the product is compared.
    Product([f64; 2]),
    /// CPU millicores, memory bytes, GPUs.
    Triple([f64; 3]),
    /// A count, priority or truth value.
    Count(i64),
    /// A moment.
    Time(Time),
    /// A name.
    Name(std::sync::Arc<str>),
}

/// How two values are compared. Triples compare for *all* resources; `Exceeds` is the negation of `AtMost`.
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
    /// Evaluates `left op right`. Values of different kinds are never related.
    pub fn eval(self, left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Real(l), Value::Real(r)) => self.reals(*l, *r),
            (Value::Product([l, factor]), Value::Real(r)) => self.reals(l * factor, *r),
            (Value::Triple(l), Value::Triple(r)) => match self {
                Op::Exceeds => l.iter().zip(r).any(|(l, r)| l > r),
                _ => l.iter().zip(r).all(|(l, r)| self.reals(*l, *r)),
            },
            (Value::Count(l), Value::Count(r)) => self.ordered(l, r),
            (Value::Time(l), Value::Time(r)) => self.ordered(l, r),
            (Value::Name(l), Value::Name(r)) => self.ordered(l, r),
            _ => false,
        }
    }

    fn reals(self, l: f64, r: f64) -> bool {
        match self {
            Op::Less => l < r,
            Op::AtMost => l <= r,
            Op::Equal => l == r,
            Op::Exceeds => l > r,
            Op::AtLeast => l >= r,
        }
    }

    fn ordered<T: Ord + ?Sized>(self, l: &T, r: &T) -> bool {
        match self {
            Op::Less => l < r,
            Op::AtMost => l <= r,
            Op::Equal => l == r,
            Op::Exceeds => l > r,
            Op::AtLeast => l >= r,
        }
    }
}
