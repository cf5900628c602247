//! Handles the arrival of frames and of a run's progress.

use std::sync::Arc;

use fairground::words::{Selection, Terms};

use crate::engine::protocol::{EventRow, EventWord, Frame, Moment, Run, Stop};
use crate::state::branches::{alternative, kept};
use crate::state::document::Origin;
use crate::state::effect::Effect;
use crate::state::engine_state::{EngineState, Progress, Work};
use crate::state::model::{Model, notify};
use crate::state::moment::explanations::{explained, focus, report_request, request_explanations, request_report};
use crate::state::playback::decision_step;
use crate::state::playback::step::{show_action, show_decision};

/// Message on why a run stopped.
pub(crate) fn stopped(stop: &Stop, met: bool, cycle: u32, terms: &Terms) -> String {
    let what = match (stop, met) {
        (Stop::Starts(job), true) => format!("{job} started"),
        (Stop::Starts(job), false) => format!("{job} did not start"),
        (Stop::Share(queue), true) => format!("{queue} reached its share"),
        (Stop::Share(queue), false) => format!("{queue} did not reach its share"),
        (Stop::Evicts, true) => terms.fill("first [eviction]"),
        (Stop::Evicts, false) => terms.fill("no [eviction]"),
        (Stop::Nothing, true) => "nothing happened in it".to_string(),
        (Stop::Nothing, false) => "nothing further happens".to_string(),
    };
    if met {
        format!("Stopped at cycle {cycle}: {what}.")
    } else {
        format!("Nothing further happens after cycle {cycle}: {what}.")
    }
}

pub(crate) fn no_event(model: &Model) -> String {
    let of = match model.followed() {
        Some(Selection::Queue(name) | Selection::Job(name)) => format!(" of {name}"),
        _ => String::new(),
    };
    let terms = Terms::of(&model.document.scenario.policy);
    let without: Vec<String> = model.view.without.all().map(|kind| kind.name(terms)).collect();
    let without = match without[..] {
        [] => String::new(),
        _ => format!("; {} are left out", without.join(", ")),
    };
    format!("There is no further event{of}{without}.")
}

/// Stores what was asked for of the displayed moment: a frame with all that is shown of it, or something about a known
/// frame.
pub(crate) fn arrived(model: &mut Model, id: u64, mut moment: Moment, fx: &mut Vec<Effect>) {
    let Some((frame, run)) = moment.frame.take().zip(moment.run.take()) else {
        explained(model, &mut moment);
        if let Some((_, report)) = moment.report.filter(|_| id == model.in_flight.report) {
            alternative::received(model, report);
            alternative::request_baseline_report(model, fx);
        }
        return;
    };
    show_frame(model, *frame, *run, fx);
    explained(model, &mut moment);
    // The view, the selection or the resource may have changed since the question.
    let wanted = report_request(model, false);
    match moment.report {
        Some((request, report)) if wanted.as_ref() == Some(&request) => {
            alternative::received(model, report);
            request_explanations(model, fx);
        }
        _ => request_report(model, false, fx),
    }
    if model.branches.kept.is_comparing() {
        kept::request_moment(model, fx);
    } else {
        alternative::request_baseline_report(model, fx);
    }
    if let Some((stop, is_met)) = model.playback.stop.take().zip(moment.is_met) {
        let says = stopped(&stop, is_met, model.playback.cursor, Terms::of(&model.document.scenario.policy));
        notify(model, false, says, None, fx);
    }
}

fn show_frame(model: &mut Model, frame: Frame, run: Run, fx: &mut Vec<Effect>) {
    let moved = model.moment.frame.as_ref().is_some_and(|f| f.cycle != frame.cycle);
    // A single step beyond the end of the run needs no message.
    let keeps_time = std::mem::take(&mut model.playback.keeps_time);
    if keeps_time {
        alternative::set_cycle(model, frame.cycle);
    } else if run.complete && model.playback.cursor > frame.cycle + u32::from(model.moment.frame.is_some()) {
        let (asked, end) = (model.playback.cursor, frame.cycle);
        let text = format!("There is no cycle {asked}: the run ends at cycle {end}.");
        notify(model, false, text, None, fx);
    }
    let (frame, run) = (Arc::new(frame), Arc::new(run));
    model.playback.cursor = frame.cycle;
    let is_edited = std::mem::take(&mut model.moment.is_stale);
    model.branches.drop_preview();
    model.engine.deaths = 0;
    model.engine.state = EngineState::Idle;
    let is_announcement_muted =
        model.playback.playing && (frame.events.is_empty() || model.clock_ms.saturating_sub(model.announced_ms) < 1000);
    if moved && !is_announcement_muted {
        fx.push(Effect::AnnounceStep(frame.clone(), model.settings_resource()));
        model.announced_ms = model.clock_ms;
    }
    let mut focus = focus(model);
    focus.adapt(&frame);
    model.resource = focus.resource;
    if is_edited || moved {
        model.branches.told_edit = model.branches.baseline.clone().filter(|before| is_edited && before.is_of(&frame));
        fx.extend(model.branches.told_edit.is_some().then_some(Effect::AnnounceEdit));
    }
    if moved {
        fx.push(Effect::SetUrl);
    }
    alternative::drop_baseline_if_equal(model, &frame, &run);
    model.moment.frame = Some(frame.clone());
    model.moment.run = Some(run);
    model.moment.within_cycle = None;
    model.moment.event = None;
    if focus.selects {
        let is_for_another = |event: &EventRow| matches!(event.word(), EventWord::Reclaimed | EventWord::Preempted);
        let explains_itself = model.document.origin == Origin::Start || frame.events.iter().any(is_for_another);
        model.auto_selected = focus.selection.is_some();
        model.view.why_open |= model.auto_selected && explains_itself && !model.view.why_closed;
        model.selection = focus.selection;
    }
    if std::mem::take(&mut model.playback.then_first_action) {
        show_action(model, decision_step::actions(&frame).first().map(|action| action.1), fx);
    } else if model.playback.decision.is_some() {
        show_decision(model, model.playback.decision, fx);
    }
}

pub(crate) fn progress(model: &mut Model, cycle: u32, time_ms: i64, part: Option<f64>) {
    let since_ms = match &model.engine.state {
        EngineState::Working(Work::Run(progress)) => progress.since_ms,
        _ => model.clock_ms,
    };
    model.engine.state = EngineState::Working(Work::Run(Progress { cycle, time_ms, part, since_ms }));
}

/// Shows the progress of a cycle. A job that returns to its queue increases the total; the bar never moves back.
pub(crate) fn cycle_progress(model: &mut Model, part: f64) {
    if let EngineState::Working(Work::Cycle(known)) = &mut model.engine.state {
        *known = Some(part.max(known.unwrap_or(0.0)));
    }
}

#[cfg(test)]
mod tests {
    use fairground::policy::Policy;

    use super::*;
    use crate::texts::foreign_word;

    #[test]
    fn the_end_of_a_run_is_said_in_the_words_of_the_policy() {
        for policy in Policy::ALL {
            for met in [true, false] {
                let says = stopped(&Stop::Evicts, met, 4, policy.terms);
                assert!(says.contains(policy.terms.word("eviction")), "{}: {says}", policy.key);
                assert_eq!(foreign_word(&says, policy.terms), None, "{}: {says}", policy.key);
            }
        }
    }
}
