//! The meaning of a scenario file: `check` reports *all* errors at once and turns a [`Scenario`] into a [`Plan`] that a
//! simulation can run.
//!
//! Text → [`read`] → [`Scenario`] → [`check`] → [`Plan`]. The file format is [`crate::format`], re-exported here.

mod at_moment;
mod check;
mod plan;

pub use crate::format::*;
pub(crate) use crate::format::{
    ORDER_LABELS, Ref, Rows, SECTIONS, Shape, SlotMut, finding, orders_pods, position, quoted, unlimited_queue,
};
pub use at_moment::at_moment;
pub use check::{Checked, check, diagnose, reads_of_jobs, reads_of_nodes};
pub use plan::{Plan, PlanChange, Planned};

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
