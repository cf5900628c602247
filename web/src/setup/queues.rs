//! The tree of queues.

use fairground::scenario::Path;
use leptos::prelude::*;

use super::findings::open_findings;
use super::grid::{EditGrid, RowKey};
use super::rows::{Row, queue_columns, queue_rows, usage_counts};
use super::{all_values, head};
use crate::state::command::Command;
use crate::state::document::{Change, Shift, tree};
use crate::store::Store;
use crate::widgets::button::CommandButton;
use crate::widgets::empty::{Lack, empty_below};
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::key_name;
use crate::widgets::menu::MenuItem;

/// The editable tree of queues.
#[component]
pub fn Queues() -> impl IntoView {
    let store = Store::get();
    let findings = open_findings(store);
    let folded = store.part(|m| m.view.folded.clone());
    let rows = Memo::new(move |_| {
        let (scenario, folded) = (store.edited.get(), folded.get());
        findings.with(|findings| queue_rows(&scenario, findings, &folded, store.resource.get()))
    });
    let shape = Memo::new(move |_| {
        let with_usage = store.scenario.with(|s| usage_counts(s));
        (with_usage, queue_columns(store.terms.get(), with_usage).len())
    });
    let on_row_key = move |(id, key): (String, RowKey)| {
        if let Some(command) = row_command(store, &rows.get_untracked(), id, key) {
            store.dispatch(command);
        }
    };
    let has_none = Memo::new(move |_| store.scenario.with(|s| s.queues.is_empty()));
    // Rebuilt when the columns change.
    let grid = move || {
        let (with_usage, _) = shape.get();
        view! {
            <EditGrid
                label=head(store, "queues")
                is_tree=true
                columns=Signal::derive(move || queue_columns(store.terms.get(), with_usage))
                rows
                menu=Callback::new(move |id: String| menu(store, &id))
                on_row_key=Callback::new(on_row_key)
            />
        }
    };
    view! {
        {grid}
        {empty_below(move || has_none.get().then_some(Lack::Queues))}
        <div class="add">
            <CommandButton class="btn quiet" command=Command::Change(Change::AddQueue { parent: None })>
                <Icon kind=IconKind::Plus />
                {move || head(store, "queue")}
                <span class="kbd">{key_name(store, "Q")}</span>
            </CommandButton>
            <CommandButton class="btn quiet" command=Command::Change(Change::AddJob { queue: None })>
                <Icon kind=IconKind::Plus />
                {move || head(store, "job")}
                <span class="kbd">{key_name(store, "W")}</span>
            </CommandButton>
        </div>
    }
}

fn row_command(store: Store, rows: &[Row], queue: String, key: RowKey) -> Option<Command> {
    let shift = |to| Some(Command::Change(Change::MoveQueue { queue: queue.clone(), to }));
    match key {
        RowKey::Remove => Some(Command::Change(Change::RemoveQueue(queue))),
        RowKey::Up => shift(Shift::Up),
        RowKey::Down => shift(Shift::Down),
        RowKey::In => {
            let at = rows.iter().position(|r| r.id == queue)?;
            let above = rows[..at].iter().rev().find(|r| r.level == rows[at].level)?;
            (!above.id.is_empty()).then(|| shift(Shift::Under(Some(above.id.clone()))))?
        }
        RowKey::Out => {
            let scenario = store.scenario.get_untracked();
            let parent_of = |name: &str| scenario.queues.iter().find(|q| q.name == name).and_then(|q| q.parent.clone());
            let parent = parent_of(&queue)?;
            shift(Shift::Under(parent_of(&parent)))
        }
        RowKey::Open => Some(Command::FoldQueue(queue, false)),
        RowKey::Fold => Some(Command::FoldQueue(queue, true)),
        RowKey::All => Some(Command::Detail(Some(Path::default().field("queues").named(&queue)))),
    }
}

fn menu(store: Store, queue: &str) -> Vec<MenuItem> {
    let scenario = store.scenario.get_untracked();
    let terms = store.terms.get_untracked();
    let name = || queue.to_string();
    let change = |label: String, change: Change| MenuItem::new(label, Command::Change(change));
    let shift = |to| Change::MoveQueue { queue: name(), to };
    let all = Path::default().field("queues").named(queue);
    let mut items = vec![all_values(queue, all)];
    let below = tree::subtree(&scenario, queue);
    if tree::is_leaf(&scenario, queue) {
        items.push(change(format!("{} to {queue}", terms.fill("Add [a job]")), Change::AddJob { queue: Some(name()) }));
    }
    items.extend([
        change(format!("{} below {queue}", terms.fill("Add a [queue]")), Change::AddQueue { parent: Some(name()) }),
        change(format!("Duplicate {queue}"), Change::DuplicateQueue { queue: name(), jobs: false }),
    ]);
    if scenario.jobs.iter().any(|job| below.contains(&job.queue)) {
        let all = Change::DuplicateQueue { queue: name(), jobs: true };
        items.push(change(format!("Duplicate {queue} {}", terms.fill("with its [jobs]")), all));
    }
    items.extend([
        change("Move up".into(), shift(Shift::Up)).key("Alt+↑"),
        change("Move down".into(), shift(Shift::Down)).key("Alt+↓"),
    ]);
    let parent = scenario.queues.iter().find(|q| q.name == queue).and_then(|q| q.parent.clone());
    if parent.is_some() {
        items.push(change("Move to the top".into(), shift(Shift::Under(None))));
    }
    let others = scenario.queues.iter().filter(|q| !below.contains(&q.name) && Some(&q.name) != parent.as_ref());
    items.extend(
        others.take(12).map(|q| change(format!("Move below {}", q.name), shift(Shift::Under(Some(q.name.clone()))))),
    );
    items.push(change(format!("Remove {queue}"), Change::RemoveQueue(name())).key("Del"));
    items
}
