//! Editable table: a grid with one tab stop, operated by keys and pointer.

use std::collections::BTreeMap;

use fairground::scenario::Severity;
use leptos::html;
use leptos::prelude::*;
use leptos::tachys::html::attribute::custom::custom_attribute;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::edit_box::{Done, EditBox, EditKind};
use super::rows::{Cell, Column, Row};
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::menu::{MenuButton, MenuItem};
use crate::widgets::on_leave;
use crate::widgets::picture::rem;
use crate::widgets::term::term_at;
use crate::{input_normalisation, linked};

/// Row commands of keys besides moving and editing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKey {
    /// Remove it.
    Remove,
    /// Move it up.
    Up,
    /// Move it down.
    Down,
    /// Move it below its previous sibling.
    In,
    /// Move it out of its parent.
    Out,
    /// Show its children.
    Open,
    /// Hide its children.
    Fold,
    /// Show all its values.
    All,
}

/// Position of the grid's tab stop: row and column.
type CellPosition = (String, usize);

/// Initial state of editing.
#[derive(Clone, Debug, PartialEq)]
struct Editing {
    place: CellPosition,
    start: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Grid {
    columns: usize,
    pub(super) rows: Memo<Vec<Row>>,
    by_id: Memo<BTreeMap<String, Row>>,
    chosen: RwSignal<CellPosition>,
    /// The tab stop: the chosen cell, or that of the row that took the place of its removed row.
    pub(super) active: Memo<CellPosition>,
    editing: RwSignal<Option<Editing>>,
    /// Rows that are edited together.
    pub(super) marked: RwSignal<Vec<String>>,
    /// The row that is being dragged.
    pub(super) dragged: StoredValue<Option<String>>,
    /// The row under a dragged one, and whether the drop position is before it.
    pub(super) over: RwSignal<Option<(String, bool)>>,
    root: NodeRef<html::Div>,
    /// The focus is in the grid, or was on an element that has been removed.
    has_focus: StoredValue<bool>,
    on_row_key: Callback<(String, RowKey)>,
    is_tree: bool,
    pub(super) store: Store,
    /// Key of the policy.
    policy: Memo<String>,
}

/// A table edited in place.
#[component]
pub fn EditGrid(
    /// Accessible name.
    #[prop(into)]
    label: String,
    /// Rows have levels and can be folded.
    #[prop(optional)]
    is_tree: bool,
    #[prop(into)] columns: Signal<Vec<Column>>,
    rows: Memo<Vec<Row>>,
    /// Menu entries of a row.
    menu: Callback<String, Vec<MenuItem>>,
    /// Keys that move, fold or remove a row.
    #[prop(into)]
    on_row_key: Callback<(String, RowKey)>,
) -> impl IntoView {
    let by_id = Memo::new(move |_| {
        rows.with(|rows| rows.iter().map(|r| (r.id.clone(), r.clone())).collect::<BTreeMap<_, _>>())
    });
    let first = rows.with_untracked(|rows| rows.first().map(|r| r.id.clone()).unwrap_or_default());
    let chosen = RwSignal::new((first, 0));
    let n_columns = columns.with_untracked(Vec::len);
    let grid = Grid {
        columns: n_columns,
        rows,
        by_id,
        chosen,
        active: active_cell(rows, chosen),
        editing: RwSignal::new(None),
        marked: RwSignal::new(Vec::new()),
        dragged: StoredValue::new(None),
        over: RwSignal::new(None),
        root: NodeRef::new(),
        has_focus: StoredValue::new(false),
        on_row_key,
        is_tree,
        store: Store::get(),
        policy: Store::get().text(|m| m.document.scenario.policy.clone()),
    };
    grid.follow_focus();
    let tracks = move || {
        let widths: Vec<&str> = columns.with(|columns| columns.iter().map(|c| c.width).collect());
        format!("{} 1.5rem", widths.join(" "))
    };
    let head = move || {
        let cells = columns.get().into_iter().map(|column| {
            let title = (!column.title.is_empty()).then_some(column.title);
            // The grid has one tab stop; keyboard users reach the definition in Help.
            let label = term_at(column.label, false);
            view! { <span role="columnheader" class:num=column.is_number title=title>{label}</span> }
        });
        view! {
            {cells.collect_view()}
            <span role="columnheader"><span class="unseen">"more"</span></span>
        }
    };
    view! {
        <div
            node_ref=grid.root
            class="edit-grid"
            role=if is_tree { "treegrid" } else { "grid" }
            aria-label=label
            aria-multiselectable="true"
            aria-rowcount=move || rows.with(|rows| rows.len() + 1).to_string()
            on:keydown=move |event| grid.on_key(&event)
            on:focusin=move |_| grid.has_focus.set_value(true)
            on:focusout=on_leave(move |event: web_sys::FocusEvent| {
                if event.related_target().is_some() {
                    grid.has_focus.set_value(false);
                }
            })
        >
            <div class="grid head" role="row" style:grid-template-columns=tracks>{head}</div>
            <For each=move || rows.get() key=|row| row.id.clone() let:row>
                <GridRow grid id=row.id.clone() columns tracks=Signal::derive(tracks) menu />
            </For>
        </div>
    }
}

#[component]
fn GridRow(
    grid: Grid,
    id: String,
    columns: Signal<Vec<Column>>,
    tracks: Signal<String>,
    menu: Callback<String, Vec<MenuItem>>,
) -> impl IntoView {
    let store = Store::get();
    let tones = use_context::<super::Tones>();
    let key = StoredValue::new(id.clone());
    let row = Memo::new(move |_| key.with_value(|id| grid.by_id.with(|rows| rows.get(id).cloned())));
    let part = move |get: fn(&Row) -> Option<String>| move || row.with(|row| row.as_ref().and_then(get));
    let is_selected = Memo::new(move |_| {
        row.with(|row| {
            let select = row.as_ref().and_then(|row| row.select.as_ref());
            select.is_some_and(|select| store.is_in_selection(select))
        })
    });
    let is_top = move || row.with(|row| row.as_ref().is_some_and(|r| r.is_top));
    let swatch = move || {
        let queue = row.with(|row| row.as_ref().and_then(|r| r.queue.clone()))?;
        tones.map(|tones| tones.css(&queue))
    };
    let mark = move || {
        row.with(|row| row.as_ref().and_then(|r| r.mark.clone())).map(|(severity, says)| {
            let (kind, class, word) = match severity {
                Severity::Error => (IconKind::Problem, "mark error", "Error"),
                Severity::Warning => (IconKind::Warning, "mark warning", "Warning"),
            };
            view! {
                <span class=class title=says.clone()>
                    <Icon kind />
                    <span class="unseen">{format!("{word}: {says}")}</span>
                </span>
            }
        })
    };
    let is_tree = grid.is_tree;
    let level = part(|r| Some(r.level.to_string()));
    let open = part(|r| r.open.map(|o| o.to_string()));
    let place = part(|r| Some(r.place.0.to_string()));
    let set_size = part(|r| Some(r.place.1.to_string()));
    let indent = move || {
        let level = row.with(|row| row.as_ref().map_or(1, |r| r.level));
        rem((level - 1) as f64 * 14.0)
    };
    let chevron = move || {
        let open = row.with(|row| row.as_ref().and_then(|r| r.open));
        open.map(|open| {
            let toggle = if open { RowKey::Fold } else { RowKey::Open };
            view! {
                <button
                    type="button"
                    class="chev"
                    tabindex="-1"
                    aria-hidden="true"
                    on:click=move |event| {
                        event.stop_propagation();
                        grid.on_row_key.run((key.get_value(), toggle));
                    }
                >
                    <Icon kind=if open { IconKind::Down } else { IconKind::Right } />
                </button>
            }
        })
    };
    let cells = (1..grid.columns).map(move |column| {
        let is_number = columns.with_untracked(|c| c.get(column).is_some_and(|c| c.is_number));
        view! {
            <span class:num=is_number role="gridcell">
                <CellView grid row=key column cell=row />
            </span>
        }
    });
    let has_menu = !id.is_empty();
    let can_drag = is_tree && has_menu;
    let is_marked = move || grid.marked.with(|marked| key.with_value(|id| marked.contains(id)));
    let is_over = move |before: bool| {
        grid.over.with(|over| over.as_ref().is_some_and(|over| over.1 == before && key.with_value(|id| *id == over.0)))
    };
    let menu_of = Callback::new(move |()| menu.run(key.get_value()));
    view! {
        <div
            class="grid rowq"
            class:on=is_selected
            class:top=is_top
            class:marked=is_marked
            class:drop-in=move || is_over(false)
            class:drop-before=move || is_over(true)
            role="row"
            draggable=can_drag.then_some("true")
            on:dragstart=move |event| grid.drag_start(&event, key)
            on:dragover=move |event| grid.drag_over(&event, key)
            on:dragleave=move |_| grid.over.set(None)
            on:dragend=move |_| grid.drag_end()
            on:drop=move |event| grid.dropped(&event)
            data-row=id
            style:grid-template-columns=tracks
            aria-expanded=move || if is_tree { open() } else { None }
            aria-posinset=move || if is_tree { place() } else { None }
            aria-setsize=move || if is_tree { set_size() } else { None }
            aria-selected=move || (is_selected.get() || is_marked()).to_string()
            {..custom_attribute("aria-level", move || if is_tree { level() } else { None })}
        >
            <span class="nm" role="gridcell" style:padding-left=move || is_tree.then(indent)>
                {is_tree.then(|| view! { <span class="chev-room">{chevron}</span> })}
                {move || swatch().map(|color: String| view! { <i class="sw" style:background=color></i> })}
                <CellView grid row=key column=0 cell=row />
                {mark}
            </span>
            {cells.collect_view()}
            <span role="gridcell" class="row-more">
                {has_menu
                    .then(|| {
                        view! {
                            <MenuButton
                                label=Signal::derive(move || format!("More for {}", key.get_value()))
                                class="btn quiet icon small"
                                items=menu_of
                                outside_tab_order=true
                            >
                                <Icon kind=IconKind::More />
                            </MenuButton>
                        }
                    })}
            </span>
        </div>
    }
}

#[component]
fn CellView(grid: Grid, row: StoredValue<String>, column: usize, cell: Memo<Option<Row>>) -> impl IntoView {
    let cell = Memo::new(move |_| cell.with(|row| row.as_ref().and_then(|r| r.cells.get(column).cloned())));
    let is_here = move |place: &CellPosition| place.1 == column && row.with_value(|id| *id == place.0);
    let is_active = Memo::new(move |_| grid.active.with(is_here));
    let editing = Memo::new(move |_| grid.editing.with(|e| e.as_ref().filter(|e| is_here(&e.place)).cloned()));
    let on_click = move |event: leptos::ev::MouseEvent| {
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            grid.mark(row.get_value(), event.shift_key());
            return grid.chosen.set((row.get_value(), column));
        }
        if grid.marked.with_untracked(|marked| row.with_value(|id| !marked.contains(id))) {
            grid.marked.set(Vec::new());
        }
        grid.chosen.set((row.get_value(), column));
        let can_edit = cell.with_untracked(|c| c.as_ref().is_some_and(|c| c.at.is_some()));
        if column > 0 && can_edit {
            grid.edit(None);
        } else {
            grid.select();
        }
    };
    let shown = move || {
        let Cell { at, text, shown, spoken, is_dim, is_locked, .. } = cell.get()?;
        let path = at.as_ref().map(ToString::to_string);
        let normal = at.as_ref().and_then(|at| input_normalisation::normal(at, &text));
        let normal = normal.filter(|normal| !spoken.ends_with(normal.as_str()));
        let spoken = normal.map_or(spoken.clone(), |normal| format!("{spoken} = {normal}"));
        let number = at.as_ref().and_then(|at| grid.policy.with(|policy| linked::of_field(policy, at)));
        Some(view! {
            <span
                class="cell"
                class:dim=is_dim
                class:fixed=at.is_none()
                tabindex=move || if is_active.get() { "0" } else { "-1" }
                data-path=path
                data-number=number
                data-column=column.to_string()
                title=(spoken != shown).then(|| spoken.clone())
                on:click=on_click
                on:dblclick=move |_| grid.edit(None)
                on:focus=move |_| grid.chosen.set((row.get_value(), column))
            >
                <span aria-hidden=(spoken != shown).then_some("true")>{shown.clone()}</span>
                {is_locked.then(|| view! { <Icon kind=IconKind::Lock /> })}
                {(spoken != shown).then(|| view! { <span class="unseen">{spoken.clone()}</span> })}
            </span>
        })
    };
    move || match editing.get() {
        None => shown().into_any(),
        Some(editing) => {
            let Some(Cell { at: Some(at), text, spoken, kind, .. }) = cell.get_untracked() else {
                return ().into_any();
            };
            let done = move |(how, text)| grid.finish(row.get_value(), column, how, text);
            view! {
                <EditBox
                    at
                    start=text
                    kind
                    label=spoken
                    typed=editing.start.unwrap_or_default()
                    others=grid.others(&row.get_value(), column)
                    on_done=Callback::new(done)
                />
            }
            .into_any()
        }
    }
}

