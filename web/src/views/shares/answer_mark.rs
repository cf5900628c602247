//! The mark of the reader's own answer to a lesson's question about an amount of a queue: it is dragged or moved by
//! arrow keys, and stays beside the true value once the question is answered.

use fairground::lesson::{Fact, FactKind, QuestionKind};
use fairground::units::ShownResource;
use leptos::prelude::*;

use super::drag::Reach;
use super::draw::{Rows, along};
use super::view::SharesView;
use crate::state::command::Command;
use crate::state::lesson::step::LessonStep;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::picture::rem;

/// Width of the mark, in pixels; half of it is left of the value.
const THUMB: f64 = 24.0;

/// A mark in a row: a question's answer that is an amount that Shares shows.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    fact: Fact,
    /// Whether the question is not answered yet.
    is_open: bool,
    /// Top, height and width, in pixels.
    place: [f64; 3],
    /// Step between values, and the largest value.
    step: f64,
    most: f64,
}

/// The amount that the open or answered question of the lesson asks for.
fn asked(model: &Model) -> Option<(Fact, bool)> {
    let playing = model.lesson.as_deref()?;
    let question = playing.frame().question.as_ref().filter(|question| question.kind == QuestionKind::Number)?;
    let fact = &question.answer;
    let is_amount = matches!(fact.kind, FactKind::Allocated | FactKind::FairShare);
    let is_shown =
        is_amount && fact.pool == model.view.pool && playing.said.as_ref().is_none_or(|said| !said.is_empty());
    is_shown.then(|| (fact.clone(), playing.said.is_none()))
}

/// What is said or typed; empty: nothing yet.
fn answer(model: &Model) -> String {
    let Some(playing) = model.lesson.as_deref() else { return String::new() };
    playing.said.as_ref().and_then(|said| said.first()).unwrap_or(&playing.guess).clone()
}

fn mark((fact, is_open): (Fact, bool), view: &SharesView, rows: Rows) -> Option<Mark> {
    if view.resource != ShownResource::One(fact.resource) {
        return None;
    }
    let at = view.rows.iter().position(|row| row.queue.is_some() && row.name == fact.of)?;
    let per_unit = along(view, rows);
    let step = Reach { resource: fact.resource, max: view.max, per_unit }.step();
    let most = (view.max / step).floor() * step;
    let (top, height) = rows.bar();
    let top = rows.head + rows.row * at as f64 + top - 6.0;
    Some(Mark { fact, is_open, place: [top, height + 12.0, per_unit * most + THUMB], step, most })
}

/// The mark, if there is such a question and a row for it.
#[component]
pub fn AnswerMark(
    /// What Shares draws.
    view: Memo<Option<SharesView>>,
    /// Where its rows are.
    rows: RwSignal<Rows>,
) -> impl IntoView {
    let store = Store::get();
    let (asked, answer) = (store.part(asked), store.text(answer));
    let mark = Memo::new(move |_| view.with(|view| mark(asked.get()?, view.as_ref()?, rows.get())));
    let value = move || answer.with(|answer| answer.trim().parse::<f64>().ok()).filter(|value| value.is_finite());
    move || {
        let Mark { fact, is_open, place, step, most } = mark.get()?;
        let [top, height, width] = place.map(rem);
        let label = format!("Your answer for {}", fact.of);
        let spelled = move || value().map_or("none yet".to_string(), |value| fact.spelled(value));
        let drag = move |event| store.dispatch(Command::Lesson(LessonStep::Guess(event_target_value(&event))));
        Some(view! {
            <div class="pulls answer">
                <input
                    type="range"
                    min="0"
                    max=most.to_string()
                    step=step.to_string()
                    disabled=!is_open
                    aria-label=label
                    aria-valuetext=spelled
                    prop:value=move || value().unwrap_or(0.0).to_string()
                    style:top=top
                    style:height=height
                    style:width=width
                    on:input=drag
                    on:keydown=|event| event.stop_propagation()
                />
            </div>
        })
    }
}
