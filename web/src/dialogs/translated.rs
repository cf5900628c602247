//! Changes to settings made by switching the policy.

use leptos::prelude::*;

use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::translation_notes::notes;

/// The notes of the last translation.
#[component]
pub fn Translated(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let translated = store.now(|m| m.document.translated.clone()).unwrap_or_default();
    view! {
        <DialogFrame title="Converted settings" on_close>
            {notes(&translated.notes)}
            <p class="hint">"Undo restores the scenario."</p>
        </DialogFrame>
    }
}
