//! Actions on the selected node at the cursor.

use fairground::words::Selection;
use leptos::prelude::*;

use crate::state::editing::commands;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// Buttons for the available actions.
#[component]
pub fn NodeActions() -> impl IntoView {
    let store = Store::get();
    let offers = store.part(|m| match &m.selection {
        Some(Selection::Node(node)) => commands::offers(m, node),
        _ => Vec::new(),
    });
    move || {
        let press = |(label, command): (String, crate::state::command::Command)| {
            view! {
                <CommandButton class="chip" command=command>{label}</CommandButton>
            }
        };
        let buttons = offers.get().into_iter().map(press).collect_view();
        view! { <div class="why chips no-print">{buttons}</div> }.into_any()
    }
}
