//! Files that were dropped, pasted or chosen.

use std::sync::Arc;

use fairground::scenario::{JobEntry, TimelineEntry};

use crate::engine::protocol::{Columns, FileBytes, ImportOptions, Kit, Piece};
use crate::state::document::Checked;
use crate::state::document::draft::Draft;

pub mod commands;

/// What a pasted text is called.
pub const PASTED: &str = "pasted text";

/// What was recognised in dropped or pasted files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The files: name and content.
    pub files: Vec<(String, FileBytes)>,
    /// The choices it was read with.
    pub options: ImportOptions,
    /// The draft that is being opened, with its name in the storage; it is opened as soon as it is read.
    pub draft: Option<Arc<(String, Draft)>>,
    /// Still being read.
    pub reading: bool,
    /// The engine has received them.
    pub received: bool,
    /// The scenario, checked.
    pub scenario: Option<Checked>,
    /// Further scenarios, which become drafts.
    pub more: Vec<String>,
    /// What was understood.
    pub understood: Vec<String>,
    /// What was assumed.
    pub assumed: Vec<String>,
    /// What was ignored.
    pub ignored: Vec<String>,
    /// What is wrong.
    pub findings: Vec<String>,
    /// It is a trace: nodes, quota scale and policy can be chosen.
    pub is_trace: bool,
    /// It is no scenario of the page's own: its policy can be chosen.
    pub is_foreign: bool,
    /// The first rows of a trace.
    pub columns: Option<Columns>,
}

/// Pieces of a scenario that is being received.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Its jobs so far.
    pub jobs: Vec<JobEntry>,
    /// Its timeline so far.
    pub timeline: Vec<TimelineEntry>,
}

impl Pieces {
    /// Takes the next one in.
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
    /// Nobody asked for it.
    #[default]
    None,
    /// It is being written.
    Preparing,
    /// It has too many pods.
    Refused,
    /// It is written.
    Ready(Arc<Kit>),
}
