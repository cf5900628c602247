//! Mistakes planted in the explanations of a cycle: the checker has to catch each.

mod searches;

use std::sync::Arc;

use fairground::cluster::Cluster;
use fairground::id::{Id, PartitionId, QueueId};
use fairground::policy::Policy;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Span;
use fairground::trace::{Check, Delay, Event, Gate, Ledger, NodeReason, Op, Quantity, Term, Value};
use fairground::units::{Bound, Resource};

use super::node_order::{is_misfit, is_of_nodes};
use super::operand::{number, same_number};

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Planted {
    /// A bound of the queue in another pool.
    OfAnotherPool,
    /// An allocation at the end of the cycle.
    OfAnotherMoment,
    /// A comparison that failed, shown as the one that decided.
    FailedRule,
    /// An obstacle that no node has, or a bound of another queue.
    OtherObstacle,
    /// A number that is a little different, with the same result.
    OtherNumber,
    /// A comparison of another queue.
    OtherQueue,
    /// A time at which room is free, a delay ends, or a reserved pod, of another moment.
    OtherTime,
    /// A comparison of nodes in which the chosen one is another.
    OtherNode,
    /// A number of sets of victims that was not tried.
    OtherSets,
    /// A node without victims among those of a search, or one of its nodes left out.
    OtherTriedNodes,
    /// Nodes that are emptied although they free too little, or are not among those of the search.
    OtherEmptiedNodes,
}

/// Copies of a record with one mistake each.
pub fn planted(policy: &Policy, simulation: &Simulation, record: &CycleRecord) -> Vec<(Planted, CycleRecord)> {
    let cluster = simulation.cluster();
    let mut all = Vec::new();
    for at in record.n_outside as usize..record.events.len() {
        for check in 0..record.events[at].checks.len() {
            let mut put = |kind: Planted, wrong: Option<Check>| {
                let Some(wrong) = wrong else { return };
                let mut copy = record.clone();
                Arc::make_mut(&mut copy.events[at].checks)[check] = wrong;
                all.push((kind, copy));
            };
            let own = &record.events[at].checks[check];
            put(Planted::OfAnotherPool, of_another_pool(cluster, own));
            put(Planted::OfAnotherMoment, of_the_end(record, own));
            put(Planted::FailedRule, failed(own));
            put(Planted::OtherNumber, other_number(policy, own, true));
            put(Planted::OtherNumber, other_number(policy, own, false));
            put(Planted::OtherQueue, other_queue(policy, cluster, own));
            put(Planted::OtherNode, other_node(&record.events[at].event, own));
        }
    }
    for (at, refusal) in record.refusals.iter().enumerate() {
        let mut put = |kind: Planted, change: &dyn Fn(&mut fairground::trace::Refusal)| {
            let mut copy = record.clone();
            let mut refusals = copy.refusals.to_vec();
            change(&mut refusals[at]);
            copy.refusals = refusals.into();
            all.push((kind, copy));
        };
        for (i, check) in refusal.checks.iter().enumerate() {
            if let Some(wrong) = of_another_pool(cluster, check) {
                put(Planted::OfAnotherPool, &|refusal| refusal.checks[i] = wrong.clone());
            }
            for wrong in [true, false].iter().filter_map(|is_left| other_number(policy, check, *is_left)) {
                put(Planted::OtherNumber, &|refusal| refusal.checks[i] = wrong.clone());
            }
        }
        if let Some(gate) = other_obstacle(cluster, &refusal.gate, &refusal.checks) {
            put(Planted::OtherObstacle, &|refusal| refusal.gate = gate.clone());
        }
        if let Some(gate) = other_time(policy, &refusal.gate) {
            put(Planted::OtherTime, &|refusal| refusal.gate = gate.clone());
        }
    }
    all.extend(searches::planted(simulation, record));
    all
}

/// The check with another value of a term, evaluated again.
fn with(check: &Check, is_left: bool, change: impl Fn(&mut Term)) -> Check {
    let mut check = check.clone();
    change(if is_left { &mut check.left } else { &mut check.right });
    check.holds = check.op.eval(&check.left.value, &check.right.value);
    check
}

fn resource(check: &Check) -> Option<usize> {
    check.subject.resource.map(Resource::index).filter(|r| *r < 3)
}

fn of_another_pool(cluster: &Cluster, check: &Check) -> Option<Check> {
    let (r, queue) = (resource(check)?, check.subject.queue?);
    let is_quota = match check.right.quantity {
        Quantity::Quota => true,
        Quantity::Limit => false,
        _ => return None,
    };
    let bound = |pool: PartitionId| {
        let of = cluster.queues_in(pool)[queue].resources.get(Resource::ACCOUNTED[r]);
        match if is_quota { of.quota } else { of.limit } {
            Bound::At(amount) => Some(amount.in_policy_units(Resource::ACCOUNTED[r])),
            Bound::Unset | Bound::Unlimited => None,
        }
    };
    let own = number(&check.right.value, 0)?;
    let other = cluster.partitions.ids().filter_map(bound).find(|other| other.floor() != own.floor())?;
    // Shown numbers are whole under some policies.
    let other = if own.fract() == 0.0 && other.fract() != 0.0 { other.floor() } else { other };
    Some(with(check, false, |term| term.value = Value::Real(other)))
}

