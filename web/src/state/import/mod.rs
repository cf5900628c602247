//! Import of files that were dropped, pasted or chosen.

use std::sync::Arc;

use fairground::scenario::{JobEntry, TimelineEntry};

use crate::engine::protocol::{Exported, FileBytes, ImportOptions, ImportReport, Kit, Piece};
use crate::state::document::Checked;
use crate::state::document::draft::Draft;

pub mod commands;

/// File name of a pasted text.
pub const PASTED: &str = "pasted text";

/// Files that are read and written.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The import preview.
    pub preview: Option<Arc<Import>>,
    /// Pieces of the imported scenario that arrived before the rest.
    pub pieces: Pieces,
    /// The scenario in a format of its scheduler, once requested.
    pub exported: Option<Arc<Exported>>,
    /// An export is in progress.
    pub exporting: bool,
    /// The scenario as a virtual cluster.
    pub kit: KitState,
}

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
    pub report: ImportReport,
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
