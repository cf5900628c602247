//! The hidden file input.

use leptos::html;
use leptos::prelude::*;

use super::target;
use crate::store::Store;

/// A hidden input that opens the browser's file chooser.
#[component]
pub fn FileChooser(
    /// Receives the input.
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let store = Store::get();
    view! {
        <input
            node_ref=node_ref
            class="unseen"
            type="file"
            tabindex="-1"
            aria-hidden="true"
            multiple
            accept=".yaml,.yml,.json,.csv,.tsv,.xml,.txt,.zip,.gz,.gzip"
            on:change=move |event| {
                if let Some(files) = target::<web_sys::HtmlInputElement>(&event).and_then(|input| input.files()) {
                    crate::drop::read_files(store, &files);
                }
            }
        />
    }
}
