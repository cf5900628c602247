//! The moment under the cursor: selection, events, explanation.

pub mod commands;
pub mod explanations;

use std::sync::Arc;

use fairground::words::{Ladder, Order};

use crate::engine::protocol::{EventChecks, Frame, Run};
use crate::engine::report::Report;

/// What is known of the displayed moment and its run.
#[derive(Clone, Debug, Default)]
pub struct Displayed {
    /// The last computed frame.
    pub frame: Option<Arc<Frame>>,
    /// The frame within the cycle, if not all of its decisions are shown.
    pub within_cycle: Option<Arc<Frame>>,
    /// `frame` belongs to a scenario before the last edit.
    pub is_stale: bool,
    /// Summary of the run.
    pub run: Option<Arc<Run>>,
    /// Explanation of the selected queue's fair share.
    pub ladder: Option<Arc<Ladder>>,
    /// The serving order around the selection.
    pub order: Option<Arc<Order>>,
    /// The comparisons of the event that explains the selection, if `frame` does not have them.
    pub event: Option<Arc<EventChecks>>,
    /// The report on the whole run, for views that show more than a moment.
    pub report: Option<Arc<Report>>,
}

impl Displayed {
    /// The frame on screen.
    pub fn shown(&self) -> Option<&Arc<Frame>> {
        self.within_cycle.as_ref().or(self.frame.as_ref())
    }
}
