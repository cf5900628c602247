//! The page's end of the border: questions out, answers in, and a fresh engine when one has died.

use super::protocol::Request;
use super::transport::inline::Inline;
use super::transport::worker::WorkerLine;
use crate::engine::reply_handlers::ReplyHandlers;

/// A line to an engine.
pub struct Client {
    /// Drawn with the first question.
    line: Option<Line>,
    handlers: ReplyHandlers,
    wants_worker: bool,
}

enum Line {
    Worker(WorkerLine),
    Inline(Inline),
}

impl Client {
    /// A line to an engine that the first question starts: in a worker if wanted and possible, else in small slices
    /// on the page's own thread.
    pub fn new(handlers: ReplyHandlers, wants_worker: bool) -> Client {
        Client { line: None, handlers, wants_worker }
    }

    /// Sends a question; the first one starts the engine.
    pub fn send(&mut self, request: Request) {
        match self.line.get_or_insert_with(|| connect(&self.handlers, self.wants_worker)) {
            Line::Worker(worker) => worker.send(&request),
            Line::Inline(inline) => inline.send(request),
        }
    }

    /// Ends this engine and starts a fresh one.
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
