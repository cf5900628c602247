//! Dividers between panels, moved by pointer and keys.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::state::command::Command;
use crate::state::layout::view::{SETUP_WIDTHS, View, WHY_WIDTHS};
use crate::store::Store;
use crate::widgets::target;

/// Distance that a key moves a divider, in pixels; five times as far with Shift.
const STEP: i32 = 16;

/// A divider beside a panel of adjustable width.
#[derive(Clone, Copy)]
struct Line {
    class: &'static str,
    label: &'static str,
    /// Custom property of the stylesheet that holds the width, and its default.
    property: &'static str,
    usual: u16,
    range: (u16, u16),
    /// Whether the panel is left of the divider.
    is_left: bool,
    width: fn(&View) -> u16,
    command: fn(u16) -> Command,
}

const SETUP: Line = Line {
    class: "divider",
    label: "Width of Setup",
    property: "--setup-own",
    usual: 412,
    range: SETUP_WIDTHS,
    is_left: true,
    width: |view| view.setup_width,
    command: Command::SetupWidth,
};

const WHY: Line = Line {
    class: "divider of-why",
    label: "Width of Why",
    property: "--why-width",
    usual: 336,
    range: WHY_WIDTHS,
    is_left: false,
    width: |view| view.why_width,
    command: Command::WhyWidth,
};

/// The dividers between SETUP and NOW, and between NOW and WHY.
#[component]
pub fn Divider() -> impl IntoView {
    vec![divider(SETUP), divider(WHY)]
}

/// Distance by which a key moves a divider.
fn by_key(event: &web_sys::KeyboardEvent) -> Option<i32> {
    let step = if event.shift_key() { STEP * 5 } else { STEP };
    Some(match event.key().as_str() {
        "ArrowLeft" => -step,
        "ArrowRight" => step,
        "Home" => -10_000,
        "End" => 10_000,
        _ => return None,
    })
}

fn divider(line: Line) -> AnyView {
    let store = Store::get();
    let width = Memo::new(move |_| store.view.with(line.width));
    Effect::new(move |_| {
        let root = document().document_element().and_then(|root| root.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(root) = root {
            let style = leptos::web_sys::HtmlElement::style(&root);
            let _ = match width.get() {
                0 => style.remove_property(line.property).map(drop),
                width => style.set_property(line.property, &format!("{width}px")),
            };
        }
    });
    // Width of the panel when the divider is at a window position.
    let shown = move |element: &web_sys::Element, x: i32| {
        let main = element.parent_element().map(|main| main.get_bounding_client_rect());
        main.map_or(0, |main| if line.is_left { x - main.left() as i32 } else { main.right() as i32 - x })
    };
    let set = move |width: i32| {
        let width = width.clamp(i32::from(line.range.0), i32::from(line.range.1));
        store.dispatch((line.command)(width as u16));
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let Some(by) = by_key(&event) else { return };
        event.prevent_default();
        event.stop_propagation();
        if let Some(element) = target::<web_sys::Element>(&event) {
            let rect = element.get_bounding_client_rect();
            set(shown(&element, (rect.left() + rect.width() / 2.0) as i32 + by));
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
        if let Some(element) = target::<web_sys::Element>(&event).filter(|_| drags.get_value()) {
            set(shown(&element, event.client_x()));
        }
    };
    view! {
        <div
            class=line.class
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label=line.label
            aria-valuemin=line.range.0.to_string()
            aria-valuemax=line.range.1.to_string()
            aria-valuenow=move || match width.get() {
                0 => line.usual.to_string(),
                width => width.to_string(),
            }
            on:keydown=on_key
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| drags.set_value(false)
        ></div>
    }
    .into_any()
}
