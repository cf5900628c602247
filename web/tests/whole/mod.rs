//! The page's model and the engine together, without a browser.

use fairground_web::engine::protocol::{Frame, Message, MomentRequest, Request};
use fairground_web::engine::serve::Server;
use fairground_web::library::Example;
use fairground_web::state::command::Command;
use fairground_web::state::document::{Opened, Origin};
use fairground_web::state::effect::Effect;
use fairground_web::state::model::Model;
use fairground_web::state::update::{begin, update};

pub struct Whole {
    pub model: Model,
    pub server: Server,
    /// Announcements, latest last.
    pub announced: Vec<String>,
    /// Number of requests to the engine.
    pub n_requests: u32,
}

impl Whole {
    /// An example at a cycle.
    pub fn open(example: &str, cycle: u32) -> Whole {
        let scenario = Example::find(example).expect("an example").scenario();
        let mut opened = Opened::new(scenario, Origin::Example(example.to_string()));
        opened.moment.cycle = cycle;
        Whole::of(opened)
    }

    /// What was opened, as the page shows it.
    pub fn of(opened: Opened) -> Whole {
        let model = Model::new(opened);
        let mut whole = Whole { model, server: Server::default(), announced: Vec::new(), n_requests: 0 };
        let effects = begin(&mut whole.model);
        whole.carry_out(effects);
        whole
    }

    /// Applies a command and lets the engine work until it is idle.
    pub fn dispatch(&mut self, command: Command) {
        let effects = update(&mut self.model, command);
        self.carry_out(effects);
    }

    /// Replies to requests to the engine.
    pub fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match &effect {
                Effect::AnnounceStep(frame, resource) => {
                    self.announced.push(fairground_web::words::announce(frame, *resource));
                }
                Effect::AnnounceAction(frame, resource) => {
                    self.announced.push(fairground_web::words::announce_action(frame, *resource));
                }
                _ => {}
            }
            let Effect::Send(request) = effect else { continue };
            self.n_requests += 1;
            let mut replies = self.server.handle(request);
            while self.server.is_busy() {
                replies.extend(self.server.work());
            }
            for reply in replies {
                self.dispatch(Command::Replied(Box::new(reply)));
            }
        }
    }

    /// The displayed frame.
    pub fn frame(&self) -> &Frame {
        self.model.moment.frame.as_deref().expect("a frame")
    }
}

/// The requests that start a run.
pub fn loads(effects: &[Effect]) -> impl Iterator<Item = &MomentRequest> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Send(Message { body: Request::Moment(ask), .. }) => Some(ask).filter(|ask| ask.scenario.is_some()),
        _ => None,
    })
}
