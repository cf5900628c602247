//! Runs of several scenarios, or of one scenario under several policies, for comparison.
//!
//! # Rule
//! A scenario is translated for each policy. All runs end at the same time: at a given one, or when nothing further can
//! happen in any of them. Nothing else differs between the runs. Amounts are of the resource that the jobs compete for.
//!
//! Runs are compared by time, not by cycle number: the *first difference* is the first instant at which pods start or
//! are evicted in one run that do not in the other, or on other nodes, or for other jobs.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::simulation::Simulation;
use super::summary::Summary;
use crate::cluster::Cluster;
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::policy::Monitor;
use crate::scenario::{Diagnostic, Scenario, check};
use crate::time::Time;
use crate::trace::{Event, Recorded};
use crate::translate::{Note, translate};
use crate::units::{Amount, Resource};

/// One run.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// Totals of the run, in seconds of the resource.
    pub summary: Summary,
    /// The resource that the jobs of the first run compete for.
    pub resource: Resource,
    /// Names of the queues, in queue order.
    pub queues: Vec<Arc<str>>,
    /// Amount of the resource that each queue holds at the end, descendants included: cores, bytes or GPUs.
    pub held: Vec<f64>,
    /// Positions of the queues of the highest level with several, and what they hold over time.
    pub level: Vec<u32>,
    pub course: Vec<HeldFrom>,
    /// Jobs with pending pods at the end.
    pub n_waiting: u32,
    /// Whether nothing further can happen.
    pub is_over: bool,
    /// Placements and evictions by time; times without any are left out.
    pub moves: Vec<Moves>,
}

/// A time, and the amounts that the queues of a level hold from then on: cores, bytes or GPUs.
pub type HeldFrom = (Time, Vec<f64>);

/// A time, and the pods that start or are evicted then, in the order of the decisions.
pub type Moves = (Time, Vec<Move>);

/// A placement or an eviction of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Move {
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Name of the node.
    pub node: Arc<str>,
    /// Whether the pod starts; otherwise it is evicted.
    pub is_start: bool,
    /// Name of the job for which it is evicted, if any.
    pub by: Option<Arc<str>>,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { pod, node, is_start, by } = self;
        write!(f, "{pod} {} {node}", if *is_start { "starts on" } else { "is evicted from" })?;
        by.as_ref().map_or(Ok(()), |by| write!(f, " for {by}"))
    }
}

/// The first difference between two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The instant.
    pub time: Time,
    /// The placements and evictions at this instant that only one of the runs has, for both runs, in the order of the
    /// decisions.
    pub only: [Vec<Move>; 2],
}

/// Returns the first difference between two runs in placements or evictions.
pub fn first_difference(first: &[Moves], second: &[Moves]) -> Option<Difference> {
    let sorted = |moves: &[Move]| {
        let mut sorted = moves.to_vec();
        sorted.sort();
        sorted
    };
    let is_same = |first: &Moves, second: &Moves| first.0 == second.0 && sorted(&first.1) == sorted(&second.1);
    let n_same = first.iter().zip(second).take_while(|(first, second)| is_same(first, second)).count();
    let next = [first.get(n_same), second.get(n_same)];
    let time = next.into_iter().flatten().map(|(time, _)| *time).min()?;
    let [first, second] = next.map(|moves| moves.filter(|moves| moves.0 == time).map_or(&[][..], |moves| &moves.1));
    Some(Difference { time, only: [without(first, second), without(second, first)] })
}

/// The moves of one run that another one does not have.
fn without(moves: &[Move], other_moves: &[Move]) -> Vec<Move> {
    let mut unmatched = other_moves.to_vec();
    let is_only = |moved: &&Move| match unmatched.iter().position(|other| other == *moved) {
        Some(i) => {
            unmatched.swap_remove(i);
            false
        }
        None => true,
    };
    moves.iter().filter(is_only).cloned().collect()
}

