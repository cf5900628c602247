//! The frame of dialogs: the native element, which traps the focus and closes on Esc.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::button::IconButton;
use super::icons::IconKind;

/// A dialog, open while it is mounted.
#[component]
pub fn DialogFrame(
    #[prop(into)] title: String,
    #[prop(optional, into)] class: String,
    #[prop(into)] on_close: Callback<()>,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    dialog.on_load(|element| {
        // Fails only if it is already open.
        let _ = element.show_modal();
        // Where a dialog replaces another one, the browser does not look for this attribute.
        let first = element.query_selector("[autofocus]").ok().flatten();
        if let Some(first) = first.and_then(|first| first.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = first.focus();
        }
    });
    let on_backdrop = move |event: leptos::ev::MouseEvent| {
        let is_backdrop = dialog.get_untracked().zip(event.target()).is_some_and(|(d, target)| {
            let d: &web_sys::EventTarget = d.as_ref();
            *d == target
        });
        if is_backdrop {
            on_close.run(());
        }
    };
    view! {
        <dialog
            node_ref=dialog
            class=format!("dialog {class}")
            aria-labelledby="dialog-title"
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                on_close.run(());
            }
            on:click=on_backdrop
        >
            <div class="dialog-body">
                <header class="dialog-head">
                    <h2 id="dialog-title">{title}</h2>
                    <IconButton icon=IconKind::Close label="Close" key="Esc" on_press=on_close />
                </header>
                {children()}
            </div>
        </dialog>
    }
}
