//! Findings about a scenario: where, what, and an edit that mends it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::schema::{JobEntry, NodeEntry, TimelineEntry};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The scenario runs, but may not do what its author wants.
    Warning,
    /// The scenario cannot run.
    Error,
}

/// A finding's kind: `S012`. Each has a paragraph and a minimal wrong example beside `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Code(pub &'static str);

/// A place in a scenario, printed as people write it: `queues["team-a"].gpu.limit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path(pub Vec<Segment>);

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Segment {
    /// A field, as spelled in the file.
    Field(String),
    /// An element of a list by its name.
    Named(String),
    /// An element of a list by its position, from 0.
    At(u32),
}

impl Path {
    /// This place's field.
    pub fn field(&self, name: &str) -> Path {
        self.with(Segment::Field(name.to_string()))
    }
    /// This list's element of that name.
    pub fn named(&self, name: &str) -> Path {
        self.with(Segment::Named(name.to_string()))
    }
    /// This list's element at that position.
    pub fn at(&self, position: u32) -> Path {
        self.with(Segment::At(position))
    }
    fn with(&self, segment: Segment) -> Path {
        let mut segments = self.0.clone();
        segments.push(segment);
        Path(segments)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if i == 0 => write!(f, "{name}")?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Named(name) => write!(f, "[{name:?}]")?,
                Segment::At(position) => write!(f, "[{position}]")?,
            }
        }
        Ok(())
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// Where.
    pub at: Path,
    /// Line and column in the text it was read from, from 1, if it was read from text.
    pub position: Option<(u32, u32)>,
    /// What is wrong and how to mend it, in one or two short sentences. Texts of the scenario are quoted and cut.
    pub says: String,
    /// An edit that mends it.
    pub fix: Option<Fix>,
}

/// An edit of the scenario with what the button that applies it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// *Set the limit to unlimited*.
    pub label: String,
    /// The edits, in order.
    pub edits: Vec<Edit>,
}

/// One change of a scenario, by place; also what the page's own edits are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Sets a value; an empty text unsets it.
    Set {
        /// The place of a value.
        at: Path,
        /// The new text.
        value: String,
    },
    /// Renames a queue, node or job and everything that refers to it.
    Rename {
        /// The place of the element.
        at: Path,
        /// The new name.
        to: String,
    },
    /// Removes an element of a list; a queue goes with its descendants and their jobs.
    Remove {
        /// The place of the element.
        at: Path,
    },
    /// Adds a queue with values with which something can run: limits unlimited, CPU and memory unlimited, GPU
    /// quota 0, weight 1.
    AddQueue {
        /// Its name.
        name: String,
        /// Its parent; `None`: a top queue.
        parent: Option<String>,
    },
    /// Adds a node or a group of nodes at the end.
    AddNode {
        /// The node.
        node: Box<NodeEntry>,
    },
    /// Adds a job or a pattern of jobs at the end.
    AddJob {
        /// The job.
        job: Box<JobEntry>,
    },
    /// Adds something that happens from outside.
    AddTimeline {
        /// What and when.
        entry: Box<TimelineEntry>,
    },
    /// Moves a queue with everything below it.
    MoveQueue {
        /// The place of the queue.
        at: Path,
        /// Its new parent; `None`: a top queue.
        parent: Option<String>,
        /// The queue before which it stands in the file from now on; `None`: at the end.
        before: Option<String>,
    },
    /// Moves a node pool before another.
    MovePool {
        /// The place of the pool.
        at: Path,
        /// The pool that it comes before from now on.
        before: String,
    },
    /// Adds a copy of an element under a fresh name; a queue with its descendants and their jobs.
    Duplicate {
        /// The place of the element.
        at: Path,
    },
}
