//! The question of a frame in the lesson recorder. Its answer is read off the run, so the author chooses what is asked
//! for and the moment that shows it.

use fairground::lesson::{Fact, FactKind, LessonFrame, Question, QuestionKind, Scene, Subject, TEXT_CHARS_MAX};
use fairground::moment::Frame;
use fairground::units::Resource;
use leptos::prelude::*;

use super::recorder_fields::{edit_frame, field};
use crate::state::command::Command;
use crate::state::lesson::step::RecordStep;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// Kinds of questions: value, label.
const KINDS: [(&str, &str); 5] = [
    ("", "No question"),
    ("pick", "Which one"),
    ("order", "In which order"),
    ("truth", "True or false"),
    ("number", "How many or how much"),
];

/// Kinds of facts with their labels.
const FACTS: [(FactKind, &str); 9] = [
    (FactKind::Evicted, "evicted pods of a job"),
    (FactKind::Started, "started pods of a job"),
    (FactKind::Moved, "moved pods of a job"),
    (FactKind::Running, "running pods of a job"),
    (FactKind::Pending, "pending pods of a job"),
    (FactKind::FirstStart, "first start of a job, in seconds"),
    (FactKind::Allocated, "allocated GPUs of a queue"),
    (FactKind::FairShare, "fair share of a queue, in GPUs"),
    (FactKind::Free, "free GPUs of a node"),
];

/// Largest number of options.
const OPTIONS_MAX: usize = 6;

fn kind_of(frame: &LessonFrame) -> &'static str {
    match frame.question.as_ref().map(|question| &question.kind) {
        None => "",
        Some(QuestionKind::PickOne(_)) => "pick",
        Some(QuestionKind::Order(_)) => "order",
        Some(QuestionKind::TrueOrFalse) => "truth",
        Some(QuestionKind::Number) => "number",
    }
}

/// Names of what a fact is about, as the moment on the screen has them.
fn names(model: &Model, of: FactKind) -> Vec<String> {
    let Some(frame) = &model.moment.frame else { return Vec::new() };
    match of.subject() {
        Subject::Queue => frame.queues.iter().map(|queue| queue.name.clone()).collect(),
        Subject::Job => frame.jobs.iter().map(|job| job.name.clone()).collect(),
        Subject::Node => frame.nodes.iter().map(|node| node.name.clone()).collect(),
    }
}

/// Gives the frame a question of this kind, with the texts that it has.
fn choose(store: Store, kind: &str, fact: &str) {
    let Some(fact) = FactKind::from_name(fact) else { return };
    let names = store.now(|m| names(m, fact));
    let kind = match kind {
        "pick" => QuestionKind::PickOne(names.iter().take(OPTIONS_MAX).cloned().collect()),
        "order" => QuestionKind::Order(names.iter().take(OPTIONS_MAX).cloned().collect()),
        "truth" => QuestionKind::TrueOrFalse,
        "number" => QuestionKind::Number,
        _ => return edit_frame(store, &mut |frame| frame.question = None),
    };
    let of = match &kind {
        QuestionKind::PickOne(_) | QuestionKind::Order(_) => String::new(),
        QuestionKind::TrueOrFalse | QuestionKind::Number => names.into_iter().next().unwrap_or_default(),
    };
    let is = (kind == QuestionKind::TrueOrFalse).then_some(1.0);
    edit_frame(store, &mut |frame| {
        let scene = Scene { selection: None, ..frame.scene.clone() };
        let (asks, because, scene) = match frame.question.take() {
            Some(question) => (question.asks, question.because, question.scene),
            None => (String::new(), String::new(), scene),
        };
        let pool = if fact.subject() == Subject::Queue { scene.pool.clone() } else { String::new() };
        let answer = Fact { kind: fact, of: of.clone(), resource: Resource::GPU, pool, is };
        frame.question = Some(Question { asks, kind: kind.clone(), answer, scene, because, claims: Vec::new() });
    });
}

fn edit_question(store: Store, change: &mut dyn FnMut(&mut Question)) {
    edit_frame(store, &mut |frame| {
        if let Some(question) = &mut frame.question {
            change(question);
        }
    });
}

/// What the run answers, if the moment on the screen is that of the answer.
fn answer(model: &Model) -> String {
    let Some(question) = model.recorder.frame().and_then(|frame| frame.question.as_ref()) else { return String::new() };
    let scene = &question.scene;
    let is_there = |frame: &&std::sync::Arc<Frame>| {
        !model.moment.is_stale && frame.cycle == scene.cycle && model.document.scenario == scene.scenario
    };
    let right = |frame: &std::sync::Arc<Frame>| question.spelled(&question.right(frame), frame);
    match model.moment.frame.as_ref().filter(is_there).map(right) {
        Some(right) => format!("The answer is read off cycle {}: {right}.", scene.cycle),
        None => format!("The answer is read off cycle {}.", scene.cycle),
    }
}

