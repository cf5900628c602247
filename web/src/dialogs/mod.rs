//! Dialogs, one at a time.

pub mod examples;
mod fidelity;
mod goto;
pub mod help;
mod import;
mod keys;
mod link;
pub mod palette;
mod paste;
mod reset;
pub mod results;
mod share;
mod states;
mod term;
mod translated;

use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;

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
        Dialog::Translated => view! { <translated::Translated on_close /> }.into_any(),
        Dialog::Reset => view! { <reset::Reset on_close /> }.into_any(),
        Dialog::ResultCode(code) => view! { <results::OfLesson code on_close /> }.into_any(),
        Dialog::Results => view! { <results::Results on_close /> }.into_any(),
        Dialog::BadLink(says) => view! { <link::BadLink says on_close /> }.into_any(),
    }
}
