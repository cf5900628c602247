//! One scenario under several policies: the same arrivals, side by side.
//!
//! # Rule
//! The scenario is translated into the words of each policy, and each run goes on until a moment, until nothing further will
//! happen, or until a number of cycles. Nothing else differs between the runs.

use std::sync::Arc;

use super::simulation::Simulation;
use super::summary::Summary;
use crate::scenario::{Diagnostic, Scenario, check};
use crate::time::Time;
use crate::translate::{Note, translate};

/// One policy's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The policy's name in scenario files.
    pub policy: String,
    /// What became of the scenario's settings.
    pub notes: Vec<Note>,
    /// What there is to say about the translated scenario.
    pub diagnostics: Vec<Diagnostic>,
    /// The run; `None`: the translated scenario cannot be run, or there is no such policy.
    pub run: Option<Ran>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The whole run.
    pub summary: Summary,
    /// Names of the queues.
    pub queues: Vec<Arc<str>>,
    /// GPUs that each queue holds at the end, descendants included.
    pub held: Vec<f64>,
    /// Jobs that wait at the end, wholly or with some pods.
    pub n_waiting: u32,
    /// Whether nothing further will happen.
    pub is_over: bool,
}

/// Runs a scenario under a policy until a moment, at most so many cycles.
pub fn compare(scenario: &Scenario, policy: &str, until: Time, cycles_max: u32) -> Column {
    let translated = translate(scenario, policy);
    let (scenario, notes) = match translated {
        Some(translated) => (translated.scenario, translated.notes),
        None => (Scenario { policy: policy.to_owned(), ..scenario.clone() }, Vec::new()),
    };
    let checked = check(&scenario);
    let run = checked.plan.map(|plan| {
        let mut simulation = Simulation::new(&plan);
        simulation.set_level(crate::trace::Level::Outcomes);
        run(&mut simulation, until, cycles_max);
        ran(&simulation)
    });
    Column { policy: policy.to_owned(), notes, diagnostics: checked.diagnostics, run }
}

fn run(simulation: &mut Simulation, until: Time, cycles_max: u32) {
    while simulation.cycle() < cycles_max && !simulation.is_quiet() {
        simulation.skip_idle(cycles_max, until);
        if simulation.next_cycle_at().is_none_or(|next| next > until) || simulation.advance().is_none() {
            break;
        }
    }
}

fn ran(simulation: &Simulation) -> Ran {
    let cluster = simulation.cluster();
    let waits = |&&job: &&crate::id::JobId| simulation.pod_counts(job).pending > 0;
    Ran {
        summary: simulation.summary(),
        queues: cluster.queues.values().map(|queue| queue.name.clone()).collect(),
        held: simulation.ledger().rows.iter().map(|row| row.allocated.gpu).collect(),
        n_waiting: u32::try_from(cluster.live_jobs.iter().filter(waits).count()).unwrap_or(u32::MAX),
        is_over: simulation.is_quiet(),
    }
}
