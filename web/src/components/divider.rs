//! The line between two panels, moved by pointer and by keys.

use crate::dom::prelude::*;
use wasm_bindgen::JsCast;

use crate::model::{Command, SETUP_WIDTHS};
use crate::store::Store;

/// How far a key moves it, in pixels; with Shift five times as far.
const STEP: i32 = 16;

/// The line between SETUP and NOW.
#[component]
pub fn Divider() -> impl IntoView {
    let store = Store::get();
    let width = Memo::new(move |_| store.view.with(|v| v.setup_width));
    Effect::new(move |_| {
        let root =
            document().document_element().and_then(|root| root.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(root) = root {
            let style = leptos::web_sys::HtmlElement::style(&root);
            let _ = match width.get() {
                0 => style.remove_property("--setup-own").map(drop),
                width => style.set_property("--setup-own", &format!("{width}px")),
            };
        }
    });
    let shown = move |element: &web_sys::Element| {
        let panel = element.previous_element_sibling();
        panel.map_or(0, |panel| panel.get_bounding_client_rect().width() as i32)
    };
    let wider = move |now: i32, by: i32| {
        let width = (now + by).clamp(i32::from(SETUP_WIDTHS.0), i32::from(SETUP_WIDTHS.1));
        store.dispatch(Command::SetupWidth(width as u16));
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let step = if event.shift_key() { STEP * 5 } else { STEP };
        let by = match event.key().as_str() {
            "ArrowLeft" => -step,
            "ArrowRight" => step,
            "Home" => -10_000,
            "End" => 10_000,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(element) = target::<web_sys::Element>(&event) {
            wider(shown(&element), by);
        }
    };
    let drags = StoredValue::new(false);
    let on_down = move |event: web_sys::PointerEvent| {
        if let Some(element) = target::<web_sys::Element>(&event) {
            let _ = element.set_pointer_capture(event.pointer_id());
            drags.set_value(true);
        }
    };
    let on_move = move |event: web_sys::PointerEvent| {
        if drags.get_value() {
            wider(event.client_x(), 0);
        }
    };
    view! {
        <div
            class="divider"
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label="Width of setup"
            aria-valuemin=SETUP_WIDTHS.0.to_string()
            aria-valuemax=SETUP_WIDTHS.1.to_string()
            aria-valuenow=move || match width.get() {
                0 => "412".to_string(),
                width => width.to_string(),
            }
            on:keydown=on_key
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| drags.set_value(false)
        ></div>
    }
}