impl Grid {
    fn current(self) -> Option<(usize, Row)> {
        let (id, _) = self.active.get_untracked();
        self.rows.with_untracked(|rows| {
            let at = rows.iter().position(|r| r.id == id)?;
            Some((at, rows[at].clone()))
        })
    }

    fn select(self) {
        if let Some((_, Row { select: Some(selection), .. })) = self.current() {
            self.store.dispatch(Command::Select(Some(selection)));
        }
    }

    /// Starts editing the active cell; `start` is the character typed to start it.
    fn edit(self, start: Option<String>) {
        let place = self.active.get_untracked();
        let can = self.current().is_some_and(|(_, row)| row.cells.get(place.1).is_some_and(|c| c.at.is_some()));
        if can {
            self.editing.set(Some(Editing { place, start }));
        }
    }

    fn finish(self, row: String, column: usize, how: Done, text: String) {
        self.editing.set(None);
        if column == 0 && self.by_id.with_untracked(|rows| !rows.contains_key(&row)) {
            self.chosen.set((text.trim().to_string(), 0));
        }
        if how == Done::Key {
            self.focus();
        }
    }

    /// Moves the focus to the row that took the place of a removed one, if the focus was in the grid.
    fn follow_focus(self) {
        Effect::new(move |before: Option<CellPosition>| {
            let active = self.active.get();
            let is_gone = |id: &String| !id.is_empty() && self.by_id.with_untracked(|rows| !rows.contains_key(id));
            if before.is_some_and(|(id, _)| is_gone(&id)) && self.has_focus.get_value() {
                self.focus();
            }
            active
        });
    }

