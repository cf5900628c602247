//! The document: the scenario, its changes and their history; as it is opened, and its checked values.

pub mod draft;
pub mod edit;
pub mod history;
pub mod pod_requests;
pub mod remarks;
pub mod timeline_edit;
pub mod tree;

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link::{KeptRun, RULES};
use fairground::scenario::{self, Diagnostic, Edit, Path, Scenario, Severity, quantity};
pub use fairground::scenario::{to_json, to_yaml};
use fairground::translate::NoteKind;
use fairground::words::Selection;

use self::history::History;
use crate::engine::protocol::NoteRow;
use crate::state::layout::options::NowView;

/// Where a document comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Origin {
    #[default]
    Start,
    Example(String),
    Link,
    Draft,
    /// Dropped, pasted or chosen files.
    Files,
    Empty,
}

/// The scenario that is open, and its edits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub scenario: Arc<Scenario>,
    /// Findings of `check`, errors first.
    pub findings: Arc<Vec<Diagnostic>>,
    /// Dismissed warnings, by code and path.
    pub dismissed: Arc<BTreeSet<String>>,
    pub origin: Origin,
    /// Changed since it was opened, or a draft.
    pub is_changed: bool,
    /// Id of the draft; `None` until the document is changed.
    pub draft: Option<String>,
    pub history: History,
    /// The scenario as edited text that cannot be parsed yet.
    pub unread: Option<Arc<str>>,
    /// The configuration that the scenario was imported from.
    pub original: Option<Arc<str>>,
    /// The scenario that is being translated to another policy.
    pub translating: Option<Arc<Scenario>>,
    /// Notes of the last change of the policy.
    pub translated: Option<Arc<Translated>>,
}

impl Document {
    /// A document that was not edited yet.
    pub fn of(checked: Checked, origin: Origin) -> Document {
        let Checked { scenario, findings } = checked;
        Document { scenario, findings, origin, ..Document::default() }
    }

    /// The scenario with its findings.
    pub fn checked(&self) -> Checked {
        Checked { scenario: self.scenario.clone(), findings: self.findings.clone() }
    }

    /// Whether the scenario has errors and cannot run.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|d| d.severity == Severity::Error)
    }
}

/// All findings, errors first.
pub fn findings(scenario: &Scenario) -> Vec<Diagnostic> {
    let mut found = scenario::diagnose(scenario);
    found.sort_by_key(|d| std::cmp::Reverse(d.severity));
    found
}

/// The key under which a warning is dismissed.
pub fn finding_key(finding: &Diagnostic) -> String {
    format!("{} {}", finding.code.0, finding.at)
}

/// The text of a value; empty if it is unset.
pub fn value(scenario: &Scenario, at: &Path) -> String {
    scenario::get(scenario, at).unwrap_or_default()
}

/// Applies edits to a scenario.
pub fn apply(scenario: &Scenario, edits: &[Edit]) -> Result<Scenario, String> {
    scenario::apply(scenario, edits).map_err(|finding| finding.says)
}

/// Replaces one value, whether or not it is valid.
pub fn set(scenario: &Scenario, at: &Path, text: &str) -> Result<Scenario, String> {
    let text = text.trim();
    let edit = if is_one_alone(scenario, at, text) {
        return Ok(scenario.clone());
    } else if let Some(entry) = remark_without(scenario, at, text) {
        Edit::Remove { at: entry }
    } else if !is_name(at) {
        Edit::Set { at: at.clone(), value: text.to_string() }
    } else if text.is_empty() {
        return Err("A name is needed.".to_string());
    } else {
        Edit::Rename { at: Path(at.0[..at.0.len() - 1].to_vec()), to: text.to_string() }
    };
    apply(scenario, std::slice::from_ref(&edit))
}

/// Whether `text` is a count of 1 for an entry without a count. That changes nothing, but as a group of one its node or
/// job would be renamed to `name-1`.
fn is_one_alone(scenario: &Scenario, at: &Path, text: &str) -> bool {
    use scenario::Segment::Field;
    let is_count = matches!(at.0.as_slice(), [Field(list), _, Field(field)]
        if matches!(list.as_str(), "nodes" | "jobs") && field == "count");
    is_count && quantity::count(text) == Ok(1) && scenario::get(scenario, at).is_none_or(|now| now.is_empty())
}

/// The timeline entry that becomes empty by removing its note, if it contains nothing else.
fn remark_without(scenario: &Scenario, at: &Path, text: &str) -> Option<Path> {
    use scenario::Segment::{At, Field};
    let [Field(list), At(position), Field(field)] = at.0.as_slice() else { return None };
    let entry = scenario.timeline.get(*position as usize)?;
    let goes = list == "timeline" && field == "note" && text.is_empty() && entry.is_remark();
    goes.then(|| Path(at.0[..2].to_vec()))
}

fn is_name(at: &Path) -> bool {
    matches!(at.0.last(), Some(scenario::Segment::Field(field)) if field == "name" && at.0.len() > 1)
}

