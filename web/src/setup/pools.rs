//! Node pools: parts of the cluster that are scheduled separately, in the order in which their schedulers are asked.

use fairground::policy::Policy;
use fairground::scenario::{Edit, Path, Scenario};
use leptos::prelude::*;

use super::grid::{EditGrid, RowKey};
use super::rows::{pool_columns, pool_rows};
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::change::{Change, free_name};
use crate::store::Store;
use crate::widgets::icons::{Icon, Kind};
use crate::widgets::menu::MenuItem;

/// The table of node pools, if there are any, and the button that adds one.
#[component]
pub fn Pools() -> impl IntoView {
    let store = Store::get();
    let dismissed = store.part(|m| (*m.dismissed).clone());
    let rows = Memo::new(move |_| {
        let (scenario, findings) = (store.scenario.get(), store.findings.get());
        dismissed.with(|dismissed| {
            pool_rows(&scenario, &findings, |finding| dismissed.contains(&document::finding_key(finding)))
        })
    });
    let on_row_key = move |(id, key): (String, RowKey)| {
        let scenario = store.scenario.get_untracked();
        let command = match key {
            RowKey::Remove => Some(remove(&id)),
            RowKey::Up => shift(&scenario, &id, true),
            RowKey::Down => shift(&scenario, &id, false),
            _ => None,
        };
        command.into_iter().for_each(|command| store.dispatch(command));
    };
    let menu = move |id: String| {
        let scenario = store.scenario.get_untracked();
        let moves = [("Move up", true, "Alt+↑"), ("Move down", false, "Alt+↓")];
        let moves = moves
            .into_iter()
            .filter_map(|(label, up, key)| Some(MenuItem::new(label, shift(&scenario, &id, up)?).key(key)));
        moves.chain([MenuItem::new(format!("Remove {id}"), remove(&id)).key("Del")]).collect()
    };
    let policy = store.part(|m| Policy::described_or_default(&m.scenario.policy).key);
    let is_empty = Memo::new(move |_| rows.with(Vec::is_empty));
    // Made anew when another policy has other columns.
    let grid = move || {
        let columns = pool_columns(policy.get());
        (!is_empty.get()).then(|| {
            view! {
                <EditGrid
                    label="Node pools"
                    columns=Signal::derive(move || columns.clone())
                    rows
                    menu=Callback::new(menu)
                    on_row_key=Callback::new(on_row_key)
                />
            }
        })
    };
    view! {
        {grid}
        <div class="add">
            <button
                type="button"
                class="btn quiet"
                title="A part of the cluster that is scheduled separately"
                on:click=move |_| store.dispatch(add(&store.now(|m| m.scenario.clone())))
            >
                <Icon kind=Kind::Plus />
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

/// Moves a pool one place up or down; `None`: there is no such place.
fn shift(scenario: &Scenario, pool: &str, up: bool) -> Option<Command> {
    let names: Vec<&str> = scenario.pools.iter().map(|pool| pool.name.as_str()).collect();
    let at = names.iter().position(|name| *name == pool)?;
    let to = if up { at.checked_sub(1)? } else { at + 1 };
    let other = names.get(to)?;
    // Down is up for the next one.
    let (moved, before) = if up { (pool, *other) } else { (*other, pool) };
    let edit = Edit::MovePool { at: place(moved), before: before.to_string() };
    Some(one(format!("move the pool {pool} {}", if up { "up" } else { "down" }), edit))
}

/// Adds a pool under a fresh name; where there was none, what is in no pool gets one of its own before it.
fn add(scenario: &Scenario) -> Command {
    let edit = |name: &str| Edit::Set { at: place(name).field("name"), value: name.to_string() };
    let first = scenario.pools.is_empty().then_some("pool-1");
    let taken = scenario.pools.iter().map(|pool| pool.name.as_str()).chain(first);
    let fresh = free_name("pool", taken);
    let edits = first.into_iter().chain([fresh.as_str()]).map(edit).collect();
    Command::Change(Change::Edits { name: format!("add the pool {fresh}"), edits })
}
