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
use super::{place, rules};
use crate::cluster::Phase;
use crate::id::{JobId, PodId, QueueId};
use crate::policy::ends::ends;
use crate::time::Time;
use crate::trace::{Gate, Outlook, Refusal, Trace};

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
        let Some(stop) = pending.stop else { continue };
        let mut waiting = pending.jobs[pending.at..].iter().copied();
        let Some(first) = waiting.next() else { continue };
        let frozen = frozen(state, (leaf, first), stop, &ends);
        let outlook = frozen.outlook.of_those_behind();
        refusals.push(frozen);
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

fn frozen(
    state: &CycleState<'_>,
    (leaf, job): (QueueId, JobId),
    stop: Stop,
    ends: &[(Time, JobId)],
) -> Refusal {
    let pods: &[PodId] = state.next_pods(leaf);
    match stop {
        Stop::Limit { queue, resource } => {
            // The pods alone exceed the limit, so no completion helps.
            let alone = state.request(pods)[resource.index()];
            let limit = state.world.queues()[queue].resources.get(resource).limit;
            let never = matches!(limit, crate::units::Bound::At(limit) if alone > limit.in_base_units());
            let outlook = if never { Outlook::OnlyByEdit } else { when_ends(state, leaf, ends) };
            let checks = rules::over(state, job, queue, resource, pods).into_iter().collect();
            Refusal { checks, ..refusal(job, Gate::OverLimit { queue, resource }, outlook) }
        }
        Stop::NoRoom { placed, free } => {
            let pod = &state.world.cluster.pods[pods[placed]];
            let is_too_large = place::is_too_large(state.world, pod);
            if let Some((resource, check)) = rules::too_large(state, job, pod).filter(|_| is_too_large) {
                let too_large = refusal(job, Gate::TooLarge { resource }, Outlook::OnlyByEdit);
                return Refusal { checks: vec![check], ..too_large };
            }
            let count = |n: usize| u32::try_from(n).expect("ids are 32 bits wide");
            let reasons = place::reasons(state, pod);
            let gate =
                Gate::NoNode { placed: count(placed), of: count(pods.len()), reasons, free: Some(free) };
            let checks = rules::no_room(state, job, &pods[placed..]).into_iter().collect();
            let outlook = if is_too_large { Outlook::OnlyByEdit } else { when_ends(state, leaf, ends) };
            Refusal { checks, ..refusal(job, gate, outlook) }
        }
    }
}

/// Forecasts which completion lets the next pods of a frozen leaf start.
fn when_ends(state: &CycleState<'_>, leaf: QueueId, ends: &[(Time, JobId)]) -> Outlook {
    let pods = state.next_pods(leaf).to_vec();
    let mut later = state.clone();
    for &(at, other) in ends {
        later.end(other);
        if later.over_limit(leaf, &pods).is_none() && place::place(&mut later, &pods, false).is_ok() {
            return Outlook::WhenEnds { job: other, at: Some(at) };
        }
    }
    Outlook::NotForeseeable
}
