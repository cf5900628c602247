//! One file per component.

mod after_frame;
pub mod app;
pub mod bar;
pub mod button;
pub mod cluster;
pub mod dialog;
pub mod dialogs;
pub mod divider;
pub mod division;
pub mod edit_box;
pub mod embed;
pub mod empty;
pub mod fairness;
pub mod field;
pub mod gantt;
pub mod grip;
pub mod help;
pub mod icicle;
pub mod icons;
pub mod lane;
pub mod menu;
pub mod multiples;
pub mod node;
pub mod picture;
pub mod pulls;
pub mod remark;
pub mod saved;
pub mod setup;
pub mod shares;
pub mod sheet;
pub mod strip;
pub mod timeline;
pub mod transport;
pub mod why;

use leptos::prelude::document;
use wasm_bindgen::JsCast;

/// Scrolls the element of that id into sight inside what holds it, if there is one.
pub fn show_id(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Puts the focus on the element of that id, if there is one.
pub fn focus_id(id: &str) {
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// The element that an event is for, as the type that its markup says.
pub fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().map(JsCast::unchecked_into)
}