/// The placement or eviction in an event.
pub fn move_of(simulation: &Simulation, recorded: &Recorded) -> Option<Move> {
    let cluster = simulation.cluster();
    let moved = |pod: PodId, node: NodeId, is_start, claimant: Option<JobId>| Move {
        pod: cluster.pods[pod].name.clone(),
        node: cluster.nodes[node].name.clone(),
        is_start,
        by: claimant.map(|claimant| cluster.jobs[claimant].name.clone()),
    };
    match recorded.event {
        Event::Bound { pod, node, .. } => Some(moved(pod, node, true, None)),
        Event::Evicted { pod, node, by: claimant, .. } => Some(moved(pod, node, false, claimant)),
        _ => None,
    }
}

/// A run of a comparison.
#[derive(Debug)]
pub struct Comparing {
    column: Column,
    simulation: Option<Simulation>,
    moves: Vec<Moves>,
    series: AllocationSeries,
}

/// What the queues of a level hold over time, in steps that become coarser as the run becomes longer.
#[derive(Debug)]
struct AllocationSeries {
    resource: Resource,
    steps: Vec<HeldFrom>,
    /// Changes so far, and of how many one is kept.
    n_changes: usize,
    every: usize,
}

/// Largest number of steps: more than a picture has pixels for.
const STEPS_MAX: usize = 512;

impl AllocationSeries {
    fn of(resource: Resource) -> AllocationSeries {
        AllocationSeries { resource, steps: Vec::new(), n_changes: 0, every: 1 }
    }

    fn note(&mut self, simulation: &Simulation) {
        let queues = divided_level(simulation.cluster()).into_iter();
        let allocated: Vec<f64> = queues.map(|queue| self.allocated(simulation, queue)).collect();
        let now = simulation.now();
        match self.steps.last_mut() {
            Some(last) if last.1 == allocated => {}
            Some(last) if last.0 == now => last.1 = allocated,
            _ => {
                self.n_changes += 1;
                if self.n_changes.is_multiple_of(self.every) {
                    self.steps.push((now, allocated));
                }
            }
        }
        if self.steps.len() > STEPS_MAX {
            let mut position = 0..;
            self.steps.retain(|_| position.next().is_some_and(|position| position % 2 == 0));
            self.every *= 2;
        }
    }

    fn allocated(&self, simulation: &Simulation, queue: QueueId) -> f64 {
        let sum = simulation.world.queue_sums(queue).allocated[self.resource.index()];
        Amount::base_units(sum).in_policy_units(self.resource) / per_unit(self.resource)
    }
}

/// The queues of the highest level with several, or a last one without children.
fn divided_level(cluster: &Cluster) -> Vec<QueueId> {
    let mut level: Vec<QueueId> =
        cluster.queues.ids().filter(|&queue| cluster.queues[queue].parent.is_none()).collect();
    while level.len() == 1 && !cluster.queues[level[0]].children.is_empty() {
        level = cluster.queues[level[0]].children.to_vec();
    }
    level
}

/// Units of the policy in a core, byte or GPU.
fn per_unit(resource: Resource) -> f64 {
    if resource == Resource::CPU { 1000.0 } else { 1.0 }
}

impl Comparing {
    /// Prepares a run of a scenario under a policy.
    pub fn new(scenario: &Scenario, policy: &str) -> Comparing {
        let (scenario, notes) = under(scenario, policy);
        let checked = check(&scenario);
        let simulation = checked.plan.map(|plan| {
            let mut simulation = Simulation::new(&plan);
            simulation.set_level(crate::trace::Level::Outcomes);
            simulation
        });
        let column = Column { policy: policy.to_owned(), notes, diagnostics: checked.diagnostics, run: None };
        Comparing { column, simulation, moves: Vec::new(), series: AllocationSeries::of(Resource::GPU) }
    }

