//! Buttons.

use leptos::prelude::*;

use super::icons::{Icon, IconKind};
use crate::keys;
use crate::state::command::Command;
use crate::store::Store;

/// A button that runs a command.
#[component]
pub fn CommandButton(
    class: &'static str,
    command: Command,
    #[prop(optional)] title: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    let store = Store::get();
    view! {
        <button type="button" class=class title=title on:click=move |_| store.dispatch(command.clone())>
            {children()}
        </button>
    }
}

/// An icon button; the label is its accessible name, the key is in its tooltip.
#[component]
pub fn IconButton(
    #[prop(into)] icon: Signal<IconKind>,
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Keyboard shortcut, if any.
    #[prop(optional, into)]
    key: String,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] class: String,
    #[prop(into)] on_press: Callback<()>,
) -> impl IntoView {
    let set = Store::get().part(|m| m.view.keys);
    let title = move || match keys::named(&key, set.get()).filter(|key| !key.is_empty()) {
        None => label.get(),
        Some(key) => format!("{} ({key})", label.get()),
    };
    view! {
        <button
            type="button"
            class=format!("btn quiet icon {class}")
            aria-label=label
            title=title
            aria-disabled=move || disabled.get().then_some("true")
            on:click=move |_| {
                if !disabled.get_untracked() {
                    on_press.run(());
                }
            }
        >
            {move || view! { <Icon kind=icon.get() /> }}
        </button>
    }
}
