//! Confirms the deletion of all data on this device: lists what would be deleted and offers downloads.

use leptos::prelude::*;

use crate::state::document;
use crate::state::document::draft::DraftLine;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::{downloads, storage};

/// Asks whether to delete all data on this device.
#[component]
pub fn Reset(
    /// Closed without deleting anything.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    // Uncommitted text is a draft, too.
    store.keep();
    let drafts = storage::drafts();
    let goes = match drafts.len() {
        0 => "No drafts are kept on this device.".to_string(),
        1 => "One draft will be deleted:".to_string(),
        n => format!("{n} drafts will be deleted:"),
    };
    let delete = move |_| store.start_over();
    view! {
        <DialogFrame title="Delete everything kept on this device?" class="reset" on_close>
            <p class="verdict">{goes}</p>
            {(!drafts.is_empty()).then(|| view! { <ul>{drafts.into_iter().map(line).collect_view()}</ul> })}
            <p>
                "The settings of this page (theme, panels, keys) and its files for offline use will be deleted as well. \
                 Downloaded files are kept. This cannot be undone."
            </p>
            <div class="row">
                <button type="button" class="btn primary" autofocus on:click=move |_| on_close.run(())>
                    "Keep everything"
                </button>
                <button type="button" class="btn" on:click=delete>"Delete everything"</button>
            </div>
        </DialogFrame>
    }
}

/// A draft that would be deleted, with a download button.
fn line(draft: DraftLine) -> impl IntoView {
    let DraftLine { id, title, .. } = draft;
    let title = if title.is_empty() { "untitled scenario".to_string() } else { title };
    let label = format!("Download {title}");
    let name = title.clone();
    let download = move |_| {
        let kept = storage::draft(&id).and_then(|draft| draft.open(&id).ok());
        if let Some(opened) = kept {
            downloads::download(
                &downloads::file_name(&name),
                "application/yaml",
                &document::to_yaml(&opened.document.scenario),
            );
        }
    };
    view! {
        <li>
            {title} " "
            <button type="button" class="link" aria-label=label on:click=download>"Download"</button>
        </li>
    }
}
