//! Imports foreign files as scenarios, with a report of what was understood, assumed and ignored.

mod amounts;
mod archive;
mod csv;
pub mod date;
mod documents;
mod ego_plan;
mod files;
mod kubernetes;
mod options;
mod queues_yaml;
pub mod reader;
mod recognise;
mod reload;
mod runai;
mod runai_workloads;
mod shard_fragment;
mod table;
mod times;
mod trace;
mod xml;
mod yunikorn_rest;

pub use csv::{Preview, import, preview};
pub use ego_plan::import_plan;
pub use files::{FILES_MAX, File, Files, import_files};
pub use kubernetes::import_kubernetes;
pub use options::{Field, Mapping, Options};
pub use queues_yaml::{import_queues_yaml, is_queues_yaml};
pub use recognise::{FileKind, recognise};
pub use reload::{Reload, reload};
pub use runai::import_organisation;
pub(crate) use table::{Row, Table};

use crate::policy::versions::{in_newest, newest_says, revision_of};
use crate::scenario::value::{Value, documents};
use crate::scenario::{Diagnostic, NodeEntry, Path, QueueEntry, Scalar, Scenario, codes, finding, unlimited_queue};
use crate::translate::{NoteKind, translate};

/// A text with the name of its file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file; empty if there is only one.
    pub file: &'a str,
    /// Content of the file.
    pub text: &'a str,
}

/// Whether a text has the marks of a template of Helm.
fn is_template(text: &str) -> bool {
    text.contains("{{")
        && [".Values", ".Release", ".Chart", "include ", "toYaml"].iter().any(|mark| text.contains(mark))
}

/// Parses texts into trees, each with the name of its file if there are several.
fn trees<'a>(sources: &[Source<'a>], report: &mut Report) -> Vec<(&'a str, Value)> {
    let mut roots = Vec::new();
    for Source { file, text } in sources {
        let file = if sources.len() > 1 { file } else { "" };
        match documents(text) {
            Ok(values) => roots.extend(values.into_iter().map(|value| (file, value))),
            Err(wrong) if file.is_empty() && !is_template(text) => report.diagnostics.push(*wrong),
            Err(wrong) => {
                let file = if file.is_empty() { String::new() } else { format!("{file}: ") };
                let message = if is_template(text) {
                    "this is a template of Helm ({{ }}): import what it makes, as helm template prints it".into()
                } else {
                    wrong.says.clone()
                };
                let message = format!("{file}{message}");
                report.diagnostics.push(Diagnostic { says: message, ..*wrong });
            }
        }
    }
    roots
}

/// Translates a scenario to the chosen policy. Adds the changes to the report.
fn translate_to(policy: &str, scenario: Scenario, report: &mut Report) -> Scenario {
    let Some(translated) = translate(&scenario, policy) else { return scenario };
    for note in translated.notes {
        let message = format!("{policy}: {}", note.says);
        match note.kind {
            NoteKind::Kept => {}
            NoteKind::Refused | NoteKind::Dropped => report.ignore(message),
            NoteKind::Assumed | NoteKind::Changed => report.assume(message),
        }
    }
    translated.scenario
}

/// A scenario in the newest revision of its product, unless the files tell another one.
fn in_newest_revision(scenario: Scenario, report: &mut Report) -> Scenario {
    let n_settings = scenario.settings.len();
    let scenario = in_newest(scenario);
    if let Some((modelled, revision)) = revision_of(&scenario).filter(|_| scenario.settings.len() > n_settings) {
        report.assume(newest_says(modelled, revision));
    }
    scenario
}

/// Formats a number with a noun, in the plural unless the number is 1.
fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Result of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The scenario; `None` if the import failed.
    pub scenario: Option<Scenario>,
    /// Report of the import.
    pub report: Report,
}

