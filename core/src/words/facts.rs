//! Amounts of a decision, read from the operands of its recorded comparisons: the only source of numbers in sentences
//! about decisions.

use super::number::{bound, ratio, with_unit};
use crate::id::{JobId, QueueId};
use crate::trace::{Check, Quantity, Subject, Value};
use crate::units::Resource;

/// A recorded amount that a sentence or table shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its owner.
    pub party: Party,
    /// The quantity.
    pub quantity: Quantity,
    /// Number of the resource: 0 CPU, 1 memory, 2 GPU.
    pub resource: Resource,
    /// Value in base units of the resource, or a ratio; `None`: unlimited.
    pub value: Option<f64>,
}

impl Fact {
    /// Formats the amount with its unit.
    pub fn with_unit(&self) -> String {
        match self.value {
            Some(value) if !self.is_ratio() => with_unit(self.resource, value),
            _ => self.bare(),
        }
    }

    /// Formats the amount without its unit.
    pub fn bare(&self) -> String {
        if self.is_ratio() { ratio(self.value) } else { bound(self.resource, self.value) }
    }

    fn is_ratio(&self) -> bool {
        matches!(self.quantity, Quantity::Saturation | Quantity::DominantShare | Quantity::Usage)
    }
}

/// The recorded comparisons of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    checks: &'a [Check],
    resource: Resource,
}

impl<'a> Facts<'a> {
    /// The comparisons, read for a resource (0 CPU, 1 memory, 2 GPU).
    pub fn of(checks: &'a [Check], resource: Resource) -> Facts<'a> {
        Facts { checks, resource }
    }

    /// Every recorded amount of a quantity that belongs to a party, in the order of the comparisons.
    pub fn all(self, party: Party, quantity: Quantity) -> impl Iterator<Item = Fact> + 'a {
        let resource = self.resource;
        self.checks.iter().filter(move |check| is_of(check, resource)).flat_map(move |check| {
            let (left, right) = owners_of(check);
            let sides = [(left, &check.left), (right, &check.right)];
            let owned = sides.into_iter().filter(move |(owners, _)| owners.contains(&Some(party)));
            owned.filter_map(move |(_, term)| {
                let value = side(&term.find(quantity)?.value, resource);
                Some(Fact { party, quantity, resource, value })
            })
        })
    }

    /// The first recorded amount of a quantity that belongs to a party.
    pub fn get(self, party: Party, quantity: Quantity) -> Option<Fact> {
        self.all(party, quantity).next()
    }

    /// The largest recorded amount of a quantity that belongs to a party.
    pub fn largest(self, party: Party, quantity: Quantity) -> Option<Fact> {
        self.all(party, quantity).max_by(|a, b| number_of(a).total_cmp(&number_of(b)))
    }

    /// The smallest recorded amount of a quantity that belongs to a party.
    pub fn smallest(self, party: Party, quantity: Quantity) -> Option<Fact> {
        self.all(party, quantity).min_by(|a, b| number_of(a).total_cmp(&number_of(b)))
    }
}

fn number_of(fact: &Fact) -> f64 {
    fact.value.unwrap_or(f64::INFINITY)
}

/// Whether a comparison has values of the resource: it concerns that resource alone, or all.
fn is_of(check: &Check, resource: Resource) -> bool {
    check.subject.resource.is_none_or(|subject_resource| subject_resource == resource)
}

/// A cell of a table of amounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// As it is shown.
    pub shown: String,
    /// The recorded amount of a decision; `None` in tables of the displayed moment.
    pub fact: Option<Fact>,
}

impl Cell {
    /// A recorded amount, without its unit; empty if the decision did not compare it.
    pub fn of(fact: Option<Fact>) -> Cell {
        Cell { shown: fact.as_ref().map_or_else(String::new, Fact::bare), fact }
    }
}

impl<S: Into<String>> From<S> for Cell {
    fn from(shown: S) -> Cell {
        Cell { shown: shown.into(), fact: None }
    }
}

impl std::borrow::Borrow<str> for Cell {
    fn borrow(&self) -> &str {
        &self.shown
    }
}

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
