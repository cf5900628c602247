//! Text to plan: read, check, and locate every finding in the text.

use super::check::{Checked, check};
use super::plan::Plan;
use crate::format::Diagnostic;
use crate::format::Scenario;
use crate::format::{locate, read};

/// A text as a scenario, with everything that was found about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario; `None`: the text as a whole is none, or its shape has errors that forbid running it.
    pub scenario: Option<Scenario>,
    /// What it means; `None`: see `findings`.
    pub plan: Option<Plan>,
    /// Findings about shape and meaning, with positions.
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
