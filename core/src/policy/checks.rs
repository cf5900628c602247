//! Checks that several policies build alike.

use super::PartitionView;
use crate::id::JobId;
use crate::trace::{Check, Op, Quantity, Rule, Subject, Term, Value};
use crate::units::{Amount, Resource};

/// Side of a comparison.
pub(super) fn term(quantity: Quantity, value: Value) -> Term {
    Term::new(quantity, value)
}

/// Side of a comparison of amounts, given in base units.
pub(super) fn amount(quantity: Quantity, base_units: i64, resource: Resource) -> Term {
    term(quantity, Value::Real(Amount::base_units(base_units).in_policy_units(resource)))
}

/// Submission of a job.
pub(super) fn submitted(world: PartitionView<'_>, job: JobId) -> Term {
    term(Quantity::Created, Value::Time(world.cluster.jobs[job].submit))
}

/// Check that `first` was submitted no later than `other`, a job of the same queue.
pub(super) fn submitted_first(rule: Rule, world: PartitionView<'_>, first: JobId, other: JobId) -> Check {
    let queue = Some(world.cluster.jobs[other].queue);
    let subject = Subject { queue, job: Some(first), other_job: Some(other), ..Subject::default() };
    Check::new(rule, subject, submitted(world, first), Op::AtMost, submitted(world, other))
}

/// Check of a rule that applies without a numeric comparison.
pub(super) fn applies(rule: Rule, subject: Subject) -> Check {
    let one = |quantity| term(quantity, Value::Count(1));
    Check::new(rule, subject, one(Quantity::Applies), Op::Equal, one(Quantity::Constant))
}
