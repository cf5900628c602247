//! Steps of the recorder: frames are taken from what is on the screen.

use std::sync::Arc;

use fairground::lesson::{Lesson, LessonFrame, SUGGESTIONS_MAX, Scene, Suggestion, TITLE_CHARS_MAX, to_yaml};
use fairground::scenario::dotted_edits_between;
use fairground::words::Selection;

use super::commands::show_scene;
use super::step::RecordStep;
use crate::state::document::Origin;
use crate::state::effect::Effect;
use crate::state::layout::options::NowView;
use crate::state::model::{Model, notify};
use crate::state::playback::commands::pause;

pub(crate) fn record(model: &mut Model, step: RecordStep, fx: &mut Vec<Effect>) {
    match step {
        RecordStep::Open(on) => {
            model.recorder.is_open = on;
            model.view.dialog = None;
            fx.push(Effect::Remember("recorder", if on { "open" } else { "closed" }.to_string()));
            return;
        }
        RecordStep::Show(at) => return show(model, at, fx),
        RecordStep::Edit(lesson) => model.recorder.lesson = Arc::from(lesson),
        RecordStep::Replace(lesson) => {
            model.recorder.change(|old, _| *old = Lesson::clone(&lesson));
            model.recorder.is_open = true;
            if let Some(playing) = model.lesson.take() {
                model.view = playing.before.layout(&model.view);
            }
            show(model, 0, fx);
        }
        RecordStep::Undo => {
            let recorder = &mut model.recorder;
            recorder.lesson = recorder.past.pop().unwrap_or_default();
            recorder.at = recorder.at.min(recorder.lesson.frames.len().saturating_sub(1));
        }
        RecordStep::Remove => model.recorder.change(|lesson, at| {
            if at < lesson.frames.len() {
                lesson.frames.remove(at);
            }
        }),
        RecordStep::Move(to) if to < model.recorder.lesson.frames.len() => {
            model.recorder.change(|lesson, at| {
                let frame = lesson.frames.remove(at);
                lesson.frames.insert(to, frame);
            });
            model.recorder.at = to;
        }
        RecordStep::Move(_) => return,
        RecordStep::Take | RecordStep::Retake | RecordStep::TakeAnswer | RecordStep::Suggest => {
            if let Err(says) = take(model, &step) {
                return notify(model, true, says, None, fx);
            }
        }
    }
    fx.push(Effect::Remember("lesson", to_yaml(&model.recorder.lesson)));
}

/// Takes something from the screen.
fn take(model: &mut Model, step: &RecordStep) -> Result<(), String> {
    let scene = scene_of(model).ok_or("Fix the errors of this scenario to record it.")?;
    let undo_name = model.document.history.undo_name().map(str::to_string);
    let recorder = &mut model.recorder;
    let shown = recorder.frame().map(|frame| frame.scene.scenario.clone());
    match step {
        RecordStep::Take => {
            let to = if recorder.lesson.frames.is_empty() { 0 } else { recorder.at + 1 };
            let title = if to == 0 { cut(&scene.scenario.name) } else { String::new() };
            recorder
                .change(|lesson, _| lesson.frames.insert(to, LessonFrame { title, scene, ..LessonFrame::default() }));
            recorder.at = to;
        }
        RecordStep::TakeAnswer => {
            let _ = shown.and_then(|shown| dotted_edits_between(&shown, &scene.scenario)).ok_or(NO_VALUES)?;
            recorder
                .change_frame(|frame| frame.question.iter_mut().for_each(|question| question.scene = scene.clone()));
        }
        RecordStep::Suggest => {
            let edits = shown.and_then(|shown| dotted_edits_between(&shown, &scene.scenario)).ok_or(NO_VALUES)?;
            if edits.is_empty() {
                return Err("Change a value first: the edit is the suggestion.".to_string());
            }
            let label = cut(&undo_name.unwrap_or_default());
            let is_full = recorder.frame().is_some_and(|frame| frame.suggestions.len() >= SUGGESTIONS_MAX);
            if is_full {
                return Err(format!("There are {SUGGESTIONS_MAX} suggestions already."));
            }
            recorder.change_frame(|frame| frame.suggestions.push(Suggestion { label, edits }));
        }
        _ => recorder.change_frame(|frame| frame.scene = scene),
    }
    Ok(())
}

const NO_VALUES: &str =
    "Only changed values can follow a frame. Take a frame of its own for other queues, jobs or nodes.";

/// A text in the length of a title.
fn cut(text: &str) -> String {
    text.chars().take(TITLE_CHARS_MAX).collect()
}

/// The moment on the screen; `None`: its scenario cannot run.
pub fn scene_of(model: &Model) -> Option<Scene> {
    let is_object = |of: &Selection| matches!(of, Selection::Queue(_) | Selection::Job(_) | Selection::Node(_));
    let document = &model.document;
    let example = match &document.origin {
        Origin::Example(id) => Some(id.clone()),
        Origin::Start => Some("start".to_string()),
        _ => None,
    };
    (!document.has_errors()).then(|| Scene {
        scenario: document.scenario.clone(),
        example: example.filter(|_| !document.is_changed),
        edits: Vec::new(),
        cycle: model.playback.cursor,
        selection: model.selection.clone().filter(|of| !model.auto_selected && is_object(of)),
        view: model.view.now.under(&document.scenario.policy).name().to_string(),
        pool: model.view.pool.clone(),
    })
}

/// Shows a frame on the screen, as a document of its own.
fn show(model: &mut Model, at: usize, fx: &mut Vec<Effect>) {
    model.recorder.at = at.min(model.recorder.lesson.frames.len().saturating_sub(1));
    let Some(frame) = model.recorder.frame().cloned() else { return };
    pause(model, fx);
    let scene = Scene { edits: Vec::new(), ..frame.scene };
    model.view.now = NowView::from_name(&scene.view).unwrap_or_default().under(&scene.scenario.policy);
    show_scene(model, &scene, frame.title, fx);
    fx.push(Effect::SetUrl);
}
