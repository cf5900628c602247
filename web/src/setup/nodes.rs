//! Groups of equal nodes, and the node pools: parts of the cluster with separate schedulers, in scheduling order.

use fairground::scenario::{Diagnostic, Edit, Path, Scenario};
use leptos::prelude::*;

use super::all_values;
use super::findings::open_findings;
use super::grid::{EditGrid, RowKey};
use super::rows::{node_columns, node_rows, pool_columns, pool_rows};
use crate::state::command::Command;
use crate::state::document::Change;
use crate::state::editing::commands;
use crate::store::Store;
use crate::widgets::button::CommandButton;
use crate::widgets::empty::{Lack, empty_below};
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::key_name;
use crate::widgets::menu::MenuItem;

/// The table of nodes, edited in place.
#[component]
pub fn Nodes() -> impl IntoView {
    let store = Store::get();
    let findings = open_findings(store);
    let rows = Memo::new(move |_| findings.with(|findings| node_rows(&store.edited.get(), findings)));
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
        let offers = store.now(|m| commands::offers_of_line(m, &id));
        let mut items = vec![all_values(&id, at)];
        items.extend(offers.into_iter().map(|(label, command)| MenuItem::new(label, command)));
        items.push(MenuItem::new(format!("Remove {id}"), Command::Change(Change::RemoveNodes(id))).key("Del"));
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
            <CommandButton class="btn quiet" command=Command::Change(Change::AddNodes)>
                <Icon kind=IconKind::Plus />
                "Nodes"
                <span class="kbd">{key_name(store, "N")}</span>
            </CommandButton>
        </div>
        <Pools findings />
    }
}

/// The table of node pools, if there are any, and the button that adds one.
#[component]
pub fn Pools(findings: Memo<Vec<Diagnostic>>) -> impl IntoView {
    let store = Store::get();
    let rows = Memo::new(move |_| findings.with(|findings| pool_rows(&store.scenario.get(), findings)));
    let on_row_key = move |(id, key): (String, RowKey)| {
        let scenario = store.scenario.get_untracked();
        let command = match key {
            RowKey::Remove => Some(remove(&id)),
            RowKey::Up => shift(&scenario, &id, true),
            RowKey::Down => shift(&scenario, &id, false),
            _ => None,
        };
        if let Some(command) = command {
            store.dispatch(command);
        }
    };
    let menu = move |id: String| {
        let scenario = store.scenario.get_untracked();
        let mut items = Vec::new();
        for (label, up, key) in [("Move up", true, "Alt+↑"), ("Move down", false, "Alt+↓")] {
            if let Some(command) = shift(&scenario, &id, up) {
                items.push(MenuItem::new(label, command).key(key));
            }
        }
        items.push(MenuItem::new(format!("Remove {id}"), remove(&id)).key("Del"));
        items
    };
    // Rebuilt when another policy has other columns.
    let grid = move || {
        let _ = store.terms.get();
        let columns = pool_columns(&store.now(|m| m.document.scenario.policy.clone()));
        view! {
            <EditGrid
                label="Node pools"
                columns=Signal::derive(move || columns.clone())
                rows
                menu=Callback::new(menu)
                on_row_key=Callback::new(on_row_key)
            />
        }
    };
    view! {
        <div hidden=move || rows.with(Vec::is_empty)>{grid}</div>
        <div class="add">
            <button
                type="button"
                class="btn quiet"
                title="A part of the cluster that is scheduled separately"
                on:click=move |_| store.dispatch(add(&store.now(|m| m.document.scenario.clone())))
            >
                <Icon kind=IconKind::Plus />
                "Pool"
            </button>
        </div>
    }
}

fn place(pool: &str) -> Path {
    Path::default().field("pools").named(pool)
}

fn one(name: String, edit: Edit) -> Command {
    Command::Change(Change::Edits { name, edits: vec![edit] })
}

fn remove(pool: &str) -> Command {
    one(format!("remove the pool {pool}"), Edit::Remove { at: place(pool) })
}

/// Moves a pool one place up or down; `None` at the end.
fn shift(scenario: &Scenario, pool: &str, up: bool) -> Option<Command> {
    let at = scenario.pools.iter().position(|of| of.name == pool)?;
    let to = if up { at.checked_sub(1)? } else { at + 1 };
    let other = scenario.pools.get(to)?.name.as_str();
    // Moving down is moving the next one up.
    let (moved, before) = if up { (pool, other) } else { (other, pool) };
    let edit = Edit::MovePool { at: place(moved), before: before.to_string() };
    Some(one(format!("move the pool {pool} {}", if up { "up" } else { "down" }), edit))
}

/// Adds a pool under a free name. The first one is preceded by a pool for everything that is in no pool.
fn add(scenario: &Scenario) -> Command {
    let edit = |name: &str| Edit::Set { at: place(name).field("name"), value: name.to_string() };
    let mut edits = Vec::new();
    if scenario.pools.is_empty() {
        edits.push(edit("pool-1"));
    }
    let is_free = |name: &String| scenario.pools.iter().all(|pool| pool.name != *name);
    let fresh = (2..).map(|n| format!("pool-{n}")).find(is_free).unwrap_or_default();
    edits.push(edit(&fresh));
    Command::Change(Change::Edits { name: format!("add the pool {fresh}"), edits })
}
