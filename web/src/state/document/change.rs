//! Changes of more than one value.

use std::collections::BTreeSet;

use fairground::scenario::{Edit, Path, Scenario};
use fairground::words::Selection;

/// A change of more than one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Edits in order, under one name.
    Edits {
        /// The name of the step.
        name: String,
        /// The edits.
        edits: Vec<Edit>,
    },
    /// Adds a queue below another, or on top.
    AddQueue {
        /// The parent.
        parent: Option<String>,
    },
    /// Copies a queue with its descendants.
    DuplicateQueue {
        /// Which.
        queue: String,
        /// Their jobs too.
        jobs: bool,
    },
    /// Moves a queue.
    MoveQueue {
        /// Which.
        queue: String,
        /// Where.
        to: Shift,
    },
    /// Removes a queue with its descendants and their jobs.
    RemoveQueue(String),
    /// Adds a group of nodes.
    AddNodes,
    /// Removes a group of nodes.
    RemoveNodes(String),
    /// Adds a job to a queue.
    AddJob {
        /// The queue; `None`: the selected one or the first leaf.
        queue: Option<String>,
    },
    /// Copies a job.
    DuplicateJob(String),
    /// Removes a job.
    RemoveJob(String),
    /// Adds pods of another kind to a job.
    AddPodSet(String),
    /// Sets how pods ask for GPUs, of a job or of a pod set.
    Request {
        /// The job or pod set.
        at: Path,
        /// How.
        kind: RequestKind,
    },
}

/// How a pod asks for GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// It asks for none.
    CpuOnly,
    /// Whole GPUs.
    Whole,
    /// A part of one GPU.
    Fraction,
    /// Memory of one GPU.
    Memory,
}

/// Where a queue is moved.
#[derive(Clone, Debug, PartialEq)]
pub enum Shift {
    /// Before its previous sibling.
    Up,
    /// After its next sibling.
    Down,
    /// Below another queue, or to the top.
    Under(Option<String>),
    /// Before another queue, as its sibling.
    Baseline(String),
}

/// What a change comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The scenario after it.
    pub scenario: Scenario,
    /// What undo calls it.
    pub name: String,
    /// What is worth selecting afterwards.
    pub select: Option<Selection>,
}

/// A name that is not taken yet: `queue-1`, `queue-2` …
pub(crate) fn free_name<'a>(stem: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: BTreeSet<&str> = taken.into_iter().collect();
    let mut candidates = (1..).map(|n| format!("{stem}-{n}"));
    candidates.find(|name| !taken.contains(name.as_str())).expect("there are endless numbers")
}
