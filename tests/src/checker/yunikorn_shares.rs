//! Shares by which YuniKorn orders queues and applications, and amounts that wait.

use fairground::cluster::Node;
use fairground::id::{JobId, QueueId};
use fairground::trace::Value;
use fairground::units::{RESOURCES_MAX, Resource};

use super::accounts::Triple;
use super::applications::Applications;
use super::moments::PodPlace;
use super::operand::{Context, Expect, Operand};
use super::yunikorn::{Amounts, bound, capacity, plus, request};

/// Amounts and, last, pod slots.
type WithSlots = [Option<f64>; RESOURCES_MAX + 1];

/// What a comparison of shares has to say: of queues, or of applications of a leaf.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let owner = place.owner();
    let subject = place.check.subject;
    match (subject.job, subject.other_job, subject.queue, owner.queue) {
        (Some(own), Some(other), Some(leaf), _) => {
            let (own, other) = largest_difference(context, leaf, own, other);
            Expect::Values(vec![Value::Real(if place.is_left { own } else { other })])
        }
        (None, None, _, Some(queue)) => Expect::Values(vec![Value::Real(share(context, queue))]),
        _ => Expect::Unknown,
    }
}

/// The largest part of the queue's guarantee or, without one for a type, of the maxima above it.
fn share(context: &Context<'_>, queue: QueueId) -> f64 {
    let accounts = &context.accounts;
    let held: Vec<_> = accounts.jobs_below(queue).flat_map(|job| accounts.holders(job)).map(|(pod, _)| pod).collect();
    let amounts = held.iter().fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(accounts, *pod)));
    let slots = held.len() as f64;
    let of = |r: usize| if r < RESOURCES_MAX { amounts[r] } else { slots };
    let guaranteed = with_slots(bound(context, queue, true), None);
    let most = fair_maximum(context, Some(queue));
    let part = |r: usize| {
        let of_type = guaranteed[r].or(most[r])?;
        let held = of(r);
        Some(if of_type > 0.0 { held / of_type } else { f64::from(u8::from(held > 0.0)) })
    };
    (0..=RESOURCES_MAX).filter_map(part).fold(0.0, f64::max)
}

/// The maximum of a queue, of each type that it does not limit that of the queue above; of all, the capacity.
fn fair_maximum(context: &Context<'_>, queue: Option<QueueId>) -> WithSlots {
    let accounts = &context.accounts;
    let Some(queue) = queue else {
        let ready = || accounts.nodes().filter(|(_, node)| node.ready);
        let sum = ready().fold([0.0; RESOURCES_MAX], |sum, (_, node)| plus(sum, capacity(node)));
        let counts_slots = accounts.nodes().any(|(_, node)| node.pods_max != Node::UNLIMITED_PODS);
        let slots: f64 = ready().map(|(_, node)| f64::from(node.pods_max)).sum();
        return with_slots(sum.map(some), Some(slots).filter(|_| counts_slots));
    };
    let above = fair_maximum(context, accounts.cluster.queues[queue].parent);
    let own = with_slots(bound(context, queue, false), None);
    std::array::from_fn(|r| own[r].or(above[r]))
}

fn some(amount: f64) -> Option<f64> {
    Some(amount).filter(|amount| *amount > 0.0)
}

fn with_slots(amounts: [Option<f64>; RESOURCES_MAX], slots: Option<f64>) -> WithSlots {
    std::array::from_fn(|r| if r < RESOURCES_MAX { amounts[r] } else { slots })
}

/// The shares of two applications that differ, the largest ones first.
fn largest_difference(context: &Context<'_>, leaf: QueueId, own: JobId, other: JobId) -> (f64, f64) {
    let [own, other] = [own, other].map(|job| usage(context, leaf, job));
    let pairs = || own.iter().copied().zip(other.iter().copied());
    pairs().find(|(a, b)| a != b).or_else(|| pairs().next()).unwrap_or_default()
}

/// The parts of the leaf's guarantee that the running pods of an application use, or the bare amounts, the largest
/// first.
fn usage(context: &Context<'_>, leaf: QueueId, job: JobId) -> Vec<f64> {
    let accounts = &context.accounts;
    let applications = Applications::of(context);
    let jobs = applications.jobs(applications.name(job));
    let pods = jobs.flat_map(|job| accounts.cluster.jobs[job].pod_ids().collect::<Vec<_>>());
    let runs = |pod: &_| matches!(accounts.place(*pod), PodPlace::On(_) | PodPlace::Leaving(_));
    let pods: Vec<_> = pods.filter(runs).collect();
    let used = pods.iter().fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(accounts, *pod)));
    let guaranteed = bound(context, leaf, true);
    let of = |r: usize| match guaranteed[r].filter(|of| *of != 0.0) {
        Some(of) => used[r] / of,
        None => used[r],
    };
    let counts_slots = accounts.nodes().any(|(_, node)| node.pods_max != Node::UNLIMITED_PODS);
    let slots = if counts_slots { pods.len() as f64 } else { 0.0 };
    let mut all: Vec<f64> = (0..RESOURCES_MAX).map(of).chain([slots]).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all
}

/// What the asks below a queue wait for.
pub fn pending(context: &Context<'_>, queue: QueueId) -> Triple {
    let applications = Applications::of(context);
    let pods = context.accounts.jobs_below(queue).flat_map(|job| applications.pending(job));
    let all: Amounts = pods.fold([0.0; RESOURCES_MAX], |sum, pod| plus(sum, request(&context.accounts, pod)));
    Resource::ACCOUNTED.map(|resource| all[resource.index()])
}
