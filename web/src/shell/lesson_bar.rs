//! The lesson that is played: text of the frame, its question, and the way through the frames.

use std::time::Duration;

use fairground::lesson::{self, Outcome, QuestionKind, Subject, Suggestion};
use leptos::html;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

use crate::dialogs::results::Code;
use crate::state::command::Command;
use crate::state::document::Change;
use crate::state::layout::options::NowView;
use crate::state::lesson::playing::Playing;
use crate::state::lesson::step::LessonStep;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// A part of the lesson that is played; the default value if there is none.
fn of_lesson<T: Default>(model: &Model, part: impl FnOnce(&Playing) -> T) -> T {
    model.lesson.as_deref().map(part).unwrap_or_default()
}

/// The lesson, if one is played.
#[component]
pub fn LessonBar() -> impl IntoView {
    let store = Store::get();
    let is_played = store.part(|m| m.lesson.is_some());
    view! {
        <Show when=move || is_played.get()>
            <Lesson />
        </Show>
    }
}

#[component]
fn Lesson() -> impl IntoView {
    let store = Store::get();
    let lesson = store.text(|m| of_lesson(m, |playing| playing.lesson.title.clone()));
    let title = store.text(|m| of_lesson(m, |playing| playing.frame().title.clone()));
    let text = store.text(|m| of_lesson(m, |playing| playing.frame().text.clone()));
    let place = store.part(|m| of_lesson(m, |playing| (playing.at + 1, playing.lesson.frames.len())));
    let id = store.text(|m| of_lesson(m, |playing| playing.id.clone()));
    view! {
        <section class="strip lesson" aria-label="Lesson" data-region tabindex="-1">
            <div class="lesson-text">
                <p class="dim">
                    {lesson} <span class="num">{move || format!(" · {} of {}", place.get().0, place.get().1)}</span>
                </p>
                <h2>{title}</h2>
                <p>{text}</p>
                // Another frame has another question and other suggestions.
                {move || {
                    let _ = (id.get(), place.get());
                    view! {
                        <Question />
                        <Suggestions />
                    }
                }}
                <ResultCode />
            </div>
            <Way />
        </section>
    }
}

/// The result code, in the last frame.
#[component]
fn ResultCode() -> impl IntoView {
    let store = Store::get();
    let code = store.text(|m| {
        let of_last = |playing: &Playing| playing.result_code().filter(|_| playing.is_last());
        of_lesson(m, of_last).map(|code| code.to_string()).unwrap_or_default()
    });
    view! {
        <Show when=move || code.with(|code| !code.is_empty())>
            <Code code />
        </Show>
    }
}

/// Buttons to the previous and the next frame, and out of the lesson.
#[component]
fn Way() -> impl IntoView {
    let store = Store::get();
    let is_first = store.part(|m| of_lesson(m, |playing| playing.at == 0));
    let is_end = store.part(|m| of_lesson(m, |playing| playing.is_last()));
    let is_asked = store.part(|m| of_lesson(m, |playing| playing.frame().question.is_some() && playing.said.is_none()));
    let next = NodeRef::<html::Button>::new();
    next.on_load(move |next| {
        // After the dialog from which the lesson was opened has given the focus back; the focus of the page around an
        // embedded one stays where it is.
        if store.now(|m| m.view.embed.is_none()) {
            set_timeout(move || drop(next.focus()), Duration::from_millis(60));
        }
    });
    // An embedded page is the lesson, so it has no button to leave it.
    let is_embedded = store.now(|m| m.view.embed.is_some());
    let label = move || match (is_end.get(), is_asked.get()) {
        (true, _) if is_embedded => "Start again",
        (true, _) => "Finish",
        (false, true) => "Show the answer",
        (false, false) => "Next",
    };
    let again = move || {
        let played = store.now(|m| m.lesson.as_ref().map(|playing| (playing.id.clone(), playing.lesson.clone())));
        played.map(|(id, lesson)| LessonStep::Open { id, lesson, at: 0 })
    };
    let go_on = move |_| {
        let step = match is_end.get_untracked() {
            true if is_embedded => again(),
            true => Some(LessonStep::Leave),
            false => Some(LessonStep::Next),
        };
        step.into_iter().for_each(|step| store.dispatch(Command::Lesson(step)));
    };
    view! {
        <div class="lesson-way">
            <button
                type="button"
                class="btn quiet"
                aria-disabled=move || is_first.get().then_some("true")
                on:click=move |_| store.dispatch(Command::Lesson(LessonStep::Back))
            >
                "Back"
            </button>
            <button type="button" class="btn primary" id="lesson-next" node_ref=next on:click=go_on>
                {label}
            </button>
            <Show when=move || !is_end.get() && !is_embedded>
                <CommandButton class="btn quiet" command=Command::Lesson(LessonStep::Leave)>
                    "Leave lesson"
                </CommandButton>
            </Show>
        </div>
    }
}

