//! The focus stays near where it was: when what had it goes away, such as a dialog, a button that did its work or a row,
//! browsers drop it on the page's body, from where Tab starts anew and letter keys mean something else.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::leptos_dom::helpers::{request_animation_frame, set_timeout, window_event_listener_untyped};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// How many places are remembered.
const PLACES_MAX: usize = 8;

/// What had the focus, and the region around it.
#[derive(Clone)]
struct Place {
    element: HtmlElement,
    region: Option<HtmlElement>,
}

/// Listens until the page ends.
pub fn keep() {
    let places: Rc<RefCell<Vec<Place>>> = Rc::default();
    let seen = places.clone();
    window_event_listener_untyped("focusin", move |event| {
        if let Some(element) = event.target().and_then(|target| target.dyn_into().ok()) {
            remember(&mut seen.borrow_mut(), element);
        }
    });
    let waits = Rc::new(Cell::new(false));
    let on_change = Closure::<dyn FnMut()>::new(move || {
        give_back(&places);
        // What is hidden loses the focus only when the page is drawn.
        if !waits.replace(true) {
            let (places, waits) = (places.clone(), waits.clone());
            request_animation_frame(move || {
                // What is hidden from here on shows in the next frame only.
                waits.set(false);
                set_timeout(move || give_back(&places), Duration::ZERO);
            });
        }
    });
    if let Ok(observer) = MutationObserver::new(on_change.as_ref().unchecked_ref())
        && let Some(body) = document().body()
    {
        let what = MutationObserverInit::new();
        what.set_child_list(true);
        what.set_subtree(true);
        // What is hidden is so by a class.
        what.set_attributes(true);
        what.set_attribute_filter(&js_sys::Array::of1(&"class".into()));
        // Fails only without anything to look for.
        let _ = observer.observe_with_options(&body, &what);
        on_change.forget();
    }
}

fn remember(places: &mut Vec<Place>, element: HtmlElement) {
    let region = element.closest("[data-region]").ok().flatten().and_then(|region| region.dyn_into().ok());
    places.retain(|place| place.element != element);
    if places.len() >= PLACES_MAX {
        places.remove(0);
    }
    places.push(Place { element, region });
}

/// From the page's body to the last place that is still there, or else to the region that it was in.
fn give_back(places: &RefCell<Vec<Place>>) {
    if document().active_element().is_some_and(|active| active.tag_name() != "BODY") {
        return;
    }
    // Giving it back is remembered, too.
    let places = places.borrow().clone();
    // Who presses on nothing wants nothing to have the focus.
    if places.last().is_none_or(|last| is_there(&last.element)) {
        return;
    }
    let elements = places.iter().rev().flat_map(|place| [Some(&place.element), place.region.as_ref()]);
    for element in elements.flatten() {
        if is_there(element) && element.focus().is_ok() && has_focus(element) {
            return;
        }
    }
}

/// Whether it is still shown.
fn is_there(element: &HtmlElement) -> bool {
    element.is_connected() && element.get_bounding_client_rect().width() > 0.0
}

fn has_focus(element: &HtmlElement) -> bool {
    let own: &Element = element;
    document().active_element().is_some_and(|active| active == *own)
}
