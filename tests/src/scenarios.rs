//! Simulations of scenarios that are written in a test.

use fairground::scenario;
use fairground::sim::Simulation;

/// The simulation of a whole scenario text.
///
/// # Panics
/// If it is no scenario or cannot run; says why.
pub fn simulation(text: &str) -> Simulation {
    let read = scenario::read(text);
    let checked = scenario::check(&read.scenario.unwrap_or_else(|| panic!("{:?}", read.diagnostics)));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)))
}

/// The same without the lines that every scenario of a policy begins with.
///
/// # Panics
/// As [`simulation`].
pub fn under(policy: &str, text: &str) -> Simulation {
    simulation(&format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n{text}"))
}
