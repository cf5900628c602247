//! Recovery from an engine that is too slow or has stopped working.

use super::commands::load;
use crate::state::command::Command;
use crate::state::effect::Effect;
use crate::state::engine_state::{EngineState, Work};
use crate::state::layout::options::NowView;
use crate::state::model::{Model, notify};
use crate::state::playback::commands::pause;

/// Restarts an engine that is within a long cycle, and returns to the last cycle reached.
pub(crate) fn end_engine(model: &mut Model, id: u64, fx: &mut Vec<Effect>) {
    if id != model.in_flight.cancel {
        return;
    }
    let EngineState::Working(work) = model.engine.state else { return };
    let shown = model.moment.frame.as_ref().map(|frame| frame.cycle);
    let reached = if let Work::Run(progress) = work { Some(progress.cycle) } else { shown };
    let Some(reached) = reached else { return };
    model.in_flight.cancel = 0;
    fx.push(Effect::RestartEngine);
    model.comparison.scenario = None;
    set_cursor(model, reached);
    model.playback.stop = None;
    let text = format!(
        "The cycle after cycle {reached} was cancelled. The engine was started again and goes back to cycle {reached}."
    );
    notify(model, false, text, None, fx);
    load(model, fx);
}

/// The engine has stopped and goes back to a cycle. If the charts show it, nothing has to be waited for.
pub(crate) fn goes_back(model: &mut Model, cycle: u32) {
    let is_shown = model.moment.frame.as_ref().is_some_and(|frame| frame.cycle == cycle) && !model.moment.is_stale;
    if is_shown {
        model.engine.state = EngineState::Idle;
        set_cursor(model, cycle);
    }
}

/// Sets the cursor to the end of a cycle.
fn set_cursor(model: &mut Model, cycle: u32) {
    model.playback.cursor = cycle;
    model.playback.decision = None;
    model.playback.then_first_action = false;
}

pub(crate) fn engine_died(model: &mut Model, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let at = model.playback.cursor;
    let again = matches!(model.engine.state, EngineState::Dead(_)) || model.engine.deaths > 0;
    model.engine.deaths += 1;
    model.branches.drop_preview();
    model.branches.baseline = None;
    // The comparison may be what stopped it.
    if model.view.now == NowView::Compare {
        model.view.now = NowView::default();
    }
    fx.push(Effect::RestartEngine);
    if again {
        model.engine.state = EngineState::Dead(at);
        model.moment.is_stale = model.moment.frame.is_some();
        let text =
            format!("The engine stopped again at cycle {at}. Your scenario is kept; download it to report this.");
        let download = ("Download the scenario".to_string(), Command::Download);
        notify(model, true, text, Some(download), fx);
        return;
    }
    let text = format!("The engine stopped at cycle {at} and was started again. Your scenario is kept.");
    let download = ("Download the scenario".to_string(), Command::Download);
    notify(model, true, text, Some(download), fx);
    model.playback.cursor = model.moment.frame.as_ref().map_or(0, |f| f.cycle);
    load(model, fx);
}