    /// Focuses the active cell once it is rendered.
    fn focus(self) {
        request_animation_frame(move || {
            // By then another tab or a form may have replaced the grid.
            let Some((id, column)) = self.active.try_get_untracked() else { return };
            let Some(root) = self.root.try_get_untracked().flatten() else { return };
            let root: &HtmlElement = root.as_ref();
            // The focus is not moved back if it has left the grid meanwhile. When a focused element was removed, a
            // surrounding region may have received the focus.
            let has_left = |at: &web_sys::Element| !at.contains(Some(root)) && !root.contains(Some(at));
            if document().active_element().is_some_and(|at| has_left(&at)) {
                return;
            }
            if let Some(cell) = in_row(root, &id, &format!("[data-column=\"{column}\"]")) {
                let _ = cell.focus();
            }
        });
    }

    fn go(self, row: usize, column: usize) {
        let id = self.rows.with_untracked(|rows| rows.get(row).map(|r| r.id.clone()));
        if let Some(id) = id {
            self.chosen.set((id, column));
            self.focus();
        }
    }

    fn on_key(self, event: &leptos::ev::KeyboardEvent) {
        if self.editing.with_untracked(Option::is_some) {
            return;
        }
        let Some((at, row)) = self.current() else { return };
        if event.ctrl_key() || event.meta_key() {
            if event.key() != " " {
                return;
            }
            self.mark(row.id, false);
            event.prevent_default();
            return event.stop_propagation();
        }
        let column = self.active.with_untracked(|(_, column)| *column);
        let n = self.rows.with_untracked(Vec::len);
        let press = |key| {
            if !row.id.is_empty() {
                self.on_row_key.run((row.id.clone(), key));
                self.focus();
            }
        };
        match (event.key().as_str(), event.alt_key()) {
            ("Enter", true) => press(RowKey::All),
            ("ArrowUp", true) => press(RowKey::Up),
            ("ArrowDown", true) => press(RowKey::Down),
            ("ArrowRight", true) if self.is_tree => press(RowKey::In),
            ("ArrowLeft", true) if self.is_tree => press(RowKey::Out),
            ("ArrowUp" | "ArrowDown", _) if event.shift_key() => {
                let to = if event.key() == "ArrowUp" { at.saturating_sub(1) } else { (at + 1).min(n - 1) };
                self.mark_range(at, to);
                self.go(to, column);
            }
            ("Escape", _) if self.marked.with_untracked(|marked| !marked.is_empty()) => {
                self.marked.set(Vec::new());
            }
            ("ArrowUp", _) => self.go(at.saturating_sub(1), column),
            ("ArrowDown", _) => self.go((at + 1).min(n - 1), column),
            ("PageUp", _) => self.go(at.saturating_sub(10), column),
            ("PageDown", _) => self.go((at + 10).min(n - 1), column),
            ("ArrowRight", _) if column == 0 && row.open == Some(false) => press(RowKey::Open),
            ("ArrowRight", _) => self.go(at, (column + 1).min(self.columns - 1)),
            ("ArrowLeft", _) if column > 0 => self.go(at, column - 1),
            ("ArrowLeft", _) if row.open == Some(true) => press(RowKey::Fold),
            ("ArrowLeft", _) => {
                let above = |rows: &Vec<Row>| rows[..at].iter().rposition(|r| r.level < row.level);
                if let Some(parent) = self.rows.with_untracked(above) {
                    self.go(parent, 0);
                }
            }
            ("Home", _) => self.go(at, 0),
            ("End", _) => self.go(at, self.columns - 1),
            ("Enter" | "F2", _) => self.edit(None),
            (" ", _) => self.select(),
            ("Delete", _) if self.marked.with_untracked(|marked| marked.len() > 1) => self.remove_marked(),
            ("Delete", _) => press(RowKey::Remove),
            ("ContextMenu", _) => self.open_menu(),
            ("F10", _) if event.shift_key() => self.open_menu(),
            (digit, false) if digit.len() == 1 && digit.as_bytes()[0].is_ascii_digit() => {
                let is_number = row.cells.get(column).is_some_and(|c| c.kind == EditKind::Number);
                if !is_number {
                    return;
                }
                self.edit(Some(digit.to_string()));
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    fn open_menu(self) {
        let (id, _) = self.active.get_untracked();
        let Some(root) = self.root.get_untracked() else { return };
        if let Some(button) = in_row(root.as_ref(), &id, ".row-more button") {
            button.click();
        }
    }
}

/// The chosen cell while its row exists; then the same column of the row in its place, or of the last row.
fn active_cell(rows: Memo<Vec<Row>>, chosen: RwSignal<CellPosition>) -> Memo<CellPosition> {
    let at = Memo::new(move |before: Option<&(CellPosition, usize)>| {
        let (id, column) = chosen.get();
        rows.with(|rows| {
            let index_of = |id: &str| rows.iter().position(|row| row.id == id);
            let index = index_of(&id).or_else(|| index_of(&before?.0.0));
            let index = index.or(before.map(|(_, index)| *index)).unwrap_or(0);
            let index = index.min(rows.len().saturating_sub(1));
            let id = rows.get(index).map_or(id, |row| row.id.clone());
            ((id, column), index)
        })
    });
    Memo::new(move |_| at.with(|(place, _)| place.clone()))
}

/// An element in a row of the grid, by a selector.
fn in_row(root: &HtmlElement, id: &str, selector: &str) -> Option<HtmlElement> {
    let rows = root.query_selector_all("[data-row]").ok()?;
    let mut rows = (0..rows.length()).filter_map(|i| rows.get(i)?.dyn_into::<HtmlElement>().ok());
    let row = rows.find(|row| row.dataset().get("row").as_deref() == Some(id))?;
    row.query_selector(selector).ok()?.map(JsCast::unchecked_into)
}
