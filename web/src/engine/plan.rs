//! Conversion of a scenario to a plan.

use fairground::scenario::{self, Plan, Scenario, Severity};

/// The plan of a scenario, or its errors.
pub(super) fn plan_of(scenario: &Scenario) -> Result<Plan, Vec<String>> {
    let checked = scenario::check(scenario);
    checked.plan.ok_or_else(|| {
        let errors = checked.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| d.says).collect()
    })
}
