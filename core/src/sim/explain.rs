//! Every comparison of one cycle, by running it again.
//!
//! # Rule
//! Recording changes no decision; so a cycle may be run again from the state before it with everything recorded. What is not
//! stored costs nothing until somebody asks.

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::id::{JobId, QueueId};
use crate::trace::{Check, Level, Subject, Trace};

/// One cycle with everything that was compared in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The cycle as it was recorded at first.
    pub record: CycleRecord,
    /// What the policy compared, decisive or not, and its refusals; its events are in the record.
    pub trace: Trace,
}

/// Runs the next cycle of a state on a copy. `None`: there is no next cycle.
pub fn explain(before: &Simulation, level: Level) -> Option<Explanation> {
    let mut again = before.clone();
    again.set_level(level);
    let (record, trace) = again.advance_traced()?;
    Some(Explanation { record, trace })
}

impl Explanation {
    /// Every comparison in which the job takes part.
    pub fn about_job(&self, job: JobId) -> Vec<&Check> {
        self.about(|s| s.job == Some(job) || s.other_job == Some(job))
    }

    /// Every comparison in which the queue takes part.
    pub fn about_queue(&self, queue: QueueId) -> Vec<&Check> {
        self.about(|s| s.queue == Some(queue) || s.other_queue == Some(queue))
    }

    fn about(&self, concerns: impl Fn(&Subject) -> bool) -> Vec<&Check> {
        self.trace.checks.iter().filter(|check| concerns(&check.subject)).collect()
    }
}
