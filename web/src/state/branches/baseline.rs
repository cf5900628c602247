//! How it was before the last edit. Charts show it behind the present, as an alternative, until the next edit or step or until
//! it is dismissed.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use crate::engine::protocol::{Frame, QueueRow, Run};
use crate::engine::report::Report;

/// The outcome before an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// What was changed since, such as *quota of team-a 2 → 3*.
    pub changed: String,
    /// The moment under the cursor.
    pub frame: Arc<Frame>,
    /// The cycle of the present run at that moment.
    pub at: u32,
    /// The run in short, as far as it was computed.
    pub run: Arc<Run>,
    /// How the explained fair share came about.
    pub ladder: Option<Arc<Ladder>>,
    /// The document; `None` where it is not the one that ran last.
    pub scenario: Option<Arc<Scenario>>,
    /// What the run has to tell, as the present view wants it told.
    pub report: Option<Arc<Report>>,
}

impl Baseline {
    /// Whether it is how the moment of this frame was: of the same time, or the run is over and stays as it is.
    pub fn is_of(&self, frame: &Frame) -> bool {
        self.at == frame.cycle || (frame.quiet && frame.cycle < self.at)
    }

    /// Whether cycles of the same number come at the same time in a run as they did.
    pub fn is_in_step(&self, run: &Run) -> bool {
        let was = &self.run.points;
        run.points.iter().all(|now| match was.binary_search_by_key(&now.cycle, |point| point.cycle) {
            Ok(at) => was[at].time_ms == now.time_ms,
            Err(_) => true,
        })
    }

    /// Whether the present differs from it in anything that charts show of both.
    pub(crate) fn is_other(&self, frame: &Frame, run: &Run) -> bool {
        let differs = |one: &Frame, other: &Frame| {
            let mut rows = one.queues.iter().enumerate();
            rows.any(|(at, row)| !is_like(row, other.position(&row.name, at).map(|at| &other.queues[at])))
        };
        let of_both = differs(frame, &self.frame)
            || differs(&self.frame, frame)
            || !frame.nodes.iter().map(holders).eq(self.frame.nodes.iter().map(holders));
        let points = run.points.iter().zip(&self.run.points);
        of_both
            || points.into_iter().any(|(now, was)| now.allocated != was.allocated || now.total != was.total)
    }
}

/// A queue that the other side does not know counts as one that has nothing.
fn is_like(row: &QueueRow, other: Option<&QueueRow>) -> bool {
    match other {
        Some(other) => other.allocated == row.allocated && other.fair_share == row.fair_share,
        None => row.allocated.iter().all(|amount| *amount == 0.0),
    }
}

fn holders(node: &crate::engine::protocol::NodeCard) -> Vec<Vec<&str>> {
    node.cells.iter().map(|cell| cell.pods.iter().map(|pod| pod.job.as_str()).collect()).collect()
}
