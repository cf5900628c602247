//! Callbacks of the page for replies and for the death of the engine.

use std::rc::Rc;

use super::protocol::Reply;

#[derive(Clone)]
pub struct ReplyHandlers {
    pub on_reply: Rc<dyn Fn(Reply)>,
    /// The engine has stopped working.
    pub on_death: Rc<dyn Fn()>,
}
