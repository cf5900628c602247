//! What would help a job: runs of the scenario with one small change each, in the background.
//!
//! # Rule
//! The unchanged scenario is run to the cycle in question and then for at most [`AHEAD`] further cycles that change
//! anything; every variation is run to the same moment. A variation helps if the job starts earlier than in the
//! unchanged run, measured in time, and is never worse off (see `progress`).

use std::sync::Arc;

use super::progress::{JobProgress, ProgressStep, RunProgress};
use super::{Loser, Outcome, Start, Tried};
use crate::policy::Monitor;
use crate::scenario::{Scenario, check};
use crate::sim::Simulation;
use crate::time::{Span, Time};
use crate::trace::Level;

/// Number of cycles that are run beyond the cycle in question.
const AHEAD: u32 = 40;
/// Largest number of jobs that are listed as worse off.
const NAMED_MAX: usize = 4;
/// Limit of cycles times pods for one run; beyond it a run takes too long.
const POD_CYCLES_MAX: u64 = 400_000;
/// Later than any moment of a run.
const FAR: Time = Time::from_millis(i64::MAX / 4);

/// Runs of the variations, in progress.
pub struct Trials {
    job: String,
    at: u32,
    /// The scenarios whose runs have not ended, the next one last.
    waiting: Vec<Arc<Scenario>>,
    running: Option<Running>,
    /// `None`: the unchanged scenario has not been run yet.
    base: Option<Base>,
    outcomes: Vec<Option<Outcome>>,
    monitor: Monitor,
}

/// Result of the unchanged scenario.
struct Base {
    run: RunProgress,
    /// The moment in question.
    now: Time,
    /// The moment up to which the run is known; `None`: it is known to its end.
    until: Option<Time>,
    /// The job's progress at the moment in question.
    progress: u32,
    starts: Option<(Time, Start)>,
}

struct Running {
    sim: Simulation,
    run: RunProgress,
    /// Cycles that were computed, without skipped ones.
    n_cycles: u64,
    /// Those beyond the moment in question.
    n_ahead: u32,
    /// The moment in question, once it is reached.
    now: Option<Time>,
}

impl Trials {
    /// Runs of scenarios, the unchanged one first, to compare when the job runs after `cycle`. A run of which the monitor
    /// interrupts a cycle begins again.
    pub fn new(job: String, cycle: u32, mut scenarios: Vec<Arc<Scenario>>, monitor: Monitor) -> Trials {
        scenarios.reverse();
        Trials { job, at: cycle, waiting: scenarios, running: None, base: None, outcomes: Vec::new(), monitor }
    }

    /// Works for about one cycle; returns the outcomes once all runs have ended, `None` within if the scenario is too
    /// large or cannot run.
    pub fn work(&mut self) -> Option<Option<Tried>> {
        let Some(mut run) = self.running.take() else {
            let Some(scenario) = self.waiting.last() else { return Some(self.outcomes()) };
            match check(scenario).plan {
                Some(plan) => self.running = Some(Running::new(Simulation::new(&plan), &self.monitor)),
                None if self.base.is_none() => return Some(None),
                None => self.end_run(None),
            }
            return None;
        };
        if run.n_cycles * run.sim.cluster().pods.len() as u64 > POD_CYCLES_MAX {
            if self.base.is_none() {
                return Some(None);
            }
            self.end_run(None);
            return None;
        }
        let goes_on = match &self.base {
            None => run.step_base(self.at),
            Some(base) => run.step_trial(base.now, base.until),
        };
        if self.monitor.is_interrupted() {
            return None;
        }
        if goes_on {
            self.running = Some(run);
        } else if let Some(base) = &self.base {
            let outcome = base.compare(&run, &self.job);
            self.end_run(Some(outcome));
        } else {
            self.base = Some(Base::of(run, &self.job, self.at));
            self.waiting.pop();
        }
        None
    }

    /// Ends the run of a variation.
    fn end_run(&mut self, outcome: Option<Outcome>) {
        self.waiting.pop();
        self.outcomes.push(outcome);
    }

    fn outcomes(&mut self) -> Option<Tried> {
        self.base.take().map(|base| Tried {
            unchanged: base.starts.map(|(_, start)| start),
            until_ms: base.until.map(Time::as_millis),
            outcomes: std::mem::take(&mut self.outcomes),
        })
    }
}

impl Running {
    fn new(mut sim: Simulation, monitor: &Monitor) -> Running {
        sim.set_level(Level::Outcomes);
        sim.set_monitor(monitor.clone());
        let run = RunProgress::new(&sim);
        Running { sim, run, n_cycles: 0, n_ahead: 0, now: None }
    }

