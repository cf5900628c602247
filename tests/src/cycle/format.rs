//! File format of the recordings; the README beside the recordings describes meanings and units.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::policy::kai::config::Revision;
use fairground::policy::kai::recorded::Quantities;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Revision of the scheduler that was recorded, from the header of the file.
    #[serde(skip)]
    pub revision: Revision,
    /// Unique in the file.
    pub id: String,
    pub config: Config,
    pub nodes: Vec<Node>,
    pub queues: Vec<Queue>,
    pub jobs: Vec<Job>,
    /// Amount divided at the root; absent if fair shares were not computed.
    #[serde(deserialize_with = "optional_triple")]
    pub total: Option<Quantities>,
    /// Whether all executions took the same decisions.
    pub strict: bool,
    /// Observed outcomes.
    pub outcomes: Vec<Outcome>,
    /// Final states that upstream's own test states.
    #[serde(default)]
    pub expected: Option<Expected>,
}

impl Case {
    /// The case as one of the revision with this commit.
    pub fn recorded_at(self, commit: &str) -> Case {
        let of_commit = |revision: &Revision| revision.commit() == commit;
        Case { revision: Revision::ALL.into_iter().find(of_commit).unwrap_or_default(), ..self }
    }

    /// Outcomes that the simulation may have: the canonical one if it is known.
    pub fn accepted(&self) -> Vec<&Outcome> {
        let canonical: Vec<&Outcome> = self.outcomes.iter().filter(|outcome| outcome.canonical).collect();
        if canonical.is_empty() { self.outcomes.iter().collect() } else { canonical }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// Loaded plugins in order.
    pub plugins: Vec<Plugin>,
    /// Actions of every round in order.
    pub actions: Vec<String>,
    /// -1 for any number.
    pub max_consolidation_preemptees: i64,
    pub allow_consolidating_reclaim: bool,
    pub use_scheduling_signatures: bool,
    /// Negative for never.
    pub staleness_grace_s: f64,
    /// Queue depth by action.
    #[serde(default)]
    pub queue_depth_per_action: BTreeMap<String, u32>,
    /// Maximum number of rounds.
    pub rounds: usize,
    /// Seconds between two rounds.
    pub round_seconds: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Plugin {
    pub name: Arc<str>,
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Node {
    pub name: Arc<str>,
    pub cpu_milli: f64,
    pub memory_bytes: f64,
    pub gpus: f64,
    pub pods: i64,
    /// Label value.
    pub gpu_memory_mib: i64,
    /// Whether the label is trusted.
    #[serde(default)]
    pub gpu_memory_synced: Option<bool>,
    /// Label value.
    #[serde(default)]
    pub gpu_count_label: Option<i64>,
    #[serde(default)]
    pub labels: BTreeMap<Arc<str>, Arc<str>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Queue {
    pub name: Arc<str>,
    /// Parent; empty for a top-level queue.
    pub parent: Arc<str>,
    /// Larger first.
    pub priority: i64,
    pub created_s: f64,
    pub cpu: QueueNumbers,
    pub memory: QueueNumbers,
    pub gpu: QueueNumbers,
    #[serde(default)]
    pub preempt_min_runtime_s: Option<f64>,
    #[serde(default)]
    pub reclaim_min_runtime_s: Option<f64>,
    #[serde(default, deserialize_with = "optional_triple")]
    pub usage: Option<Quantities>,
}

/// A queue's settings for one resource.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct QueueNumbers {
    pub quota: f64,
    pub limit: f64,
    pub weight: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    pub name: Arc<str>,
    pub queue: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Whether it may be evicted for others.
    pub preemptible: bool,
    pub created_s: f64,
    #[serde(default)]
    pub last_start_s: Option<f64>,
    /// Start of its staleness.
    #[serde(default)]
    pub stale_since_s: Option<f64>,
    /// How long after its creation or an eviction it may not evict others.
    #[serde(default)]
    pub preemption_delay_s: Option<f64>,
    /// Last eviction of one of its pods for another job.
    #[serde(default)]
    pub last_eviction_s: Option<f64>,
    /// Its own grace period; negative for never.
    #[serde(default)]
    pub staleness_grace_s: Option<f64>,
    /// Number of members that a group needs, by its name; the name of the job is empty.
    #[serde(default)]
    pub min_sub_group: BTreeMap<Arc<str>, u32>,
    /// Whether evicted pods stay.
    #[serde(default)]
    pub delete_when_evicted: bool,
    /// Job-level allocation of upstream's fixture.
    #[serde(default, deserialize_with = "optional_triple")]
    pub allocated: Option<Quantities>,
    /// Leaf subgroups.
    pub pod_sets: Vec<PodSet>,
    pub pods: Vec<Pod>,
}

/// A leaf subgroup.
#[derive(Clone, Debug, Deserialize)]
pub struct PodSet {
    /// Unique in the job.
    pub name: Arc<str>,
    /// Gang size.
    pub min_available: i64,
    /// Inner subgroups from the root.
    #[serde(default)]
    pub path: Vec<Arc<str>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Pod {
    pub name: Arc<str>,
    pub pod_set: Arc<str>,
    /// Upstream's name of the status.
    pub status: String,
    /// Empty for none.
    pub node: Arc<str>,
    /// Shared devices.
    pub gpu_groups: Vec<Arc<str>>,
    #[serde(default)]
    pub created_s: Option<f64>,
    /// Label value.
    #[serde(default)]
    pub task_priority: Option<Arc<str>>,
    #[serde(default)]
    pub node_affinity_in: Option<Affinity>,
    /// Resource request.
    pub request: Request,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Affinity {
    pub key: Arc<str>,
    pub values: Vec<Arc<str>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    pub cpu_milli: f64,
    pub memory_bytes: f64,
    pub gpu: GpuRequest,
    #[serde(default)]
    pub scalars: BTreeMap<Arc<str>, i64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GpuRequest {
    None {
        /// Key present with value 0.
        #[serde(default)]
        explicit_zero: bool,
    },
    Whole {
        devices: i64,
    },
    /// Fractions of devices.
    Fraction {
        /// Fraction of each device.
        portion: f64,
        devices: i64,
    },
    /// Memory on devices.
    Memory {
        /// Memory on each device.
        mib: i64,
        devices: i64,
    },
}

/// An observed outcome.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// Number of executions.
    pub n: u32,
    /// Whether it is the one of the canonical orders.
    #[serde(default)]
    pub canonical: bool,
    /// Whether queue numbers were bit-equal in all executions.
    pub queues_exact: bool,
    /// Whether queue numbers differed by more than last bits.
    #[serde(default)]
    pub queues_vary: bool,
    /// Crash at its end.
    #[serde(default)]
    pub panic: Option<Crash>,
    pub rounds: Vec<Round>,
}

/// A crash of the real scheduler.
#[derive(Clone, Debug, Deserialize)]
pub struct Crash {
    /// Action that crashed.
    pub action: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Round {
    /// State at the opening; absent in the first round.
    #[serde(default)]
    pub open: Option<Open>,
    /// Queue numbers at the opening.
    #[serde(default)]
    pub shares: Option<BTreeMap<String, Shares>>,
    /// Actions that did something.
    pub steps: Vec<ActionEffects>,
}

/// State at the opening of a later round.
#[derive(Clone, Debug, Deserialize)]
pub struct Open {
    /// Status, node, groups by pod.
    pub pods: BTreeMap<Arc<str>, OpenPod>,
    pub jobs: BTreeMap<Arc<str>, OpenJob>,
}

/// Status, node, shared devices.
pub type OpenPod = (String, Arc<str>, Vec<Arc<str>>);

#[derive(Clone, Debug, Deserialize)]
pub struct OpenJob {
    /// Job-level allocation.
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    #[serde(default)]
    pub last_start_s: Option<f64>,
    /// Start of its staleness.
    #[serde(default)]
    pub stale_since_s: Option<f64>,
    /// Last eviction of one of its pods for another job.
    #[serde(default)]
    pub last_eviction_s: Option<f64>,
}

/// Numbers of a queue at the opening.
#[derive(Clone, Debug, Deserialize)]
pub struct Shares {
    /// Fair share.
    #[serde(deserialize_with = "triple")]
    pub fair_share: Quantities,
    #[serde(deserialize_with = "triple")]
    pub request: Quantities,
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    /// Allocated to non-preemptible jobs.
    #[serde(deserialize_with = "triple")]
    pub allocated_non_preemptible: Quantities,
}

/// Effects of an action.
#[derive(Clone, Debug, Deserialize)]
pub struct ActionEffects {
    pub action: String,
    /// Committed statements.
    #[serde(default)]
    pub commits: Vec<Vec<Event>>,
    #[serde(default)]
    pub pods: BTreeMap<String, (String, String, Vec<String>)>,
    #[serde(default)]
    pub queues: BTreeMap<String, QueueAfter>,
    /// Jobs that were started.
    #[serde(default)]
    pub started: Vec<String>,
    /// Jobs whose staleness was set or cleared.
    #[serde(default)]
    pub stale: BTreeMap<String, String>,
}

/// Numbers of a queue after an action.
#[derive(Clone, Debug, Deserialize)]
pub struct QueueAfter {
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    /// Allocated to non-preemptible jobs.
    #[serde(deserialize_with = "triple")]
    pub allocated_non_preemptible: Quantities,
}

/// A committed operation.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// `bind`, `evict` or `pipelined`.
    pub kind: String,
    pub pod: String,
    #[serde(default)]
    pub node: String,
    /// Shared devices.
    #[serde(default)]
    pub gpu_groups: Vec<String>,
    /// Preemptor job.
    #[serde(default)]
    pub preemptor: String,
}

/// Final states that upstream's own test states.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// By job, for all its pods.
    #[serde(default)]
    pub jobs: BTreeMap<String, ExpectedState>,
    /// By pod.
    #[serde(default)]
    pub pods: BTreeMap<String, ExpectedState>,
    /// Round after which they hold.
    pub after_round: usize,
}

/// An expected state.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedState {
    /// Upstream's name of the status.
    pub status: String,
    /// The node, if it matters.
    #[serde(default)]
    pub node: Option<String>,
}

#[derive(Deserialize)]
struct Triple {
    cpu: f64,
    memory: f64,
    gpu: f64,
}

fn triple<'de, D: Deserializer<'de>>(d: D) -> Result<Quantities, D::Error> {
    let Triple { cpu, memory, gpu } = Triple::deserialize(d)?;
    Ok(Quantities { cpu, memory, gpu })
}

fn optional_triple<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Quantities>, D::Error> {
    let triple = Option::<Triple>::deserialize(d)?;
    Ok(triple.map(|Triple { cpu, memory, gpu }| Quantities { cpu, memory, gpu }))
}