/// The question of the frame that is edited.
#[component]
pub fn QuestionForm() -> impl IntoView {
    let store = Store::get();
    let kind = store.text(|m| m.recorder.frame().map_or("", kind_of).to_string());
    let fact = store.text(|m| {
        let question = m.recorder.frame().and_then(|frame| frame.question.as_ref());
        question.map_or(FactKind::Evicted, |question| question.answer.kind).name().to_string()
    });
    let options = KINDS.map(|(value, label)| {
        view! { <option value=value prop:selected=move || kind.with(|kind| kind == value)>{label}</option> }
    });
    let choose_kind = move |event| choose(store, &event_target_value(&event), &fact.get_untracked());
    view! {
        <details open=move || kind.with(|kind| !kind.is_empty())>
            <summary>"Question"</summary>
            <label class="field">
                <span>"Kind of question"</span>
                <select class="input" on:change=choose_kind>
                    {options}
                </select>
            </label>
            <Show when=move || kind.with(|kind| !kind.is_empty())>
                {field("Question, or statement", 1, TEXT_CHARS_MAX, |lesson, at| {
                    Some(&mut lesson.frames.get_mut(at)?.question.as_mut()?.asks)
                })}
                <AnswerForm kind fact />
                {field("Reason, at most two sentences", 2, TEXT_CHARS_MAX, |lesson, at| {
                    Some(&mut lesson.frames.get_mut(at)?.question.as_mut()?.because)
                })}
                <p class="hint">{store.text(answer)}</p>
                <CommandButton class="btn small" command=Command::Record(RecordStep::TakeAnswer)>
                    "Answer at the moment on the screen"
                </CommandButton>
            </Show>
        </details>
    }
}

/// What the answer is: a kind of fact, of what, and a value to compare with.
#[component]
fn AnswerForm(kind: Memo<String>, fact: Memo<String>) -> impl IntoView {
    let store = Store::get();
    let facts = FACTS.map(|(of, label)| {
        view! { <option value=of.name() prop:selected=move || fact.with(|fact| fact == of.name())>{label}</option> }
    });
    let choose_fact = move |event| choose(store, &kind.get_untracked(), &event_target_value(&event));
    let question = |m: &Model| m.recorder.frame().and_then(|frame| frame.question.clone());
    let of = store.text(move |m| match question(m) {
        Some(Question { kind: QuestionKind::PickOne(options) | QuestionKind::Order(options), .. }) => {
            options.join(", ")
        }
        Some(question) => question.answer.of,
        None => String::new(),
    });
    let put_of = |store: Store, text: String| {
        edit_question(store, &mut |question| match &mut question.kind {
            QuestionKind::PickOne(options) | QuestionKind::Order(options) => {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                *options = names.map(str::to_string).collect();
            }
            QuestionKind::TrueOrFalse | QuestionKind::Number => question.answer.of = text.trim().to_string(),
        });
    };
    // Once it is left: a list under the cursor would lose a comma that is being typed.
    let changed = move |event| put_of(store, event_target_value(&event));
    let is = store.text(move |m| question(m).and_then(|q| q.answer.is).map_or(String::new(), |is| is.to_string()));
    let put_is = move |event| {
        let value = event_target_value(&event).trim().parse::<f64>().ok().filter(|value| value.is_finite());
        if let Some(value) = value {
            edit_question(store, &mut |question| question.answer.is = Some(value));
        }
    };
    let pool = store.text(move |m| question(m).map_or(String::new(), |question| question.answer.pool));
    let put_pool = move |event| {
        let name = event_target_value(&event);
        edit_question(store, &mut |question| question.answer.pool = name.clone());
    };
    // One line per pool; none if the answer has no pool.
    let pools = store.text(move |m| match (question(m), &m.moment.frame) {
        (Some(question), Some(frame)) if question.answer.kind.subject() == Subject::Queue => {
            frame.pools.iter().map(|pool| format!("{}\n", pool.name)).collect()
        }
        _ => String::new(),
    });
    let pool_option = move |name: &str| {
        let (this, value) = (name.to_string(), name.to_string());
        let label = if name.is_empty() { "all pools" } else { name }.to_string();
        view! { <option value=value prop:selected=move || pool.with(|pool| *pool == this)>{label}</option> }
    };
    let of_label = move || match kind.get().as_str() {
        "pick" => "Options, separated by commas",
        "order" => "Names to put in order, separated by commas",
        _ => "Name of the queue, job or node",
    };
    view! {
        <label class="field">
            <span>"The answer is read off"</span>
            <select class="input" on:change=choose_fact>{facts}</select>
        </label>
        <label class="field">
            <span>{of_label}</span>
            <input class="input" type="text" autocomplete="off" prop:value=of on:change=changed />
        </label>
        <Show when=move || pools.with(|pools| !pools.is_empty())>
            <label class="field">
                <span>"Node pool"</span>
                <select class="input" on:change=put_pool>
                    {pool_option("")}
                    {move || pools.with(|pools| pools.lines().map(pool_option).collect_view())}
                </select>
            </label>
        </Show>
        <Show when=move || kind.with(|kind| kind == "truth")>
            <label class="field">
                <span>"The statement is true if it is"</span>
                <input class="input" type="text" inputmode="decimal" prop:value=is on:change=put_is />
            </label>
        </Show>
    }
}
