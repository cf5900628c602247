//! What a text runs as.

use fairground::scenario::{self, Plan, Severity};
use fairground::sim::Simulation;

/// What a scenario's text runs as; else its mistakes.
pub(super) fn plan_of(text: &str) -> Result<Plan, Vec<String>> {
    let read = scenario::read(text);
    let lines = |found: Vec<scenario::Diagnostic>| {
        found.into_iter().filter(|d| d.severity == Severity::Error).map(|d| d.says).collect::<Vec<_>>()
    };
    if !read.is_clean() {
        return Err(lines(read.diagnostics));
    }
    let checked = scenario::check(&read.scenario.unwrap_or_default());
    checked.plan.ok_or_else(|| lines(checked.diagnostics))
}

/// Whether a cycle takes so little that nobody has to wait for one that is computed in vain.
pub(super) fn is_small(sim: &Simulation) -> bool {
    sim.cluster().pods.len() < 2_000
}
