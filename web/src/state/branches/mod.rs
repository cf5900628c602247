//! Runs other than the current one: the baseline of the last edit, the preview of the next, what-if runs, comparison of
//! policies; reports on whole runs; and what charts show of each.

pub mod alternative;
pub mod baseline;
pub mod commands;
pub mod kept;
pub mod kept_run;
pub mod report;
pub mod what_if;

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use self::baseline::Baseline;
use self::kept_run::Kept;
use self::what_if::Help;
use crate::engine::protocol::{BranchId, Compared, Frame, Moment, Run};
use crate::engine::report::Report;

/// Runs other than the current one that charts and explanations refer to.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    /// What charts show of them.
    pub others: BTreeMap<BranchId, Shown>,
    /// The outcome before the last edit.
    pub baseline: Option<Arc<Baseline>>,
    /// The outcome before the last edit, whose effect the line under the header tells instead of that of the cycle.
    pub told_edit: Option<Arc<Baseline>>,
    /// Runs kept for comparison.
    pub kept: Kept,
    /// Changes that would help a job.
    pub help: Option<Arc<Help>>,
}

impl Branches {
    /// Drops the preview and ignores its replies in flight.
    pub(crate) fn drop_preview(&mut self) {
        self.others.remove(&BranchId::Preview);
    }
}

/// What the current run is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// The scenario under every policy.
    Policies {
        /// Include the simple policies.
        with_baselines: bool,
    },
    /// The scenario in all modelled versions of its scheduler.
    Versions,
    /// The kept runs.
    Kept,
}

impl Default for Others {
    fn default() -> Others {
        Others::Policies { with_baselines: false }
    }
}

/// Runs of several scenarios side by side.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// What the current run is compared with.
    pub others: Others,
    /// The scenario of the current run; `None`: not compared yet.
    pub scenario: Option<Arc<Scenario>>,
    /// Finished runs.
    pub compared: Arc<Vec<Compared>>,
    /// Number of runs.
    pub n_runs: usize,
    /// Caption and cycle of the current run.
    pub progress: Option<(String, u32)>,
}

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
