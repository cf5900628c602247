//! The handle of the WHY sheet over NOW: dragging up or pressing makes the sheet taller, dragging down closes it.

use leptos::prelude::*;

use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::target;

/// Movement from which a touch is a drag, in pixels.
const PULL: i32 = 24;

/// Effect of dragging the handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pull {
    Taller,
    Lower,
    Close,
}

/// Effect of a movement of `down` pixels; `None` for a press without movement.
fn pull(down: i32, is_tall: bool) -> Option<Pull> {
    match down {
        down if down <= -PULL => Some(Pull::Taller),
        down if down >= PULL && is_tall => Some(Pull::Lower),
        down if down >= PULL => Some(Pull::Close),
        _ => None,
    }
}

/// The handle.
#[component]
pub fn SheetHandle() -> impl IntoView {
    let store = Store::get();
    let tall = RwSignal::new(false);
    let from = StoredValue::new(None::<i32>);
    // Every drag is followed by a click.
    let pulled = StoredValue::new(false);
    let on_down = move |event: web_sys::PointerEvent| {
        if let Some(element) = target::<web_sys::Element>(&event) {
            let _ = element.set_pointer_capture(event.pointer_id());
            from.set_value(Some(event.client_y()));
            pulled.set_value(false);
        }
    };
    let on_up = move |event: web_sys::PointerEvent| {
        let Some(start) = from.get_value() else { return };
        from.set_value(None);
        let Some(pull) = pull(event.client_y() - start, tall.get_untracked()) else { return };
        pulled.set_value(true);
        tall.set(pull == Pull::Taller);
        if pull == Pull::Close {
            store.dispatch(Command::Why(false));
        }
    };
    view! {
        <button
            type="button"
            class="sheet-handle only-phone"
            aria-label=move || if tall.get() { "Lower this sheet" } else { "Raise this sheet" }
            aria-expanded=move || tall.get().to_string()
            on:pointerdown=on_down
            on:pointerup=on_up
            on:pointercancel=move |_| from.set_value(None)
            on:click=move |_| {
                if !pulled.get_value() {
                    tall.update(|tall| *tall = !*tall);
                }
                pulled.set_value(false);
            }
        ></button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_pulled_up_down_or_pressed() {
        assert_eq!(pull(-60, false), Some(Pull::Taller));
        assert_eq!(pull(60, true), Some(Pull::Lower));
        assert_eq!(pull(60, false), Some(Pull::Close));
        assert_eq!(pull(3, false), None);
        assert_eq!(pull(-3, true), None);
    }
}
