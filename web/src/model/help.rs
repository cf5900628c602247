//! What would help a job that waits: small changes of the scenario, each tried in a run before it is offered.
//!
//! A change is tried exactly as it is made when it is chosen: from the cursor on, or from the start.

use std::sync::Arc;

use fairground::scenario::{JobEntry, quantity};

use super::command::{Change, Effect};
use super::edit::{self, Changed};
use super::ideas::{Idea, ideas};
use super::{Model, asking, document, later};
use crate::engine::protocol::{Ask, Outcome, Start, Tried};

/// Most changes that are tried.
const TRIED_MAX: usize = 24;
/// Most changes that are offered.
const OFFERED_MAX: usize = 5;
/// Above this many jobs reading the scenario again for each change takes too long.
const JOBS_MAX: u64 = 5_000;

/// What was tried for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    /// The job.
    pub job: String,
    /// The cycle.
    pub cycle: u32,
    /// Some of its pods run already.
    pub has_part: bool,
    /// The changes, smallest first.
    trials: Vec<Trial>,
    state: State,
}

/// A change that is tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What it is about.
    pub idea: Idea,
    /// What is done when it is chosen.
    pub change: Change,
    /// It applies from the start, although edits are to apply from the cursor on.
    pub is_from_start: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    Running,
    TooLarge,
    Tried(Box<Tried>),
}

impl Help {
    /// Whether the runs are still under way.
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Whether nothing was tried, because the scenario is too large.
    pub fn is_too_large(&self) -> bool {
        self.state == State::TooLarge
    }

    /// How many changes are tried, or could be.
    pub fn n_tried(&self) -> usize {
        match &self.state {
            State::Tried(tried) => tried.outcomes.iter().flatten().count(),
            State::Running | State::TooLarge => self.trials.len(),
        }
    }

    /// What all changes were compared with: when the job starts by itself, and up to which moment the run was followed;
    /// `None`: to its end.
    pub fn unchanged(&self) -> (Option<Start>, Option<i64>) {
        let State::Tried(tried) = &self.state else { return (None, None) };
        (tried.unchanged, tried.until_ms)
    }

    /// The changes with which the job starts earlier than without: those that harm nobody first, then the smallest. Of
    /// several values of one setting, the first that helps.
    pub fn offers(&self) -> Vec<(&Trial, &Outcome)> {
        let State::Tried(tried) = &self.state else { return Vec::new() };
        let all = self.trials.iter().zip(&tried.outcomes).filter_map(|(trial, o)| Some((trial, o.as_ref()?)));
        let mut offers: Vec<(&Trial, &Outcome)> = Vec::new();
        for (trial, outcome) in all.filter(|(_, outcome)| outcome.helps) {
            if offers.iter().all(|(other, _)| !other.idea.is_like(&trial.idea)) {
                offers.push((trial, outcome));
            }
        }
        offers.sort_by_key(|(_, outcome)| outcome.n_losers > 0);
        offers.truncate(OFFERED_MAX);
        offers
    }
}

/// Takes in what came of the changes; `None`: the scenario is too large to try any.
pub(super) fn tried(model: &mut Model, tried: Option<Box<Tried>>, fx: &mut Vec<Effect>) {
    let Some(help) = &mut model.help else { return };
    let help = Arc::make_mut(help);
    help.state = tried.map_or(State::TooLarge, State::Tried);
    fx.push(Effect::Announce(match (help.is_too_large(), help.offers().len()) {
        (true, _) => "Not tried: the scenario is too large.".to_string(),
        (false, 0) => "No small change helps.".to_string(),
        (false, 1) => "One change would help.".to_string(),
        (false, n) => format!("{n} changes would help."),
    }));
}

/// Tries what would help a job at the present moment.
pub(super) fn ask(model: &mut Model, job: String, fx: &mut Vec<Effect>) {
    let Some(frame) = &model.frame else { return };
    let cycle = frame.cycle;
    let has_part = frame.jobs.iter().any(|row| row.name == job && row.running > 0);
    let count = |entry: &JobEntry| entry.count.as_ref().map_or(Ok(1), |count| quantity::count(&count.0));
    let n_jobs =
        model.scenario.jobs.iter().map(|entry| count(entry).unwrap_or(1)).fold(0, u64::saturating_add);
    let is_too_large = n_jobs > JOBS_MAX;
    let mut trials: Vec<Trial> = Vec::new();
    let mut scenarios = vec![document::to_json(&model.scenario)];
    let all = if is_too_large { Vec::new() } else { ideas(model, frame, &job) };
    for (idea, change) in all {
        let Ok((changed, is_from_start)) = make(model, &change) else { continue };
        let is_new = changed.scenario != *model.scenario && trials.iter().all(|other| other.change != change);
        if is_new && trials.len() < TRIED_MAX {
            scenarios.push(document::to_json(&changed.scenario));
            trials.push(Trial { idea, change, is_from_start });
        }
    }
    model.help = Some(Arc::new(Help { job: job.clone(), cycle, has_part, trials, state: State::Running }));
    if is_too_large {
        tried(model, None, fx);
    } else {
        model.asked.help = asking::send(model, Ask::Try { job, cycle, scenarios }, fx);
    }
}

/// A change as it is made when it is chosen, and whether it applies from the start although edits are to apply from the
/// cursor on.
fn make(model: &Model, change: &Change) -> Result<(Changed, bool), String> {
    let made = edit::change(&model.scenario, change, model.selection.as_ref())?;
    let wants_later = later::moment(model).is_some();
    let from_start = made.scenario.clone();
    let made = later::made(model, change, made)?;
    let is_from_start = wants_later && made.scenario == from_start;
    Ok((made, is_from_start))
}
