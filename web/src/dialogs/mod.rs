//! Dialogs, one at a time; those of a few lines are here.

pub mod examples;
mod fidelity;
mod goto;
pub mod help;
mod import;
mod keys;
pub mod palette;
mod paste;
mod reset;
pub mod results;
mod share;
mod states;
mod term;

use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::translation_notes::notes;

/// The open dialog, if any.
#[component]
pub fn Dialogs() -> impl IntoView {
    let store = Store::get();
    let dialog = Memo::new(move |_| store.view.with(|v| v.dialog.clone()));
    let on_close = store.press(Command::Dialog(None));
    move || dialog.get().map(|dialog| open(dialog, on_close))
}

/// The component of a dialog. None is open at startup.
fn open(dialog: Dialog, on_close: Callback<()>) -> AnyView {
    match dialog {
        Dialog::Examples => view! { <examples::Examples on_close /> }.into_any(),
        Dialog::States => view! { <states::States on_close /> }.into_any(),
        Dialog::Share => view! { <share::Share on_close /> }.into_any(),
        Dialog::Fidelity => view! { <fidelity::Fidelity is_about=false on_close /> }.into_any(),
        Dialog::Help => view! { <help::Help on_close /> }.into_any(),
        Dialog::Term(term) => view! { <term::Term term on_close /> }.into_any(),
        Dialog::About => view! { <fidelity::Fidelity is_about=true on_close /> }.into_any(),
        Dialog::Keys => view! { <keys::Keys on_close /> }.into_any(),
        Dialog::GoTo => view! { <goto::GoTo on_close /> }.into_any(),
        Dialog::Palette => view! { <palette::component::Palette on_close /> }.into_any(),
        Dialog::Paste => view! { <paste::Paste on_close /> }.into_any(),
        Dialog::Import => view! { <import::ImportPreview /> }.into_any(),
        Dialog::Translated => view! { <Translated on_close /> }.into_any(),
        Dialog::Reset => view! { <reset::Reset on_close /> }.into_any(),
        Dialog::ResultCode(code) => view! { <results::OfLesson code on_close /> }.into_any(),
        Dialog::Results => view! { <results::Results on_close /> }.into_any(),
        Dialog::BadLink(says) => view! { <BadLink says on_close /> }.into_any(),
    }
}

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