    /// Advances the unchanged run by a cycle; `false`: it has run far enough.
    fn step_base(&mut self, cycle: u32) -> bool {
        self.skip_idle(cycle, FAR);
        if self.sim.cycle() < cycle {
            return self.advance();
        }
        self.now = self.now.or(Some(self.sim.now()));
        self.skip_idle(u32::MAX, FAR);
        self.go_ahead()
    }

    /// Advances a variation by a cycle, at most up to a moment.
    fn step_trial(&mut self, time: Time, until: Option<Time>) -> bool {
        let last = until.unwrap_or(FAR) - Span::from_millis(1);
        self.skip_idle(u32::MAX, last);
        match self.sim.next_cycle_at() {
            Some(next) if next <= time => self.advance(),
            Some(next) if next <= last => self.go_ahead(),
            _ => false,
        }
    }

    /// Skips cycles that change nothing.
    fn skip_idle(&mut self, cycle_max: u32, time_max: Time) {
        if self.sim.cycle() < cycle_max && !self.sim.is_quiet() {
            self.sim.skip_idle(cycle_max, time_max);
        }
    }

    fn go_ahead(&mut self) -> bool {
        self.n_ahead += 1;
        // A moment may have several cycles; it is known only after the last of them.
        let is_same_moment = self.sim.next_cycle_at() == Some(self.sim.now());
        (self.n_ahead <= AHEAD || is_same_moment) && self.advance()
    }

    fn advance(&mut self) -> bool {
        if self.sim.is_quiet() {
            return false;
        }
        self.n_cycles += 1;
        let Some(record) = self.sim.advance() else { return false };
        self.run.push(&self.sim, &record);
        true
    }

    /// The moment up to which the run is known; `None`: it is known to its end.
    fn until(&self) -> Option<Time> {
        self.sim.next_cycle_at().filter(|_| !self.sim.is_quiet())
    }
}

impl Base {
    fn of(run: Running, job: &str, cycle_min: u32) -> Base {
        let now = run.now.unwrap_or(run.sim.now());
        let of_job = run.run.job(job);
        let progress = of_job.progress_in(cycle_min);
        let starts = of_job.exceeds(progress, |step| step.cycle > cycle_min).map(start_at);
        Base { now, until: run.until(), progress, starts, run: run.run }
    }

    /// When the job starts in a variation, as a moment and as [`Start`].
    fn start(&self, job: &JobProgress, until: Option<Time>) -> Option<(Time, Start)> {
        if job.has_ended(self.now) {
            return Some((self.now, Start::Over));
        }
        if job.progress_at(self.now) > self.progress {
            return Some((self.now, Start::Already));
        }
        let step = job.exceeds(self.progress, |step| step.time > self.now)?;
        let is_known = until.is_none_or(|until| step.time < until);
        is_known.then(|| start_at(step))
    }

    /// Compares a variation with the unchanged run, as far as both are known.
    fn compare(&self, run: &Running, job: &str) -> Outcome {
        let until = match (self.until, run.until()) {
            (Some(base), Some(trial)) => Some(base.min(trial)),
            (base, trial) => base.or(trial),
        };
        let progress = run.run.job(job);
        let starts = self.start(&progress, until);
        let is_earlier = match (starts, self.starts) {
            (Some((trial, _)), Some((base, _))) => trial < base,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let losers: Vec<Loser> = (self.run.worse_off(&run.run, until))
            .filter(|(name, _)| *name != job)
            .map(|(name, harm)| Loser { job: name.to_string(), harm })
            .collect();
        let n_losers = losers.len() as u32;
        let evictions = |run: &RunProgress| run.evictions(until) as i64;
        Outcome {
            starts: starts.map(|(_, start)| start),
            helps: is_earlier && self.run.job(job).harm(&progress, until).is_none(),
            evictions: evictions(&run.run) - evictions(&self.run),
            losers: worst_off(losers),
            n_losers,
            until_ms: until.map(Time::as_millis),
        }
    }
}

fn start_at(step: ProgressStep) -> (Time, Start) {
    (step.time, Start::At { cycle: step.cycle, time_ms: step.time.as_millis() })
}

/// The worst-off jobs, up to the limit.
fn worst_off(mut losers: Vec<Loser>) -> Vec<Loser> {
    losers.sort_by_key(|loser| loser.harm);
    losers.truncate(NAMED_MAX);
    losers
}
