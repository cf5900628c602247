//! SETUP: the scenario as editable tables.

pub mod attributes;
pub mod edit_box;
pub mod grid;
pub mod rows;
pub mod timeline_edits;

mod classes;
mod detail;
mod findings;
mod marking;
mod nodes;
mod queues;
mod rules;
mod text;
mod work;

use std::collections::BTreeMap;

use fairground::scenario::{Path, Scenario};
use fairground::words::capital;
use leptos::prelude::*;

use crate::chart::paint::Ink;
use crate::chart::queue_tree::{Tone, of_scenario};
use crate::state::command::Command;
use crate::state::layout::options::{Panel, SetupTab};
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::icons::IconKind;
use crate::widgets::menu::MenuItem;
use crate::widgets::tab_list::{TabList, TabName};

/// Colours of queues by name.
#[derive(Clone, Copy)]
pub struct Tones(Memo<BTreeMap<String, String>>);

impl Tones {
    /// The colour of a queue as a CSS value.
    pub fn css(self, queue: &str) -> String {
        self.0.with(|tones| tones.get(queue).cloned().unwrap_or_default())
    }
}

/// Colours of a scenario's queues, the same as in all charts.
pub fn tones(scenario: &Scenario) -> BTreeMap<String, String> {
    let (rows, tree) = of_scenario(scenario);
    rows.iter().enumerate().map(|(i, q)| (q.name.clone(), css(tree.tone(i as u32)))).collect()
}

fn css(tone: Tone) -> String {
    tone.hue.map_or(Ink::Dim, |hue| Ink::Hue(hue, tone.step)).css()
}

const TABS: [(SetupTab, &str); 5] = [
    (SetupTab::Queues, "Queues"),
    (SetupTab::Nodes, "Nodes"),
    (SetupTab::Work, "Work"),
    (SetupTab::Rules, "Rules"),
    (SetupTab::Text, "Text"),
];

/// A heading in the words of the policy.
fn head(store: Store, word: &str) -> String {
    capital(store.terms.get().word(word))
}

/// Menu entry that opens the form of a row.
fn all_values(name: &str, at: Path) -> MenuItem {
    MenuItem::new(format!("Edit {name}…"), Command::Detail(Some(at))).key("Alt+Enter")
}

/// The panel.
#[component]
pub fn Setup() -> impl IntoView {
    let store = Store::get();
    provide_context(Tones(Memo::new(move |_| store.scenario.with(|s| tones(s)))));
    let tab = Memo::new(move |_| store.view.with(|v| v.tab));
    let chosen = Memo::new(move |_| TABS.iter().position(|(this, _)| *this == tab.get()).unwrap_or(0));
    let tabs = TABS.map(|(_, name)| TabName {
        id: format!("setup-tab-{name}"),
        name: Signal::derive(move || head(store, &name.to_lowercase())),
        is_passing: false,
    });
    let detail = detail::open_detail(store);
    let body = move || {
        let detail = if detail.with(String::is_empty) { None } else { store.now(|m| m.view.detail.clone()) };
        match (tab.get(), detail) {
            (_, Some(at)) => view! { <detail::Detail at /> }.into_any(),
            (SetupTab::Queues, None) => view! { <queues::Queues /> }.into_any(),
            (SetupTab::Nodes, None) => view! { <nodes::Nodes /> }.into_any(),
            (SetupTab::Work, None) => view! { <work::Work /> }.into_any(),
            (SetupTab::Rules, None) => view! { <rules::Rules /> }.into_any(),
            (SetupTab::Text, None) => view! { <text::TextTab /> }.into_any(),
        }
    };
    let label = move || format!("setup-tab-{}", TABS[chosen.get()].1);
    view! {
        <div class="tabs">
            <TabList
                label="Parts of the scenario"
                panel="setup-body"
                tabs=tabs.to_vec()
                chosen
                on_choose=move |at: usize| store.dispatch(Command::Tab(TABS[at].0))
            />
            <span class="grow"></span>
            <IconButton
                icon=IconKind::Left
                label="Collapse Setup"
                class="fold"
                on_press=store.press(Command::Fold(Panel::Setup, true))
            />
        </div>
        <div class="setup-body" id="setup-body" role="tabpanel" aria-labelledby=label>
            {body}
            <timeline_edits::Changes />
            <findings::Findings />
            <timeline_edits::EditsFrom />
        </div>
    }
}
