//! Runs of one scenario under several policies, for comparison.
//!
//! # Rule
//! The scenario is translated for each policy. Each run ends at a given time, after a number of cycles, or when nothing
//! further can happen. Nothing else differs between the runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::simulation::Simulation;
use super::summary::Summary;
use crate::id::PodId;
use crate::scenario::{Diagnostic, Scenario, check};
use crate::time::Time;
use crate::trace::{Event, Recorded};
use crate::translate::{Note, translate};

/// One policy's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The policy's name in scenario files.
    pub policy: String,
    /// How the scenario's settings were translated.
    pub notes: Vec<Note>,
    /// Findings of the check of the translated scenario.
    pub diagnostics: Vec<Diagnostic>,
    /// Result of the run; `None`: the translated scenario cannot be run, or there is no such policy.
    pub run: Option<Ran>,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// Totals of the run.
    pub summary: Summary,
    /// Names of the queues, in queue order.
    pub queues: Vec<Arc<str>>,
    /// GPUs held by each queue at the end, descendants included.
    pub held: Vec<f64>,
    /// Jobs with pending pods at the end.
    pub n_waiting: u32,
    /// Whether nothing further can happen.
    pub is_over: bool,
    /// Placements and evictions, cycle by cycle; cycles without any are left out.
    pub moves: Vec<Moves>,
}

/// Time of a cycle and its placed (`true`) and evicted (`false`) pods by name, sorted.
pub type Moves = (Time, Vec<(bool, Arc<str>)>);

/// Returns the first time at which two runs differ in placements or evictions.
pub fn first_difference(one: &[Moves], other: &[Moves]) -> Option<Time> {
    let n_same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let times = [one.get(n_same), other.get(n_same)].into_iter().flatten().map(|(time, _)| *time);
    times.min()
}

/// A policy's run that is advanced cycle by cycle, for callers that interleave other work.
#[derive(Debug)]
pub struct Comparing {
    column: Column,
    simulation: Option<Simulation>,
    moves: Vec<Moves>,
    until: Time,
    cycles_max: u32,
}

impl Comparing {
    /// Prepares a run of a scenario under a policy until a given time, with at most `cycles_max` cycles.
    pub fn new(scenario: &Scenario, policy: &str, until: Time, cycles_max: u32) -> Comparing {
        let (scenario, notes) = match translate(scenario, policy) {
            Some(translated) => (translated.scenario, translated.notes),
            None => (Scenario { policy: policy.to_owned(), ..scenario.clone() }, Vec::new()),
        };
        let checked = check(&scenario);
        let simulation = checked.plan.map(|plan| {
            let mut simulation = Simulation::new(&plan);
            simulation.set_level(crate::trace::Level::Outcomes);
            simulation
        });
        let column = Column { policy: policy.to_owned(), notes, diagnostics: checked.diagnostics, run: None };
        Comparing { column, simulation, moves: Vec::new(), until, cycles_max }
    }

    /// Runs a cycle; `false` once the run has ended.
    pub fn step(&mut self) -> bool {
        let Some(simulation) = &mut self.simulation else { return false };
        if simulation.cycle() >= self.cycles_max || simulation.is_quiet() {
            return false;
        }
        simulation.skip_idle(self.cycles_max, self.until);
        let is_due = simulation.next_cycle_at().is_some_and(|next| next <= self.until);
        let Some(record) = is_due.then(|| simulation.advance()).flatten() else { return false };
        let name = |pod: PodId| simulation.cluster().pods[pod].name.clone();
        let moved = |recorded: &Recorded| match recorded.event {
            Event::Bound { pod, .. } => Some((true, name(pod))),
            Event::Evicted { pod, .. } => Some((false, name(pod))),
            _ => None,
        };
        let mut moves: Vec<_> = record.events.iter().filter_map(moved).collect();
        moves.sort();
        if !moves.is_empty() {
            self.moves.push((record.time, moves));
        }
        true
    }

    /// The policy's name in scenario files.
    pub fn policy(&self) -> &str {
        &self.column.policy
    }

    /// Number of cycles run so far.
    pub fn cycle(&self) -> u32 {
        self.simulation.as_ref().map_or(0, Simulation::cycle)
    }

    /// Ends the run and returns its result so far.
    pub fn end(self) -> Column {
        let run = self.simulation.as_ref().map(|simulation| ran(simulation, self.moves));
        Column { run, ..self.column }
    }
}

/// Runs a scenario under a policy until a given time, with at most `cycles_max` cycles.
pub fn compare(scenario: &Scenario, policy: &str, until: Time, cycles_max: u32) -> Column {
    let mut comparing = Comparing::new(scenario, policy, until, cycles_max);
    while comparing.step() {}
    comparing.end()
}

fn ran(simulation: &Simulation, moves: Vec<Moves>) -> Ran {
    let cluster = simulation.cluster();
    let waits = |&&job: &&crate::id::JobId| simulation.pod_counts(job).pending > 0;
    Ran {
        summary: simulation.summary(),
        queues: cluster.queues.values().map(|queue| queue.name.clone()).collect(),
        held: simulation.ledger().rows.iter().map(|row| row.allocated.gpu).collect(),
        n_waiting: u32::try_from(cluster.live_jobs.iter().filter(waits).count()).unwrap_or(u32::MAX),
        is_over: simulation.is_quiet(),
        moves,
    }
}
