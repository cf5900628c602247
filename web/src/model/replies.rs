//! What the engine said, taken into the model.

use std::sync::Arc;

use super::asking::go_to;
use super::command::{Dialog, Effect};
use super::kinds::Kind;
use super::ladder::{Ladder, ask_about};
use super::step::{show_action, show_inside};
use super::update::notify;
use super::{EngineState, Model, Origin, Progress, Selection, before, inside, tell, translate};
use crate::engine::protocol::{EventWord, Frame, Reply, Run, Say, Stop};

/// Takes a reply in, unless it answers a question that is no longer of interest.
/// Long because it is one table of replies.
pub(super) fn replied(model: &mut Model, reply: Reply, fx: &mut Vec<Effect>) {
    let id = reply.generation;
    match reply.say {
        Say::Frame { frame, run } if id == model.asked.frame => arrived(model, *frame, *run, fx),
        Say::Ghost { frame, levels } if is_ghost(model, id) => {
            model.awaits_ghost = id != model.asked.ghost;
            // What cannot run leaves the last ghost that could.
            if let Some(frame) = frame {
                model.ghost = Some(Arc::from(frame));
                let own = model.ladder.as_ref().filter(|_| !levels.is_empty());
                model.ghost_ladder = own.map(|own| Arc::new(Ladder { levels, ..(**own).clone() }));
            }
        }
        Say::GhostRun { run, story } if is_ghost(model, id) && model.ghost.is_some() => {
            model.ghost_run = Some(Arc::from(run));
            fx.push(Effect::AnnounceGhost);
            model.ghost_story = story.map(Arc::from);
        }
        Say::GhostRun { story, .. } if id == model.asked.before => before::told(model, story),
        Say::Refused { findings } if id == model.asked.frame => {
            model.engine = EngineState::Refused(Arc::new(findings));
        }
        Say::Progress { cycle, time_ms, to_cycle, to_time_ms } if id == model.asked.frame => {
            progress(model, cycle, time_ms, to_cycle, to_time_ms);
        }
        Say::Event { cycle } if id == model.asked.event => match cycle {
            Some(cycle) => go_to(model, cycle, fx),
            None => notify(model, false, no_event(model), None, fx),
        },
        Say::Stopped { met } if id == model.asked.frame => {
            if let Some(stop) = model.stop.take() {
                notify(model, false, stopped(&stop, met, model.cursor), None, fx);
            }
        }
        Say::Ladder { queue, resource, levels } if id == model.asked.ladder => {
            let cycle = model.frame.as_ref().map_or(0, |f| f.cycle);
            model.ladder = Some(Arc::new(Ladder { cycle, queue, resource, levels }));
        }
        Say::Order(levels) if id == model.asked.order => super::order::told(model, levels),
        Say::Rules(book) if id == model.asked.rules => {
            model.rules = Some(Arc::from(book));
            super::rules::ask_use(model, fx);
        }
        Say::RuleUse(found) if id == model.asked.rule_use => super::rules::used(model, *found),
        Say::Told(Some(story)) if id == model.asked.story => tell::told(model, *story, fx),
        Say::Tried(tried) if id == model.asked.help => super::help::tried(model, tried, fx),
        Say::Exported(exported) if id == model.asked.export => model.exported = exported.map(Arc::new),
        Say::Imported { scenario, is_trace, understood, assumed, ignored, findings }
            if id == model.asked.import =>
        {
            if let Some(import) = &mut model.import {
                let import = Arc::make_mut(import);
                import.reading = false;
                import.scenario = scenario;
                import.is_trace = is_trace;
                import.understood = understood;
                import.assumed = assumed;
                import.ignored = ignored;
                import.findings = findings;
                model.view.dialog = Some(Dialog::Import);
            }
        }
        Say::Translated { policy, scenario, notes } if id == model.asked.translation => {
            translate::translated(model, policy, scenario, notes, fx);
        }
        Say::Comparing { policy, cycle } if id == model.asked.comparison => {
            model.comparing = Some((policy, cycle));
        }
        Say::Compared { column } if id == model.asked.comparison => translate::compared(model, *column),
        Say::Cancelled => {
            model.asked.cancel = 0;
            fx.push(Effect::Announce("Stopped.".to_string()));
        }
        _ => {}
    }
}

