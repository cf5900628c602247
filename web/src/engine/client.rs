//! The page's end of the border: questions out, answers in, and a fresh engine when one has died.
//!
//! The page's own module has the engine with the policies that the start page needs, built for size. What asks for more
//! (another policy, a foreign file, a large scenario) is given to the whole engine, a module of its own that is built
//! for speed and fetched then.

use std::rc::Rc;

use super::protocol::{Ask, Reply, Request};
use super::transport::{inline::Inline, worker::WorkerLine};

/// What the page does with answers and with the engine's end.
#[derive(Clone)]
pub struct Ears {
    /// An answer came.
    pub on_reply: Rc<dyn Fn(Reply)>,
    /// The engine stopped working.
    pub on_death: Rc<dyn Fn()>,
}

/// A line to an engine.
pub struct Client {
    /// Drawn with the first question.
    line: Option<Line>,
    ears: Ears,
    wants_worker: bool,
    is_whole: bool,
    /// The last question that began a run: a fresh engine must hear it before it can answer others.
    load: Option<Request>,
}

enum Line {
    Worker(WorkerLine),
    Inline(Inline),
}

impl Client {
    /// A line to an engine that the first question starts: in a worker if wanted and possible, else in small slices
    /// on the page's own thread.
    pub fn new(ears: Ears, wants_worker: bool) -> Client {
        Client { line: None, ears, wants_worker, is_whole: false, load: None }
    }

    /// Sends a question; before the first that needs it, the whole engine takes over.
    pub fn send(&mut self, request: Request) {
        if self.line.is_none() {
            self.is_whole = needs_whole(&request.ask);
            self.restart();
        } else if !self.is_whole && self.is_worker() && needs_whole(&request.ask) {
            self.is_whole = true;
            self.restart();
            if let Some(load) = self.load.take_if(|_| !is_load(&request.ask)) {
                self.say(load);
            }
        }
        if is_load(&request.ask) {
            self.load = Some(request.clone());
        }
        self.say(request);
    }

    /// Ends this engine and starts a fresh one.
    pub fn restart(&mut self) {
        if let Some(Line::Worker(worker)) = &self.line {
            worker.end();
        }
        self.line = Some(connect(&self.ears, self.wants_worker, self.is_whole));
    }

    /// Whether the engine runs beside the page.
    pub fn is_worker(&self) -> bool {
        matches!(self.line, Some(Line::Worker(_)))
    }

    fn say(&self, request: Request) {
        match &self.line {
            Some(Line::Worker(worker)) => worker.send(&request),
            Some(Line::Inline(inline)) => inline.send(request),
            None => {}
        }
    }
}

/// Whether it begins a run.
fn is_load(ask: &Ask) -> bool {
    matches!(ask, Ask::Load { .. } | Ask::LoadAt { .. })
}

/// Whether the page's own module cannot answer, or not as fast.
fn needs_whole(ask: &Ask) -> bool {
    match ask {
        Ask::Load { whole, .. } | Ask::LoadAt { whole, .. } | Ask::Rules { whole, .. } => *whole,
        Ask::Import { .. } | Ask::Export { .. } | Ask::Translate { .. } | Ask::Compare { .. } => {
            !cfg!(feature = "whole")
        }
        _ => false,
    }
}

fn connect(ears: &Ears, wants_worker: bool, whole: bool) -> Line {
    if wants_worker && let Ok(worker) = WorkerLine::start(ears.clone(), whole) {
        return Line::Worker(worker);
    }
    Line::Inline(Inline::start(ears.clone()))
}
