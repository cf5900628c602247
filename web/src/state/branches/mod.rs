//! Runs other than the current one, and what charts show of each: the baseline of the last edit, the preview of the next,
//! what-if runs, kept runs, comparison of policies.

pub mod alternative;
pub mod commands;
pub mod kept;

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::link;
use fairground::scenario::{Edit, Scenario, apply, dotted_edits_between};
use fairground::suggestions::{self, Idea, Outcome, Tried};
use fairground::words::Ladder;

use super::document::{Change, Checked};
use crate::engine::protocol::{BranchId, Cell, Compared, Frame, Moment, QueueRow, Run};
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

/// Letters of kept runs; they limit their number.
pub const LETTERS: [char; 5] = ['A', 'B', 'C', 'D', 'E'];

#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    pub letter: char,
    /// The last edit before it was kept, such as *weight of team-b 1 → 4*.
    pub label: String,
    /// The document; the run is computed from it whenever it is shown.
    pub scenario: Arc<Scenario>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Ordered by letter.
    pub runs: Vec<KeptRun>,
    /// The letter of the run that charts show behind the current one.
    pub compared: Option<char>,
}

impl Kept {
    /// The runs of a link to a scenario; those that do not fit it are left out.
    pub(crate) fn of_link(kept: &[link::KeptRun], scenario: &Scenario) -> Kept {
        let run = |of: &link::KeptRun| {
            let edits = of.values.iter().map(|(at, value)| Edit::Set { at: at.clone(), value: value.clone() });
            let scenario = apply(scenario, &edits.collect::<Vec<_>>()).ok()?;
            let checked = Checked::of(scenario);
            let can_run = checked.errors().next().is_none();
            can_run.then(|| KeptRun { letter: of.letter, label: of.label.clone(), scenario: checked.scenario })
        };
        let mut runs: Vec<KeptRun> = kept.iter().filter_map(run).filter(|run| LETTERS.contains(&run.letter)).collect();
        let compared = runs.first().map(|run| run.letter);
        runs.sort_by_key(|run| run.letter);
        runs.dedup_by_key(|run| run.letter);
        Kept { runs, compared }
    }

    /// The runs that differ from the scenario in values only, for a link to it: the compared one first.
    pub fn in_link(&self, scenario: &Scenario) -> Vec<link::KeptRun> {
        let run = |run: &KeptRun| {
            let pair = |edit: Edit| if let Edit::Set { at, value } = edit { Some((at, value)) } else { None };
            let edits = dotted_edits_between(scenario, &run.scenario)?;
            let values: Vec<_> = edits.into_iter().filter_map(pair).collect();
            let fits = values.len() <= link::VALUES_MAX;
            fits.then(|| link::KeptRun { letter: run.letter, label: run.label.clone(), values })
        };
        let mut runs: Vec<link::KeptRun> = self.runs.iter().filter_map(run).collect();
        runs.sort_by_key(|run| Some(run.letter) != self.compared);
        runs
    }

    pub fn run(&self, letter: char) -> Option<&KeptRun> {
        self.runs.iter().find(|run| run.letter == letter)
    }

    /// Whether the current run is compared with a kept one.
    pub fn is_comparing(&self) -> bool {
        self.compared.is_some()
    }
}

/// Changes tried for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    pub job: String,
    pub cycle: u32,
    /// Some of its pods are already running.
    pub has_part: bool,
    /// Smallest change first.
    pub(crate) trials: Vec<Trial>,
    pub(crate) state: TrialState,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The change as data, for its description.
    pub idea: Idea,
    /// The edit that choosing it makes.
    pub change: Change,
    /// Applies from the start, although edits should apply from the cursor on.
    pub is_from_start: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrialState {
    Running,
    TooLarge,
    Tried(Box<Tried>),
}

impl Trial {
    /// Label of the button that makes the change.
    pub fn label(&self, policy: &str) -> String {
        let name = suggestions::label(&self.idea, policy);
        if self.is_from_start { name + ", from the start" } else { name }
    }
}

impl Help {
    /// Whether runs are still in progress.
    pub fn is_running(&self) -> bool {
        self.state == TrialState::Running
    }

    /// Whether the scenario is too large to try any change.
    pub fn is_too_large(&self) -> bool {
        self.state == TrialState::TooLarge
    }

    /// The outcomes; `None`: the runs are in progress, or the scenario is too large.
    pub fn tried(&self) -> Option<&Tried> {
        if let TrialState::Tried(tried) = &self.state { Some(tried) } else { None }
    }

    /// The changes with which the job starts earlier.
    pub fn offers(&self) -> Vec<(&Trial, &Outcome)> {
        self.tried().map_or_else(Vec::new, |tried| tried.offers(&self.trials, |trial| &trial.idea))
    }
}
