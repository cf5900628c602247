//! Loads a scenario text: reads, checks, and locates every finding in the text.

use super::check::{Checked, check};
use super::plan::Plan;
use crate::format::{Diagnostic, Scenario, locate, read};

/// A loaded scenario with all findings.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario; `None`: the text is not a scenario, or has structural errors that prevent running it.
    pub scenario: Option<Scenario>,
    /// The plan; `None`: see `findings`.
    pub plan: Option<Plan>,
    /// Findings about structure and meaning, with positions.
    pub findings: Vec<Diagnostic>,
}

/// Loads a scenario text. `adapt` may change the scenario between reading and checking, for example translate it.
pub fn load(text: &str, adapt: impl FnOnce(Scenario) -> Scenario) -> Loaded {
    let read = read(text);
    let is_clean = read.is_clean();
    let mut findings = read.diagnostics;
    let Some(scenario) = read.scenario.map(adapt) else {
        return Loaded { scenario: None, plan: None, findings };
    };
    let Checked { plan, mut diagnostics } = check(&scenario);
    locate(text, &mut diagnostics);
    findings.append(&mut diagnostics);
    let plan = plan.filter(|_| is_clean);
    Loaded { scenario: Some(scenario), plan, findings }
}
