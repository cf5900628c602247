//! What would help a pending job: small changes of the scenario, each tried in a run before it is offered.
//!
//! A change is tried exactly as choosing it would apply it: from the cursor on, or from the start.

use crate::engine::protocol::{Outcome, Start, Tried};
use crate::state::document::change::Change;

/// Largest number of changes offered.
const OFFERED_MAX: usize = 5;

/// Changes tried for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    pub job: String,
    pub cycle: u32,
    /// Some of its pods are already running.
    pub has_part: bool,
    /// Smallest change first.
    pub(crate) trials: Vec<Trial>,
    pub(crate) state: State,
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
pub(crate) enum State {
    Running,
    TooLarge,
    Tried(Box<Tried>),
}

impl Help {
    /// Whether runs are still in progress.
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Whether the scenario is too large to try any change.
    pub fn is_too_large(&self) -> bool {
        self.state == State::TooLarge
    }

    /// Number of changes that are or could be tried.
    pub fn n_tried(&self) -> usize {
        match &self.state {
            State::Tried(tried) => tried.outcomes.iter().flatten().count(),
            State::Running | State::TooLarge => self.trials.len(),
        }
    }

    /// The reference of all changes: when the job starts without a change, and the moment up to which that run was computed;
    /// `None`: to its end.
    pub fn unchanged(&self) -> (Option<Start>, Option<i64>) {
        let State::Tried(tried) = &self.state else { return (None, None) };
        (tried.unchanged, tried.until_ms)
    }

    /// The changes with which the job starts earlier: first those without losers, then the smallest. Of several values of one
    /// setting, only the first one that helps.
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

/// A small change.
#[derive(Clone, Debug, PartialEq)]
pub enum Idea {
    /// Makes a job preemptible.
    Preemptible { of: String },
    /// Lets a job start with fewer pods.
    MinAvailable {
        /// Job and pod set; an empty pod set: the job has no pod sets.
        of: (String, String),
        /// New number of pods that must start together.
        n: u32,
        /// Current number.
        was: u32,
    },
    /// Raises the priority of a job.
    JobPriority { of: String, was: i32, to: i32 },
    /// Raises the priority of a queue.
    QueuePriority { of: String, was: i32, to: i32 },
    /// Raises quota, limit or weight of a queue.
    Raise {
        /// `quota`, `limit` or `weight`.
        field: &'static str,
        of: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
        /// Current value in base units; a plain number for a weight.
        was: f64,
        /// New value.
        to: f64,
    },
    /// Removes a minimum runtime of a queue.
    NoMinRuntime {
        of: String,
        /// That against reclaim by other queues, otherwise that against preemption in the queue.
        against_reclaim: bool,
    },
    /// Removes the limits of users in a queue.
    NoUserLimits { of: String },
    /// Raises the number of applications that may run in a queue.
    MoreJobs { of: String, to: u64 },
    /// Adds a node.
    Node {
        /// Node group; empty: there is only one, or nodes are not grouped.
        of: String,
        /// New number of nodes, of the group or in total.
        n: u64,
    },
    /// Raises the GPUs of each node of a group.
    LargerNodes { of: String, gpus: f64 },
}

impl Idea {
    /// Whether both change the same setting.
    pub fn is_like(&self, other: &Idea) -> bool {
        match (self, other) {
            (Idea::Raise { field, of, resource, .. }, Idea::Raise { field: f, of: o, resource: r, .. }) => {
                (field, of, resource) == (f, o, r)
            }
            (Idea::MinAvailable { of, .. }, Idea::MinAvailable { of: o, .. }) => of == o,
            (Idea::JobPriority { of, .. }, Idea::JobPriority { of: o, .. }) => of == o,
            _ => false,
        }
    }
}
