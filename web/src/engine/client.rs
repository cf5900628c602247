//! The page's end of the protocol: sends requests, delivers replies, restarts the engine after its death.

use super::protocol::{Message, Request};
use super::transport::ReplyHandlers;
use super::transport::inline::Inline;
use super::transport::worker::WorkerLine;

/// A connection to an engine.
pub struct Client {
    /// Established by the first request.
    line: Option<Line>,
    handlers: ReplyHandlers,
    wants_worker: bool,
}

enum Line {
    Worker(WorkerLine),
    Inline(Inline),
}

impl Client {
    /// Returns a client whose first request starts the engine: in a worker if desired and possible, otherwise in small
    /// slices on the page's thread.
    pub fn new(handlers: ReplyHandlers, wants_worker: bool) -> Client {
        Client { line: None, handlers, wants_worker }
    }

    /// Sends a request; the first one starts the engine.
    pub fn send(&mut self, request: Message<Request>) {
        match self.line.get_or_insert_with(|| connect(&self.handlers, self.wants_worker)) {
            Line::Worker(worker) => worker.send(&request),
            Line::Inline(inline) => inline.send(request),
        }
    }

    /// Ends this engine and starts another one.
    pub fn restart(&mut self) {
        if let Some(Line::Worker(worker)) = &self.line {
            worker.end();
        }
        self.line = Some(connect(&self.handlers, self.wants_worker));
    }
}

fn connect(handlers: &ReplyHandlers, wants_worker: bool) -> Line {
    if wants_worker && let Ok(worker) = WorkerLine::start(handlers.clone()) {
        return Line::Worker(worker);
    }
    Line::Inline(Inline::start(handlers.clone()))
}
