//! Reasons why jobs are still pending at the end of a cycle.
//!
//! # Rule
//! The first pending job of a leaf is the one at which the leaf was frozen; the others wait behind it.
//!
//! # Source
//! see [`super`]
//!
//! # Differs
//! nothing

use super::cycle_state::{CycleState, Stop};
use super::place::{self, NoRoom};
use super::rules;
use crate::cluster::Phase;
use crate::id::{JobId, PodId, QueueId};
use crate::policy::ends::ends;
use crate::time::Time;
use crate::trace::{Gate, Outlook, Refusal, Trace};
use crate::units::{Bound, Resource};

/// Records one refusal per pending job, by job id.
pub fn refuse(state: &CycleState<'_>, trace: &mut Trace) {
    let mut refusals: Vec<Refusal> = Vec::new();
    let ends = ends(state.world);
    for &job in &state.not_ready {
        // A pending pod may replace one that is terminating.
        let mut pods = state.world.cluster.pods_of(job);
        let is_being_replaced = pods.any(|(_, pod)| matches!(pod.phase, Phase::Terminating { .. }));
        let outlook = if is_being_replaced { Outlook::NotForeseeable } else { Outlook::OnlyByEdit };
        refusals.push(refusal(job, Gate::NotReady, outlook));
    }
    for (leaf, pending) in state.pending.iter() {
        let Some(Stop { gate, checks, is_final }) = pending.stop.clone() else { continue };
        let mut waiting = pending.jobs[pending.at..].iter().copied();
        let Some(first) = waiting.next() else { continue };
        let outlook = if is_final { Outlook::OnlyByEdit } else { when_ends(state, leaf, &ends) };
        refusals.push(Refusal { checks, ..refusal(first, gate, outlook) });
        let outlook = outlook.of_those_behind();
        for job in waiting {
            let checks = vec![rules::before(state, first, job)];
            let behind = refusal(job, Gate::Behind { job: first }, outlook);
            refusals.push(Refusal { checks, ..behind });
        }
    }
    trace.refusals_by_job(refusals);
}

fn refusal(job: JobId, gate: Gate, outlook: Outlook) -> Refusal {
    Refusal { job, gate, also: Vec::new(), checks: Vec::new(), outlook }
}

/// The next pods of a job would exceed the limit of a queue on the path.
pub fn over_limit(state: &CycleState<'_>, (queue, resource): (QueueId, Resource), pods: &[PodId]) -> Stop {
    let job = state.world.cluster.pods[pods[0]].job;
    // The pods alone may exceed it.
    let alone = state.request(pods)[resource.index()];
    let limit = state.world.queues()[queue].resources.get(resource).limit;
    Stop {
        gate: Gate::OverLimit { queue, resource },
        checks: rules::over(state, job, queue, resource, pods).into_iter().collect(),
        is_final: matches!(limit, Bound::At(limit) if alone > limit.in_base_units()),
    }
}

/// Only the first of the next pods of a job fit.
pub fn no_room(state: &CycleState<'_>, pods: &[PodId], NoRoom { placed, reasons }: NoRoom) -> Stop {
    let pod = &state.world.cluster.pods[pods[placed]];
    let is_final = place::is_too_large(state.world, pod);
    if let Some((resource, check)) = rules::too_large(state, pod.job, pod).filter(|_| is_final) {
        return Stop { gate: Gate::TooLarge { resource }, checks: vec![check], is_final };
    }
    let count = |n: usize| u32::try_from(n).expect("ids are 32 bits wide");
    let free = Some(state.free(pods[placed]));
    Stop {
        gate: Gate::NoNode { placed: count(placed), of: count(pods.len()), reasons, free },
        checks: rules::no_room(state, pod.job, &pods[placed..]).into_iter().collect(),
        is_final,
    }
}

/// Forecasts which completion lets the next pods of a frozen leaf start.
fn when_ends(state: &CycleState<'_>, leaf: QueueId, ends: &[(Time, JobId)]) -> Outlook {
    let pods = state.next_pods(leaf).to_vec();
    let mut future = state.clone();
    for &(time, other) in ends {
        future.end(other);
        if future.over_limit(leaf, &pods).is_none() && place::place(&mut future, &pods, false).is_ok() {
            return Outlook::WhenEnds { job: other, at: Some(time) };
        }
    }
    Outlook::NotForeseeable
}
