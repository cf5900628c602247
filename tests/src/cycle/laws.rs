//! Laws that hold in every recorded case, whatever was recorded.
//!
//! - *Recording decides nothing:* with every comparison recorded, the cycle comes to the same.
//! - *True:* every recorded check, evaluated again from its own numbers, gives what it says.
//! - *Sufficient:* the events alone tell what became of every pod.
//! - *Said:* whom the real scheduler would have died on is marked in the trace.

use std::collections::BTreeMap;

use fairground::id::{Id, NodeId, PodId};
use fairground::policy::kai::snapshot::{CycleOutcome, Snapshot, Status};
use fairground::policy::kai::{CRASH, run_cycle};
use fairground::trace::{Check, Event, Level, Trace};

/// What one cycle recorded, and what broke a law.
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
    events_suffice(opening, outcome, &trace)
}

/// The keys of all rules that a cycle's checks name.
pub fn rules_used(opening: &Snapshot) -> Vec<&'static str> {
    let mut trace = Trace::new(Level::Every);
    run_cycle(opening, &mut trace);
    let of_marks = trace.marks.iter().map(|mark| mark.rule.key());
    let mut keys: Vec<&'static str> = checks(&trace).map(|check| check.rule.key()).chain(of_marks).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Every check, wherever it was recorded.
fn checks(trace: &Trace) -> impl Iterator<Item = &Check> {
    let of_events = trace.events.iter().flat_map(|event| &event.checks);
    let of_refusals = trace.refusals.iter().flat_map(|refusal| &refusal.checks);
    of_events.chain(of_refusals).chain(&trace.checks)
}

/// What the events say of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Said {
    bound: Option<NodeId>,
    claimed: Option<NodeId>,
    is_evicted: bool,
    is_unclaimed: bool,
}

fn events_suffice(opening: &Snapshot, outcome: &CycleOutcome, trace: &Trace) -> Result<(), String> {
    let mut said: BTreeMap<PodId, Said> = BTreeMap::new();
    for recorded in &trace.events {
        match recorded.event {
            Event::Bound { pod, node, .. } => said.entry(pod).or_default().bound = Some(node),
            Event::Claimed { pod, node } => said.entry(pod).or_default().claimed = Some(node),
            Event::Unclaimed { pod, .. } => {
                said.insert(pod, Said { is_unclaimed: true, ..said.get(&pod).copied().unwrap_or_default() });
            }
            Event::Evicted { pod, .. } => said.entry(pod).or_default().is_evicted = true,
            _ => {}
        }
    }
    let node = |name: &str| opening.nodes.iter().position(|node| &*node.name == name).map(NodeId::from_index);
    let last: BTreeMap<&str, _> =
        outcome.steps.iter().flat_map(|step| &step.pods).map(|pod| (&*pod.pod, pod)).collect();
    let pods = opening.jobs.iter().flat_map(|job| &job.pods).enumerate();
    for (i, pod) in pods {
        let said = said.get(&PodId::from_index(i)).copied().unwrap_or_default();
        let Some(state) = last.get(&*pod.name).filter(|state| state.status != pod.status) else { continue };
        let agrees = match state.status {
            Status::Binding => said.bound == node(&state.node) && !said.is_evicted,
            Status::Pipelined => said.claimed == node(&state.node),
            // A pod that had only a claim of this cycle lost it.
            Status::Releasing => said.is_evicted || said.is_unclaimed,
            _ => false,
        };
        if !agrees {
            return Err(format!(
                "{} is {:?} on {:?}, but the events say {said:?}",
                pod.name, state.status, state.node
            ));
        }
    }
    Ok(())
}
