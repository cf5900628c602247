//! What can be pulled sideways in a chart: with an alternative while it is pulled, one step of undo when it is let go, and
//! nothing left when it is not.

use fairground::scenario::Path;
use leptos::prelude::*;

use super::picture::rem;
use super::{on_leave, text_scale};
use crate::input_normalisation;
use crate::state::command::Command;
use crate::state::document;
use crate::store::Store;

/// A place where a value is pulled, by a pointer or by ← and →: by one, with Shift by ten. ↑ and ↓ lead to the next one in
/// its chart. What is being pulled is taken when the pointer or the key is let go, and
/// not at all after Esc.
/// Long because its markup is one tree.
#[component]
pub fn DragHandle(
    /// What is pulled, such as *Weight of team-a*.
    label: String,
    /// What stands before the value beside the pointer.
    word: String,
    /// Where the value is set.
    path: Path,
    /// Its place: left, top, height.
    place: Signal<(f64, f64, f64)>,
    /// The row of the mark that it lies over, in a chart of rows.
    row: Option<usize>,
    /// A finger takes hold of it on its right; else on its left.
    on_right: bool,
    /// `0` for the grip that Tab leads to, `-1` for others.
    #[prop(into)]
    tab: Signal<String>,
    /// The value after a pull by so many pixels from where it stands.
    at_pull: Callback<f64, Option<String>>,
    /// The value so many steps from another, which is empty for the one that is set.
    at_step: Callback<(String, i64), Option<String>>,
    /// The grip got the focus.
    on_focus: Callback<()>,
    /// It was pressed and let go where it was.
    on_press: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let path = StoredValue::new(path);
    let value = move || path.with_value(|path| document::value(&store.edited.get(), path));
    // Where the pull began.
    let pull = RwSignal::new(None::<i32>);
    let wanted = RwSignal::new(None::<String>);
    let want = move |text: String| {
        if wanted.with_untracked(|old| old.as_ref() != Some(&text)) {
            wanted.set(Some(text.clone()));
            store.dispatch(Command::Preview { at: path.get_value(), value: text });
        }
    };
    // A drag often begins with one step up.
    let take_hold = move || {
        if let Some(value) = at_step.run((String::new(), 1)) {
            store.dispatch(Command::Speculate { at: path.get_value(), value });
        }
    };
    let down = move |event: web_sys::PointerEvent| {
        // A second finger pulls nothing.
        if event.button() == 0 && event.is_primary() {
            take_hold();
            super::capture(&event);
            pull.set(Some(event.client_x()));
        }
    };
    let moved = move |event: web_sys::PointerEvent| {
        let by = pull.get_untracked().map(|from| event.client_x() - from);
        // A press moves the pointer by a pixel or two.
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
                store.dispatch(match takes {
                    true => Command::Set { at: path.get_value(), value },
                    false => Command::PreviewEnd,
                });
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
    // A pull goes on while a key is held, too.
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
                take_hold();
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

fn step(
    at_step: Callback<(String, i64), Option<String>>,
    wanted: RwSignal<Option<String>>,
    by: i64,
) -> Option<String> {
    at_step.run((wanted.get_untracked().unwrap_or_default(), by))
}
