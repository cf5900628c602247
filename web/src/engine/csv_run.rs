//! Repeats a run from its start and writes it as a table, a few cycles at a time.

use std::sync::Arc;

use fairground::moment::csv;
use fairground::scenario::Scenario;
use fairground::sim::Simulation;
use fairground::trace::Ledger;

use super::branch::plan_of;
use super::protocol::Response;

/// Cycles per slice of work.
const CYCLES: usize = 32;

/// A table in progress.
pub struct CsvRun {
    sim: Simulation,
    last: u32,
    is_of_events: bool,
    before: Arc<Ledger>,
    text: String,
}

impl CsvRun {
    /// Starts the table of a scenario's run up to a cycle; `None`: the scenario cannot run.
    pub fn new(scenario: &Scenario, last: u32, is_of_events: bool) -> Option<CsvRun> {
        let sim = Simulation::new(&plan_of(scenario).ok()?);
        let text = if is_of_events { csv::EVENTS_HEAD } else { csv::SERIES_HEAD }.to_string();
        let mut run = CsvRun { sim, last, is_of_events, before: Arc::default(), text };
        let opening = run.sim.opening().clone();
        run.write(&opening);
        Some(run)
    }

    /// Writes some cycles; returns the table once it is complete.
    pub fn work(&mut self) -> Option<Response> {
        for _ in 0..CYCLES {
            let record = (self.sim.cycle() < self.last).then(|| self.sim.advance()).flatten();
            let Some(record) = record else {
                let text = std::mem::take(&mut self.text);
                return Some(Response::Csv { is_of_events: self.is_of_events, text });
            };
            self.write(&record);
        }
        None
    }

    fn write(&mut self, record: &fairground::sim::CycleRecord) {
        let cluster = self.sim.cluster();
        self.text +=
            &if self.is_of_events { csv::events(cluster, record) } else { csv::series(cluster, &self.before, record) };
        self.before = record.ledger.clone();
    }
}
