//! A scenario as a virtual cluster with the real scheduler of its policy: the files of a folder.

use super::{Folder, Refused, plan_of, policies};
use crate::moment::csv;
use crate::policy::Policy;
use crate::policy::export::{Kit, Source};
use crate::scenario::{Plan, Scenario};
use crate::sim::{CycleRecord, Simulation};
use crate::time::Time;

/// Most pods of a kit: each is an object that is applied by itself.
pub const KIT_PODS_MAX: usize = 5_000;
/// Most cycles of which a kit lists the events.
const CYCLES_MAX: u32 = 10_000;
/// Cycles in one piece of work.
const CYCLES: usize = 32;
/// A time that no run reaches.
const NEVER: Time = Time::from_millis(i64::MAX / 4);

/// A kit that is being written: the events that are expected take a run.
pub struct KitRun {
    write: Kit,
    scenario: Scenario,
    plan: Plan,
    simulation: Simulation,
    expected: String,
}

impl KitRun {
    /// Begins to write a kit.
    pub fn new(scenario: &Scenario) -> Result<KitRun, Refused> {
        let policy = Policy::described(&scenario.policy);
        let write = policy.and_then(|policy| policy.kit).ok_or(Refused::NoFormat)?;
        let plan = plan_of(scenario)?;
        if plan.cluster.pods.len() > KIT_PODS_MAX {
            return Err(Refused::TooLarge);
        }
        let simulation = Simulation::new(&plan);
        let expected = csv::EVENTS_HEAD.to_string();
        let mut run = KitRun { write, scenario: scenario.clone(), plan, simulation, expected };
        let opening = run.simulation.opening().clone();
        run.list(&opening);
        Ok(run)
    }

    /// Runs some cycles; the kit once nothing further happens.
    pub fn work(&mut self) -> Option<Result<Folder, Refused>> {
        for _ in 0..CYCLES {
            let is_over = self.simulation.is_quiet() || self.simulation.cycle() >= CYCLES_MAX;
            if !is_over {
                self.simulation.skip_idle(CYCLES_MAX, NEVER);
            }
            let Some(record) = (!is_over).then(|| self.simulation.advance()).flatten() else {
                return Some(self.written());
            };
            self.list(&record);
        }
        None
    }

    fn list(&mut self, record: &CycleRecord) {
        self.expected.push_str(&csv::events(self.simulation.cluster(), record));
    }

    fn written(&self) -> Result<Folder, Refused> {
        let policies = policies(&self.plan);
        let source = Source { scenario: &self.scenario, cluster: &self.plan.cluster, policies: &policies };
        (self.write)(&source, &self.expected).ok_or(Refused::NoFormat)
    }
}

/// Writes a kit at once.
pub fn kit(scenario: &Scenario) -> Result<Folder, Refused> {
    let mut run = KitRun::new(scenario)?;
    loop {
        if let Some(folder) = run.work() {
            return folder;
        }
    }
}
