//! A link that could not be read.

use leptos::prelude::*;

use crate::widgets::dialog::DialogFrame;

/// What is known about a link that could not be read.
#[component]
pub fn BadLink(
    /// What is known.
    says: String,
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    view! {
        <DialogFrame title="This link cannot be opened" on_close>
            <p class="verdict">{says}</p>
            <p>
                "Ask for the link again, as a file or as a Markdown link: some programs cut long addresses. What you \
                 had open here is untouched."
            </p>
            <div class="row">
                <button type="button" class="btn primary" autofocus on:click=move |_| on_close.run(())>
                    "Go on with what is here"
                </button>
            </div>
        </DialogFrame>
    }
}
