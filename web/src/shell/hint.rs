//! The hint on the open example: what to watch, and a button with an edit to try next. It is fetched when the example
//! is opened.

use fairground::lesson::{Hint, Suggestion};
use leptos::prelude::*;

use crate::lessons::fetch::fetch_hint;
use crate::state::command::Command;
use crate::state::document::Origin;
use crate::state::document::change::Change;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// The hint on the open example, once it was fetched.
pub fn hint_of(store: Store) -> RwSignal<Option<Hint>> {
    let example = store.part(|m| match &m.document.origin {
        Origin::Example(id) => Some(id.clone()),
        _ => None,
    });
    let hint = RwSignal::new(None);
    Effect::new(move |_| {
        hint.set(None);
        let Some(id) = example.get() else { return };
        fetch_hint(id.clone(), move |fetched| {
            // Another example may have been opened since.
            if example.try_get_untracked().flatten() == Some(id) {
                hint.try_set(fetched);
            }
        });
    });
    hint
}

/// The edit to try next, until there was an edit.
#[component]
pub fn NextEdit(hint: RwSignal<Option<Hint>>) -> impl IntoView {
    let store = Store::get();
    let is_edited = store.part(|m| m.document.history.undo_name().is_some());
    move || {
        let next = hint.get().and_then(|hint| hint.next).filter(|_| !is_edited.get());
        next.map(|Suggestion { label, edits }| {
            let command = Command::Change(Change::Edits { name: label.clone(), edits });
            view! { <div class="chips"><CommandButton class="chip" command title="Try this edit">{label}</CommandButton></div> }
        })
    }
}
