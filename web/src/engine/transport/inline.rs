//! Runs the engine on the page's thread, in slices short enough to keep the page responsive.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::leptos_dom::helpers::set_timeout;

use super::{ReplyHandlers, now_ms};
use crate::engine::protocol::{Message, Request, Response};
use crate::engine::serve::Server;

/// Duration of a slice, in milliseconds.
const SLICE_MS: f64 = 8.0;
/// Number of slices between two progress messages.
const PROGRESS_SLICES: u32 = 10;

/// An engine without a worker.
pub struct Inline {
    engine: Rc<Engine>,
}

struct Engine {
    server: RefCell<Server>,
    waiting: Cell<bool>,
    slices: Cell<u32>,
    handlers: ReplyHandlers,
}

impl Inline {
    pub fn start(handlers: ReplyHandlers) -> Inline {
        let (server, waiting, slices) = (RefCell::default(), Cell::new(false), Cell::new(0));
        Inline { engine: Rc::new(Engine { server, waiting, slices, handlers }) }
    }

    /// Sends a request; replies arrive later, never during this call.
    pub fn send(&self, request: Message<Request>) {
        let engine = self.engine.clone();
        set_timeout(
            move || {
                let replies = engine.server.borrow_mut().handle(request);
                engine.say(replies);
                engine.next_slice();
            },
            Duration::ZERO,
        );
    }
}

impl Engine {
    fn say(&self, replies: Vec<Message<Response>>) {
        for reply in replies {
            (self.handlers.on_reply)(reply);
        }
    }

    fn next_slice(self: Rc<Self>) {
        if self.server.borrow().is_busy() && !self.waiting.replace(true) {
            set_timeout(move || self.slice(), Duration::ZERO);
        }
    }

    fn slice(self: Rc<Self>) {
        self.waiting.set(false);
        let until = now_ms() + SLICE_MS;
        let mut replies = Vec::new();
        {
            let mut server = self.server.borrow_mut();
            while server.is_busy() && now_ms() < until {
                replies.extend(server.work());
            }
            let n = self.slices.get().wrapping_add(1);
            self.slices.set(n);
            if server.is_busy() && n.is_multiple_of(PROGRESS_SLICES) {
                replies.extend(server.progress());
            }
        }
        self.say(replies);
        self.next_slice();
    }
}
