//! What would help a job: the same scenario with one small change each, run in the background.

use std::collections::BTreeSet;

use fairground::cluster::Phase;
use fairground::sim::Simulation;
use fairground::trace::{Event, Level};

use super::protocol::{Outcome, Say};
use super::serve::plan_of;

/// How many cycles beyond the moment asked about a trial is followed.
const AHEAD: u32 = 5;
/// Most jobs that are named as losing by a change.
const NAMED_MAX: usize = 4;

/// Trials that are under way.
pub struct Trials {
    job: String,
    at: u32,
    waiting: Vec<String>,
    running: Option<Running>,
    /// The first is the scenario as it is.
    ended: Vec<Option<Ended>>,
}

struct Running {
    sim: Simulation,
    starts: Option<u32>,
    evictions: u32,
}

struct Ended {
    starts: Option<u32>,
    evictions: u32,
    holders: BTreeSet<String>,
}

impl Trials {
    /// Trials of scenarios, the unchanged one first: when the job runs, from a cycle on.
    pub fn new(job: String, at: u32, mut scenarios: Vec<String>) -> Trials {
        scenarios.reverse();
        Trials { job, at, waiting: scenarios, running: None, ended: Vec::new() }
    }

    /// Works for the time of about one cycle; gives what came of all trials once they are through.
    pub fn work(&mut self) -> Option<Say> {
        let Some(mut run) = self.running.take() else {
            let Some(text) = self.waiting.pop() else { return Some(self.outcome()) };
            match plan_of(&text) {
                Ok(plan) => {
                    let mut sim = Simulation::new(&plan);
                    sim.set_level(Level::Outcomes);
                    self.running = Some(Running { sim, starts: None, evictions: 0 });
                }
                Err(_) => self.ended.push(None),
            }
            return None;
        };
        let record = if run.sim.cycle() < self.at + AHEAD { run.sim.advance() } else { None };
        match record {
            Some(record) => {
                let evicted = |e: &&fairground::trace::Recorded| matches!(e.event, Event::Evicted { .. });
                run.evictions += record.events.iter().filter(evicted).count() as u32;
                if record.cycle >= self.at && run.starts.is_none() && holders(&run.sim).contains(&self.job) {
                    run.starts = Some(record.cycle);
                }
                self.running = Some(run);
            }
            None => {
                let Running { sim, starts, evictions } = run;
                self.ended.push(Some(Ended { starts, evictions, holders: holders(&sim) }));
            }
        }
        None
    }

    /// Each changed scenario held against the unchanged one.
    fn outcome(&mut self) -> Say {
        let mut ended = std::mem::take(&mut self.ended).into_iter();
        let Some(base) = ended.next().flatten() else { return Say::Tried { outcomes: Vec::new() } };
        let compare = |trial: Ended| {
            let lost: Vec<&String> = base.holders.difference(&trial.holders).collect();
            Outcome {
                starts: trial.starts,
                evictions: i64::from(trial.evictions) - i64::from(base.evictions),
                losers: lost.iter().take(NAMED_MAX).map(|name| name.to_string()).collect(),
                n_losers: lost.len() as u32,
            }
        };
        Say::Tried { outcomes: ended.map(|trial| trial.map(compare)).collect() }
    }
}

/// The jobs that hold something and were not told to go.
fn holders(sim: &Simulation) -> BTreeSet<String> {
    let cluster = sim.cluster();
    let runs = |pod| matches!(cluster.pods[pod].phase, Phase::Running { .. } | Phase::Starting { .. });
    let holding = cluster.live_jobs.iter().map(|&id| &cluster.jobs[id]).filter(|job| job.pod_ids().any(runs));
    holding.map(|job| job.name.to_string()).collect()
}
