//! The part of the protocol that is about other scenarios than the present one: imported, tried, under other policies.

use std::fmt;
use std::sync::Arc;

use fairground::scenario::{Path, Segment};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Choices for the import of traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// Nodes × GPUs, such as `88x8`.
    pub nodes: String,
    /// A fraction such as `1/4`.
    pub quota_scale: String,
    /// The policy's name in a scenario; empty: that which the files are of.
    pub policy: String,
    /// What columns of a trace hold: field and column; an empty column: none holds it.
    pub mapping: Vec<(String, String)>,
}

/// The bytes of a file, which travel as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileBytes(pub Arc<[u8]>);

impl FileBytes {
    /// Those of a text.
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
    /// The files in a zip archive.
    pub archive: FileBytes,
    /// How many files there are.
    pub n_files: usize,
    /// What they cannot say of the scenario.
    pub left_out: Vec<String>,
}

/// The first rows of a trace, whose columns can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Each column: its name, and the field that it holds; empty: none.
    pub columns: Vec<(String, String)>,
    /// The first rows.
    pub rows: Vec<Vec<String>>,
}

/// What came of variations of a scenario, compared with the run that goes on unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// When the job starts by itself, after the moment asked about; `None`: not within the time compared.
    pub unchanged: Option<Start>,
    /// The moment up to which the unchanged run was followed; `None`: to its end.
    pub until_ms: Option<i64>,
    /// In the order asked, without the unchanged scenario; `None`: that one cannot run.
    pub outcomes: Vec<Option<Outcome>>,
}

/// What came of a variation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// When more pods of the job run than at the moment asked about; `None`: not within the time compared.
    pub starts: Option<Start>,
    /// It starts earlier than in the unchanged run and is at no moment worse off.
    pub helps: bool,
    /// Evicted pods, more (or fewer) than in the unchanged run.
    pub evictions: i64,
    /// Some of the other jobs that are worse off than in the unchanged run.
    pub losers: Vec<Loser>,
    /// How many there are.
    pub n_losers: u32,
    /// The moment up to which the two runs were compared; `None`: to their end.
    pub until_ms: Option<i64>,
}

/// When a job starts, or more of its pods do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// It is over before the moment asked about.
    Over,
    /// At the moment asked about or before.
    Already,
    /// Later.
    At {
        /// In this cycle.
        cycle: u32,
        /// Milliseconds since the start.
        time_ms: i64,
    },
}

/// A job that is worse off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loser {
    /// Its name.
    pub job: String,
    /// How.
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
    /// What and why.
    pub says: String,
    /// The first places.
    pub at: Vec<String>,
    /// How many places there are.
    pub n: u32,
}

impl NoteRow {
    /// Stands between the steps of a place.
    const APART: &str = "\u{1f}";

    /// A place as it is sent.
    pub fn sent(at: &Path) -> String {
        let steps = at.0.iter().map(|step| match step {
            Segment::Field(name) => name.clone(),
            Segment::Named(name) => ["=", name].concat(),
            Segment::At(position) => format!("#{position}"),
        });
        steps.collect::<Vec<_>>().join(NoteRow::APART)
    }

    /// The first places.
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

/// What a run came to under one of several policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnRow {
    /// The policy.
    pub policy: String,
    /// What became of the settings.
    pub notes: Vec<NoteRow>,
    /// Findings about the translated scenario.
    pub findings: Vec<String>,
    /// Whether it could be run; if not, the numbers are 0.
    pub can_run: bool,
    /// The run's latest moment.
    pub until_ms: i64,
    /// Nothing further will happen.
    pub is_over: bool,
    /// When it first placed or evicted other pods than the first run of the comparison.
    pub first_difference_ms: Option<i64>,
    /// Jobs that ended.
    pub jobs_done: u32,
    /// Jobs that ended because nobody replaced their evicted pods.
    pub jobs_evicted: u32,
    /// Jobs that wait at the end.
    pub jobs_waiting: u32,
    /// Mean wait for the first start, seconds.
    pub wait_mean_s: f64,
    /// Longest wait.
    pub wait_max_s: f64,
    /// Pods evicted by the policy.
    pub evictions: u32,
    /// GPU seconds of work that was lost.
    pub lost_gpu_s: f64,
    /// GPU seconds used over those there were, 0 to 1.
    pub utilisation: f64,
    /// Queues in file order.
    pub queues: Vec<QueueCell>,
}

/// A queue in a [`ColumnRow`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueCell {
    /// Its name.
    pub queue: String,
    /// GPUs it holds at the end.
    pub gpus: f64,
    /// GPU seconds it used.
    pub used_gpu_s: f64,
    /// Mean wait of its jobs, seconds.
    pub wait_mean_s: f64,
}
