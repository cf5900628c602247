//! WHY of a job as text.

use std::sync::Arc;

use fairground::moment::{self, Names};
use fairground::scenario::{check, read};
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::Level;
use fairground::words;

/// The lines of WHY of a job in the first cycle from a time on.
pub fn at(text: &str, job: &str, seconds: i64) -> String {
    when(text, job, |record| record.time >= Time::from_millis(seconds * 1000))
}

/// The lines of WHY of a job in the first cycle that is meant, or the last one.
pub fn when(text: &str, job: &str, is_meant: impl Fn(&CycleRecord) -> bool) -> String {
    let read = read(&format!("format: fairground-scenario\nversion: 1\n{text}"));
    let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let names = Arc::new(Names::of(plan.policy.key(), simulation.cluster()));
    let mut last = simulation.opening().clone();
    while !is_meant(&last) {
        let Some(record) = simulation.advance() else { break };
        last = record;
    }
    words::of_job(&moment::frame(&names, &simulation, &last), job).lines().join("\n")
}

#[track_caller]
pub fn says(lines: &str, expected: &[&str]) {
    for expected in expected {
        assert!(lines.contains(expected), "{expected}\nnot in:\n{lines}");
    }
}
