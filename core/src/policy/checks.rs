//! Checks that several policies build alike.

use super::PartitionView;
use crate::cluster::{Node, Pod};
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

/// Check that `first` was submitted before `other`, a job of the same queue, or at the same time and precedes it in the
/// file.
pub(super) fn submitted_first(rule: Rule, world: PartitionView<'_>, first: JobId, other: JobId) -> Check {
    let queue = Some(world.cluster.jobs[other].queue);
    let subject = Subject { queue, job: Some(first), other_job: Some(other), ..Subject::default() };
    let [left, right] = [first, other].map(|job| submitted(world, job));
    if left == right {
        let place = |job: JobId| term(Quantity::Position, Value::Count(i64::from(job.0) + 1));
        return Check::new(rule, subject, place(first), Op::Less, place(other));
    }
    Check::new(rule, subject, left, Op::Less, right)
}

/// Check of a rule that applies without a numeric comparison.
pub(super) fn applies(rule: Rule, subject: Subject) -> Check {
    let one = |quantity| term(quantity, Value::Count(1));
    Check::new(rule, subject, one(Quantity::Applies), Op::Equal, one(Quantity::Constant))
}

/// The first resource of which none of the nodes has as much as the pod requests, even when empty, with the comparison;
/// `None` if no single resource is the reason.
pub(super) fn too_large(rule: Rule, subject: Subject, pod: &Pod, nodes: &[&Node]) -> Option<(Resource, Check)> {
    let compare = |resource: Resource, asked: Amount| {
        let most = nodes.iter().map(|node| node.capacity.get(resource)).max()?;
        let of = |quantity, amount: Amount| self::amount(quantity, amount.in_base_units(), resource);
        let subject = Subject { resource: Some(resource), ..subject };
        let (left, right) = (of(Quantity::Request, asked), of(Quantity::Capacity, most));
        Some((resource, Check::new(rule, subject, left, Op::Exceeds, right)))
    };
    // Each part of a GPU needs a device of its own.
    let devices = Amount::base_units(i64::from(pod.request.gpu.n_devices()) * 1000);
    let gpus = compare(Resource::GPU, devices);
    let others = pod.request.resources.iter().filter(|(resource, _)| *resource != Resource::GPU);
    let others = others.filter_map(|(resource, asked)| compare(resource, asked));
    gpus.into_iter().chain(others).find(|(_, check)| check.holds)
}
