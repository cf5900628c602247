//! The bar of an embedded page: its content, a link to the full page, and messages to and from the embedding page.
//!
//! Sent: `{ fairground: "moment", cycle, height }`, when one of them changes; the height, in pixels, fits all content.
//! Received: `{ fairground: "go", cycle }`. There are no other messages.

use fairground::words::number::time as clock;
use js_sys::{Object, Reflect};
use leptos::html;
use leptos::leptos_dom::helpers::window_event_listener;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::address;
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::picture::on_size;

/// The key that identifies messages.
const WORD: &str = "fairground";
/// Largest accepted cycle, the same as in the cycle field.
const CYCLE_MAX: f64 = 999_999_999.0;

/// The bar.
#[component]
pub fn EmbedBar() -> impl IntoView {
    let store = Store::get();
    let title = Memo::new(move |_| store.scenario.with(|s| s.name.clone()));
    let moment = Memo::new(move |_| store.frame.with(|f| f.as_ref().map(|f| (f.cycle, f.time_ms))));
    let height = RwSignal::new(0);
    let place = NodeRef::<html::Div>::new();
    on_size(place, move |page| height.set(page.offset_height()));
    Effect::new(move |_| {
        if let Some((cycle, _)) = moment.get() {
            post_moment(cycle, height.get());
        }
    });
    listen(store);
    let says = move || moment.get().map(|(cycle, at)| format!("cycle {cycle} · {}", clock(at)));
    let whole = move || format!("{}#{}", address::of_page(), store.now(address::write));
    let link = NodeRef::<html::A>::new();
    // The link leads to the current moment when it is followed or copied.
    let update = move |_: web_sys::Event| {
        if let Some(link) = link.get_untracked() {
            link.set_href(&whole());
        }
    };
    view! {
        // Lies behind the whole page to measure its height.
        <div class="embed-size" node_ref=place></div>
        <section class="embed-bar" aria-label="Scenario">
            <h1>{title}</h1>
            <span class="dim">{says}</span>
            <span class="grow"></span>
            <a
                node_ref=link
                href=whole()
                target="_blank"
                rel="noopener"
                on:focus=move |event| update(event.into())
                on:pointerenter=move |event| update(event.into())
                on:pointerdown=move |event| update(event.into())
            >
                "Open in full"
            </a>
        </section>
    }
}

/// The embedding page, if any.
fn parent() -> Option<web_sys::Window> {
    let parent = window().parent().ok().flatten()?;
    (parent != window()).then_some(parent)
}

/// Sends the current moment, which is not confidential, to any origin.
fn post_moment(cycle: u32, height: i32) {
    let Some(parent) = parent() else { return };
    let message = Object::new();
    let entries = [(WORD, "moment".into()), ("cycle", cycle.into()), ("height", height.into())];
    for (key, value) in entries {
        let _ = Reflect::set(&message, &key.into(), &value);
    }
    let _ = parent.post_message(&message, "*");
}

/// Handles messages of the embedding page.
fn listen(store: Store) {
    let listener = window_event_listener(leptos::ev::message, move |event| {
        let is_parent = parent().is_some_and(|parent| event.source().is_some_and(|from| Object::is(&from, &parent)));
        if let Some(cycle) = requested_cycle(&event.data()).filter(|_| is_parent) {
            store.dispatch(Command::GoTo(cycle));
        }
    });
    on_cleanup(move || listener.remove());
}

/// Reads the cycle of `{ fairground: "go", cycle }`.
fn requested_cycle(message: &JsValue) -> Option<u32> {
    let of = |key: &str| Reflect::get(message, &key.into()).ok();
    if of(WORD)?.as_string()? != "go" {
        return None;
    }
    let cycle = of("cycle")?.as_f64()?;
    ((0.0..=CYCLE_MAX).contains(&cycle) && cycle.fract() == 0.0).then_some(cycle as u32)
}
