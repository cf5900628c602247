//! Questions to the engine that other changes end with: runs and moments.

use std::sync::Arc;

use fairground::scenario::Severity;

use super::engine_state::EngineState;
use crate::engine::protocol::Ask;
use crate::state::effect::Effect;
use crate::state::import::KitState;
use crate::state::model::Model;
use crate::state::request::send;

/// Asks for a frame.
pub(crate) fn ask_frame(model: &mut Model, ask: Ask, fx: &mut Vec<Effect>) {
    model.by_time &= matches!(ask, Ask::LoadAt { .. });
    model.in_flight.frame = send(model, ask, fx);
    model.engine = EngineState::Working(None);
}

/// Starts a run of the present scenario and goes to the cursor.
pub(crate) fn load(model: &mut Model, fx: &mut Vec<Effect>) {
    model.stale = model.frame.is_some();
    // What was derived stays on screen until it is derived anew; no cycle takes it for its own.
    if let Some(ladder) = &mut model.ladder {
        Arc::make_mut(ladder).cycle = u32::MAX;
    }
    model.help = None;
    model.shown = None;
    (model.kit, model.in_flight.kit) = (KitState::None, model.fresh_id());
    if model.has_errors() {
        crate::state::moment::rules::ask_rules(model, fx);
        let errors = model.findings.iter().filter(|d| d.severity == Severity::Error);
        model.engine = EngineState::Refused(Arc::new(errors.map(|d| d.says.clone()).collect()));
        model.in_flight.frame = model.fresh_id();
        return;
    }
    let scenario = model.scenario.clone();
    let pace = (model.scenario.policy.clone(), model.scenario.cycle.clone());
    let was = model.pace.replace(pace.clone());
    // Where cycles come at other times, the moment is kept and not the number of its cycle.
    let of_cursor = model.frame.as_ref().filter(|frame| frame.cycle == model.cursor);
    let moment = of_cursor.filter(|_| was.is_some_and(|was| was != pace)).map(|frame| frame.time_ms);
    match moment.filter(|time_ms| *time_ms > 0) {
        Some(time_ms) => {
            model.by_time = true;
            ask_frame(model, Ask::LoadAt { scenario, time_ms }, fx);
        }
        None => ask_frame(model, Ask::Load { scenario, cycle: model.cursor }, fx),
    }
    crate::state::moment::rules::ask_rules(model, fx);
}

pub(crate) fn go_to(model: &mut Model, cycle: u32, fx: &mut Vec<Effect>) {
    if model.has_errors() {
        return;
    }
    model.cursor = cycle;
    model.decision = None;
    model.to_action = false;
    model.baseline = None;
    ask_frame(model, Ask::GoTo { cycle }, fx);
    fx.push(Effect::SetUrl);
    if model.draft.is_some() {
        fx.push(Effect::Save);
    }
}
