//! The outcome before the last edit. Charts show it behind the current one, as an alternative, until the next edit or
//! step, or until it is dismissed.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use crate::engine::protocol::{Cell, Frame, QueueRow, Run};

#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// What has been changed since, such as *quota of team-a 2 → 3*.
    pub changed: String,
    pub frame: Arc<Frame>,
    /// The cycle of the current run at that moment.
    pub at: u32,
    /// Summary of the run, as far as it was computed.
    pub run: Arc<Run>,
    /// The explained fair share.
    pub ladder: Option<Arc<Ladder>>,
    /// The document; `None` if it is not the one that ran last.
    pub scenario: Option<Arc<Scenario>>,
}

impl Baseline {
    /// Whether it belongs to the moment of a frame: either the same cycle, or the run ended before.
    pub fn is_of(&self, frame: &Frame) -> bool {
        self.at == frame.cycle || (frame.quiet && frame.cycle < self.at)
    }

    /// Whether equal cycle numbers of both runs have equal times.
    pub fn is_in_step(&self, run: &Run) -> bool {
        let was = &self.run.points;
        run.points.iter().all(|now| match was.binary_search_by_key(&now.cycle, |point| point.cycle) {
            Ok(at) => was[at].time_ms == now.time_ms,
            Err(_) => true,
        })
    }

    /// Whether the current outcome differs in anything that charts show of both.
    pub(crate) fn is_other(&self, frame: &Frame, run: &Run) -> bool {
        let differs = |one: &Frame, other: &Frame| {
            let mut rows = one.queues.iter().enumerate();
            rows.any(|(at, row)| !is_like(row, other.position(&row.name, at).map(|at| &other.queues[at])))
        };
        let of_both =
            differs(frame, &self.frame) || differs(&self.frame, frame) || !holders(frame).eq(holders(&self.frame));
        let points = run.points.iter().zip(&self.run.points);
        of_both || points.into_iter().any(|(now, was)| now.allocated != was.allocated || now.total != was.total)
    }
}

/// A queue that is missing in the other frame counts as one without allocations.
fn is_like(row: &QueueRow, other: Option<&QueueRow>) -> bool {
    match other {
        Some(other) => other.allocated == row.allocated && other.fair_share == row.fair_share,
        None => row.allocated.iter().all(|amount| *amount == 0.0),
    }
}

/// The jobs on each GPU, node by node.
fn holders(frame: &Frame) -> impl Iterator<Item = Vec<Vec<&str>>> {
    let of_cell = |cell: &Cell| cell.pods.iter().map(|pod| frame.job(pod.job)).collect();
    frame.nodes.iter().map(move |node| node.cells.iter().map(of_cell).collect())
}
