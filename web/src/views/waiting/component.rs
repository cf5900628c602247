//! Waiting jobs: one line of buttons, each of which opens an explanation.

use fairground::words::Selection;
use fairground::words::number::number;
use leptos::html;
use leptos::prelude::*;

use super::view::{Chip, WaitingView, fitting, upcoming, waiting};
use crate::chart::marks;
use crate::state::command::Command;
use crate::state::layout::options::SetupTab;
use crate::store::Store;
use crate::widgets::picture::{along_line, move_focus, width_of};

/// The waiting jobs that fit on one line, and the number of the others.
#[component]
pub fn Waiting() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let view = Memo::new(move |_| store.frame.with(|frame| frame.as_deref().map(waiting).unwrap_or_default()));
    let n_shown = Memo::new(move |_| view.with(|view| fitting(view, width.get())));
    let chips = move || view.with(|view| view.chips.iter().take(n_shown.get()).cloned().collect::<Vec<_>>());
    let heading = heading_of(store, view);
    let is_on = move |job: &str| store.is_in_selection(&Selection::Job(job.to_string()));
    // One button in the tab order: the selected job, else the first.
    let stop = Memo::new(move |_| chips().iter().position(|chip| is_on(&chip.job)).unwrap_or(0));
    let button = move |(at, chip): (usize, Chip)| {
        let (job, of_class) = (chip.job.clone(), chip.job.clone());
        let title = format!("{} in {}", chip.words(), chip.queue);
        let color = marks::ink(chip.tone).css();
        view! {
            <button
                type="button"
                class="wait"
                class:on=move || is_on(&of_class)
                tabindex=move || if stop.get() == at { "0" } else { "-1" }
                title=title
                on:click=move |_| store.dispatch(Command::Select(Some(Selection::Job(job.clone()))))
            >
                <i class="sw" style:background=color></i>
                <b>{chip.job}</b>
                <span>{format!(" · {} · {}", chip.size, chip.reason)}</span>
            </button>
        }
    };
    let more = move || {
        let n_more = view.with(|view| view.n) - n_shown.get();
        (n_more > 0).then(|| {
            view! {
                <button
                    type="button"
                    class="wait more-waiting"
                    tabindex="-1"
                    title="Open the table of all jobs"
                    on:click=move |_| store.dispatch(Command::Tab(SetupTab::Work))
                >
                    {format!("+{} more", number(n_more as f64))}
                </button>
            }
        })
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let key = match event.key().as_str() {
            "ArrowRight" => "ArrowDown".to_string(),
            "ArrowLeft" => "ArrowUp".to_string(),
            key => key.to_string(),
        };
        move_focus(&event, "wait", |at, all| along_line(&key, at, all.len()));
    };
    let label = move || store.terms.get().fill("Waiting [jobs]");
    view! {
        <section class="waiting" class:none=move || view.with(|view| view.n == 0) aria-label=label data-composite on:keydown=keys>
            <h2>{heading}</h2>
            <div class="wait-line" node_ref=place>
                {move || chips().into_iter().enumerate().map(button).collect_view()}
                {more}
            </div>
        </section>
    }
}

/// Number of waiting jobs; if there are none, the next submission.
fn heading_of(store: Store, view: Memo<WaitingView>) -> impl Fn() -> String + Send + Sync + Copy + 'static {
    let next = Memo::new(move |_| {
        let time_ms = store.frame.with(|frame| frame.as_ref().map(|frame| frame.time_ms))?;
        store.scenario.with(|scenario| upcoming(scenario, time_ms))
    });
    move || {
        let says = view.with(|view| store.terms.get().fill(&heading(view)));
        match next.get().filter(|_| view.with(|view| view.n == 0)) {
            Some(next) => format!("{says}. Next: {next}."),
            None => says,
        }
    }
}

fn heading(view: &WaitingView) -> String {
    match view.n {
        0 => "No [job] is waiting".into(),
        n => format!("{} waiting", number(n as f64)),
    }
}
