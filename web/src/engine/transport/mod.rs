//! Transports between page and engine (a worker, or small slices on the page's thread), and what they call for replies.

pub mod inline;
mod token;
pub mod worker;

use std::rc::Rc;

use super::protocol::{Message, Response};
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::Performance;

thread_local! {
    static PERFORMANCE: Performance =
        Reflect::get(&js_sys::global(), &"performance".into()).unwrap_or_default().unchecked_into();
}

/// Time for slices of work, in milliseconds. It only goes forward, unlike the time of day, which would let a slice last
/// until a clock that was set back is where it was.
fn now_ms() -> f64 {
    PERFORMANCE.with(Performance::now)
}

#[derive(Clone)]
pub struct ReplyHandlers {
    pub on_reply: Rc<dyn Fn(Message<Response>)>,
    /// The engine has stopped working.
    pub on_death: Rc<dyn Fn()>,
}
