//! The part of the protocol that is about other scenarios than the present one: imported, tried, under other policies.

use fairground::scenario::{Path, Segment};
use serde::{Deserialize, Serialize};

/// Choices for the import of traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// Nodes × GPUs, such as `88x8`.
    pub nodes: String,
    /// A fraction such as `1/4`.
    pub quota_scale: String,
    /// The policy's name in a scenario.
    pub policy: String,
}

/// What came of a variation, a few cycles beyond the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The first cycle from the moment on in which the job runs.
    pub starts: Option<u32>,
    /// Pods told to go, more (or fewer) than in the unchanged scenario.
    pub evictions: i64,
    /// Some of the jobs that run in the unchanged scenario and do not here.
    pub losers: Vec<String>,
    /// How many there are.
    pub n_losers: u32,
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
    /// Pods told to go by the policy.
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
