//! The header: title, policy, documents, undo, theme, sharing.

use fairground::policy::{Policy, versions};
use fairground::scenario::Path;
use leptos::html;
use leptos::prelude::*;

use crate::agreement;
use crate::dialogs::palette::view::record_offer;
use crate::shell::runs;
use crate::state::branches::Others;
use crate::state::branches::commands::compare_versions_label;
use crate::state::command::Command;
use crate::state::layout::options::{Dialog, Presenting, SetupTab, Theme};
use crate::store::Store;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::{Icon, IconKind, Logo};
use crate::widgets::menu::{MenuButton, MenuItem};
use crate::widgets::{on_leave, window_width};

/// Below this width in pixels, buttons of the header are in its menu.
const PHONE_BELOW: f64 = 768.0;

/// The header.
#[component]
pub fn Bar() -> impl IntoView {
    let store = Store::get();
    let policy = store.part(|m| Policy::described_or_default(&m.document.scenario.policy).key);
    let short = move || Policy::described_or_default(policy.get()).short;
    let policies = move |()| {
        let choose = |key: &str| Command::Policy(key.to_string());
        let mut items: Vec<MenuItem> = Policy::ALL
            .iter()
            .map(|of| MenuItem::new(of.title, choose(of.key)).choice(policy.get_untracked() == of.key))
            .collect();
        items.push(MenuItem::new("All settings", Command::Tab(SetupTab::Rules)));
        let checked = store.scenario.with_untracked(|scenario| agreement::checked_against(scenario));
        items.extend(checked.map(|text| MenuItem::new(text, Command::Dialog(Some(Dialog::Fidelity)))));
        items
    };
    let revision = store.part(|m| versions::revision_of(&m.document.scenario).map(|(_, revision)| revision.label));
    let named_policy = move || revision.get().unwrap_or_else(short);
    let undo = store.part(|m| m.document.history.undo_name().map(str::to_string));
    let redo = store.part(|m| m.document.history.redo_name().map(str::to_string));
    let named = |what: &'static str, step: Memo<Option<String>>| {
        Signal::derive(move || step.get().map_or(what.to_string(), |name| format!("{what}: {name}")))
    };
    let versions = store.part(|m| compare_versions_label(&m.document.scenario));
    let theme = Memo::new(move |_| store.view.with(|v| v.theme));
    let themes = move |()| {
        [(Theme::System, "Match system"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
            .map(|(this, name)| MenuItem::new(name, Command::Theme(this)).choice(theme.get_untracked() == this))
            .to_vec()
    };
    let more = move |()| {
        let in_bar = [
            MenuItem::new("Examples", Command::Dialog(Some(Dialog::Examples))),
            MenuItem::new(format!("Policy: {}", named_policy()), Command::Tab(SetupTab::Rules)),
            MenuItem::new("Compare policies", Command::Compare(Others::default())),
        ];
        let mut items: Vec<MenuItem> = in_bar.into_iter().filter(|_| window_width() < PHONE_BELOW).collect();
        items.extend(versions.get_untracked().map(|label| MenuItem::new(label, Command::Compare(Others::Versions))));
        items.extend([
            MenuItem::new("Search or run a command", Command::Dialog(Some(Dialog::Palette))).key("Ctrl+K"),
            MenuItem::new("Import", Command::Dialog(Some(Dialog::Paste))),
            MenuItem::new("Present", Command::Present(Presenting::On)).key("P"),
            store.now(|m| MenuItem::new(record_offer(m).0, record_offer(m).1)),
            MenuItem::new("Earlier states", Command::Dialog(Some(Dialog::States))),
            MenuItem::new("Help", Command::Dialog(Some(Dialog::Help))),
            MenuItem::new("How accurate is this?", Command::Dialog(Some(Dialog::Fidelity))),
            MenuItem::new("About", Command::Dialog(Some(Dialog::About))),
        ]);
        items.extend(store.now(runs::items));
        let named = |item: MenuItem| MenuItem { label: format!("Theme: {}", item.label), ..item };
        items.extend(themes(()).into_iter().map(named));
        items
    };
    let has_history = Memo::new(move |_| undo.with(Option::is_some) || redo.with(Option::is_some));
    view! {
        <header class="bar" data-region tabindex="-1" aria-label="Document">
            <div class="logo">
                <Logo />
                <span class="logo-text not-phone" aria-hidden="true">"Fairground"</span>
            </div>
            <h1 class="unseen">{move || match store.scenario.with(|s| s.name.clone()) {
                name if name.is_empty() => "Fairground: untitled scenario".to_string(),
                name => format!("Fairground: {name}"),
            }}</h1>
            <Title />
            <MenuButton
                label=Signal::derive(move || format!("Policy: {}", named_policy()))
                class="btn quiet hide"
                items=Callback::new(policies)
            >
                {named_policy}
                // It was checked; the menu says against what.
                <Show when=move || revision.get().is_some()>
                    <Icon kind=IconKind::Tick />
                </Show>
                <Icon kind=IconKind::Down />
            </MenuButton>
            <span class="grow"></span>
            // Before the first edit there is nothing to undo.
            <Show when=move || has_history.get()>
                <IconButton
                    icon=IconKind::Undo
                    label=named("Undo", undo)
                    key="Ctrl+Z"
                    class="undo"
                    disabled=Signal::derive(move || undo.get().is_none())
                    on_press=store.press(Command::Undo)
                />
                <IconButton
                    icon=IconKind::Redo
                    label=named("Redo", redo)
                    key="Ctrl+Shift+Z"
                    class="redo"
                    disabled=Signal::derive(move || redo.get().is_none())
                    on_press=store.press(Command::Redo)
                />
            </Show>
            <CommandButton class="btn quiet not-phone" command=Command::Dialog(Some(Dialog::Examples))>
                "Examples"
            </CommandButton>
            <CommandButton
                class="btn hide"
                title="Run this scenario under every policy"
                command=Command::Compare(Others::default())
            >
                "Compare"
            </CommandButton>
            <CommandButton class="btn" title="Share (Ctrl+S)" command=Command::Dialog(Some(Dialog::Share))>
                "Share"
            </CommandButton>
            <MenuButton label="More" class="btn quiet icon" items=Callback::new(more)>
                <Icon kind=IconKind::More />
            </MenuButton>
        </header>
    }
}

/// The title of the document, edited in place.
#[component]
fn Title() -> impl IntoView {
    let store = Store::get();
    let editing = RwSignal::new(false);
    let title = Memo::new(move |_| store.scenario.with(|s| s.name.clone()));
    let changed = store.part(|m| m.document.is_changed);
    let input = NodeRef::<html::Input>::new();
    let finished = StoredValue::new(false);
    input.on_load(|element| {
        let _ = element.focus();
        element.select();
    });
    let finish = move |keep: bool| {
        if finished.try_get_value() != Some(false) {
            return;
        }
        finished.set_value(true);
        if keep && let Some(input) = input.get_untracked() {
            let value = input.value().trim().chars().take(200).collect::<String>();
            if !value.is_empty() {
                store.dispatch(Command::Set { at: Path::default().field("name"), value });
            }
        }
        editing.set(false);
    };
    let shown = move || {
        let text = title.get();
        if text.is_empty() { "Untitled".to_string() } else { text }
    };
    move || {
        if editing.get() {
            view! {
                <input
                    node_ref=input
                    class="title edit"
                    aria-label="Title"
                    maxlength="200"
                    prop:value=title.get_untracked()
                    on:keydown=move |event| match event.key().as_str() {
                        "Enter" => finish(true),
                        "Escape" => finish(false),
                        _ => {}
                    }
                    on:blur=on_leave(move |_| finish(true))
                />
            }
            .into_any()
        } else {
            view! {
                <button
                    type="button"
                    class="title"
                    title="Change the title"
                    on:click=move |_| {
                        finished.set_value(false);
                        editing.set(true);
                    }
                >
                    <span class="title-text">{shown}</span>
                    <Show when=move || changed.get()>
                        <i class="dot" title="Changed since it was opened"></i>
                    </Show>
                </button>
            }
            .into_any()
        }
    }
}
