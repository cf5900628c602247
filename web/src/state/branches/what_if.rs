//! What would help a pending job. A change is tried exactly as choosing it would apply it: from the cursor on, or from
//! the start.

use fairground::suggestions::{self, Idea, Outcome, Tried};

use crate::state::document::change::Change;

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
