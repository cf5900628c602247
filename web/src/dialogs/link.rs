//! A link that could not be read.

use leptos::prelude::*;

use crate::widgets::dialog::DialogFrame;

/// Explains why a link could not be read.
#[component]
pub fn BadLink(says: String, on_close: Callback<()>) -> impl IntoView {
    view! {
        <DialogFrame title="This link cannot be opened" on_close>
            <p class="verdict">{says}</p>
            <p>
                "Ask for the link again as a Markdown link, or ask for the file: some programs cut long addresses. Your open scenario is unchanged."
            </p>
            <div class="row">
                <button type="button" class="btn primary" autofocus on:click=move |_| on_close.run(())>
                    "Keep my scenario"
                </button>
            </div>
        </DialogFrame>
    }
}
