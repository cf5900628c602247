//! Single cycles from states that no scenario can describe: recordings of the real scheduler and small simulations.
//!
//! A recording may contain bound pods, arbitrary doubles and negative weights. A cycle of the simulation is opened from
//! the cluster instead, and nothing of the scheduler depends on this module.

mod open;
mod outcome;
pub mod queue_comparison;
mod snapshot;

pub use outcome::{ActionOutcome, Committed, CycleOutcome, PodState, QueueShares};
pub use snapshot::{Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet};

use super::order::nondeterminism_probe;
use super::pool_state::CycleInput;
use super::record::recorder::Recorder;
use super::session::Session;
use crate::trace::{Level, Mark, Trace};

pub use super::number::Quantities;
pub use super::queues::QueueSpec;
pub use super::request::GpuAsk;
pub use super::task::Status;

/// One cycle: opens a session from the snapshot, runs the configured actions in order, closes it. Choices between
/// equals are marked whether or not they affect the result.
pub fn run_cycle(snapshot: &Snapshot, trace: &mut Trace) -> CycleOutcome {
    run(Session::open(CycleInput::recorded(snapshot), trace.level), snapshot, trace)
}

/// One cycle in which only the named job is tried; other pending jobs still count in their queues.
pub fn try_job(snapshot: &Snapshot, job: &str, trace: &mut Trace) -> CycleOutcome {
    let mut session = Session::open(CycleInput::recorded(snapshot), trace.level);
    session.inputs.only = session.own_jobs().find(|&other| *session.facts_of(other).name == *job);
    run(session, snapshot, trace)
}

/// [`run_cycle`] with an open session.
pub(super) fn run(mut session: Session<'_>, snapshot: &Snapshot, trace: &mut Trace) -> CycleOutcome {
    let mut out = Recorder::new(trace);
    let mut outcome = CycleOutcome::opened(&session, snapshot);
    for &action in &snapshot.config.actions {
        outcome.steps.push(ActionOutcome::of(action, snapshot, &mut session, &mut out));
    }
    super::explain(&mut session, &mut out);
    out.trace.marks.append(&mut session.notes.ties.marks);
    outcome
}

/// Marks of [`run_cycle`] whose undefined order affects the result.
pub fn nondeterministic_marks(snapshot: &Snapshot) -> Vec<Mark> {
    let input = CycleInput::recorded(snapshot);
    let mut session = Session::open(input.clone(), Level::Outcomes);
    let mut trace = Trace::new(Level::Outcomes);
    let mut out = Recorder::new(&mut trace);
    super::execute_actions(&mut session, &mut out);
    nondeterminism_probe::marks(&input, &session, &out)
}
