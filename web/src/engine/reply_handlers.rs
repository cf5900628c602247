//! Callbacks of the page for replies and for the death of the engine.

use std::rc::Rc;

use super::protocol::{Message, Response};

#[derive(Clone)]
pub struct ReplyHandlers {
    pub on_reply: Rc<dyn Fn(Message<Response>)>,
    /// The engine has stopped working.
    pub on_death: Rc<dyn Fn()>,
}
