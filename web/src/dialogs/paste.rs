//! Import dialog: paste text, choose a file, or start empty.

use leptos::html;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document::{Opened, Origin};
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::file_chooser::FileChooser;
use crate::{drop, library};

/// Import dialog: paste text, choose a file, or start empty.
#[component]
pub fn Paste(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let text = RwSignal::new(String::new());
    let chooser = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(input) = chooser.get_untracked() {
            input.click();
        }
    };
    let empty = move |_| {
        let opened = Opened::new(library::empty(), Origin::Empty);
        store.dispatch(Command::Open(Box::new(opened)));
    };
    view! {
        <DialogFrame title="Import" on_close>
            <label class="field">
                <span>"Paste anything: Fairground recognises it."</span>
                <textarea
                    rows="8"
                    spellcheck="false"
                    autofocus
                    prop:value=text
                    on:input=move |event| text.set(event_target_value(&event))
                ></textarea>
            </label>
            <details class="hint">
                <summary>"What can I paste?"</summary>
                "A scenario, a link, a trace as CSV, the output of kubectl get, REST answers of YuniKorn or Run:ai, queues.yaml, or a plan of EGO."
            </details>
            <p class="hint">"Files and folders can be dropped anywhere on the page, too, also a snapshot of KAI (zip). Nothing leaves this browser."</p>
            <div class="row">
                <button
                    type="button"
                    class="btn primary"
                    aria-disabled=move || text.with(|t| t.trim().is_empty()).then_some("true")
                    on:click=move |_| drop::take_text(store, text.get_untracked())
                >
                    "Preview"
                </button>
                <button type="button" class="btn" on:click=choose>"Choose files"</button>
                <button type="button" class="btn" on:click=empty>"Start empty"</button>
            </div>
            <FileChooser node_ref=chooser />
        </DialogFrame>
    }
}
