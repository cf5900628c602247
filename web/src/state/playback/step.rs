//! Steps in time: by cycle, and within a cycle by decision and by action.

use std::sync::Arc;

use fairground::scenario::Severity;
use fairground::words::Selection;

use super::commands::go_to;
use super::decision_step;
use crate::engine::protocol::{Frame, is_without_checks};
use crate::state::branches::kept;
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::moment::commands::focus_field;
use crate::state::moment::explanations::request_explanations;

/// Reports that errors prevent the scenario from running, and leads to the first one.
pub(crate) fn refuse(model: &mut Model, fx: &mut Vec<Effect>) {
    let mut mistakes = model.document.findings.iter().filter(|found| found.severity == Severity::Error);
    let Some(first) = mistakes.next() else { return };
    let (at, says) = (first.at.clone(), &first.says);
    let text = match mistakes.count() {
        0 => format!("The scenario cannot run: {says}."),
        more => format!("The scenario cannot run: it has {} mistakes. The first: {says}.", more + 1),
    };
    fx.push(Effect::Announce(text));
    focus_field(model, at, fx);
}

/// Steps to the next cycle; within a cycle, to its end.
pub(crate) fn step(model: &mut Model, fx: &mut Vec<Effect>) {
    match &model.moment.frame {
        Some(_) if model.playback.decision.is_some() => show_decision(model, None, fx),
        Some(frame) if frame.quiet && frame.cycle == model.playback.cursor && !model.moment.is_stale => {
            fx.push(Effect::Announce("Nothing more will happen.".to_string()));
        }
        _ => go_to(model, model.playback.cursor.saturating_add(1), fx),
    }
}

/// Steps by one decision; beyond the ends of the cycle, into the next or previous one.
pub(crate) fn step_decision(model: &mut Model, back: bool, fx: &mut Vec<Effect>) {
    let Some(frame) =
        model.moment.frame.clone().filter(|frame| frame.cycle == model.playback.cursor && !model.moment.is_stale)
    else {
        return;
    };
    model.branches.baseline = None;
    let n = decision_step::n_decisions(&frame);
    match (model.playback.decision, back) {
        (Some(0), true) => go_to(model, model.playback.cursor.saturating_sub(1), fx),
        (Some(at), true) => show_decision(model, Some(at - 1), fx),
        (None, true) if n > 0 => show_decision(model, Some(n - 1), fx),
        (None, true) if model.playback.cursor > 0 => go_to(model, model.playback.cursor - 1, fx),
        (None, true) => {}
        (Some(at), false) => show_decision(model, Some(at + 1).filter(|at| *at < n), fx),
        (None, false) => {
            let asked = model.in_flight.frame;
            step(model, fx);
            model.playback.decision = (model.in_flight.frame != asked).then_some(1);
        }
    }
}

/// Steps by one action; beyond the ends of the cycle, into the next or previous one.
pub(crate) fn step_action(model: &mut Model, back: bool, fx: &mut Vec<Effect>) {
    let Some(frame) =
        model.moment.frame.clone().filter(|frame| frame.cycle == model.playback.cursor && !model.moment.is_stale)
    else {
        return;
    };
    model.branches.baseline = None;
    let ends: Vec<u32> = decision_step::actions(&frame).iter().map(|action| action.1).collect();
    let here = model.playback.decision.unwrap_or(u32::MAX);
    if back {
        let now = model.playback.decision.or(ends.last().copied()).unwrap_or(0);
        match ends.iter().rev().find(|end| **end < now) {
            Some(end) => show_action(model, Some(*end), fx),
            None if now > 0 => show_decision(model, Some(0), fx),
            None if model.playback.cursor > 0 => go_to(model, model.playback.cursor - 1, fx),
            None => {}
        }
    } else if let Some(end) = ends.iter().find(|end| **end > here) {
        show_action(model, Some(*end), fx);
    } else {
        let asked = model.in_flight.frame;
        model.playback.decision = None;
        step(model, fx);
        model.playback.then_first_action = model.in_flight.frame != asked;
    }
}

/// Shows the moment after the action that ends with a decision, or the end of a cycle without decisions.
pub(crate) fn show_action(model: &mut Model, end: Option<u32>, fx: &mut Vec<Effect>) {
    show_decision(model, end, fx);
    let Some((frame, end)) = model.moment.frame.clone().zip(end) else { return };
    let events = decision_step::events_of_action(&frame, end);
    let name = decision_step::actions(&frame).into_iter().find(|action| action.1 == end).map_or("", |action| action.0);
    let actions = vec![(name.to_string(), events.len() as u32)];
    let moment = Frame { events, actions, ..(**model.moment.within_cycle.as_ref().unwrap_or(&frame)).clone() };
    fx.retain(|effect| !matches!(effect, Effect::AnnounceStep(..)));
    fx.push(Effect::AnnounceAction(Arc::new(moment), model.settings_resource()));
}

/// Shows the moment after a number of decisions of the current cycle, or its end.
pub(crate) fn show_decision(model: &mut Model, at: Option<u32>, fx: &mut Vec<Effect>) {
    let Some(frame) = model.moment.frame.clone() else { return };
    model.playback.decision = at.filter(|at| *at < decision_step::n_decisions(&frame));
    model.moment.within_cycle = model.playback.decision.map(|at| Arc::new(decision_step::moment_after(&frame, at)));
    if model.playback.decision.is_none() && model.branches.baseline.is_none() {
        kept::request_moment(model, fx);
    }
    let last =
        at.or_else(|| Some(decision_step::n_decisions(&frame))).and_then(|at| decision_step::event_of(&frame, at));
    if let Some(index) = last {
        let only = Frame {
            events: vec![frame.events[index as usize].clone()],
            ..(**model.moment.within_cycle.as_ref().unwrap_or(&frame)).clone()
        };
        fx.push(Effect::AnnounceStep(Arc::new(only), model.settings_resource()));
        if model.selection.is_none() || model.auto_selected {
            model.selection = Some(Selection::Event { cycle: frame.cycle, index });
            model.auto_selected = true;
            if is_without_checks(&frame) {
                request_explanations(model, fx);
            }
        }
    }
    fx.push(Effect::SetUrl);
}