/// A scenario with its findings, so that no edit is checked twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub scenario: Arc<Scenario>,
    /// Errors first.
    pub findings: Arc<Vec<Diagnostic>>,
}

impl Checked {
    /// Checks a scenario.
    pub fn of(scenario: impl Into<Arc<Scenario>>) -> Checked {
        let scenario = scenario.into();
        Checked { findings: Arc::new(findings(&scenario)), scenario }
    }

    /// Replaces one value, if that causes no error at its path.
    pub fn try_set(&self, at: &Path, text: &str) -> Result<Checked, String> {
        let after = Checked::of(set(&self.scenario, at, text)?);
        let mistake = after.errors().find(|d| {
            let count = |checked: &Checked| checked.errors().filter(|other| other.code == d.code).count();
            if is_name(at) {
                // A rename changes the text of other findings; an additional error is caused by the name.
                count(&after) > count(self)
            } else {
                d.at.0.starts_with(&at.0) && self.is_new(d)
            }
        });
        let says = mistake.map(|d| d.says.clone());
        says.map_or(Ok(after), Err)
    }

    /// Accepts an edited scenario, if it has no new errors anywhere.
    pub fn try_edit(&self, after: Scenario) -> Result<Checked, String> {
        let after = Checked::of(after);
        let says = after.errors().find(|d| self.is_new(d)).map(|d| d.says.clone());
        says.map_or(Ok(after), Err)
    }

    pub(crate) fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|d| d.severity == Severity::Error)
    }

    /// Whether an error of an edited scenario is not among those of this scenario.
    fn is_new(&self, error: &Diagnostic) -> bool {
        !self.errors().any(|own| own.code == error.code && own.at == error.at && own.says == error.says)
    }
}

/// Parses an incomplete text: the scenario, if its shape is valid, and findings with lines.
pub fn draft(text: &str) -> (Option<Scenario>, Vec<Diagnostic>) {
    let read = scenario::read(text);
    let clean = read.is_clean();
    let mut found = read.diagnostics;
    let scenario = read.scenario.filter(|_| clean);
    if let Some(scenario) = &scenario {
        found.extend(findings(scenario));
    }
    scenario::locate(text, &mut found);
    found.sort_by_key(|d| (std::cmp::Reverse(d.severity), d.position));
    (scenario, found)
}

/// Parses YAML or JSON of format version 1.
pub fn from_text(text: &str) -> Result<Scenario, Vec<String>> {
    let read = scenario::read(text);
    let clean = read.is_clean();
    match read.scenario {
        Some(scenario) if clean => Ok(scenario),
        _ => Err(read.diagnostics.into_iter().map(|d| d.says).collect()),
    }
}

/// The moment in a link, and how to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    pub cycle: u32,
    /// Number of decisions of the cycle; `None`: all.
    pub decision: Option<u32>,
    pub selection: Option<Selection>,
    /// View of NOW, if the link contains one.
    pub view: Option<NowView>,
    /// The node pool whose numbers are shown; empty: all.
    pub pool: String,
    /// Explain the selection: show WHY, even if there is only one panel at a time.
    pub why: bool,
    /// Note of the sender; empty: none.
    pub note: String,
    /// The setting that the reader changes with a slider.
    pub control: Option<Path>,
    /// Runs to compare with; the first one is shown.
    pub kept: Vec<KeptRun>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    pub document: Document,
    pub moment: Moment,
    /// Version of the rules with which it last ran.
    pub rules: u32,
}

impl Opened {
    /// A checked scenario as a document at its first cycle.
    pub fn of(checked: Checked, origin: Origin) -> Opened {
        Opened { document: Document::of(checked, origin), moment: Moment::default(), rules: RULES }
    }

    /// The same document, from elsewhere.
    pub fn with_origin(mut self, origin: Origin) -> Opened {
        self.document.origin = origin;
        self
    }

    /// A scenario as a document at its first cycle.
    pub fn new(scenario: Scenario, origin: Origin) -> Opened {
        Opened::of(Checked::of(scenario), origin)
    }
}

/// A value of a field that causes no error, with the checked scenario, so that it is not checked again when it is set.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidValue {
    pub at: Path,
    /// The text; empty: unset.
    pub value: String,
    /// The scenario for which it was checked, and the cycle and time from which on edits applied then.
    pub(crate) before: (Arc<Scenario>, Option<(u32, i64)>),
    pub(crate) after: Checked,
    /// Cycle and time from which on it applies; `None`: from the start.
    pub(crate) from: Option<(u32, i64)>,
}

/// Notes on the settings after a change of the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translated {
    pub policy: String,
    pub notes: Vec<NoteRow>,
}

impl Translated {
    /// Number of settings with a kind of note.
    pub fn count(&self, kind: NoteKind) -> u32 {
        self.notes.iter().filter(|row| row.note.kind == kind).map(|row| row.n).sum()
    }
}

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
