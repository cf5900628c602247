//! Where questions wait for the engine: its code is fetched when the first one comes.

use super::protocol::{Reply, Request};
use super::serve::Server;
#[cfg(feature = "page")]
use wasm_split_helpers::{SplitLoaderError, wasm_split};

/// What answers, wherever it runs.
pub trait Answers {
    /// Takes a question in; short ones are answered at once.
    fn ask(&mut self, request: Request) -> Vec<Reply>;
    /// A slice of work.
    fn work(&mut self) -> Vec<Reply>;
    /// How far long work came.
    fn progress(&self) -> Option<Reply>;
    /// Whether there is work left.
    fn is_busy(&self) -> bool;
    /// Computes what may be asked next, where nothing is asked.
    fn look_ahead(&mut self);
    /// Computes a little of what a hand that pulls may ask next; `false`: there is nothing to do.
    fn foresee(&mut self) -> bool;
}

impl Answers for Server {
    fn ask(&mut self, request: Request) -> Vec<Reply> {
        Server::ask(self, request)
    }

    fn work(&mut self) -> Vec<Reply> {
        Server::work(self)
    }

    fn progress(&self) -> Option<Reply> {
        Server::progress(self)
    }

    fn is_busy(&self) -> bool {
        Server::is_busy(self)
    }

    fn look_ahead(&mut self) {
        Server::look_ahead(self);
    }

    fn foresee(&mut self) -> bool {
        Server::foresee(self)
    }
}

/// Questions, and who answers them once there is somebody.
#[derive(Default)]
pub struct Desk {
    server: Option<Box<dyn Answers>>,
    early: Vec<Request>,
}

impl Desk {
    /// Takes a question in.
    pub fn ask(&mut self, request: Request) -> Vec<Reply> {
        match &mut self.server {
            Some(server) => server.ask(request),
            None => {
                self.early.push(request);
                Vec::new()
            }
        }
    }

    /// Lets somebody answer, at first what waits.
    pub fn open(&mut self, mut server: Box<dyn Answers>) -> Vec<Reply> {
        let replies = std::mem::take(&mut self.early).into_iter().flat_map(|request| server.ask(request));
        let replies = replies.collect();
        self.server = Some(server);
        replies
    }

    /// A slice of work.
    pub fn work(&mut self) -> Vec<Reply> {
        self.server.as_mut().map(|server| server.work()).unwrap_or_default()
    }

    /// How far long work came.
    pub fn progress(&self) -> Option<Reply> {
        self.server.as_ref()?.progress()
    }

    /// Computes what may be asked next, where nothing is asked.
    pub fn look_ahead(&mut self) {
        if let Some(server) = &mut self.server {
            server.look_ahead();
        }
    }

    /// Computes a little of what a hand that pulls may ask next; `false`: there is nothing to do.
    pub fn foresee(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.foresee())
    }

    /// Whether there is work left.
    pub fn is_busy(&self) -> bool {
        self.server.as_ref().is_some_and(|server| server.is_busy())
    }
}

/// The engine of this program; `None`: its code could not be fetched.
#[cfg(feature = "page")]
pub async fn server() -> Option<Box<dyn Answers>> {
    cut_out().await.ok()
}

#[cfg(feature = "page")]
#[wasm_split(engine, fallible)]
fn cut_out() -> Result<Box<dyn Answers>, SplitLoaderError> {
    Ok(Box::<Server>::default())
}

/// The engine of this program, which is nothing else.
#[cfg(not(feature = "page"))]
pub async fn server() -> Option<Box<dyn Answers>> {
    Some(Box::<Server>::default())
}
