//! Buttons that show an icon only.

use leptos::prelude::*;

use super::icons::{Icon, Kind};
use crate::keys;
use crate::store::Store;

/// A button that shows an icon; its name is spoken, its key shown on pointing.
#[component]
pub fn IconButton(
    /// The icon.
    #[prop(into)]
    icon: Signal<Kind>,
    /// What it does.
    #[prop(into)]
    label: Signal<String>,
    /// Its key, if it has one.
    #[prop(optional, into)]
    key: String,
    /// Cannot be used now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// More classes.
    #[prop(optional, into)]
    class: String,
    /// What happens.
    #[prop(into)]
    on_press: Callback<()>,
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
