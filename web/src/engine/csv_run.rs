//! Repeats a run from its start and writes it as a table, a cycle at a time.

use std::sync::Arc;

use fairground::moment::csv;
use fairground::policy::Monitor;
use fairground::scenario::Scenario;
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::Ledger;

use super::branch::plan_of;
use super::protocol::Response;

/// A table in progress.
pub struct CsvRun {
    scenario: Arc<Scenario>,
    last: u32,
    is_of_events: bool,
    monitor: Monitor,
    /// `None`: it begins again.
    running: Option<Running>,
}

struct Running {
    sim: Simulation,
    before: Arc<Ledger>,
    text: String,
}

impl CsvRun {
    /// Starts the table of a scenario's run up to a cycle; `None`: the scenario cannot run. If the monitor interrupts a
    /// cycle, the run begins again.
    pub fn new(scenario: Arc<Scenario>, last: u32, is_of_events: bool, monitor: Monitor) -> Option<CsvRun> {
        let mut run = CsvRun { scenario, last, is_of_events, monitor, running: None };
        run.running = Some(run.begin()?);
        Some(run)
    }

    fn begin(&self) -> Option<Running> {
        let mut sim = Simulation::new(&plan_of(&self.scenario).ok()?);
        sim.set_monitor(self.monitor.clone());
        let text = if self.is_of_events { csv::EVENTS_HEAD } else { csv::SERIES_HEAD }.to_string();
        let mut running = Running { sim, before: Arc::default(), text };
        let opening = running.sim.opening().clone();
        running.write(&opening, self.is_of_events);
        Some(running)
    }

    /// Writes a cycle; returns the table once it is complete.
    pub fn work(&mut self) -> Option<Response> {
        let mut running = self.running.take().or_else(|| self.begin())?;
        let record = (running.sim.cycle() < self.last).then(|| running.sim.advance()).flatten();
        if self.monitor.is_interrupted() {
            return None;
        }
        let Some(record) = record else {
            return Some(Response::Csv { is_of_events: self.is_of_events, text: running.text });
        };
        running.write(&record, self.is_of_events);
        self.running = Some(running);
        None
    }
}

impl Running {
    fn write(&mut self, record: &CycleRecord, is_of_events: bool) {
        let cluster = self.sim.cluster();
        self.text +=
            &if is_of_events { csv::events(cluster, record) } else { csv::series(cluster, &self.before, record) };
        self.before = record.ledger.clone();
    }
}
