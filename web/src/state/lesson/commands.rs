//! Steps of a lesson, made of what the page can do anyway: open a scenario, apply an edit, go to a cycle, select.

use std::sync::Arc;

use fairground::lesson::{Lesson, Question, QuestionKind, Scene, Subject};
use fairground::scenario::{Edit, Scenario};
use fairground::words::Selection;

use super::playing::{Before, Playing};
use super::step::LessonStep;
use crate::state::document::{Checked, Moment, Opened, Origin, edit};
use crate::state::editing::commands::commit;
use crate::state::effect::Effect;
use crate::state::layout::options::{Dialog, NowView, Panel};
use crate::state::model::Model;
use crate::state::moment::explanations::{request_explanations, request_report};
use crate::state::playback::commands::{go_to, load, pause};

pub(crate) fn play(model: &mut Model, step: LessonStep, fx: &mut Vec<Effect>) {
    if let LessonStep::Open { id, lesson, at } = step {
        return open(model, id, lesson, at, fx);
    }
    let Some(playing) = &mut model.lesson else { return };
    match step {
        // A question is answered before the next frame, so that a presenter needs one key only.
        LessonStep::Next if playing.asked().is_some() => {
            playing.said = Some(Vec::new());
            return show(model, fx);
        }
        LessonStep::Next if !playing.is_last() => playing.at += 1,
        LessonStep::Back if playing.at > 0 => playing.at -= 1,
        LessonStep::Guess(guess) => {
            playing.guess = guess;
            return;
        }
        LessonStep::Answer(said) if playing.frame().question.is_some() => {
            playing.said = Some(said);
            return show(model, fx);
        }
        LessonStep::Leave => return leave(model, fx),
        _ => return,
    }
    (playing.said, playing.guess) = (None, String::new());
    show(model, fx);
}

/// The answer that a selection in a chart gives, if the open question asks to pick what is selected.
pub(crate) fn picked(model: &Model, selection: Option<&Selection>) -> Option<LessonStep> {
    let question = model.lesson.as_deref()?.asked()?;
    let (QuestionKind::PickOne(options), Some(selection)) = (&question.kind, selection) else { return None };
    let is_picked = |name: &&String| *selection == selection_of(question, String::clone(name));
    options.iter().find(is_picked).map(|name| LessonStep::Answer(vec![name.clone()]))
}

/// The selection of what a question is about.
fn selection_of(question: &Question, name: String) -> Selection {
    match question.answer.kind.subject() {
        Subject::Queue => Selection::Queue(name),
        Subject::Job => Selection::Job(name),
        Subject::Node => Selection::Node(name),
    }
}

fn open(model: &mut Model, id: String, lesson: Arc<Lesson>, at: usize, fx: &mut Vec<Effect>) {
    let Some(last) = lesson.frames.len().checked_sub(1) else { return };
    let is_same = |playing: &Playing| playing.id == id && playing.lesson.checksum == lesson.checksum;
    let answers = model.lesson.as_ref().filter(|playing| is_same(playing)).map(|playing| playing.answers.clone());
    // From one lesson to another, what was open before the first one is restored.
    let before = model.lesson.take().map_or_else(|| Before::of(model), |playing| playing.before);
    model.lesson = Some(Box::new(Playing {
        id,
        lesson,
        at: at.min(last),
        guess: String::new(),
        said: None,
        outcome: None,
        answers: answers.unwrap_or_default(),
        is_awaited: false,
        before,
    }));
    let view = &mut model.view;
    view.dialog = None;
    show(model, fx);
}

impl Before {
    fn of(model: &Model) -> Before {
        let moment = Moment {
            cycle: model.playback.cursor,
            decision: model.playback.decision,
            selection: model.selection.clone().filter(|_| !model.auto_selected),
            view: Some(model.view.now),
            pool: model.view.pool.clone(),
            ..Moment::default()
        };
        let document = model.document.clone();
        Before {
            opened: Box::new(Opened { document, moment, rules: fairground::link::RULES }),
            kept: model.branches.kept.clone(),
            view: model.view.clone(),
        }
    }
}

fn leave(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(playing) = model.lesson.as_ref() else { return };
    let before = playing.before.clone();
    // The last frame shows the code.
    let code = playing.result_code().filter(|_| !playing.is_last());
    pause(model, fx);
    let title = before.opened.document.scenario.name.clone();
    let view = before.layout(&model.view);
    model.take(*before.opened);
    (model.branches.kept, model.view) = (before.kept, view);
    if let Some(code) = code {
        model.view.dialog = Some(Dialog::ResultCode(code.to_string()));
    }
    load(model, fx);
    fx.push(Effect::SetUrl);
    fx.push(Effect::Announce(format!("You left the lesson. Open again: {title}.")));
}

