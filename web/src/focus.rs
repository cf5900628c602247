//! Restores the focus nearby when the focused element disappears, such as a dialog, a button or a row. Browsers move
//! the focus to the body instead, where Tab starts over and letter keys have other meanings.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::leptos_dom::helpers::{request_animation_frame, set_timeout, window_event_listener_untyped};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// Number of remembered places.
const PLACES_MAX: usize = 8;

/// An element that had the focus, and the region around it.
#[derive(Clone)]
struct FocusedElement {
    element: HtmlElement,
    region: Option<HtmlElement>,
}

/// Installs the listeners for the lifetime of the page.
pub fn keep() {
    let places: Rc<RefCell<Vec<FocusedElement>>> = Rc::default();
    let seen = places.clone();
    window_event_listener_untyped("focusin", move |event| {
        if let Some(element) = event.target().and_then(|target| target.dyn_into().ok()) {
            remember(&mut seen.borrow_mut(), element);
        }
    });
    let is_scheduled = Rc::new(Cell::new(false));
    let on_change = Closure::<dyn FnMut()>::new(move || {
        restore_focus(&places);
        // A hidden element loses the focus only at the next rendering.
        if !is_scheduled.replace(true) {
            let (places, is_scheduled) = (places.clone(), is_scheduled.clone());
            request_animation_frame(move || {
                // What is hidden from here on is rendered in the next frame.
                is_scheduled.set(false);
                set_timeout(move || restore_focus(&places), Duration::ZERO);
            });
        }
    });
    if let Ok(observer) = MutationObserver::new(on_change.as_ref().unchecked_ref())
        && let Some(body) = document().body()
    {
        let what = MutationObserverInit::new();
        what.set_child_list(true);
        what.set_subtree(true);
        // Elements are hidden by a class.
        what.set_attributes(true);
        what.set_attribute_filter(&js_sys::Array::of1(&"class".into()));
        // Fails only if the options select nothing to observe.
        let _ = observer.observe_with_options(&body, &what);
        on_change.forget();
    }
}

fn remember(places: &mut Vec<FocusedElement>, element: HtmlElement) {
    let region = element.closest("[data-region]").ok().flatten().and_then(|region| region.dyn_into().ok());
    places.retain(|place| place.element != element);
    if places.len() >= PLACES_MAX {
        places.remove(0);
    }
    places.push(FocusedElement { element, region });
}

/// Moves the focus from the body to the last place that is still visible, or to its region.
fn restore_focus(places: &RefCell<Vec<FocusedElement>>) {
    if document().active_element().is_some_and(|active| active.tag_name() != "BODY") {
        return;
    }
    // Focusing an element changes the list, so work on a copy.
    let places = places.borrow().clone();
    // A click on an empty area removes the focus deliberately.
    if places.last().is_none_or(|last| is_visible(&last.element)) {
        return;
    }
    let elements = places.iter().rev().flat_map(|place| [Some(&place.element), place.region.as_ref()]);
    for element in elements.flatten() {
        if is_visible(element) && element.focus().is_ok() && has_focus(element) {
            return;
        }
    }
}

/// Whether the element is attached and visible.
fn is_visible(element: &HtmlElement) -> bool {
    element.is_connected() && element.get_bounding_client_rect().width() > 0.0
}

fn has_focus(element: &HtmlElement) -> bool {
    let own: &Element = element;
    document().active_element().is_some_and(|active| active == *own)
}
