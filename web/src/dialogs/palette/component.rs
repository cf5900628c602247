//! The command palette: commands and names, searched by a few letters.

use leptos::html;
use leptos::prelude::*;

use super::view::{Action, PaletteEntry, find};
use crate::keys;
use crate::library::Example;
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::show_id;

/// Search field with the matching entries.
#[component]
pub fn Palette(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0usize);
    let input = NodeRef::<html::Input>::new();
    input.on_load(|element| {
        let _ = element.focus();
    });
    let search = move |typed: &String| store.now(|m| find(m, typed));
    let found = move || typed.with(search);
    // Untracked: the meaning of a key must not be reactive.
    let found_now = move || typed.with_untracked(search);
    let run = move |entry: PaletteEntry| {
        on_close.run(());
        store.dispatch(Command::Used(entry.label));
        match entry.action {
            Action::Do(command) => store.dispatch(command),
            Action::Example(id) => {
                if let Some(example) = Example::find(id) {
                    crate::dialogs::examples::open(store, example);
                }
            }
            Action::Lesson(lesson) => store.open_lesson(lesson, None, false),
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let n = found_now().len().max(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1) % n),
            "ArrowUp" => at.update(|at| *at = (*at + n - 1) % n),
            "Enter" => {
                if let Some(entry) = found_now().into_iter().nth(at.get_untracked()) {
                    run(entry);
                }
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
        show_id(&format!("palette-{}", at.get_untracked()));
    };
    let lines = move || {
        let now = at.get();
        let mut group = "";
        let line = |(i, entry): (usize, PaletteEntry)| {
            let (label, hint) = (entry.label.clone(), hint(store, entry.hint));
            let first = (entry.group != group).then(|| {
                group = entry.group;
                view! { <li class="palette-group" role="presentation">{group}</li> }
            });
            view! {
                {first}
                <li
                    id=format!("palette-{i}")
                    role="option"
                    class="menu-item"
                    aria-selected=(i == now).to_string()
                    on:click=move |_| run(entry.clone())
                >
                    <span>{label}</span>
                    <span class="kbd">{hint}</span>
                </li>
            }
        };
        found().into_iter().enumerate().map(line).collect_view()
    };
    let asks = store.terms.get_untracked().fill("Search commands, [queues], [jobs], [nodes], examples");
    view! {
        <DialogFrame title="Search or run a command" class="palette" on_close>
            <input
                node_ref=input
                class="input"
                type="text"
                role="combobox"
                aria-label=asks.clone()
                aria-expanded="true"
                aria-controls="palette-lines"
                aria-activedescendant=move || format!("palette-{}", at.get())
                placeholder=asks
                autocomplete="off"
                spellcheck="false"
                maxlength="100"
                autofocus
                on:input=move |event| {
                    typed.set(event_target_value(&event));
                    at.set(0);
                }
                on:keydown=on_key
            />
            <ul id="palette-lines" role="listbox" aria-label="Matches">{lines}</ul>
            <p class="hint" role="status">
                {move || found().is_empty().then_some("No matches")}
            </p>
        </DialogFrame>
    }
}

/// The key as printed on this keyboard, or the kind of the entry.
fn hint(store: Store, hint: &'static str) -> String {
    keys::named(hint, store.now(|m| m.view.keys)).unwrap_or_default()
}
