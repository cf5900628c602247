//! The sides of a comparison: their owners and amounts.

use crate::id::{JobId, QueueId};
use crate::trace::{Check, Quantity, Subject, Value};
use crate::units::Resource;

/// The amount of a side, in base units of the resource; `None` if it is unlimited or not an amount.
pub fn side(value: &Value, resource: Resource) -> Option<f64> {
    let amount = match value {
        Value::Triple(triple) => *triple.get(resource.index())?,
        Value::Real(real) => *real,
        Value::Product([of, factor]) => of * factor,
        Value::Count(n) => *n as f64,
        Value::Sum([of, added]) => of.saturating_add(*added) as f64,
        Value::Time(_) | Value::Name(_) => return None,
    };
    amount.is_finite().then_some(amount)
}

/// A queue or job that may own a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A queue.
    Queue(QueueId),
    /// A job.
    Job(JobId),
}

/// The owner of a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The subject's queue or job.
    This,
    /// The subject's other queue or job.
    Other,
    /// Neither; the side is a constant of the rule.
    Neither,
}

impl Owner {
    /// The queue and the job.
    pub fn of(self, subject: &Subject) -> (Option<QueueId>, Option<JobId>) {
        match self {
            Owner::This => (subject.queue, subject.job),
            Owner::Other => (subject.other_queue, subject.other_job),
            Owner::Neither => (None, None),
        }
    }
}

/// The owners of the sides. Equal quantities belong to two owners, different ones to the same; run times and
/// allocations without victims belong to the other queue or job.
pub fn owners(check: &Check) -> (Owner, Owner) {
    let (left, right) = (check.left.quantity, check.right.quantity);
    let has_other = check.subject.other_queue.is_some() || check.subject.other_job.is_some();
    let of_right = |owner| if right == Quantity::Constant { Owner::Neither } else { owner };
    let is_of_victim = left == Quantity::AllocatedWithoutVictims && has_other
        || left == Quantity::Runtime && check.subject.other_job.is_some();
    if is_of_victim {
        return (Owner::Other, of_right(Owner::Other));
    }
    if left == right && has_other {
        return (Owner::This, Owner::Other);
    }
    (Owner::This, of_right(Owner::This))
}

/// The owners of both sides: the queue and the job of each.
pub fn owners_of(check: &Check) -> ([Option<Party>; 2], [Option<Party>; 2]) {
    let parties = |owner: Owner| {
        let (queue, job) = owner.of(&check.subject);
        [queue.map(Party::Queue), job.map(Party::Job)]
    };
    let (left, right) = owners(check);
    (parties(left), parties(right))
}

/// The queue or job that a sentence or table names as the owner of a side: priorities, ages, requests and runtimes are
/// of jobs.
pub fn named_owner(check: &Check, owner: Owner) -> Option<Party> {
    let subject = &check.subject;
    let is_of_jobs = matches!(
        check.left.quantity,
        Quantity::Priority
            | Quantity::Created
            | Quantity::Position
            | Quantity::Request
            | Quantity::Runtime
            | Quantity::Waited
    );
    match owner.of(subject) {
        (Some(_), Some(job)) if is_of_jobs => Some(Party::Job(job)),
        (Some(queue), _) => Some(Party::Queue(queue)),
        (None, job) => job.map(Party::Job),
    }
}
