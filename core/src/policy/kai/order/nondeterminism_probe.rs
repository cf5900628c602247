//! Which undefined orders affect the result of a cycle.
//!
//! # Rule
//! A choice between equals is only a candidate for a mark: often both choices have the same result. And a heap that is
//! out of order (N-2) is visible in no comparison. So a small cycle that undefined orders may affect is run again with
//! all registered orders permuted, up to sixteen times, until some pod ends in another state, on another node or on
//! other devices. Then it is run with each order permuted alone: an order that alone changes the result is marked, at
//! its candidates if it has any, else at the pod with a different result.
//!
//! # Source
//! kai.md 11
//!
//! # Differs
//! Approximate in three ways: effects that no draw shows are not marked; above 256 pods, and below level *decisive*,
//! nothing is drawn and all candidates are marked; a cycle without any decision is not run again. The order of
//! insertion is recorded as a tie of queues where queues tied

use crate::kit::random::mixed;
use crate::policy::kai::order::nondeterminism::{self, Probe, RandomOrder};
use crate::policy::kai::pool_state::CycleInput;
use crate::policy::kai::record::recorder::{Decided, Recorder};
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{GroupRef, PodRef};
use crate::trace::{Level, Mark, Rule, Subject, Trace};

/// Maximum number of pods of a cycle that is run again.
const PODS_MAX: usize = 256;
/// Maximum number of draws per order.
const DRAWS_MAX: usize = 16;
/// Maximum number of pods over all draws of an order.
const WORK_MAX: usize = 2048;

/// Registered orders with their rules; the first rule is used without a candidate.
const ORDERS: [(RandomOrder, &[&Rule]); 5] = [
    (RandomOrder::Insertion, &[&nondeterminism::INSERTION, &nondeterminism::QUEUES]),
    (RandomOrder::Devices, &[&nondeterminism::DEVICES]),
    (RandomOrder::Validator, &[&nondeterminism::VALIDATOR]),
    (RandomOrder::Nodes, &[&nondeterminism::NODES]),
    (RandomOrder::Consolidation, &[&nondeterminism::CANDIDATES]),
];

/// Marks of a completed cycle, selected from its candidates.
pub(in crate::policy::kai) fn marks(input: &CycleInput<'_>, session: &Session<'_>, out: &Recorder<'_>) -> Vec<Mark> {
    let candidates = &session.notes.ties.marks;
    let n_pods = session.inputs.pods.len();
    if n_pods > PODS_MAX {
        return candidates.clone();
    }
    let has_decided = !out.decisions.is_empty() || !out.claims.is_empty();
    if !has_decided || candidates.is_empty() && !may_depend_on_order(session, out) {
        return Vec::new();
    }
    let n_draws = (WORK_MAX / n_pods.max(1)).min(DRAWS_MAX) as u64;
    let ended = ends(session, out);
    let first_other = |order: Option<RandomOrder>| {
        (0..n_draws).find_map(|draw| {
            let permuted = rerun(input, Probe { order, draw });
            ended.iter().zip(permuted).position(|(l, r)| *l != r).map(PodRef::of)
        })
    };
    let Some(together) = first_other(None) else { return Vec::new() };
    let mut marks = Vec::new();
    for (order, rules) in ORDERS {
        if let Some(pod) = first_other(Some(order)) {
            let of_order = candidates.iter().filter(|mark| rules.contains(&&mark.rule));
            let n = marks.len();
            marks.extend(of_order.copied());
            if marks.len() == n {
                marks.push(mark_at(session, *rules[0], pod));
            }
        }
    }
    if marks.is_empty() {
        // Only a combination of orders changes the result.
        marks.clone_from(candidates);
    }
    if marks.is_empty() {
        marks.push(mark_at(session, nondeterminism::INSERTION, together));
    }
    marks
}

fn mark_at(session: &Session<'_>, rule: Rule, pod: PodRef) -> Mark {
    let facts = &session.inputs.pods[pod.ix()];
    Mark { rule, subject: Subject { pod: Some(facts.id), ..session.about_job(facts.job) } }
}

/// Whether an undefined order may matter without a recorded choice: parts of devices, evictions or claims,
/// heaps of queues that change below their top (N-2), bounded heaps.
fn may_depend_on_order(session: &Session<'_>, out: &Recorder<'_>) -> bool {
    let mut leaves: Vec<_> = session.own_jobs().filter_map(|job| session.facts_of(job).queue).collect();
    leaves.dedup();
    let is_deep = || {
        let parent = |q: crate::policy::kai::task::QueueRef| session.state.queues[q.ix()].parent;
        leaves.iter().any(|&leaf| parent(leaf).and_then(parent).is_some())
    };
    let is_bounded = !session.inputs.config.queue_depth.is_empty();
    let has_parts = || session.inputs.pods.iter().any(|pod| pod.request.is_shared());
    let displaces = !session.state.evicted.is_empty() || !out.claims.is_empty();
    displaces || is_bounded || leaves.len() > 1 && is_deep() || has_parts()
}

/// Result of the cycle for every pod with permuted orders.
fn rerun(input: &CycleInput<'_>, probe: Probe) -> Vec<u64> {
    let mut session = Session::open(input.clone(), Level::Outcomes);
    session.inputs.probe = Some(probe);
    let mut trace = Trace::new(Level::Outcomes);
    let mut out = Recorder::new(&mut trace);
    crate::policy::kai::execute_actions(&mut session, &mut out);
    ends(&session, &out)
}

/// Digest of every pod's result: status, node, devices, and whether it was evicted.
fn ends(session: &Session<'_>, out: &Recorder<'_>) -> Vec<u64> {
    let mut ends = vec![0; session.inputs.pods.len()];
    let mut devices: Vec<(PodRef, GroupRef)> = Vec::new();
    for task in session.own_jobs().flat_map(|job| session.job(job).tasks()) {
        let t = session.task(task);
        let node = t.node.filter(|_| t.status.is_active_used());
        ends[t.pod.ix()] = mixed(t.status.ix() as u64 + 1, node.map_or(0, |n| n.ix() as u64 + 1));
        if node.is_some() {
            devices.extend(t.groups.iter().map(|&group| (t.pod, group)));
        }
    }
    for &(pod, group) in &devices {
        // A group opened in the cycle is identified only by its members.
        let first = devices.iter().find(|d| d.1 == group).map_or(0, |d| d.0.ix() as u64);
        let label = if session.state.groups.is_fresh(group) { !first } else { group.ix() as u64 };
        // Independent of the order of devices.
        ends[pod.ix()] = ends[pod.ix()].wrapping_add(mixed(label, 1));
    }
    for decided in &out.decisions {
        if let Decided::Evict { pod } = decided {
            ends[pod.ix()] = mixed(ends[pod.ix()], 7);
        }
    }
    ends
}
