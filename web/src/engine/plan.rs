//! What a scenario runs as.

use fairground::scenario::{self, Plan, Scenario, Severity};

/// What a scenario runs as; else its mistakes.
pub(super) fn plan_of(scenario: &Scenario) -> Result<Plan, Vec<String>> {
    let checked = scenario::check(scenario);
    checked.plan.ok_or_else(|| {
        let errors = checked.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| d.says).collect()
    })
}
