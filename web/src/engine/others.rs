//! The part of the protocol that concerns other scenarios than the current one: imports, what-if runs, comparisons.

use std::fmt;
use std::sync::Arc;

use fairground::scenario::{Diagnostic, Scenario};
use fairground::sim::Ran;
use fairground::translate::Note;
use fairground::words::FirstDifference;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Options for the import of traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// Nodes × GPUs, such as `88x8`.
    pub nodes: String,
    /// A fraction such as `1/4`.
    pub quota_scale: String,
    /// Name of the policy; empty: the one the files are written for.
    pub policy: String,
    /// Field and the column of a trace that contains it; an empty column: none.
    pub mapping: Vec<(String, String)>,
}

/// The bytes of a file, serialised as one block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileBytes(pub Arc<[u8]>);

impl FileBytes {
    /// The bytes of a text.
    pub fn of(text: &str) -> FileBytes {
        FileBytes(Arc::from(text.as_bytes()))
    }
}

impl Serialize for FileBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for FileBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = FileBytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<FileBytes, E> {
                Ok(FileBytes(Arc::from(bytes)))
            }
        }
        deserializer.deserialize_bytes(Whole)
    }
}

/// A virtual cluster as files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kit {
    /// Zip archive of the files.
    pub archive: FileBytes,
    pub n_files: usize,
    /// What the files cannot express of the scenario.
    pub left_out: Vec<String>,
}

/// What was found in imported files, besides the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// Further scenarios (format 1, JSON), which become drafts.
    pub more: Vec<String>,
    /// Made from a trace: nodes, quota scale and policy can be chosen.
    pub is_trace: bool,
    /// Not in the page's own format: its policy can be chosen.
    pub is_foreign: bool,
    /// The first rows of a trace.
    pub columns: Option<Columns>,
    /// Notes on what was recognised.
    pub understood: Vec<String>,
    /// Notes on assumptions.
    pub assumed: Vec<String>,
    /// Notes on what was ignored.
    pub ignored: Vec<String>,
    pub findings: Vec<String>,
}

/// The first rows of a trace, for choosing its columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Name of each column and the field it contains; empty: none.
    pub columns: Vec<(String, String)>,
    pub rows: Vec<Vec<String>>,
}

/// What became of some settings under another policy, with the first of the places it applies to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoteRow {
    pub note: Note,
    /// Number of all such places.
    pub n: u32,
}

/// A run to compare.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToCompare {
    /// Caption of its column.
    pub name: String,
    pub scenario: Arc<Scenario>,
    /// The policy to which the scenario is translated.
    pub policy: String,
}

/// Result of one of the compared runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Caption of its column.
    pub name: String,
    pub policy: String,
    /// What became of the settings.
    pub notes: Vec<NoteRow>,
    /// Findings about the translated scenario.
    pub findings: Vec<Diagnostic>,
    /// `None`: the translated scenario cannot run.
    pub run: Option<Ran>,
    /// How the run first differs from the first run of the comparison.
    pub first_difference: Option<FirstDifference>,
}
