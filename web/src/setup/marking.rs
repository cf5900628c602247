//! Several rows of a table: marking for joint edits, and dragging.

use fairground::scenario::{Edit, Path};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::grid::Grid;
use super::rows::Row;
use crate::state::command::Command;
use crate::state::document::{Change, Shift};

/// Dropping on the upper part of a row inserts before it, else below it.
const BEFORE_PART: f64 = 0.35;

impl Grid {
    /// Toggles the mark of a row; with `range`, marks all rows from the active one to it.
    pub(super) fn mark(self, id: String, range: bool) {
        let (active, _) = self.active.get_untracked();
        let position = |id: &str| self.rows.with_untracked(|rows| rows.iter().position(|row| row.id == id));
        if let (true, Some(from), Some(to)) = (range, position(&active), position(&id)) {
            return self.mark_range(from, to);
        }
        self.marked.update(|marked| match marked.iter().position(|other| *other == id) {
            Some(at) => drop(marked.remove(at)),
            // The first mark includes the active row.
            None if marked.is_empty() && active != id => marked.extend([active, id]),
            None => marked.push(id),
        });
    }

    /// Marks all rows between two positions.
    pub(super) fn mark_range(self, from: usize, to: usize) {
        let ids: Vec<String> = self.rows.with_untracked(|rows| {
            let part = rows.get(from.min(to)..=from.max(to)).unwrap_or_default();
            part.iter().map(|row| row.id.clone()).collect()
        });
        self.marked.update(|marked| {
            for id in ids {
                if !id.is_empty() && !marked.contains(&id) {
                    marked.push(id);
                }
            }
        });
    }

    /// Paths in the same column of the other marked rows, if this row is marked.
    pub(super) fn others(self, id: &String, column: usize) -> Vec<Path> {
        let marked = self.marked.get_untracked();
        if column == 0 || !marked.contains(id) {
            return Vec::new();
        }
        self.rows.with_untracked(|rows| {
            let others = rows.iter().filter(|row| row.id != *id && marked.contains(&row.id));
            others.filter_map(|row| row.cells.get(column)?.at.clone()).collect()
        })
    }

    /// Removes all marked rows as one undo step.
    pub(super) fn remove_marked(self) {
        let marked = self.marked.get_untracked();
        self.marked.set(Vec::new());
        let edits: Vec<Edit> = self.rows.with_untracked(|rows| {
            let place = |row: &Row| match row.cells.first()?.at.clone()?.0.as_slice() {
                [list, name, ..] => Some(Path(vec![list.clone(), name.clone()])),
                _ => None,
            };
            let mut edits = Vec::new();
            // Removing a queue removes its descendants.
            let mut gone_below = None;
            for row in rows {
                if gone_below.is_some_and(|level| row.level > level) {
                    continue;
                }
                let is_marked = marked.contains(&row.id);
                gone_below = is_marked.then_some(row.level);
                edits.extend(place(row).filter(|_| is_marked).map(|at| Edit::Remove { at }));
            }
            edits
        });
        let name = format!("remove {} rows", marked.len());
        self.store.dispatch(Command::Change(Change::Edits { name, edits }));
    }

    pub(super) fn drag_start(self, event: &web_sys::DragEvent, row: StoredValue<String>) {
        if let Some(data) = event.data_transfer() {
            let _ = data.set_data("text/plain", &row.get_value());
            data.set_effect_allowed("move");
        }
        self.dragged.set_value(Some(row.get_value()));
    }

    pub(super) fn drag_over(self, event: &web_sys::DragEvent, row: StoredValue<String>) {
        let Some(dragged) = self.dragged.get_value() else { return };
        let id = row.get_value();
        if dragged == id {
            return;
        }
        event.prevent_default();
        let element = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let before = !id.is_empty()
            && element.is_some_and(|row| {
                let rect = row.get_bounding_client_rect();
                f64::from(event.client_y()) < rect.top() + rect.height() * BEFORE_PART
            });
        let now = Some((id, before));
        if self.over.with_untracked(|over| *over != now) {
            self.over.set(now);
        }
    }

    pub(super) fn dropped(self, event: &web_sys::DragEvent) {
        let (dragged, over) = (self.dragged.get_value(), self.over.get_untracked());
        self.drag_end();
        let (Some(queue), Some((target, before))) = (dragged, over) else { return };
        event.prevent_default();
        event.stop_propagation();
        let to = match (before, target.is_empty()) {
            (true, _) => Shift::Before(target),
            (false, true) => Shift::Under(None),
            (false, false) => Shift::Under(Some(target)),
        };
        self.store.dispatch(Command::Change(Change::MoveQueue { queue, to }));
    }

    pub(super) fn drag_end(self) {
        self.dragged.set_value(None);
        self.over.set(None);
    }
}
