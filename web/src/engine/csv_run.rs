//! Repeats a run from its start and writes it as a table, a cycle at a time.

use std::sync::Arc;

use fairground::moment::csv;
use fairground::policy::Monitor;
use fairground::scenario::Scenario;
use fairground::sim::Simulation;
use fairground::trace::Ledger;

use super::branch::plan_of;
use super::protocol::Response;

/// A table in progress.
pub struct CsvRun {
    scenario: Arc<Scenario>,
    monitor: Monitor,
    sim: Simulation,
    last: u32,
    is_of_events: bool,
    before: Arc<Ledger>,
    text: String,
}

impl CsvRun {
    /// Starts the table of a scenario's run up to a cycle; `None`: the scenario cannot run. If the monitor interrupts a
    /// cycle, the run begins again.
    pub fn new(scenario: Arc<Scenario>, last: u32, is_of_events: bool, monitor: Monitor) -> Option<CsvRun> {
        let mut sim = Simulation::new(&plan_of(&scenario).ok()?);
        sim.set_monitor(monitor.clone());
        let text = if is_of_events { csv::EVENTS_HEAD } else { csv::SERIES_HEAD }.to_string();
        let mut run = CsvRun { scenario, monitor, sim, last, is_of_events, before: Arc::default(), text };
        let opening = run.sim.opening().clone();
        run.write(&opening);
        Some(run)
    }

    /// Writes a cycle; returns the table once it is complete.
    pub fn work(&mut self) -> Option<Response> {
        let record = (self.sim.cycle() < self.last).then(|| self.sim.advance()).flatten();
        if self.monitor.is_interrupted() {
            *self = CsvRun::new(self.scenario.clone(), self.last, self.is_of_events, self.monitor.clone())?;
            return None;
        }
        let Some(record) = record else {
            let text = std::mem::take(&mut self.text);
            return Some(Response::Csv { is_of_events: self.is_of_events, text });
        };
        self.write(&record);
        None
    }

    fn write(&mut self, record: &fairground::sim::CycleRecord) {
        let cluster = self.sim.cluster();
        self.text +=
            &if self.is_of_events { csv::events(cluster, record) } else { csv::series(cluster, &self.before, record) };
        self.before = record.ledger.clone();
    }
}
