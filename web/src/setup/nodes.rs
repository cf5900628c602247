//! Groups of equal nodes.

use fairground::scenario::Path;
use leptos::prelude::*;

use super::all_values;
use super::findings::open_findings;
use super::grid::{EditGrid, RowKey};
use super::pools::Pools;
use super::rows::{node_columns, node_rows};
use crate::state::command::Command;
use crate::state::document::change::Change;
use crate::state::editing::node_state;
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
        let offers = store.now(|m| node_state::offers_of_line(m, &id));
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
