//! What a text runs as.

use fairground::scenario::{self, Plan, Severity};

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
