//! Groups of equal nodes.

use fairground::scenario::{Edit, Path, Scenario};
use leptos::prelude::*;

use super::all_values;
use super::grid::{EditGrid, RowKey};
use super::rows::{node_columns, node_rows};
use crate::state::command::Command;
use crate::state::document::change::Change;
use crate::state::document::{self, node_state};
use crate::store::Store;
use crate::widgets::empty::{Lack, empty_below};
use crate::widgets::icons::{Icon, Kind};
use crate::widgets::key_name;
use crate::widgets::menu::MenuItem;

/// The table of nodes, edited in place.
#[component]
pub fn Nodes() -> impl IntoView {
    let store = Store::get();
    let dismissed = store.part(|m| (*m.dismissed).clone());
    let rows = Memo::new(move |_| {
        let (scenario, findings) = (store.scenario.get(), store.findings.get());
        dismissed.with(|dismissed| {
            node_rows(&scenario, &findings, |finding| dismissed.contains(&document::finding_key(finding)))
        })
    });
    let on_row_key = move |(id, key): (String, RowKey)| {
        if key == RowKey::All {
            let at = Path::default().field("nodes").named(&id);
            store.dispatch(Command::Detail(Some(at)));
        } else if key == RowKey::Remove {
            store.dispatch(Command::Change(Change::RemoveNodes(id)));
        }
    };
    let menu = move |id: String| {
        let at = Path::default().field("nodes").named(&id);
        let offers = store.now(|m| node_state::offers_of_line(m, &id));
        let mut items = vec![all_values(&id, at)];
        items.extend(offers.into_iter().map(|(label, command)| MenuItem::new(label, command)));
        items
            .push(MenuItem::new(format!("Remove {id}"), Command::Change(Change::RemoveNodes(id))).key("Del"));
        items
    };
    let is_empty = Memo::new(move |_| store.scenario.with(|s| s.nodes.is_empty()));
    view! {
        <EditGrid
            label="Nodes"
            columns=Signal::derive(move || node_columns(store.scenario.with(|s| !s.pools.is_empty())))
            rows
            menu=Callback::new(menu)
            on_row_key=Callback::new(on_row_key)
        />
        {empty_below(move || is_empty.get().then_some(Lack::Nodes))}
        <div class="add">
            <button type="button" class="btn quiet" on:click=move |_| store.dispatch(Command::Change(Change::AddNodes))>
                <Icon kind=Kind::Plus />
                "Nodes"
                <span class="kbd">{key_name(store, "N")}</span>
            </button>
            <button
                type="button"
                class="btn quiet"
                title="A part of the cluster that is scheduled separately"
                on:click=move |_| store.dispatch(add_pool(&store.now(|m| m.scenario.clone())))
            >
                <Icon kind=Kind::Plus />
                "Pool"
            </button>
        </div>
    }
}

/// Adds a pool under a fresh name; where there was none, what is in no pool gets one of its own before it.
fn add_pool(scenario: &Scenario) -> Command {
    let edit = |name: &str| Edit::Set {
        at: Path::default().field("pools").named(name).field("name"),
        value: name.to_string(),
    };
    let is_free = |name: &String| scenario.pools.iter().all(|pool| pool.name != *name);
    let fresh = (2..).map(|n| format!("pool-{n}")).find(is_free).unwrap_or_default();
    let first = scenario.pools.is_empty().then(|| edit("pool-1"));
    let edits = first.into_iter().chain([edit(&fresh)]).collect();
    Command::Change(Change::Edits { name: format!("add the pool {fresh}"), edits })
}