/// Whether that was asked for what is being tried out.
fn is_ghost(model: &Model, id: u64) -> bool {
    (model.asked.ghost_from..=model.asked.ghost).contains(&id)
}

/// Why a run stopped.
fn stopped(stop: &Stop, met: bool, cycle: u32) -> String {
    let what = match (stop, met) {
        (Stop::Starts(job), true) => format!("{job} started"),
        (Stop::Starts(job), false) => format!("{job} did not start"),
        (Stop::Share(queue), true) => format!("{queue} reached its share"),
        (Stop::Share(queue), false) => format!("{queue} did not come to its share"),
        (Stop::Evicts, true) => "somebody was told to go".to_string(),
        (Stop::Evicts, false) => "nobody was told to go".to_string(),
        (Stop::Nothing, true) => "nothing happened in it".to_string(),
        (Stop::Nothing, false) => "nothing further happens".to_string(),
    };
    if met {
        format!("Stopped at cycle {cycle}: {what}.")
    } else {
        format!("Nothing further happens after cycle {cycle}: {what}.")
    }
}

fn no_event(model: &Model) -> String {
    let of = match model.heeded() {
        Some(Selection::Queue(name) | Selection::Job(name)) => format!(" of {name}"),
        _ => String::new(),
    };
    let without: Vec<&str> = model.view.without.all().map(Kind::name).collect();
    let without = match without[..] {
        [] => String::new(),
        _ => format!("; {} are left out", without.join(", ")),
    };
    format!("There is no further event{of}{without}.")
}

fn arrived(model: &mut Model, frame: Frame, run: Run, fx: &mut Vec<Effect>) {
    let moved = model.frame.as_ref().is_some_and(|f| f.cycle != frame.cycle);
    // A step at the end asks for the next cycle, and needs no answer.
    let by_time = std::mem::take(&mut model.by_time);
    if by_time {
        before::moved(model, frame.cycle);
    } else if run.complete && model.cursor > frame.cycle + u32::from(model.frame.is_some()) {
        let (asked, end) = (model.cursor, frame.cycle);
        let text = format!("Cycle {asked} was asked for; the run ends at cycle {end}.");
        notify(model, false, text, None, fx);
    }
    let (frame, run) = (Arc::new(frame), Arc::new(run));
    model.cursor = frame.cycle;
    let is_edited = std::mem::take(&mut model.stale);
    model.drop_ghost();
    model.deaths = 0;
    model.engine = EngineState::Idle;
    let quiet_news = model.playing
        && (frame.events.is_empty() || model.clock_ms.saturating_sub(model.announced_ms) < 1000);
    if moved && !quiet_news {
        fx.push(Effect::AnnounceStep(frame.clone(), model.settings_resource()));
        model.announced_ms = model.clock_ms;
    }
    // A resource that the scenario no longer names is not there to be shown.
    if usize::from(model.resource) > 3 + frame.named.len() {
        model.resource = 2;
    }
    let is_held = before::held_against(model, &frame, &run);
    model.frame = Some(frame.clone());
    model.run = Some(run);
    if is_held && is_edited {
        fx.push(Effect::AnnounceEdit);
    }
    model.shown = None;
    point_out(model, &frame);
    if std::mem::take(&mut model.to_action) {
        show_action(model, inside::actions(&frame).first().map(|action| action.1), fx);
    } else if model.inside.is_some() {
        show_inside(model, model.inside, fx);
    }
    ask_about(model, fx);
    tell::ask_story(model, false, fx);
}

/// Selects what is worth explaining, while nobody has selected anything: who had to go, else who started, else who
/// waits.
fn point_out(model: &mut Model, frame: &Frame) {
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
        let is_told = model.origin == Origin::Start || event(is_for_another).is_some();
        model.view.why_open |= found.is_some() && is_told && !model.view.why_closed;
        model.selection = found;
    } else if model.auto_selected {
        model.selection = None;
    }
}

/// Whether it is an eviction by which another job gains.
fn is_for_another(word: EventWord) -> bool {
    matches!(word, EventWord::Reclaimed | EventWord::Preempted)
}

fn progress(model: &mut Model, cycle: u32, time_ms: i64, to_cycle: Option<u32>, to_time_ms: Option<i64>) {
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
