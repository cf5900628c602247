//! Preview of WHY on a narrow screen while its sheet is closed: two lines that open it.

use fairground::words::Explanation;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Panel;
use crate::store::Store;

/// The beginning of the explanation after a step.
#[component]
pub fn Peek(explanation: Memo<Option<Explanation>>) -> impl IntoView {
    let store = Store::get();
    let is_told = store.part(|m| m.cursor > 0 && m.selection.is_some() && m.view.panel == Panel::Now);
    let verdict =
        move || explanation.with(|shown| shown.as_ref().map_or(String::new(), |shown| shown.verdict.spoken()));
    view! {
        <Show when=move || is_told.get()>
            <button
                type="button"
                class="peek only-phone"
                aria-label=move || format!("Open the explanation: {}", verdict())
                on:click=move |_| store.dispatch(Command::Panel(Panel::Why))
            >
                <span>{verdict}</span>
            </button>
        </Show>
    }
}
