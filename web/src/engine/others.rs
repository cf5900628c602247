//! The part of the protocol that concerns other scenarios than the current one: imports, what-if runs, comparisons.

use std::fmt;
use std::sync::Arc;

use fairground::scenario::{Path, Segment};
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

/// The first rows of a trace, for choosing its columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Name of each column and the field it contains; empty: none.
    pub columns: Vec<(String, String)>,
    pub rows: Vec<Vec<String>>,
}

/// Outcomes of variations of a scenario, compared with the unchanged run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// When the job starts without a change, after the moment in question; `None`: not within the time compared.
    pub unchanged: Option<Start>,
    /// The moment up to which the unchanged run was computed; `None`: to its end.
    pub until_ms: Option<i64>,
    /// In the order of the request, without the unchanged scenario; `None`: the variation cannot run.
    pub outcomes: Vec<Option<Outcome>>,
}

/// Outcome of a variation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// When more pods of the job run than at the moment in question; `None`: not within the time compared.
    pub starts: Option<Start>,
    /// The job starts earlier than in the unchanged run and is never worse off.
    pub helps: bool,
    /// Number of evicted pods minus that of the unchanged run.
    pub evictions: i64,
    /// Some of the other jobs that are worse off than in the unchanged run.
    pub losers: Vec<Loser>,
    /// Number of all such jobs.
    pub n_losers: u32,
    /// The moment up to which the two runs were compared; `None`: to their end.
    pub until_ms: Option<i64>,
}

/// When a job, or an additional pod of it, starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// The job ends before the moment in question.
    Over,
    /// At the moment in question or before.
    Already,
    At {
        cycle: u32,
        /// Milliseconds since the start.
        time_ms: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loser {
    pub job: String,
    pub harm: Harm,
}

/// How a job is worse off than in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Harm {
    /// More of its pods are evicted.
    Evicted,
    /// Its first pod starts later, or not at all.
    StartsLater,
    /// Some of its pods wait longer.
    WaitsLonger,
    /// It ends later, or not at all.
    EndsLater,
}

/// What became of some settings under another policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoteRow {
    /// `refused`, `dropped`, `assumed`, `changed` or `kept`.
    pub kind: String,
    /// What changed, and why.
    pub says: String,
    /// The first of the places it applies to.
    pub at: Vec<String>,
    /// Number of all such places.
    pub n: u32,
}

impl NoteRow {
    /// Separator between the segments of a path.
    const APART: &str = "\u{1f}";

    /// A path in its serialised form.
    pub fn sent(at: &Path) -> String {
        let steps = at.0.iter().map(|step| match step {
            Segment::Field(name) => name.clone(),
            Segment::Named(name) => ["=", name].concat(),
            Segment::At(position) => format!("#{position}"),
        });
        steps.collect::<Vec<_>>().join(NoteRow::APART)
    }

    /// The listed places.
    pub fn places(&self) -> impl Iterator<Item = Path> {
        self.at.iter().map(|sent| {
            let step = |step: &str| match (step.strip_prefix('='), step.strip_prefix('#').map(str::parse)) {
                (Some(name), _) => Segment::Named(name.into()),
                (_, Some(Ok(position))) => Segment::At(position),
                _ => Segment::Field(step.into()),
            };
            Path(sent.split(NoteRow::APART).map(step).collect())
        })
    }
}

/// Result of a run under one of the compared policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnRow {
    pub policy: String,
    /// What became of the settings.
    pub notes: Vec<NoteRow>,
    /// Findings about the translated scenario.
    pub findings: Vec<String>,
    /// If not, all numbers are 0.
    pub can_run: bool,
    /// Time of the last computed cycle.
    pub until_ms: i64,
    pub is_over: bool,
    /// When the run first placed or evicted other pods than the first run of the comparison.
    pub first_difference_ms: Option<i64>,
    pub jobs_done: u32,
    /// Jobs that ended because their evicted pods were not replaced.
    pub jobs_evicted: u32,
    /// Jobs pending at the end.
    pub jobs_waiting: u32,
    /// Mean wait for the first start, seconds.
    pub wait_mean_s: f64,
    /// Longest wait for the first start, seconds.
    pub wait_max_s: f64,
    /// Pods evicted by the policy.
    pub evictions: u32,
    /// GPU seconds of work lost by evictions.
    pub lost_gpu_s: f64,
    /// GPU seconds used divided by GPU seconds available, 0 to 1.
    pub utilisation: f64,
    /// In file order.
    pub queues: Vec<QueueCell>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueCell {
    pub queue: String,
    /// GPUs allocated at the end.
    pub gpus: f64,
    /// GPU seconds used.
    pub used_gpu_s: f64,
    /// Mean wait of its jobs, seconds.
    pub wait_mean_s: f64,
}
