//! Import of files that were dropped, pasted or chosen.

use std::sync::Arc;

use fairground::scenario::{JobEntry, TimelineEntry};

use crate::engine::protocol::{Columns, FileBytes, ImportOptions, Kit, Piece};
use crate::state::document::Checked;
use crate::state::document::draft::Draft;

pub mod commands;

/// File name of a pasted text.
pub const PASTED: &str = "pasted text";

/// The import preview.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// Name and content.
    pub files: Vec<(String, FileBytes)>,
    pub options: ImportOptions,
    /// Id and content of the draft that is opened once its scenario is read, if this is not a preview.
    pub draft: Option<Arc<(String, Draft)>>,
    pub reading: bool,
    pub received: bool,
    pub scenario: Option<Checked>,
    /// Further scenarios, which become drafts.
    pub more: Vec<String>,
    /// Notes on what was recognised.
    pub understood: Vec<String>,
    /// Notes on assumptions.
    pub assumed: Vec<String>,
    /// Notes on what was ignored.
    pub ignored: Vec<String>,
    /// Problems.
    pub findings: Vec<String>,
    /// Made from a trace: nodes, quota scale and policy can be chosen.
    pub is_trace: bool,
    /// Not in the page's own format: its policy can be chosen.
    pub is_foreign: bool,
    /// The first rows of a trace.
    pub columns: Option<Columns>,
}

/// Pieces of a scenario that is being received.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pub jobs: Vec<JobEntry>,
    pub timeline: Vec<TimelineEntry>,
}

impl Pieces {
    /// Adds the next piece.
    pub fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Jobs(jobs) => self.jobs.extend(jobs),
            Piece::Timeline(entries) => self.timeline.extend(entries),
        }
    }
}

/// The scenario as a virtual cluster with the real scheduler of its policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum KitState {
    /// Not requested.
    #[default]
    None,
    Preparing,
    /// The scenario cannot run, or has too many pods.
    Refused,
    Ready(Arc<Kit>),
}