/// The question of the frame, and how the answer compares with what happens.
#[component]
fn Question() -> impl IntoView {
    let store = Store::get();
    let how = store.part(|m| of_lesson(m, |playing| how(playing.asked()?, m.view.now)));
    let outcome: Memo<Option<Outcome>> = store.part(|m| of_lesson(m, |playing| playing.outcome.clone()));
    let question = store.now(|m| of_lesson(m, |playing| playing.frame().question.clone()));
    question.map(|question| {
        let choices: Vec<String> = question.choices().into_iter().map(str::to_string).collect();
        let answers = match &question.kind {
            QuestionKind::TrueOrFalse | QuestionKind::PickOne(_) => view! { <Choices choices /> }.into_any(),
            QuestionKind::Order(_) => view! { <Order names=choices /> }.into_any(),
            QuestionKind::Number => view! { <Guess /> }.into_any(),
        };
        let because = question.because;
        view! {
            <div class="lesson-question" role="group" aria-label="Question">
                <p class="asks">{question.asks}</p>
                <div class="chips">
                    {answers}
                    {move || how.get().map(|how| view! { <p class="hint">{how}</p> })}
                </div>
                {move || {
                    outcome
                        .get()
                        .map(|outcome| view! { <p class="outcome"><b>{outcome.says}</b> " " {because.clone()}</p> })
                }}
            </div>
        }
    })
}

/// How an open question is answered, where a name or a number in its field is not the only way.
fn how(question: &lesson::Question, shown: NowView) -> Option<String> {
    let of = &question.answer.of;
    match &question.kind {
        QuestionKind::PickOne(_) => Some("Choose one here or in a chart.".to_string()),
        QuestionKind::Order(_) if question.is_earliest_first() => {
            Some("Choose them in order, the earliest first.".to_string())
        }
        QuestionKind::Order(_) => Some("Choose them in order, the largest first.".to_string()),
        QuestionKind::Number if shown == NowView::Shares && question.answer.kind.subject() == Subject::Queue => {
            Some(format!("Type a number, or drag the mark in the row of {of}."))
        }
        QuestionKind::Number | QuestionKind::TrueOrFalse => None,
    }
}

fn answer(store: Store, said: Vec<String>) {
    store.dispatch(Command::Lesson(LessonStep::Answer(said)));
}

/// Names or truth values of which one is the answer.
#[component]
fn Choices(choices: Vec<String>) -> impl IntoView {
    let store = Store::get();
    let said = store.part(|m| of_lesson(m, |playing| playing.said.clone()).unwrap_or_default());
    let chip = move |choice: String| {
        let (label, given) = (choice.clone(), choice.clone());
        let is_said = move || said.with(|said| said.contains(&choice)).to_string();
        view! {
            <button type="button" class="chip" aria-pressed=is_said on:click=move |_| answer(store, vec![given.clone()])>
                {label}
            </button>
        }
    };
    choices.into_iter().map(chip).collect_view()
}

/// Names to put in order: a pressed one takes the next place, or gives its place up.
#[component]
fn Order(names: Vec<String>) -> impl IntoView {
    let store = Store::get();
    let placed = RwSignal::new(Vec::<String>::new());
    let n = names.len();
    let is_complete = move || placed.with(Vec::len) == n;
    let chip = move |name: String| {
        let (label, name) = (name.clone(), StoredValue::new(name));
        let place = move || name.with_value(|name| placed.with(|placed| placed.iter().position(|of| of == name)));
        let press = move |_| {
            let at = untrack(place);
            placed.update(|placed| match at {
                Some(at) => drop(placed.remove(at)),
                None => placed.push(name.get_value()),
            });
        };
        view! {
            <button type="button" class="chip" aria-pressed=move || place().is_some().to_string() on:click=press>
                {move || place().map(|at| view! { <span class="num">{format!("{}. ", at + 1)}</span> })}
                {label}
            </button>
        }
    };
    view! {
        {names.into_iter().map(chip).collect_view()}
        <button
            type="button"
            class="btn"
            aria-disabled=move || (!is_complete()).then_some("true")
            on:click=move |_| if untrack(is_complete) { answer(store, placed.get_untracked()) }
        >
            "Compare"
        </button>
    }
}

/// A field for a number.
#[component]
fn Guess() -> impl IntoView {
    let store = Store::get();
    let typed = store.text(|m| of_lesson(m, |playing| playing.guess.clone()));
    let is_number = move || typed.with(|typed| typed.trim().parse::<f64>().is_ok_and(f64::is_finite));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if untrack(is_number) {
            answer(store, vec![typed.get_untracked().trim().to_string()]);
        }
    };
    view! {
        <form class="guess" on:submit=submit>
            <input
                class="input"
                type="text"
                inputmode="decimal"
                aria-label="Your answer"
                placeholder="Your answer"
                maxlength="12"
                autocomplete="off"
                prop:value=typed
                on:input=move |event| store.dispatch(Command::Lesson(LessonStep::Guess(event_target_value(&event))))
            />
            <button type="submit" class="btn" aria-disabled=move || (!is_number()).then_some("true")>
                "Compare"
            </button>
        </form>
    }
}

/// Edits to try in the last frame.
#[component]
fn Suggestions() -> impl IntoView {
    let store = Store::get();
    let suggestions = store.now(|m| of_lesson(m, |playing| playing.frame().suggestions.clone()));
    let chip = |Suggestion { label, edits }: Suggestion| {
        let command = Command::Change(Change::Edits { name: label.clone(), edits });
        view! { <CommandButton class="chip" command>{label}</CommandButton> }
    };
    let is_empty = suggestions.is_empty();
    (!is_empty).then(|| {
        view! { <div class="chips" role="group" aria-label="Try">{suggestions.into_iter().map(chip).collect_view()}</div> }
    })
}
