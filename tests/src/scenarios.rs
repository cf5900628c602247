//! Simulations of scenarios that are written inside tests.

use fairground::scenario;
use fairground::sim::Simulation;

/// Builds the simulation of a complete scenario text.
///
/// # Panics
/// If the scenario is invalid; the message has the findings.
pub fn simulation(text: &str) -> Simulation {
    let read = scenario::read(text);
    let checked = scenario::check(&read.scenario.unwrap_or_else(|| panic!("{:?}", read.diagnostics)));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)))
}

/// Builds the simulation of a scenario text without the common first lines.
///
/// # Panics
/// As [`simulation`].
pub fn under(policy: &str, text: &str) -> Simulation {
    simulation(&format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n{text}"))
}
