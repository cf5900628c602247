//! Groups of equal nodes.

use crate::dom::prelude::*;

use super::grid::{EditGrid, RowKey};
use super::rows::{node_columns, node_rows};
use crate::components::icons::{Icon, Kind};
use crate::components::menu::MenuItem;
use crate::model::{Change, Command, document};
use crate::store::Store;

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
        if key == RowKey::Remove {
            store.dispatch(Command::Change(Change::RemoveNodes(id)));
        }
    };
    let menu = |id: String| {
        vec![MenuItem::new(format!("Remove {id}"), Command::Change(Change::RemoveNodes(id))).key("Del")]
    };
    let is_empty = move || store.scenario.with(|s| s.nodes.is_empty());
    view! {
        <EditGrid
            label="Nodes"
            columns=Signal::derive(node_columns)
            rows
            menu=Callback::new(menu)
            on_row_key=Callback::new(on_row_key)
        />
        <Show when=is_empty>
            <p class="empty">"No nodes yet: nothing can run. Add some."</p>
        </Show>
        <div class="add">
            <button type="button" class="btn quiet" on:click=move |_| store.dispatch(Command::Change(Change::AddNodes))>
                <Icon kind=Kind::Plus />
                "Nodes"
                <span class="kbd">"N"</span>
            </button>
        </div>
    }
}
