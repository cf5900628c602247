//! Commands that move in time, and the runs and frames that they request.

use std::sync::Arc;

use fairground::scenario::Severity;
use fairground::words::Selection;

use crate::engine::protocol::{At, BranchId, MomentRequest, Request, Stop, Wants};
use crate::state::effect::Effect;
use crate::state::engine_state::{EngineState, Work};
use crate::state::layout::options::Panel;
use crate::state::model::{Model, send};
use crate::state::moment::explanations::{focus, request_explanations};
use crate::state::playback::SPEEDS;

pub(crate) fn pause(model: &mut Model, fx: &mut Vec<Effect>) {
    if std::mem::take(&mut model.playback.playing) {
        fx.push(Effect::Tick(None));
    }
}

fn tick_ms(model: &Model) -> u32 {
    (1000.0 / SPEEDS[model.playback.speed]) as u32
}

/// Selects the range up to a cycle and goes there, or clears the range.
pub(crate) fn mark(model: &mut Model, to: Option<u32>, fx: &mut Vec<Effect>) {
    let Some(to) = to else {
        let was = model.view.range.take();
        fx.extend(was.map(|_| Effect::Announce("Range cleared.".to_string())));
        return;
    };
    let now = model.playback.cursor;
    let anchor = model.view.range.filter(|range| range.1 == now).map_or(now, |range| range.0);
    model.view.range = (anchor != to).then_some((anchor, to));
    go_to(model, to, fx);
}

pub(crate) fn next_event(model: &mut Model, back: bool, fx: &mut Vec<Effect>) {
    let (queue, job) = match model.followed() {
        Some(Selection::Queue(name)) => (Some(name), None),
        Some(Selection::Job(name)) => (None, Some(name)),
        _ => (None, None),
    };
    let from = model.playback.cursor;
    let without = model.view.without.all().flat_map(|kind| kind.words()).collect();
    model.in_flight.event = send(model, Request::NextEvent { from, back, queue, job, without }, fx);
}

pub(crate) fn back(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.playback.cursor > 0 {
        go_to(model, model.playback.cursor - 1, fx);
    }
}

/// Starts or stops playback; restarts from the beginning if the run is over.
pub(crate) fn play(model: &mut Model, on: bool, fx: &mut Vec<Effect>) {
    let at_end = model.moment.frame.as_ref().is_some_and(|f| f.quiet && f.cycle == model.playback.cursor);
    if on && at_end {
        go_to(model, 0, fx);
    }
    model.playback.playing = on;
    fx.push(Effect::Tick(on.then(|| tick_ms(model))));
}

pub(crate) fn speed(model: &mut Model, by: i32, fx: &mut Vec<Effect>) {
    let speed = model.playback.speed.saturating_add_signed(by as isize);
    model.playback.speed = speed.min(SPEEDS.len() - 1);
    if model.playback.playing {
        fx.push(Effect::Tick(Some(tick_ms(model))));
    }
}

/// Advances by a cycle, unless the engine is still computing.
pub(crate) fn tick(model: &mut Model, fx: &mut Vec<Effect>) {
    if !model.playback.playing || matches!(model.engine.state, EngineState::Working(_)) {
        return;
    }
    match &model.moment.frame {
        Some(frame) if frame.quiet => pause(model, fx),
        _ if model.document.has_errors() => pause(model, fx),
        _ => go_to(model, model.playback.cursor + 1, fx),
    }
}

/// Goes to a moment, forwards or backwards, and closes the dialog.
pub(crate) fn go_to_moment(model: &mut Model, time_ms: i64, fx: &mut Vec<Effect>) {
    model.view.dialog = None;
    model.playback.decision = None;
    model.branches.baseline = None;
    request_moment(model, true, At::Time(time_ms), fx);
}

pub(crate) fn run_until(model: &mut Model, time_ms: i64, fx: &mut Vec<Effect>) {
    model.branches.baseline = None;
    request_moment(model, false, At::Time(time_ms), fx);
}

pub(crate) fn run_to(model: &mut Model, stop: Stop, fx: &mut Vec<Effect>) {
    model.branches.baseline = None;
    model.playback.stop = Some(stop.clone());
    request_moment(model, false, At::Until(stop), fx);
}

/// Stops the current task; restarts the engine if it does not reply soon.
pub(crate) fn cancel(model: &mut Model, fx: &mut Vec<Effect>) {
    model.in_flight.cancel = send(model, Request::Cancel, fx);
    fx.push(Effect::EndEngineSoon(model.in_flight.cancel));
}

/// Selects; an event of another cycle is shown at that cycle.
pub(crate) fn select(model: &mut Model, selection: Option<Selection>, fx: &mut Vec<Effect>) {
    model.auto_selected = false;
    if selection.is_some() {
        model.view.why_open = true;
        // With one panel at a time, selecting something opens its explanation.
        if matches!(model.view.panel, Panel::Now | Panel::Time) || matches!(selection, Some(Selection::Rule(_))) {
            model.view.panel = Panel::Why;
        }
    }
    model.selection = selection;
    if let Some(Selection::Event { cycle, .. }) = model.selection
        && cycle != model.playback.cursor
    {
        go_to(model, cycle, fx);
    }
    request_explanations(model, fx);
    fx.push(Effect::SetUrl);
}

/// Requests a moment of a new run of the scenario, or of the current run, with all that is shown of it.
pub(crate) fn request_moment(model: &mut Model, is_new: bool, at: At, fx: &mut Vec<Effect>) {
    model.playback.keeps_time = is_new && matches!(at, At::Time(_));
    let scenario = is_new.then(|| model.document.scenario.clone());
    let ask = MomentRequest { branch: BranchId::Main, scenario, at, wants: Wants::Focus(focus(model)) };
    model.in_flight.frame = send(model, Request::Moment(ask), fx);
    model.engine.state = EngineState::Working(Work::Cycle(None));
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
        crate::state::moment::explanations::request_rule_book(model, fx);
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
    crate::state::moment::explanations::request_rule_book(model, fx);
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
    if model.document.draft.is_some() {
        fx.push(Effect::Save);
    }
}
