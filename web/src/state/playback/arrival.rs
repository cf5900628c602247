//! Handles the arrival of frames and of a run's progress.

use std::sync::Arc;

use fairground::words::{Selection, Terms};

use crate::engine::protocol::{EventWord, Frame, Run, Stop};
use crate::state::branches::{alternative, kept, report};
use crate::state::document::opened::Origin;
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::moment::ladder::request_explanations;
use crate::state::notify::notify;
use crate::state::playback::decision_step;
use crate::state::playback::engine_state::{EngineState, Progress};
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
    let terms = Terms::of(&model.scenario.policy);
    let without: Vec<String> = model.view.without.all().map(|kind| kind.name(terms)).collect();
    let without = match without[..] {
        [] => String::new(),
        _ => format!("; {} are left out", without.join(", ")),
    };
    format!("There is no further event{of}{without}.")
}

pub(crate) fn arrived(model: &mut Model, frame: Frame, run: Run, fx: &mut Vec<Effect>) {
    let moved = model.frame.as_ref().is_some_and(|f| f.cycle != frame.cycle);
    // A single step beyond the end of the run needs no message.
    let keeps_time = std::mem::take(&mut model.keeps_time);
    if keeps_time {
        alternative::set_cycle(model, frame.cycle);
    } else if run.complete && model.cursor > frame.cycle + u32::from(model.frame.is_some()) {
        let (asked, end) = (model.cursor, frame.cycle);
        let text = format!("There is no cycle {asked}: the run ends at cycle {end}.");
        notify(model, false, text, None, fx);
    }
    let (frame, run) = (Arc::new(frame), Arc::new(run));
    model.cursor = frame.cycle;
    let is_edited = std::mem::take(&mut model.stale);
    model.drop_preview();
    model.deaths = 0;
    model.engine = EngineState::Idle;
    let is_announcement_muted = model.playing
        && (frame.events.is_empty() || model.clock_ms.saturating_sub(model.announced_ms) < 1000);
    if moved && !is_announcement_muted {
        fx.push(Effect::AnnounceStep(frame.clone(), model.settings_resource()));
        model.announced_ms = model.clock_ms;
    }
    // Another scenario, or one that no longer has that named resource, is shown in the resource that its jobs compete for.
    let contended = frame.names.resource;
    let was = model.frame.as_ref().map(|frame| frame.names.resource);
    if was != Some(contended) || usize::from(model.resource) > 3 + frame.named.len() {
        model.resource = contended;
    }
    let has_baseline = alternative::keep_baseline_if_different(model, &frame, &run);
    model.frame = Some(frame.clone());
    model.run = Some(run);
    model.tells_edit = has_baseline && (is_edited || model.tells_edit && !moved);
    if has_baseline && is_edited {
        fx.push(Effect::AnnounceEdit);
    }
    model.shown = None;
    auto_select(model, &frame);
    if std::mem::take(&mut model.then_first_action) {
        show_action(model, decision_step::actions(&frame).first().map(|action| action.1), fx);
    } else if model.decision.is_some() {
        show_decision(model, model.decision, fx);
    }
    request_explanations(model, fx);
    report::request_report(model, false, fx);
    kept::request_moment(model, fx);
}

/// Selects something worth explaining, unless the visitor has selected something: the first eviction, otherwise the first start,
/// otherwise the first pending job.
fn auto_select(model: &mut Model, frame: &Frame) {
    if model.playing || (model.selection.is_some() && !model.auto_selected) {
        return;
    }
    let event = |is: fn(EventWord) -> bool| frame.events.iter().position(|event| is(event.word()));
    let found = event(EventWord::is_eviction)
        .or_else(|| event(|word| word == EventWord::Started))
        .map(|index| Selection::Event { cycle: frame.cycle, index: index as u32 })
        .or_else(|| frame.refusals.first().map(|refusal| Selection::Job(frame.job(refusal.job).to_string())));
    if frame.cycle > 0 {
        model.auto_selected = found.is_some();
        let explains_itself = model.origin == Origin::Start || event(is_for_another).is_some();
        model.view.why_open |= found.is_some() && explains_itself && !model.view.why_closed;
        model.selection = found;
    } else if model.auto_selected {
        model.selection = None;
    }
}

/// Whether it is an eviction in favour of another job.
fn is_for_another(word: EventWord) -> bool {
    matches!(word, EventWord::Reclaimed | EventWord::Preempted)
}

pub(crate) fn progress(
    model: &mut Model,
    cycle: u32,
    time_ms: i64,
    to_cycle: Option<u32>,
    to_time_ms: Option<i64>,
) {
    let since_ms = match &model.engine {
        EngineState::Working(Some(progress)) => progress.since_ms,
        _ => model.clock_ms,
    };
    let part = match (to_cycle, to_time_ms) {
        (Some(to), _) if to > 0 => Some(f64::from(cycle) / f64::from(to)),
        (_, Some(to)) if to > 0 => Some(time_ms as f64 / to as f64),
        _ => None,
    };
    let part = part.map(|p| p.clamp(0.0, 1.0));
    model.engine = EngineState::Working(Some(Progress { cycle, time_ms, part, since_ms }));
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
