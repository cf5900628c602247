//! Requests that follow other changes: runs and frames.

use std::sync::Arc;

use fairground::scenario::Severity;

use crate::engine::protocol::{At, BranchId, MomentRequest, Request, Wants};
use crate::state::effect::Effect;
use crate::state::engine_state::EngineState;
use crate::state::model::Model;
use crate::state::moment::explanations::focus;
use crate::state::request::send;

/// Requests a moment of a new run of the scenario, or of the current run, with all that is shown of it.
pub(crate) fn request_moment(model: &mut Model, is_new: bool, at: At, fx: &mut Vec<Effect>) {
    model.playback.keeps_time = is_new && matches!(at, At::Time(_));
    let scenario = is_new.then(|| model.document.scenario.clone());
    let ask = MomentRequest { branch: BranchId::Main, scenario, at, wants: Wants::Focus(focus(model)) };
    model.in_flight.frame = send(model, Request::Moment(ask), fx);
    model.engine.state = EngineState::Working(None);
}

/// Starts a run of the current scenario and goes to the cursor.
pub(crate) fn load(model: &mut Model, fx: &mut Vec<Effect>) {
    model.moment.is_stale = model.moment.frame.is_some();
    // Derived data stays visible until it is replaced; an impossible cycle marks it as outdated.
    if let Some(ladder) = &mut model.moment.ladder {
        Arc::make_mut(ladder).cycle = u32::MAX;
    }
    model.branches.help = None;
    model.moment.within_cycle = None;
    std::mem::take(&mut model.files.kit);
    model.in_flight.kit = model.fresh_id();
    if model.document.has_errors() {
        crate::state::moment::rules::request_rule_book(model, fx);
        let errors = model.document.findings.iter().filter(|d| d.severity == Severity::Error);
        model.engine.state = EngineState::Refused(Arc::new(errors.map(|d| d.says.clone()).collect()));
        model.in_flight.frame = model.fresh_id();
        return;
    }
    let pace = (model.document.scenario.policy.clone(), model.document.scenario.cycle.clone());
    let was = model.playback.pace.replace(pace.clone());
    // If the cycles have other times, keep the moment instead of the cycle number.
    let of_cursor = model.moment.frame.as_ref().filter(|frame| frame.cycle == model.playback.cursor);
    let moment = of_cursor.filter(|_| was.is_some_and(|was| was != pace)).map(|frame| frame.time_ms);
    let at = moment.filter(|time_ms| *time_ms > 0).map_or(At::Cycle(model.playback.cursor), At::Time);
    request_moment(model, true, at, fx);
    crate::state::moment::rules::request_rule_book(model, fx);
}

pub(crate) fn go_to(model: &mut Model, cycle: u32, fx: &mut Vec<Effect>) {
    if model.document.has_errors() {
        return;
    }
    model.playback.cursor = cycle;
    model.playback.decision = None;
    model.playback.then_first_action = false;
    model.branches.baseline = None;
    request_moment(model, false, At::Cycle(cycle), fx);
    fx.push(Effect::SetUrl);
    if model.document.draft.is_some() {
        fx.push(Effect::Save);
    }
}
