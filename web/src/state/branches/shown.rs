//! What charts show of a run besides the current one.

use std::sync::Arc;

use fairground::words::Ladder;

use crate::engine::protocol::{Frame, Moment, Run};
use crate::engine::report::Report;

/// A moment of another run, as far as it has arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Numbers of the first and the latest request whose replies are shown.
    pub(crate) requests: (u64, u64),
    /// Number of the last request whose frame has arrived, or that was refused.
    pub(crate) answered: u64,
    pub frame: Option<Arc<Frame>>,
    /// The explained fair share.
    pub ladder: Option<Arc<Ladder>>,
    /// Summary of the run.
    pub run: Option<Arc<Run>>,
    /// The report on the run, for the current view.
    pub report: Option<Arc<Report>>,
}

impl Shown {
    /// Whether the reply to a request is shown.
    pub(crate) fn takes(&self, id: u64) -> bool {
        (self.requests.0..=self.requests.1).contains(&id)
    }

    /// Stores what has arrived: the frame with what is explained of it, then the run; a report with either.
    pub(crate) fn add(&mut self, id: u64, moment: Moment) {
        if let Some(frame) = moment.frame {
            self.answered = id;
            self.frame = Some(Arc::from(frame));
            self.ladder = moment.ladder.filter(|ladder| !ladder.levels.is_empty()).map(Arc::new);
        }
        if let Some(run) = moment.run {
            self.run = Some(Arc::from(run));
        }
        if let Some((_, report)) = moment.report {
            self.report = Some(Arc::new(report));
        }
    }
}