    /// Sets what watches the cycles of this run and may interrupt them; the run must not be used any more then.
    pub fn set_monitor(&mut self, monitor: &Monitor) {
        if let Some(simulation) = &mut self.simulation {
            simulation.set_monitor(monitor.clone());
        }
    }

    /// Runs a cycle up to a time, with at most `cycles_max` cycles in all; `false` if there is none or nothing further
    /// can happen.
    fn step(&mut self, until: Time, cycles_max: u32) -> bool {
        let Some(simulation) = &mut self.simulation else { return false };
        if simulation.cycle() >= cycles_max || simulation.is_quiet() {
            return false;
        }
        simulation.skip_idle(cycles_max, until);
        let is_due = simulation.next_cycle_at().is_some_and(|next| next <= until);
        let Some(record) = is_due.then(|| simulation.advance()).flatten() else { return false };
        let moves = record.events.iter().filter_map(|recorded| move_of(simulation, recorded));
        let moves: Vec<Move> = moves.collect();
        match self.moves.last_mut().filter(|last| last.0 == record.time) {
            _ if moves.is_empty() => {}
            Some(last) => last.1.extend(moves),
            None => self.moves.push((record.time, moves)),
        }
        self.series.note(simulation);
        true
    }

    /// Number of cycles run so far.
    fn cycle(&self) -> u32 {
        self.simulation.as_ref().map_or(0, Simulation::cycle)
    }

    /// The time of the latest cycle; `None` if the scenario cannot be run.
    fn now(&self) -> Option<Time> {
        self.simulation.as_ref().map(Simulation::now)
    }

    /// Ends the run at a time up to which all of its cycles have been run, and returns its result.
    fn end(mut self, end: Time) -> Column {
        let run = self.simulation.as_mut().map(|simulation| {
            // A run that was cut short ends at its last cycle.
            if simulation.is_quiet() || simulation.next_cycle_at().is_some_and(|next| next > end) {
                simulation.end_at(end);
            }
            // The last state, also if it falls between two steps that are kept.
            self.series.every = 1;
            self.series.note(simulation);
            ran(simulation, self.series, self.moves)
        });
        Column { run, ..self.column }
    }
}

/// A scenario in the settings of a policy, and how they were translated.
pub fn under(scenario: &Scenario, policy: &str) -> (Scenario, Vec<Note>) {
    match translate(scenario, policy) {
        Some(translated) => (translated.scenario, translated.notes),
        None => (Scenario { policy: policy.to_owned(), ..scenario.clone() }, Vec::new()),
    }
}

/// Runs with a common end, advanced cycle by cycle, for callers that interleave other work.
#[derive(Debug)]
pub struct Runs {
    runs: Vec<Comparing>,
    /// Index of the run that is advanced.
    current: usize,
    /// The common end; `None`: when nothing further happens in any run, which is known once each has been run so far.
    end: Option<Time>,
    cycles_max: u32,
}

impl Runs {
    /// Prepares runs that end at a time, or when nothing further happens in any of them. Each has at most `cycles_max`
    /// cycles, and as many again to reach the end of the longest.
    pub fn new(mut runs: Vec<Comparing>, until: Option<Time>, cycles_max: u32) -> Runs {
        let first = runs.iter().find_map(|run| run.simulation.as_ref());
        let resource = first.map_or(Resource::GPU, |first| first.cluster().contended_resource());
        for run in &mut runs {
            run.series.resource = resource;
            if let Some(simulation) = &run.simulation {
                run.series.note(simulation);
            }
        }
        Runs { runs, current: 0, end: until, cycles_max }
    }

    /// Runs a cycle; `false` once all runs have ended.
    pub fn step(&mut self) -> bool {
        let (until, cycles_max) = (self.end.unwrap_or(FAR), self.cycles_max);
        if let Some(run) = self.runs.get_mut(self.current) {
            self.current += usize::from(!run.step(until, cycles_max));
            return true;
        }
        if self.end.is_some() {
            return false;
        }
        self.end = Some(self.runs.iter().filter_map(Comparing::now).max().unwrap_or_default());
        (self.current, self.cycles_max) = (0, 2 * cycles_max);
        true
    }

