//! Changes that consist of several edits.

use fairground::scenario::{Edit, Path, Scenario};
use fairground::words::Selection;

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Edits in order, as one undo step.
    Edits {
        /// Name of the step.
        name: String,
        edits: Vec<Edit>,
    },
    /// Adds a queue below another one, or at the top level.
    AddQueue {
        parent: Option<String>,
    },
    /// Copies a queue with its descendants.
    DuplicateQueue {
        queue: String,
        /// Include their jobs.
        jobs: bool,
    },
    MoveQueue {
        queue: String,
        to: Shift,
    },
    /// Removes a queue with its descendants and their jobs.
    RemoveQueue(String),
    AddNodes,
    RemoveNodes(String),
    /// Adds a job to a queue.
    AddJob {
        /// `None`: the selected queue, otherwise the first leaf.
        queue: Option<String>,
    },
    DuplicateJob(String),
    RemoveJob(String),
    /// Adds a pod set to a job.
    AddPodSet(String),
    /// Sets how a job or pod set requests GPUs.
    Request {
        /// Path of the job or pod set.
        at: Path,
        kind: RequestKind,
    },
}

/// How a pod requests GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// No GPUs.
    CpuOnly,
    Whole,
    Fraction,
    /// An amount of memory of one GPU.
    Memory,
}

/// Target of a move.
#[derive(Clone, Debug, PartialEq)]
pub enum Shift {
    /// Before the previous sibling.
    Up,
    /// After the next sibling.
    Down,
    /// Below another queue, or at the top level.
    Under(Option<String>),
    /// Before another queue, as its sibling.
    Before(String),
}

/// Result of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    pub scenario: Scenario,
    /// Name of the undo step.
    pub name: String,
    /// The new selection, if it should change.
    pub select: Option<Selection>,
}
