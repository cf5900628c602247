//! The cycle from which edits apply, and changes during the run.

use fairground::scenario::{Edit, Path};
use fairground::words::number;
use leptos::prelude::*;

use super::attributes;
use super::detail::fields;
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::Change;
use crate::state::document::timeline_edit::entries_in_order;
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::icons::IconKind;

/// The switch between both, shown unless the cursor is at the start.
#[component]
pub fn EditsFrom() -> impl IntoView {
    let store = Store::get();
    let cycle = store.part(|m| m.moment.frame.as_ref().map_or(0, |frame| frame.cycle));
    let is_later = store.part(|m| m.view.edits_later);
    let choice = move |later: bool, says: String| {
        view! {
            <button
                type="button"
                aria-pressed=move || (is_later.get() == later).to_string()
                on:click=move |_| store.dispatch(Command::EditLater(later))
            >
                {says}
            </button>
        }
        .into_any()
    };
    move || {
        let cycle = cycle.get();
        (cycle > 0).then(|| {
            view! {
                <div class="edits-from no-print">
                    <span id="edits-from">"Edits apply"</span>
                    <div class="seg" role="group" aria-labelledby="edits-from">
                        {choice(false, "from the start".to_string())}
                        {choice(true, "from now on".to_string())}
                    </div>
                </div>
            }
        })
    }
}

/// Changes during the run, if any.
#[component]
pub fn Changes() -> impl IntoView {
    let store = Store::get();
    let has_some = Memo::new(move |_| store.scenario.with(|scenario| !scenario.timeline.is_empty()));
    move || has_some.get().then(|| view! { <List /> })
}

/// The changes in order, each with its note and a remove button.
#[component]
fn List() -> impl IntoView {
    let store = Store::get();
    let lines = Memo::new(move |_| store.scenario.with(|scenario| entries_in_order(scenario)));
    let line = move |at: Path, time_ms: i64, says: String| {
        let gone = at.clone();
        let remove = move |()| {
            let (name, edits) = ("remove a change of the run".to_string(), vec![Edit::Remove { at: gone.clone() }]);
            store.dispatch(Command::Change(Change::Edits { name, edits }));
        };
        let label = format!("Remove {says}");
        let place = at.field("note");
        let note = store.text(move |m| document::value(&m.document.scenario, &place));
        let head = move || if note.with(String::is_empty) { "Add a note".to_string() } else { note.get() };
        view! {
            <li>
                <span class="num">{number::time(time_ms)}</span>
                <div class="grow">
                    {says}
                    <details class="dim"><summary>{head}</summary>{fields(store, &at, attributes::REMARK.1)}</details>
                </div>
                <IconButton icon=IconKind::Close label=label on_press=Callback::new(remove) />
            </li>
        }
    };
    move || {
        let lines = lines.get();
        (!lines.is_empty()).then(|| {
            let lines = lines.into_iter().map(|(at, time_ms, says)| line(at, time_ms, says)).collect_view();
            view! {
                <section class="changes" aria-label="Changes during the run">
                    <h2>"Changes during the run"</h2>
                    <ul>{lines}</ul>
                </section>
            }
        })
    }
}
