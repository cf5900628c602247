//! Labels of tables and legends: a label in the glossary is a button that opens its definition.

use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::words::glossary::entry_of;

/// A label in neutral words or in the policy's; in the tab order if `is_stop`.
pub fn term_at(label: String, is_stop: bool) -> AnyView {
    let store = Store::get();
    let policy = store.scenario.with_untracked(|s| s.policy.clone());
    let Some(entry) = entry_of(&label, &policy) else { return label.into_any() };
    let terms = store.terms.get_untracked();
    let also = terms.mark(entry.term).map(|own| format!(" Also called {own}.")).unwrap_or_default();
    let title = terms.fill(entry.says) + &also;
    let open = move |_| store.dispatch(Command::Dialog(Some(Dialog::Term(entry.term))));
    view! {
        <button
            type="button"
            class="term"
            title=title
            aria-haspopup="dialog"
            tabindex=if is_stop { "0" } else { "-1" }
            on:click=open
        >
            {label}
        </button>
    }
    .into_any()
}

/// A label in the tab order.
pub fn term(label: String) -> AnyView {
    term_at(label, true)
}
