//! Earlier states of the document: time, edit, and a picture of the queues.

use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document::draft::is_large;
use crate::state::document::history::EarlierState;
use crate::store::Store;
use crate::views::sketch::draw::sketch as draw;
use crate::views::sketch::view::sketch;
use crate::widgets::date;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::picture::insert;

/// Width of a state's picture, in pixels.
const SKETCH: f64 = 208.0;

/// The earlier states, newest first.
#[component]
pub fn States(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let states = store.now(|m| m.document.history.states(&m.document.scenario));
    let has_none = states.is_empty();
    let is_large = store.now(|m| is_large(&m.document.scenario));
    view! {
        <DialogFrame title="Earlier states" class="wide" on_close>
            <p class="hint">
                "Your last 30 versions, newest first. Going back can be undone."
            </p>
            <Show when=move || is_large>
                <p class="hint">
                    "This scenario is large: its earlier states are kept until this page is closed or reloaded, not on the device."
                </p>
            </Show>
            <Show when=move || has_none>
                <p class="empty">"Nothing was edited yet."</p>
            </Show>
            <ul class="cards">{states.into_iter().map(|state| card(store, state)).collect_view()}</ul>
        </DialogFrame>
    }
}

fn card(store: Store, state: EarlierState) -> impl IntoView {
    let EarlierState { made_ms, name, scenario } = state;
    let picture = draw(&format!("state-{made_ms}"), &sketch(&scenario), SKETCH);
    let when = if made_ms == 0 { String::new() } else { date(made_ms as f64) };
    view! {
        <li>
            <button
                type="button"
                class="card"
                data-state=made_ms.to_string()
                title="Go back to this state"
                on:click=move |_| store.dispatch(Command::GoBackTo(made_ms))
            >
                {insert("sketch", Signal::stored(picture))}
                <b>{name}</b>
                <span>{when}</span>
            </button>
        </li>
    }
}
