//! Horizontal drag handles of charts: a preview while dragging, one undo step on release, no change on cancel.

use fairground::scenario::Path;
use leptos::prelude::*;

use super::picture::rem;
use super::{on_leave, text_scale};
use crate::input_normalisation;
use crate::state::command::Command;
use crate::state::document;
use crate::store::Store;

/// A handle that changes a value by pointer or by ← and →: by one, with Shift by ten. ↑ and ↓ move to the next handle
/// in the chart. Releasing the pointer or key applies the change; Esc cancels it.
#[component]
pub fn DragHandle(
    /// Accessible name, such as *Weight of team-a*.
    label: String,
    /// Precedes the value beside the pointer.
    word: String,
    /// Path of the value.
    path: Path,
    /// Position: left, top, height.
    place: Signal<(f64, f64, f64)>,
    /// Index of the row of its mark, in a chart of rows.
    row: Option<usize>,
    /// Whether the touch target extends to the right; else to the left.
    on_right: bool,
    /// `0` for the handle in the tab order, `-1` for others.
    #[prop(into)]
    tab: Signal<String>,
    /// Value after a movement in pixels from the mark.
    at_pull: Callback<f64, Option<String>>,
    /// Value a number of steps from a text; an empty text means the current value.
    at_step: Callback<(String, i64), Option<String>>,
    /// The handle received the focus.
    on_focus: Callback<()>,
    /// The handle was pressed without being moved.
    on_press: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let path = StoredValue::new(path);
    let value = move || path.with_value(|path| document::value(&store.edited.get(), path));
    // Pointer position at the start of the drag.
    let pull = RwSignal::new(None::<i32>);
    let wanted = RwSignal::new(None::<String>);
    let want = move |text: String| {
        if wanted.with_untracked(|old| old.as_ref() != Some(&text)) {
            wanted.set(Some(text.clone()));
            store.dispatch(Command::Preview { at: path.get_value(), value: text });
        }
    };
    let down = move |event: web_sys::PointerEvent| {
        // A second finger does not drag.
        if event.button() == 0 && event.is_primary() {
            super::capture(&event);
            pull.set(Some(event.client_x()));
        }
    };
    let moved = move |event: web_sys::PointerEvent| {
        let by = pull.get_untracked().map(|from| event.client_x() - from);
        // A press can move the pointer by a pixel or two.
        let is_meant = |by: &i32| by.abs() > 2 || wanted.with_untracked(Option::is_some);
        if let Some(text) = by.filter(is_meant).and_then(|by| at_pull.run(f64::from(by) / text_scale())) {
            want(text);
        }
    };
    let end = move |takes: bool| {
        let was_pulled = pull.get_untracked().is_some();
        pull.set(None);
        match wanted.get_untracked() {
            Some(value) => {
                wanted.set(None);
                store.dispatch(if takes { Command::Set { at: path.get_value(), value } } else { Command::PreviewEnd });
            }
            None if was_pulled && takes => on_press.run(()),
            None => {}
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let by = if event.shift_key() { 10 } else { 1 };
        match event.key().as_str() {
            "ArrowRight" => step(at_step, wanted, by).into_iter().for_each(want),
            "ArrowLeft" => step(at_step, wanted, -by).into_iter().for_each(want),
            "Escape" if wanted.with_untracked(Option::is_some) => end(false),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    // A change continues while a key is held.
    let key_up = move |event: web_sys::KeyboardEvent| {
        if event.key().starts_with("Arrow") && pull.get_untracked().is_none() {
            end(true);
        }
    };
    let blur = move |_| {
        if pull.get_untracked().is_none() {
            end(true);
        }
        store.dispatch(Command::GestureEnd);
    };
    let class = if row.is_some() { "grip of-mark" } else { "grip" };
    let text = move || wanted.get().unwrap_or_else(value);
    let spoken = move || match text() {
        text if text.trim().is_empty() => "not set".to_string(),
        text => path.with_value(|path| input_normalisation::with_unit(path, &text)).unwrap_or(text),
    };
    let number = move || text().parse::<f64>().ok().filter(|v| v.is_finite()).unwrap_or(0.0).to_string();
    view! {
        <div
            class=class
            class:on-right=on_right
            class:pulled=move || wanted.with(Option::is_some)
            role="slider"
            tabindex=tab
            data-row=row.map(|row| row.to_string())
            aria-label=label.clone()
            aria-orientation="horizontal"
            aria-valuemin="0"
            aria-valuenow=number
            aria-valuetext=spoken
            title=label + ": drag, or ← and →"
            style:--at=move || rem(place.get().0)
            style:top=move || rem(place.get().1)
            style:height=move || rem(place.get().2)
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| end(true)
            on:pointercancel=move |_| end(false)
            on:focus=move |_| {
                on_focus.run(());
                }
            on:blur=on_leave(blur)
            on:keydown=keys
            on:keyup=key_up
        >
            {move || {
                let shown = |wanted: String| view! { <span aria-hidden="true">{format!("{word} {wanted}")}</span> };
                wanted.get().map(shown)
            }}
        </div>
    }
}

fn step(at_step: Callback<(String, i64), Option<String>>, wanted: RwSignal<Option<String>>, by: i64) -> Option<String> {
    at_step.run((wanted.get_untracked().unwrap_or_default(), by))
}