/// Shows the moment of the frame, or of the answer to its question.
fn show(model: &mut Model, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let Some(mut playing) = model.lesson.take() else { return };
    playing.outcome = None;
    playing.is_awaited = true;
    let scene = playing.scene().clone();
    let (n, id, title) = (playing.at + 1, playing.id.clone(), playing.frame().title.clone());
    lay_out(model, &playing, &scene);
    let asked = model.in_flight.frame;
    model.lesson = Some(playing);
    // A file of the visitor's own has no name in the list.
    if !id.is_empty() && Arc::make_mut(&mut model.lessons).reach(&id, n) {
        fx.push(Effect::Remember("lessons", model.lessons.to_text()));
    }
    show_scene(model, &scene, title, fx);
    fx.push(Effect::SetUrl);
    if model.in_flight.frame == asked {
        request_report(model, true, fx);
        arrived(model, fx);
    }
}

/// Arranges the panels: SETUP is folded until the last frame, and WHY is open if there is something to explain.
fn lay_out(model: &mut Model, playing: &Playing, scene: &Scene) {
    let is_free = playing.is_last();
    let before = playing.before.layout(&model.view);
    let view = &mut model.view;
    view.setup_folded = !is_free || before.setup_folded;
    view.setup_by_hand = if is_free { before.setup_by_hand } else { Some(false) };
    view.panel = Panel::Now;
    view.detail = None;
    view.now = NowView::from_name(&scene.view).unwrap_or_default().under(&scene.scenario.policy);
    // An explanation could give the answer away.
    view.why_open = scene.selection.is_some() && playing.asked().is_none();
    view.why_closed = !view.why_open;
}

/// Opens the scenario of a scene at its moment, or applies its edits to the one that is open.
pub(super) fn show_scene(model: &mut Model, scene: &Scene, title: String, fx: &mut Vec<Effect>) {
    model.view.pool = scene.pool.clone();
    let is_there =
        *model.document.scenario == *scene.scenario && model.moment.frame.is_some() && !model.moment.is_stale;
    if is_there {
        select(model, scene.selection.clone());
        if model.playback.cursor != scene.cycle || model.playback.decision.is_some() {
            go_to(model, scene.cycle, fx);
        }
        return;
    }
    if let Some(name) = name_of_edits(model, scene, title) {
        select(model, scene.selection.clone());
        // The outcome before the edit stays visible.
        return commit(model, Checked::of(scene.scenario.clone()), "", |_| name, fx);
    }
    let moment = Moment {
        cycle: scene.cycle,
        selection: scene.selection.clone(),
        view: Some(model.view.now),
        pool: scene.pool.clone(),
        ..Moment::default()
    };
    let opened = Opened { moment, ..Opened::of(Checked::of(scene.scenario.clone()), Origin::Files) };
    let (playing, view) = (model.lesson.take(), model.view.clone());
    model.take(opened);
    (model.lesson, model.view) = (playing, view);
    load(model, fx);
}

/// The name of the edits that lead from the displayed moment to a scene, if edits do.
fn name_of_edits(model: &Model, scene: &Scene, title: String) -> Option<String> {
    let is_before = |after: &Scenario| *after == *scene.scenario;
    let after = fairground::scenario::apply(&model.document.scenario, &scene.edits).ok()?;
    let leads = !scene.edits.is_empty() && model.playback.cursor == scene.cycle && is_before(&after);
    leads.then(|| match scene.edits.as_slice() {
        [Edit::Set { at, value }, rest @ ..] => {
            let first = edit::name_of_set(&model.document.scenario, at, value);
            if rest.is_empty() { first } else { format!("{first} and {} more", rest.len()) }
        }
        _ => title,
    })
}

fn select(model: &mut Model, selection: Option<Selection>) {
    model.selection = selection;
    model.auto_selected = false;
}

/// Announces the frame, or the outcome of an answer, once its moment is there.
pub(crate) fn arrived(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(frame) = model.moment.frame.clone().filter(|_| !model.moment.is_stale) else { return };
    let Some(playing) = &mut model.lesson else { return };
    if !std::mem::take(&mut playing.is_awaited) {
        return;
    }
    // The text of the lesson says what matters.
    fx.retain(|effect| !matches!(effect, Effect::Announce(_) | Effect::AnnounceStep(..) | Effect::AnnounceEdit));
    let shown = playing.frame();
    let (Some(question), Some(said)) = (&shown.question, &playing.said) else {
        let n = playing.at + 1;
        let asks = shown.question.as_ref().map_or(String::new(), |question| format!(" {}", question.asks));
        let text = format!("{n} of {}: {}. {}{asks}", playing.lesson.frames.len(), shown.title, shown.text);
        fx.push(Effect::Announce(text));
        return;
    };
    let outcome = question.outcome(said, &frame);
    fx.push(Effect::Announce(format!("{} {}", outcome.says, question.because)));
    let subject = match &question.kind {
        QuestionKind::PickOne(_) | QuestionKind::Order(_) => question.right(&frame).into_iter().next(),
        QuestionKind::TrueOrFalse | QuestionKind::Number => Some(question.answer.of.clone()),
    };
    let subject = subject.filter(|name| !name.is_empty() && question.scene.selection.is_none());
    let selection = subject.map(|name| selection_of(question, name));
    playing.record(outcome);
    if selection.is_some() {
        select(model, selection);
        request_explanations(model, fx);
    }
    (model.view.why_open, model.view.why_closed) = (true, false);
}
