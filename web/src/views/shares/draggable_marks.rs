//! Draggable marks of Shares: quotas and limits.

use fairground::scenario::Path;
use fairground::units::Resource;
use fairground::words::number::resource_key;
use fairground::words::{Selection, Terms, capital};
use leptos::prelude::*;

use super::drag::{Reach, read};
use super::draw::{Rows, along};
use super::view::{ShareRow, SharesView};
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::drag_handle::DragHandle;

/// Above this number of queues, only the marks of the selected one are draggable.
const QUEUES: usize = 100;

/// Height of a touch target, in pixels.
const FINGER: f64 = 44.0;

/// A draggable mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pull {
    row: usize,
    queue: String,
    resource: Resource,
    is_limit: bool,
}

/// The quota and limit marks of all queues. ↑ and ↓ reach them from the rows; they are not in the tab order.
#[component]
pub fn DraggableMarks(
    /// What Shares draws.
    view: Memo<Option<SharesView>>,
    /// Where its rows are.
    rows: RwSignal<Rows>,
) -> impl IntoView {
    let store = Store::get();
    let all = Memo::new(move |_| view.with(|view| view.as_ref().map_or(Vec::new(), |view| pulls(store, view))));
    view! {
        <div class="pulls" role="group" aria-label="Draggable marks">
            <For each=move || all.get() key=|pull| pull.clone() let:pull>
                <Mark pull view rows />
            </For>
        </div>
    }
}

fn pulls(store: Store, view: &SharesView) -> Vec<Pull> {
    let Some(resource) = view.resource.one().and_then(Resource::accounted) else { return Vec::new() };
    let scenario = store.edited.get();
    let are_many = view.rows.len() > QUEUES;
    let is_setting = |row: &ShareRow| row.queue.is_some() && scenario.queues.iter().any(|queue| queue.name == row.name);
    let rows = view.rows.iter().enumerate().filter(|(_, row)| is_setting(row) && (row.selected || !are_many));
    let terms = Terms::of(&view.policy);
    rows.flat_map(|(at, row)| {
        let of = move |is_limit: bool| Pull { row: at, queue: row.name.clone(), resource, is_limit };
        let limit_is_seen = row.limit.is_some_and(|limit| limit.is_infinite() || limit <= view.max);
        let limit_is_seen = limit_is_seen && terms.reads("limit");
        [terms.reads("quota").then(|| of(false)), limit_is_seen.then(|| of(true))].into_iter().flatten()
    })
    .collect()
}

#[component]
fn Mark(pull: Pull, view: Memo<Option<SharesView>>, rows: RwSignal<Rows>) -> impl IntoView {
    let store = Store::get();
    let Pull { row: at, queue, resource, is_limit } = pull;
    let field = if is_limit { "limit" } else { "quota" };
    let word = store.terms.get_untracked().word(field);
    let path = Path::default().field("queues").named(&queue).field(resource_key(resource)).field(field);
    // Position of the mark, and its scale.
    let stands = move || {
        view.with_untracked(|view| {
            let view = view.as_ref()?;
            let row = view.rows.get(at)?;
            let value = if is_limit { row.limit } else { row.quota };
            let reach = Reach { resource, max: view.max, per_unit: along(view, rows.get_untracked()) };
            Some((value.unwrap_or(f64::INFINITY), reach))
        })
    };
    let place = Signal::derive(move || {
        let rows = rows.get();
        view.with(|view| {
            let Some(view) = view.as_ref() else { return (0.0, 0.0, 0.0) };
            let value = view.rows.get(at).and_then(|row| if is_limit { row.limit } else { row.quota });
            let value = value.unwrap_or(f64::INFINITY);
            let x = value.min(view.max) * along(view, rows);
            // The two must not overlap; the handle for no limit is beyond the end.
            let aside = match (is_limit, value.is_infinite()) {
                (false, _) => -9.0,
                (true, false) => -1.0,
                (true, true) => 2.0,
            };
            let (top, height) = rows.bar();
            // As high as a touch target if rows are.
            let tall = if rows.row >= FINGER { FINGER } else { height + 8.0 };
            (x + aside, rows.head + rows.row * at as f64 + top + (height - tall) / 2.0, tall)
        })
    });
    let at_pull = Callback::new(move |by: f64| stands().map(|(from, reach)| reach.pulled(from, by)));
    let at_step = Callback::new(move |(now, by): (String, i64)| {
        let (from, reach) = stands()?;
        reach.stepped(read(&now).unwrap_or(from), by)
    });
    let chosen = queue.clone();
    view! {
        <DragHandle
            label=format!("{} of {queue}", capital(word))
            word=word.to_string()
            path
            place
            row=Some(at)
            on_right=is_limit
            tab=Signal::stored("-1".to_string())
            at_pull
            at_step
            on_focus=Callback::new(|()| {})
            on_press=store.press(Command::Select(Some(Selection::Queue(chosen.clone()))))
        />
    }
}
