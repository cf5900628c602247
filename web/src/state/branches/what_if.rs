//! What would help a job that waits: small changes of the scenario, each tried in a run before it is offered.
//!
//! A change is tried exactly as it is made when it is chosen: from the cursor on, or from the start.

use crate::engine::protocol::{Outcome, Start, Tried};
use crate::state::document::change::Change;

/// Most changes that are offered.
const OFFERED_MAX: usize = 5;

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
    pub(crate) trials: Vec<Trial>,
    pub(crate) state: State,
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
pub(crate) enum State {
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

/// What a change is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Idea {
    /// The pods of a job may be evicted for others.
    Preemptible {
        /// Whose.
        of: String,
    },
    /// A job starts with fewer pods.
    MinAvailable {
        /// Whose, and of which pod set; empty: it has one kind of pods.
        of: (String, String),
        /// How many pods must start together.
        n: u32,
        /// How many must now.
        was: u32,
    },
    /// A larger priority of a job.
    JobPriority {
        /// Whose.
        of: String,
        /// It was.
        was: i32,
        /// It is.
        to: i32,
    },
    /// A larger priority of a queue.
    QueuePriority {
        /// Whose.
        of: String,
        /// It was.
        was: i32,
        /// It is.
        to: i32,
    },
    /// A larger quota, limit or weight of a queue.
    Raise {
        /// `quota`, `limit` or `weight`.
        field: &'static str,
        /// Whose.
        of: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
        /// It was, in base units; a plain number for a weight.
        was: f64,
        /// It is.
        to: f64,
    },
    /// No minimum runtime of a queue.
    NoMinRuntime {
        /// Whose.
        of: String,
        /// Against reclaim by other queues, not against preemption in the queue.
        against_reclaim: bool,
    },
    /// No limits of users in a queue.
    NoUserLimits {
        /// Which.
        of: String,
    },
    /// More applications that may run in a queue.
    MoreJobs {
        /// Which.
        of: String,
        /// How many.
        to: u64,
    },
    /// One more node.
    Node {
        /// Of which group; empty: there is only one, or nodes are single.
        of: String,
        /// How many there are with it, of the group or in all.
        n: u64,
    },
    /// More GPUs on each node of a group.
    LargerNodes {
        /// Which.
        of: String,
        /// How many GPUs each has.
        gpus: f64,
    },
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
