//! Widgets shared by views, forms and dialogs, one file each.

pub mod button;
pub mod dialog;
pub mod drag_handle;
pub mod empty;
pub mod file_chooser;
pub mod icons;
pub mod menu;
pub mod picture;
pub mod save_picture;
pub mod tab_list;
pub mod term;
pub mod translation_notes;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use crate::chart::backend::REM;
use crate::keys;
use crate::store::Store;

/// Scrolls the element with an id into view in its scroll container, if it exists.
pub fn show_id(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Focuses the element with an id, if it exists.
pub fn focus_id(id: &str) {
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Formats milliseconds since 1970 as date and time in the user's locale; empty without a browser.
pub fn date(ms: f64) -> String {
    let of = |_| js_sys::Date::new(&ms.into()).to_locale_string("default", &JsValue::UNDEFINED);
    crate::address::browser().map(of).map(String::from).unwrap_or_default()
}

/// The target of an event, as the type of its element.
pub fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().map(JsCast::unchecked_into)
}

/// A handler for the loss of focus that is inert once its owner is disposed: browsers fire the event at elements while
/// they are removed.
pub fn on_leave(handle: impl Fn(web_sys::FocusEvent) + 'static) -> impl Fn(web_sys::FocusEvent) + 'static {
    let is_there = StoredValue::new(());
    move |event| {
        if is_there.try_get_value().is_some() {
            handle(event);
        }
    }
}

/// Label of a keyboard shortcut on this keyboard; empty if single-character shortcuts are off.
pub fn key_name(store: Store, key: &'static str) -> impl Fn() -> String {
    let set = store.part(|m| m.view.keys);
    move || keys::named(key, set.get()).unwrap_or_default()
}

/// Captures the pointer until it is released.
pub fn capture(event: &web_sys::PointerEvent) {
    use wasm_bindgen::JsCast;
    if let Some(target) = event.target() {
        let _ = target.unchecked_into::<web_sys::Element>().set_pointer_capture(event.pointer_id());
    }
}

/// Width in pixels at the default text size, because the stylesheet uses em: larger text leaves less room for panels.
pub fn window_width() -> f64 {
    let width = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1440.0);
    width / text_scale()
}

/// Ratio of the page's text size to the normal one; 1 unless the browser is configured otherwise. Charts are laid out
/// for normal text and scaled by it.
pub fn text_scale() -> f64 {
    let root = document().document_element();
    let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    let size = size.and_then(|size| size.trim_end_matches("px").parse::<f64>().ok());
    size.filter(|size| *size > 0.0).unwrap_or(REM) / REM
}

/// Error for a text that is not a cycle number.
pub const NO_CYCLE: &str = "Enter a whole number, such as 12.";

/// Parses a cycle number.
pub fn cycle_number(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}
