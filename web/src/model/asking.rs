//! Questions to the engine that other changes end with: runs and moments.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::quantity::count;
use fairground::scenario::{JobEntry, Scalar, Scenario, Severity};

use super::command::Effect;
use super::{EngineState, Model, document};
use crate::engine::protocol::{Ask, Request};

/// Most nodes and jobs together that are few.
const SMALL_MAX: u64 = 250;

/// Sends a question; gives its number.
pub(super) fn send(model: &mut Model, ask: Ask, fx: &mut Vec<Effect>) -> u64 {
    let generation = model.fresh_id();
    fx.push(Effect::Send(Request { generation, ask }));
    generation
}

/// Asks for a frame.
pub(super) fn ask_frame(model: &mut Model, ask: Ask, fx: &mut Vec<Effect>) {
    model.by_time &= matches!(ask, Ask::LoadAt { .. });
    model.asked.frame = send(model, ask, fx);
    model.engine = EngineState::Working(None);
}

/// Starts a run of the present scenario and goes to the cursor.
pub(super) fn load(model: &mut Model, fx: &mut Vec<Effect>) {
    model.stale = model.frame.is_some();
    // What was derived stays on screen until it is derived anew; no cycle takes it for its own.
    if let Some(ladder) = &mut model.ladder {
        Arc::make_mut(ladder).cycle = u32::MAX;
    }
    model.help = None;
    model.shown = None;
    if model.has_errors() {
        super::rules::ask_rules(model, fx);
        let errors = model.findings.iter().filter(|d| d.severity == Severity::Error);
        model.engine = EngineState::Refused(Arc::new(errors.map(|d| d.says.clone()).collect()));
        model.asked.frame = model.fresh_id();
        return;
    }
    let scenario = document::to_json(&model.scenario);
    let whole = needs_whole(&model.scenario);
    let pace = (model.scenario.policy.clone(), model.scenario.cycle.clone());
    let was = model.pace.replace(pace.clone());
    // Where cycles come at other times, the moment is kept and not the number of its cycle.
    let of_cursor = model.frame.as_ref().filter(|frame| frame.cycle == model.cursor);
    let moment = of_cursor.filter(|_| was.is_some_and(|was| was != pace)).map(|frame| frame.time_ms);
    match moment.filter(|time_ms| *time_ms > 0) {
        Some(time_ms) => {
            model.by_time = true;
            ask_frame(model, Ask::LoadAt { scenario, whole, time_ms }, fx);
        }
        None => ask_frame(model, Ask::Load { scenario, whole, cycle: model.cursor }, fx),
    }
    super::rules::ask_rules(model, fx);
}

/// Whether the engine in the page's own module has not the policy, or would take long.
fn needs_whole(scenario: &Scenario) -> bool {
    let policy = &scenario.policy;
    // What is no number is no scenario to run.
    let number = |typed: Option<&str>| typed.map_or(1, |typed| count(typed).unwrap_or(0));
    let scalar = |typed: &Option<Scalar>| number(typed.as_ref().map(|typed| typed.0.as_str()));
    let times =
        |job: &JobEntry| number(job.repeat.as_ref().and_then(|typed| typed.0.split_whitespace().next()));
    let nodes = scenario.nodes.iter().map(|node| scalar(&node.count));
    let jobs = scenario.jobs.iter().map(|job| scalar(&job.count).saturating_mul(times(job)));
    let n = nodes.chain(jobs).fold(0, u64::saturating_add);
    n > SMALL_MAX || !(policy.is_empty() || Policy::is_built(policy))
}

pub(super) fn go_to(model: &mut Model, cycle: u32, fx: &mut Vec<Effect>) {
    if model.has_errors() {
        return;
    }
    model.cursor = cycle;
    model.inside = None;
    model.to_action = false;
    model.before = None;
    ask_frame(model, Ask::GoTo { cycle }, fx);
    fx.push(Effect::SetUrl);
    if model.draft.is_some() {
        fx.push(Effect::Save);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_pattern_counts_each_time() {
        let of = |count: &str, repeat: Option<&str>| {
            let scalar = |typed: &str| Scalar(typed.to_owned());
            let job =
                JobEntry { count: Some(scalar(count)), repeat: repeat.map(scalar), ..JobEntry::default() };
            needs_whole(&Scenario { jobs: vec![job].into(), ..Scenario::default() })
        };
        assert!(!of("60", None) && !of("60", Some("2 every 1d")));
        assert!(of("60", Some("5 every 1d")) && of("300", Some("x")) == of("0", None));
    }
}
