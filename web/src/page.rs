//! The page's side: mounts the components and starts the worker.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Worker};

use crate::chart;

/// Mounts the page on `#app`.
pub fn mount() {
    let app = document().get_element_by_id("app").expect("index.html has an element #app");
    leptos::mount::mount_to(app.unchecked_into(), Page).forget();
}

/// Starts a worker that runs this program, through `assets/boot.js`, which holds the compiled module.
fn start_worker() -> Result<Worker, JsValue> {
    let boot = Reflect::get(&js_sys::global(), &"fairground".into())?;
    let start: Function = Reflect::get(&boot, &"startWorker".into())?.dyn_into()?;
    start.call0(&boot)?.dyn_into()
}

/// Sends one message to `worker` and hands its answers to `on_reply`.
fn ask(worker: &Worker, text: &str, on_reply: impl Fn(String) + 'static) {
    let receive = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        on_reply(event.data().as_string().unwrap_or_default());
    });
    worker.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    receive.forget();
    // Fails only for values that cannot be copied; text can.
    let _ = worker.post_message(&text.into());
}

#[component]
fn Page() -> impl IntoView {
    let engine = RwSignal::new("starting".to_owned());
    match start_worker() {
        Ok(worker) => ask(&worker, "ping", move |answer| engine.set(answer)),
        Err(_) => engine.set("no worker".to_owned()),
    }
    let bars = chart::bars(&[("research", 3.0), ("product", 1.0)]);
    view! {
        <main>
            <h1>"Fairground"</h1>
            <p>"Engine: " <output id="engine">{engine}</output></p>
            <figure inner_html=bars></figure>
        </main>
    }
}