/// What a queue holds at the end of the cycle instead of what it held before the decision.
fn of_the_end(record: &CycleRecord, check: &Check) -> Option<Check> {
    let ledgers: &[std::sync::Arc<Ledger>] =
        if record.pools.is_empty() { std::slice::from_ref(&record.ledger) } else { return None };
    let (r, queue) = (resource(check)?, check.subject.queue?);
    let at = check.left.parts.iter().position(|part| part.quantity == Quantity::Before)?;
    if check.left.quantity != Quantity::AllocatedWithJob {
        return None;
    }
    let row = ledgers[0].rows.iter().find(|row| row.queue == queue)?;
    let end = row.allocated.get(Resource::ACCOUNTED[r]);
    let own = number(&check.left.parts[at].value, 0)?;
    (!same_number(own, end)).then(|| {
        with(check, true, |term| {
            term.parts[at].value = Value::Real(end);
            term.value = Value::Real(number(&term.value, 0).unwrap_or(0.0) - own + end);
        })
    })
}

/// The comparison with a left side that fails.
fn failed(check: &Check) -> Option<Check> {
    let (left, right) = match (&check.left.value, &check.right.value) {
        (Value::Real(left), Value::Real(right)) if right.is_finite() => (*left, *right),
        _ => return None,
    };
    let failing = match check.op {
        Op::AtMost | Op::Less | Op::Equal => right + 1.0,
        Op::AtLeast | Op::Exceeds => right - 1.0,
    };
    let wrong = with(check, true, |term| term.value = Value::Real(failing));
    (check.holds && check.fault.is_none() && !wrong.holds && left != failing).then_some(wrong)
}

/// Whether every number of a policy has an independent value.
fn is_whole(policy: &Policy) -> bool {
    matches!(policy, Policy::Ego(_) | Policy::MaxMin(_) | Policy::Drf(_))
}

/// The comparison with a number that differs by a thousandth and leads to the same result.
fn other_number(policy: &Policy, check: &Check, is_left: bool) -> Option<Check> {
    let with_factor = |factor: f64| {
        with(check, is_left, |term| {
            term.value = match &term.value {
                Value::Real(real) => Value::Real(real * factor),
                Value::Count(n) if term.quantity != Quantity::Applies => Value::Count(n + (factor > 1.0) as i64),
                other => other.clone(),
            };
        })
    };
    let is_other = |wrong: &Check| wrong.left.value != check.left.value || wrong.right.value != check.right.value;
    let is_plain = check.left.parts.is_empty() && check.right.parts.is_empty();
    let mut all = [1.001, 0.999].into_iter().map(with_factor);
    all.find(|wrong| wrong.holds == check.holds && is_other(wrong))
        .filter(|_| (is_whole(policy) || is_of_nodes(check)) && is_plain)
}

/// The comparison with the chosen node in the place of the other one.
fn other_node(event: &Event, check: &Check) -> Option<Check> {
    let Event::Bound { node: chosen, .. } = *event else { return None };
    let mut wrong = check.clone();
    match check.subject.other_node {
        Some(other) => (wrong.subject.node, wrong.subject.other_node) = (Some(other), check.subject.node),
        None if is_of_nodes(check) && is_misfit(check, chosen) => wrong.subject.node = Some(chosen),
        None => return None,
    }
    Some(wrong)
}

/// The comparison about the next queue.
fn other_queue(policy: &Policy, cluster: &Cluster, check: &Check) -> Option<Check> {
    let own = check.subject.queue.filter(|_| matches!(policy, Policy::Ego(_)))?;
    let other = QueueId::from_index((own.index() + 1) % cluster.queues.len());
    let mut wrong = check.clone();
    wrong.subject.queue = Some(other);
    let is_above = |queue: QueueId| cluster.path_to_root(own).any(|above| above == queue);
    // A sibling or an ancestor may have the same numbers.
    (other != own && !is_above(other) && Some(other) != check.subject.other_queue).then_some(wrong)
}

/// Another time at which victims are gone, or a delay ends.
fn other_time(policy: &Policy, gate: &Gate) -> Option<Gate> {
    match gate {
        Gate::WaitingForVictims { until: Some(until) } if matches!(policy, Policy::Ego(_)) => {
            Some(Gate::WaitingForVictims { until: Some(*until + Span::from_millis(1)) })
        }
        Gate::Delayed { until, why: why @ Delay::Preemption } => {
            Some(Gate::Delayed { until: *until + Span::from_millis(10), why: *why })
        }
        _ => None,
    }
}

fn other_obstacle(cluster: &Cluster, gate: &Gate, checks: &[Check]) -> Option<Gate> {
    match gate {
        Gate::NoNode { placed, of, reasons, free } if !reasons.is_empty() => {
            let absent = match cluster.nodes.values().all(|node| node.taints.is_empty()) {
                true => NodeReason::Taint,
                false if cluster.nodes.values().all(|node| node.takes_pods()) => NodeReason::NotReady,
                false => return None,
            };
            let mut reasons = reasons.clone();
            reasons[0].0 = absent;
            Some(Gate::NoNode { placed: *placed, of: *of, reasons, free: *free })
        }
        Gate::OverLimit { queue, resource } if !checks.is_empty() => {
            let other = QueueId::from_index((queue.index() + 1) % cluster.queues.len());
            let is_said = checks
                .iter()
                .any(|check| check.subject.queue == Some(other) && check.right.quantity == Quantity::Limit);
            (other != *queue && !is_said).then_some(Gate::OverLimit { queue: other, resource: *resource })
        }
        _ => None,
    }
}