/// Report of an import, shown before the scenario is applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What was found and how it was interpreted: *column vc as the queue*.
    pub understood: Vec<String>,
    /// Defaults chosen for what the text does not define.
    pub assumed: Vec<String>,
    /// Parts of the text that have no effect on the scenario.
    pub ignored: Vec<String>,
    /// Errors and warnings with their lines.
    pub diagnostics: Vec<Diagnostic>,
    /// Line of `assumed` about nodes, if the text has no nodes.
    assumed_nodes: Option<String>,
    /// Whether the text defines queues rather than only referring to them.
    has_queues: bool,
    /// Number of skipped rows of tables.
    n_skipped: u32,
}

/// Maximum number of lines per section of a report.
const LINES_MAX: usize = 200;

impl Report {
    /// Reports what was found.
    pub fn understand(&mut self, message: impl Into<String>) {
        self.understood.push(message.into());
    }
    /// Reports a default.
    pub fn assume(&mut self, message: impl Into<String>) {
        self.assumed.push(message.into());
    }
    /// Reports a part of the text without effect.
    pub fn ignore(&mut self, message: impl Into<String>) {
        self.ignored.push(message.into());
    }
    /// Adds an error without a position.
    fn refuse(&mut self, message: impl Into<String>) {
        self.diagnostics.push(finding(codes::IMPORT, Path::default(), message.into()));
    }
    /// Returns what was read; adds an error if there is none.
    fn keep<T>(&mut self, read: Result<T, Box<Diagnostic>>) -> Option<T> {
        read.map_err(|wrong| self.diagnostics.push(*wrong)).ok()
    }
    /// Adds an error if there are more of something than are simulated.
    fn limit(&mut self, n: u64, max: u64, what: &str) {
        if n > max {
            let message = format!("there are {n} {what}; up to {max} are simulated");
            self.diagnostics.push(finding(codes::TOO_MANY, Path::default(), message));
        }
    }
    /// Reports which nodes are assumed.
    fn assume_nodes(&mut self, message: String) {
        self.assume(message.clone());
        self.assumed_nodes = Some(message);
    }
    /// Appends another report.
    fn take(&mut self, other: Report) {
        self.understood.extend(other.understood);
        self.assumed.extend(other.assumed);
        self.ignored.extend(other.ignored);
        self.diagnostics.extend(other.diagnostics);
    }
    /// Truncates long sections; the last line gives the number of omitted lines.
    fn bound(&mut self) {
        for lines in [&mut self.understood, &mut self.assumed, &mut self.ignored] {
            if lines.len() > LINES_MAX {
                let n = lines.len() - LINES_MAX;
                lines.truncate(LINES_MAX);
                lines.push(format!("and {n} more"));
            }
        }
        if self.diagnostics.len() > LINES_MAX {
            let message = format!("and {} more", self.diagnostics.len() - LINES_MAX);
            self.diagnostics.truncate(LINES_MAX);
            self.refuse(message);
        }
    }
}

/// Adds a line to a list unless it is there already.
fn push_once(list: &mut Vec<String>, message: &str) {
    if !list.iter().any(|other| other == message) {
        list.push(message.to_string());
    }
}

/// Assumed number of nodes and of GPUs per node for a text without nodes.
const NODES: (u32, u32) = (8, 8);

/// Returns a value of a scenario.
fn typed(value: impl ToString) -> Option<Scalar> {
    Some(Scalar(value.to_string()))
}

/// Formats a number with at most three decimals.
fn decimal(n: f64) -> String {
    ((n * 1000.0).round() / 1000.0).to_string()
}

/// Returns a node with GPUs.
fn node(name: &str, gpus: impl ToString) -> NodeEntry {
    NodeEntry { name: name.into(), gpu: typed(gpus), ..NodeEntry::default() }
}

/// Returns a group of equal nodes with GPUs.
fn node_group(name: &str, n: impl ToString, gpus: impl ToString) -> NodeEntry {
    NodeEntry { count: typed(n), ..node(name, gpus) }
}

/// Returns a queue without limits and quotas for a queue that is known only by name.
fn without_limit(name: &str) -> QueueEntry {
    let mut queue = unlimited_queue(name);
    for part in [&mut queue.gpu, &mut queue.cpu, &mut queue.memory] {
        part.quota = Some("0".into());
    }
    queue
}
