//! Laws that hold in every recorded case, regardless of its outcome.
//!
//! - *Recording decides nothing:* with every comparison recorded, the result of the cycle is the same.
//! - *True:* every recorded check evaluates to its recorded result.
//! - *Sufficient:* the events alone determine the state of every pod, unless a claim is marked as unfinished.
//! - *Marked:* jobs on which the real scheduler would have crashed are marked in the trace.

use std::collections::BTreeMap;

use fairground::id::{Id, NodeId, PodId};
use fairground::policy::kai::recorded::{CycleOutcome, Snapshot, Status, run_cycle};
use fairground::policy::kai::{CRASH, UNFINISHED};
use fairground::trace::{Check, Event, Level, Trace};

/// Checks the laws for one cycle.
pub fn hold(opening: &Snapshot, outcome: &CycleOutcome) -> Result<(), String> {
    let mut trace = Trace::new(Level::Every);
    if run_cycle(opening, &mut trace) != *outcome {
        return Err("the cycle comes to something else when every comparison is recorded".into());
    }
    if let Some(check) = checks(&trace).find(|c| c.op.eval(&c.left.value, &c.right.value) != c.holds) {
        return Err(format!("a recorded check is not what its numbers say: {check:?}"));
    }
    let n_crashes: usize = outcome.steps.iter().map(|step| step.crashes.len()).sum();
    let n_marks = trace.marks.iter().filter(|mark| mark.rule == CRASH).count();
    if n_crashes != n_marks {
        return Err(format!("{n_crashes} crashes of the real scheduler, {n_marks} marks"));
    }
    // A claim that is neither carried out nor undone has no events.
    if trace.marks.iter().any(|mark| mark.rule == UNFINISHED) {
        return Ok(());
    }
    events_suffice(opening, outcome, &trace)
}

/// Keys of the rules that the checks of a cycle cite.
pub fn rules_used(opening: &Snapshot) -> Vec<&'static str> {
    let mut trace = Trace::new(Level::Every);
    run_cycle(opening, &mut trace);
    let of_marks = trace.marks.iter().map(|mark| mark.rule.key());
    let mut keys: Vec<&'static str> = checks(&trace).map(|check| check.rule.key()).chain(of_marks).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// All recorded checks.
fn checks(trace: &Trace) -> impl Iterator<Item = &Check> {
    let of_events = trace.events.iter().flat_map(|event| event.checks.iter());
    let of_refusals = trace.refusals.iter().flat_map(|refusal| &refusal.checks);
    of_events.chain(of_refusals).chain(&trace.checks)
}

/// State of a pod according to the events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PodEvents {
    bound: Option<NodeId>,
    claimed: Option<NodeId>,
    is_evicted: bool,
    is_unclaimed: bool,
}

fn events_suffice(opening: &Snapshot, outcome: &CycleOutcome, trace: &Trace) -> Result<(), String> {
    let mut pod_events: BTreeMap<PodId, PodEvents> = BTreeMap::new();
    for recorded in &trace.events {
        match recorded.event {
            Event::Bound { pod, node, .. } => pod_events.entry(pod).or_default().bound = Some(node),
            Event::Claimed { pod, node } => pod_events.entry(pod).or_default().claimed = Some(node),
            Event::Unclaimed { pod, .. } => {
                pod_events
                    .insert(pod, PodEvents { is_unclaimed: true, ..pod_events.get(&pod).copied().unwrap_or_default() });
            }
            Event::Evicted { pod, .. } => pod_events.entry(pod).or_default().is_evicted = true,
            _ => {}
        }
    }
    let node = |name: &str| opening.nodes.iter().position(|node| &*node.name == name).map(NodeId::from_index);
    let last: BTreeMap<&str, _> =
        outcome.steps.iter().flat_map(|step| &step.pods).map(|pod| (&*pod.pod, pod)).collect();
    let pods = opening.jobs.iter().flat_map(|job| &job.pods).enumerate();
    for (i, pod) in pods {
        let pod_events = pod_events.get(&PodId::from_index(i)).copied().unwrap_or_default();
        let Some(state) = last.get(&*pod.name).filter(|state| state.status != pod.status) else { continue };
        let agrees = match state.status {
            Status::Binding => pod_events.bound == node(&state.node) && !pod_events.is_evicted,
            Status::Pipelined => pod_events.claimed == node(&state.node),
            // A pod with only a claim of this cycle lost it.
            Status::Releasing => pod_events.is_evicted || pod_events.is_unclaimed,
            _ => false,
        };
        if !agrees {
            return Err(format!(
                "{} is {:?} on {:?}, but the events say {pod_events:?}",
                pod.name, state.status, state.node
            ));
        }
    }
    Ok(())
}
