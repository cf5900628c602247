//! What would help a waiting job: small changes of the scenario, each tried in a run before it is offered.
//!
//! [`ideas`] derives changes from what blocks the job; [`Trials`] runs the scenario with each of them;
//! [`Tried::offers`] are those with which the job starts earlier.

mod ideas;
mod progress;
mod text;
mod trials;

use crate::units::Resource;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use ideas::ideas;
pub use text::{compared, label, outcome};
pub use trials::Trials;

use crate::moment::Frame;
use crate::policy::Monitor;
use crate::scenario::{Edit, Scenario, apply, quantity};

/// Largest number of changes that are tried.
pub const TRIED_MAX: usize = 24;
/// Largest number of changes that are offered.
const OFFERED_MAX: usize = 5;
/// Limit of jobs; above it, reading the scenario again for each change takes too long.
const JOBS_MAX: u64 = 5_000;

/// A small change and the edit that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The change as data, for its description.
    pub idea: Idea,
    /// The edit of the scenario.
    pub edit: Edit,
}

impl Suggestion {
    fn new(idea: Idea, edit: Edit) -> Suggestion {
        Suggestion { idea, edit }
    }
}

/// Whether a scenario has too many jobs to try any change.
pub fn is_too_large(scenario: &Scenario) -> bool {
    let counts = scenario.jobs.iter().map(|job| job.count.as_ref().map_or(Ok(1), |n| quantity::count(&n.0)));
    counts.map(|count| count.unwrap_or(1)).fold(0, u64::saturating_add) > JOBS_MAX
}

/// Tries the changes that may help a job from the start of the scenario. The outcomes are in the order of the changes;
/// `None`: the scenario is too large.
pub fn tried(scenario: &Scenario, frame: &Frame, job: &str) -> (Vec<Idea>, Option<Tried>) {
    if is_too_large(scenario) {
        return (Vec::new(), None);
    }
    let mut all: Vec<(Idea, Arc<Scenario>)> = Vec::new();
    for Suggestion { idea, edit } in ideas(scenario, frame, job) {
        let Ok(changed) = apply(scenario, &[edit]) else { continue };
        let is_new = changed != *scenario && all.iter().all(|(_, other)| **other != changed);
        if is_new && all.len() < TRIED_MAX {
            all.push((idea, Arc::new(changed)));
        }
    }
    let (ideas, changed): (Vec<Idea>, Vec<Arc<Scenario>>) = all.into_iter().unzip();
    let scenarios = std::iter::once(Arc::new(scenario.clone())).chain(changed).collect();
    let mut trials = Trials::new(job.to_owned(), frame.cycle, scenarios, Monitor::default());
    loop {
        if let Some(tried) = trials.work() {
            return (ideas, tried);
        }
    }
}

/// Outcomes of variations of a scenario, compared with the unchanged run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// When the job starts without a change, after the moment in question; `None`: not within the time compared.
    pub unchanged: Option<Start>,
    /// The moment up to which the unchanged run was computed; `None`: to its end.
    pub until_ms: Option<i64>,
    /// In the order of the request, without the unchanged scenario; `None`: the variation cannot run.
    pub outcomes: Vec<Option<Outcome>>,
}

impl Tried {
    /// The changes with which the job starts earlier: first those without losers, then the smallest. Of several values
    /// of one setting, only the first one that helps.
    pub fn offers<'a, T>(&'a self, tried: &'a [T], idea: impl Fn(&T) -> &Idea) -> Vec<(&'a T, &'a Outcome)> {
        let all = tried.iter().zip(&self.outcomes).filter_map(|(one, outcome)| Some((one, outcome.as_ref()?)));
        let mut offers: Vec<(&T, &Outcome)> = Vec::new();
        for (one, outcome) in all.filter(|(_, outcome)| outcome.helps) {
            if offers.iter().all(|(other, _)| !idea(other).is_like(idea(one))) {
                offers.push((one, outcome));
            }
        }
        offers.sort_by_key(|(_, outcome)| outcome.n_losers > 0);
        offers.truncate(OFFERED_MAX);
        offers
    }
}

/// Outcome of a variation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// When more pods of the job run than at the moment in question; `None`: not within the time compared.
    pub starts: Option<Start>,
    /// The job starts earlier than in the unchanged run and is never worse off.
    pub helps: bool,
    /// Number of evicted pods minus that of the unchanged run.
    pub evictions: i64,
    /// Some of the other jobs that are worse off than in the unchanged run.
    pub losers: Vec<Loser>,
    /// Number of all such jobs.
    pub n_losers: u32,
    /// The moment up to which the two runs were compared; `None`: to their end.
    pub until_ms: Option<i64>,
}

/// When a job, or an additional pod of it, starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// The job ends before the moment in question.
    Over,
    /// At the moment in question or before.
    Already,
    At {
        cycle: u32,
        /// Milliseconds since the start.
        time_ms: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loser {
    pub job: String,
    pub harm: Harm,
}

/// How a job is worse off than in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Harm {
    /// More of its pods are evicted.
    Evicted,
    /// Its first pod starts later, or not at all.
    StartsLater,
    /// Some of its pods wait longer.
    WaitsLonger,
    /// It ends later, or not at all.
    EndsLater,
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
        resource: Resource,
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
