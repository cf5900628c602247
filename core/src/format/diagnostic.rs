//! Findings about a scenario: location, message and fix; and the edits that fixes consist of.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::schema::{JobEntry, NodeEntry, TimelineEntry};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The scenario runs, but may not behave as intended.
    Warning,
    /// The scenario cannot run.
    Error,
}

/// Kind of a finding, such as `S012`. `codes` documents each with an explanation and a minimal invalid scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Code(pub &'static str);

/// A location in a scenario, displayed as `queues["team-a"].gpu.limit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path(pub Vec<Segment>);

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Segment {
    /// A field, as spelled in the file.
    Field(String),
    /// A list element by name.
    Named(String),
    /// A list element by its zero-based position.
    At(u32),
}

impl Path {
    /// Appends a field.
    pub fn field(&self, name: &str) -> Path {
        self.with(Segment::Field(name.to_string()))
    }
    /// Appends a list element by name.
    pub fn named(&self, name: &str) -> Path {
        self.with(Segment::Named(name.to_string()))
    }
    /// Appends a list element by its zero-based position.
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

/// A finding about a scenario or another input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether it prevents a run.
    pub severity: Severity,
    /// Kind of the finding.
    pub code: Code,
    /// Location in the scenario.
    pub at: Path,
    /// One-based line and column in the source text, if known.
    pub position: Option<(u32, u32)>,
    /// The problem and how to fix it, in one or two sentences. Texts from the scenario are quoted and truncated.
    pub says: String,
    /// Edits that fix it, if there is an obvious fix.
    pub fix: Option<Fix>,
}

/// Edits of the scenario with the label of the button that applies them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// Label, such as *Set the limit to unlimited*.
    pub label: String,
    /// Edits in the order in which they are applied.
    pub edits: Vec<Edit>,
}

/// One change of a scenario by location, of a fix or made on the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Sets a value; an empty text unsets it.
    Set {
        /// Location of the value.
        at: Path,
        /// New value as typed.
        value: String,
    },
    /// Renames an element and all references to it.
    Rename {
        /// Location of the element.
        at: Path,
        /// New name.
        to: String,
    },
    /// Removes a list element; a queue together with its descendants and their jobs.
    Remove {
        /// Location of the element.
        at: Path,
    },
    /// Adds a queue in which jobs can run: limits unlimited, CPU and memory unlimited, GPU quota 0, weight 1.
    AddQueue {
        /// Name of the queue.
        name: String,
        /// Parent queue; `None` for a top queue.
        parent: Option<String>,
    },
    /// Appends a node or a group of nodes.
    AddNode {
        /// The node or group to append.
        node: Box<NodeEntry>,
    },
    /// Appends a job or a pattern of jobs.
    AddJob {
        /// The job or pattern to append.
        job: Box<JobEntry>,
    },
    /// Appends an external event.
    AddTimeline {
        /// The event and its time.
        entry: Box<TimelineEntry>,
    },
    /// Moves a queue with its descendants.
    MoveQueue {
        /// Location of the queue.
        at: Path,
        /// New parent; `None` for a top queue.
        parent: Option<String>,
        /// Queue before which it is inserted in the file; `None` appends it.
        before: Option<String>,
    },
    /// Moves a node pool before another.
    MovePool {
        /// Location of the pool.
        at: Path,
        /// Pool before which it is inserted.
        before: String,
    },
    /// Adds a copy of an element under an unused name; a queue together with its descendants and their jobs.
    Duplicate {
        /// Location of the element.
        at: Path,
    },
}
