//! Findings about a scenario: location, message and fix; the edits that fixes consist of; and a list of findings, which
//! limits how many of each kind are kept.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::codes::{self, Code, Severity};
use super::schema::{JobEntry, NodeEntry, TimelineEntry};

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

/// Maximum number of listed findings per code; further ones are only counted.
const LISTED_MAX: u32 = 100;

/// Collector of findings.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    counts: BTreeMap<Code, u32>,
    errors: u32,
}

impl Findings {
    /// Adds a finding with the severity of its code.
    pub fn add(&mut self, code: Code, path: Path, message: impl Into<String>, fix: Option<Fix>) {
        self.push(diagnostic(code, path, message.into(), fix));
    }

    /// Adds a finding with the fix that sets the value at its location.
    pub fn suggest(
        &mut self,
        code: Code,
        path: Path,
        message: impl Into<String>,
        value: impl Into<String>,
        label: impl Into<String>,
    ) {
        self.add(code, path.clone(), message, set(path, value, label));
    }

    /// Adds a complete finding, such as one with a position in the text.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += u32::from(diagnostic.severity == Severity::Error);
        let n = self.counts.entry(diagnostic.code).or_default();
        *n += 1;
        if *n <= LISTED_MAX {
            self.list.push(diagnostic);
        }
    }

    /// Counts a finding without listing it if its code has reached the limit, and returns whether it did. Saves the
    /// time to format a message that would be dropped.
    pub fn only_counts(&mut self, code: Code) -> bool {
        let n = self.counts.entry(code).or_default();
        let is_enough = *n >= LISTED_MAX;
        if is_enough {
            *n += 1;
            self.errors += u32::from(severity(code) == Severity::Error);
        }
        is_enough
    }

    /// Whether any finding is an error, which prevents a run.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns the findings in the order in which they were added, followed by the number of unlisted findings per
    /// code.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        for (&code, &n) in &self.counts {
            if n > LISTED_MAX {
                let message = format!("{} more findings like the {LISTED_MAX} above", n - LISTED_MAX);
                self.list.push(diagnostic(code, Path::default(), message, None));
            }
        }
        self.list
    }
}

fn severity(code: Code) -> Severity {
    codes::about(code).map_or(Severity::Error, |about| about.severity)
}

/// Returns a finding without a position in the text.
pub fn diagnostic(code: Code, path: Path, message: String, fix: Option<Fix>) -> Diagnostic {
    Diagnostic { severity: severity(code), code, at: path, position: None, says: message, fix }
}

/// Returns a fix that sets one value.
pub fn set(path: Path, value: impl Into<String>, label: impl Into<String>) -> Option<Fix> {
    Some(Fix { label: label.into(), edits: vec![Edit::Set { at: path, value: value.into() }] })
}

/// Returns a fix that removes an element.
pub fn remove(path: Path, label: impl Into<String>) -> Option<Fix> {
    Some(Fix { label: label.into(), edits: vec![Edit::Remove { at: path }] })
}

/// Returns a fix that renames an element.
pub fn rename(path: Path, to: &str) -> Option<Fix> {
    let label = format!("Rename it to {}", quoted(to));
    Some(Fix { label, edits: vec![Edit::Rename { at: path, to: to.to_string() }] })
}

/// Whether a character is invisible or changes how others are displayed: zero-width and filler characters, variation
/// selectors, bidirectional controls, line and paragraph separators, tags. Names that differ only in such characters
/// look the same.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Replaces control and invisible characters by U+FFFD, so that the text can neither control a terminal nor hide in it.
pub fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    let is_shown = |c: char| !c.is_control() && !is_invisible(c);
    if text.chars().all(is_shown) {
        return text.into();
    }
    text.chars().map(|c| if is_shown(c) { c } else { '\u{fffd}' }).collect()
}

/// Formats a text of the scenario for a message: quoted, truncated to 40 characters, with control and invisible
/// characters replaced; a quotation mark becomes an apostrophe, so that it does not end the quotation.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let cut: String = text.chars().take(SHOWN).collect();
    let mut shown = visible(&cut).replace('"', "'");
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
