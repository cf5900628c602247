//! Exports a scenario as a kit: files that set up a virtual cluster with the real scheduler of its policy.

use super::{Folder, Refused, plan_of, policies};
use crate::moment::csv;
use crate::policy::export::{Kit, Source};
use crate::policy::{Monitor, Policy};
use crate::scenario::{Plan, Scenario};
use crate::sim::{CycleRecord, Simulation};
use crate::time::Time;

/// Maximum number of pods of a kit, each of which is applied as a separate object.
pub const KIT_PODS_MAX: usize = 5_000;
/// Maximum number of cycles with listed events.
const CYCLES_MAX: u32 = 10_000;
/// A time beyond the end of every run.
const NEVER: Time = Time::from_millis(i64::MAX / 4);

/// Writer of a kit, which runs the scenario to list the expected events.
pub struct KitRun {
    write: Kit,
    scenario: Scenario,
    plan: Plan,
    simulation: Simulation,
    expected: String,
    monitor: Monitor,
}

impl KitRun {
    /// Starts a kit. Fails if the policy has no kits, the scenario has errors, or there are too many pods.
    pub fn new(scenario: &Scenario) -> Result<KitRun, Refused> {
        let policy = Policy::described(&scenario.policy);
        let write = policy.and_then(|policy| policy.kit).ok_or(Refused::NoFormat)?;
        let plan = plan_of(scenario)?;
        if plan.cluster.pods.len() > KIT_PODS_MAX {
            return Err(Refused::TooLarge);
        }
        let (simulation, expected, monitor) = (Simulation::new(&plan), String::new(), Monitor::default());
        let mut run = KitRun { write, scenario: scenario.clone(), plan, simulation, expected, monitor };
        run.list_opening();
        Ok(run)
    }

    /// Sets what watches the cycles and may interrupt them; then the run begins again.
    pub fn set_monitor(&mut self, monitor: Monitor) {
        self.simulation.set_monitor(monitor.clone());
        self.monitor = monitor;
    }

    fn begin_again(&mut self) {
        self.simulation = Simulation::new(&self.plan);
        self.simulation.set_monitor(self.monitor.clone());
        self.list_opening();
    }

    fn list_opening(&mut self) {
        self.expected = csv::EVENTS_HEAD.to_string();
        let opening = self.simulation.opening().clone();
        self.list(&opening);
    }

    /// Runs a cycle. Returns the kit once the run is complete, `None` before.
    pub fn work(&mut self) -> Option<Result<Folder, Refused>> {
        if self.simulation.is_quiet() || self.simulation.cycle() >= CYCLES_MAX {
            return Some(self.written());
        }
        self.simulation.skip_idle(CYCLES_MAX, NEVER);
        let record = self.simulation.advance();
        if self.monitor.is_interrupted() {
            self.begin_again();
            return None;
        }
        let Some(record) = record else { return Some(self.written()) };
        self.list(&record);
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

/// Writes a kit in one call.
pub fn kit(scenario: &Scenario) -> Result<Folder, Refused> {
    let mut run = KitRun::new(scenario)?;
    loop {
        if let Some(folder) = run.work() {
            return folder;
        }
    }
}