    /// Index and cycle of the run that is advanced.
    pub fn running(&self) -> Option<(usize, u32)> {
        self.runs.get(self.current).map(|run| (self.current, run.cycle()))
    }

    /// Ends the runs and returns their results.
    pub fn end(self) -> Vec<Column> {
        let end = self.end.unwrap_or_default();
        self.runs.into_iter().map(|run| run.end(end)).collect()
    }
}

/// Later than any event.
const FAR: Time = Time::from_millis(i64::MAX / 4);

fn ran(
    simulation: &Simulation,
    AllocationSeries { resource, steps: course, .. }: AllocationSeries,
    moves: Vec<Moves>,
) -> Ran {
    let cluster = simulation.cluster();
    let waits = |&&job: &&JobId| simulation.pod_counts(job).pending > 0;
    let rows = &simulation.ledger().rows;
    Ran {
        summary: simulation.summary_of(resource),
        resource,
        queues: cluster.queues.values().map(|queue| queue.name.clone()).collect(),
        held: rows.iter().map(|row| row.allocated.get(resource) / per_unit(resource)).collect(),
        level: divided_level(cluster).into_iter().map(|queue| queue.0).collect(),
        course,
        n_waiting: u32::try_from(cluster.live_jobs.iter().filter(waits).count()).unwrap_or(u32::MAX),
        is_over: simulation.is_quiet(),
        moves,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_with_several_queues_is_drawn() {
        let drawn = |queues: &str| {
            let text = format!("format: fairground-scenario\nversion: 1\nnodes: [{{name: n}}]\nqueues: [{queues}]\n");
            let checked = check(&crate::scenario::read(&text).scenario.expect("it has the form of a scenario"));
            let cluster = checked.plan.expect("it can run").cluster;
            divided_level(&cluster).into_iter().map(|queue| cluster.queues[queue].name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(drawn("{name: d}, {name: a, parent: d}, {name: b, parent: d}"), ["a", "b"]);
        assert_eq!(drawn("{name: d}, {name: e}, {name: a, parent: d}"), ["d", "e"]);
    }

    fn moves(millis: i64, moves: &[(&str, &str, bool)]) -> Moves {
        let moved = |&(pod, node, is_start): &(&str, &str, bool)| Move {
            pod: pod.into(),
            node: node.into(),
            is_start,
            by: None,
        };
        (Time::from_millis(millis), moves.iter().map(moved).collect())
    }

    /// Starts on other nodes and at other times differ; the order of decisions at one instant does not.
    #[test]
    fn runs_are_compared_by_time_and_place() {
        let start = [("p1", "n1", true), ("p2", "n2", true)];
        let run = [moves(1, &start), moves(5, &[("p1", "n1", false), ("p3", "n1", true)])];
        let turned = moves(1, &[start[1], start[0]]);
        assert_eq!(first_difference(&run, &[turned.clone(), run[1].clone()]), None);
        let elsewhere = [turned.clone(), moves(5, &[("p1", "n1", false), ("p3", "n2", true)])];
        let difference = first_difference(&run, &elsewhere).expect("another node");
        let only = |difference: &Difference| {
            difference.only.each_ref().map(|only| only.iter().map(|m| m.node.to_string()).collect())
        };
        let expected: [Vec<String>; 2] = [vec!["n1".into()], vec!["n2".into()]];
        assert_eq!((difference.time.as_millis(), only(&difference)), (5, expected));
        let later = [turned, moves(6, &[("p1", "n1", false)])];
        let difference = first_difference(&later, &run).expect("another time");
        assert_eq!((difference.time.as_millis(), difference.only[0].len(), difference.only[1].len()), (5, 0, 2));
        assert_eq!(first_difference(&run[..1], &run).map(|difference| difference.time.as_millis()), Some(5));
    }
}
