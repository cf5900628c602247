//! What the page does with answers and with the end of the engine.

use std::rc::Rc;

use super::protocol::Reply;

/// What the page does with answers and with the engine's end.
#[derive(Clone)]
pub struct ReplyHandlers {
    /// An answer came.
    pub on_reply: Rc<dyn Fn(Reply)>,
    /// The engine stopped working.
    pub on_death: Rc<dyn Fn()>,
}
