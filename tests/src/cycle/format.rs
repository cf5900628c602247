//! The record as it is written; meanings and units stand in the README beside the recordings.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::policy::kai::snapshot::Quantities;
use serde::{Deserialize, Deserializer};

/// A case.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Unique in the file.
    pub id: String,
    /// Switches.
    pub config: Config,
    /// Machines.
    pub nodes: Vec<Node>,
    /// Queues.
    pub queues: Vec<Queue>,
    /// Pod groups.
    pub jobs: Vec<Job>,
    /// What the root divides; absent when fair shares were not computed.
    #[serde(deserialize_with = "optional_triple")]
    pub total: Option<Quantities>,
    /// Whether all executions took the same decisions.
    pub strict: bool,
    /// What was seen.
    pub outcomes: Vec<Outcome>,
    /// What upstream's own test states.
    #[serde(default)]
    pub expected: Option<Expected>,
}

/// Switches.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// Loaded plugins in order.
    pub plugins: Vec<Plugin>,
    /// Actions of every round in order.
    pub actions: Vec<String>,
    /// -1 for any number.
    pub max_consolidation_preemptees: i64,
    /// Switch.
    pub allow_consolidating_reclaim: bool,
    /// Switch.
    pub use_scheduling_signatures: bool,
    /// Negative for never.
    pub staleness_grace_s: f64,
    /// By action.
    #[serde(default)]
    pub queue_depth_per_action: BTreeMap<String, u32>,
    /// Rounds run at most.
    pub rounds: usize,
    /// Seconds between two rounds.
    pub round_seconds: f64,
}

/// A plugin.
#[derive(Clone, Debug, Deserialize)]
pub struct Plugin {
    /// Upstream's name.
    pub name: Arc<str>,
    /// Arguments.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
}

/// A machine.
#[derive(Clone, Debug, Deserialize)]
pub struct Node {
    /// Unique name.
    pub name: Arc<str>,
    /// Millicores.
    pub cpu_milli: f64,
    /// Bytes.
    pub memory_bytes: f64,
    /// Devices.
    pub gpus: f64,
    /// Pod slots.
    pub pods: i64,
    /// Label value.
    pub gpu_memory_mib: i64,
    /// Whether the label is trusted.
    #[serde(default)]
    pub gpu_memory_synced: Option<bool>,
    /// Label value.
    #[serde(default)]
    pub gpu_count_label: Option<i64>,
    /// Labels.
    #[serde(default)]
    pub labels: BTreeMap<Arc<str>, Arc<str>>,
}

/// A queue.
#[derive(Clone, Debug, Deserialize)]
pub struct Queue {
    /// Unique name.
    pub name: Arc<str>,
    /// Empty for a top queue.
    pub parent: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Creation.
    pub created_s: f64,
    /// CPU.
    pub cpu: QueueNumbers,
    /// Memory.
    pub memory: QueueNumbers,
    /// GPU.
    pub gpu: QueueNumbers,
    /// Minimum runtime.
    #[serde(default)]
    pub preempt_min_runtime_s: Option<f64>,
    /// Minimum runtime.
    #[serde(default)]
    pub reclaim_min_runtime_s: Option<f64>,
    /// Past usage.
    #[serde(default, deserialize_with = "optional_triple")]
    pub usage: Option<Quantities>,
}

/// A queue's settings for one resource.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct QueueNumbers {
    /// Quota.
    pub quota: f64,
    /// Limit.
    pub limit: f64,
    /// Weight.
    pub weight: f64,
}

/// A pod group.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Unique name.
    pub name: Arc<str>,
    /// Its queue.
    pub queue: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Whether it may be evicted for others.
    pub preemptible: bool,
    /// Creation.
    pub created_s: f64,
    /// Last start.
    #[serde(default)]
    pub last_start_s: Option<f64>,
    /// Since when it is stale.
    #[serde(default)]
    pub stale_since_s: Option<f64>,
    /// Whether evicted pods stay.
    #[serde(default)]
    pub delete_when_evicted: bool,
    /// Job-level allocation of upstream's fixture.
    #[serde(default, deserialize_with = "optional_triple")]
    pub allocated: Option<Quantities>,
    /// Leaf subgroups.
    pub pod_sets: Vec<PodSet>,
    /// Pods.
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

/// A pod.
#[derive(Clone, Debug, Deserialize)]
pub struct Pod {
    /// Unique name.
    pub name: Arc<str>,
    /// Its pod set.
    pub pod_set: Arc<str>,
    /// Upstream's name of the status.
    pub status: String,
    /// Empty for none.
    pub node: Arc<str>,
    /// Shared devices.
    pub gpu_groups: Vec<Arc<str>>,
    /// Creation.
    #[serde(default)]
    pub created_s: Option<f64>,
    /// Label value.
    #[serde(default)]
    pub task_priority: Option<Arc<str>>,
    /// Required node label.
    #[serde(default)]
    pub node_affinity_in: Option<Affinity>,
    /// What it asks for.
    pub request: Request,
}

/// Required node label.
#[derive(Clone, Debug, Deserialize)]
pub struct Affinity {
    /// Label key.
    pub key: Arc<str>,
    /// Allowed values.
    pub values: Vec<Arc<str>>,
}

/// What a pod asks for.
#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    /// Millicores.
    pub cpu_milli: f64,
    /// Bytes.
    pub memory_bytes: f64,
    /// GPUs.
    pub gpu: GpuRequest,
    /// Named resources.
    #[serde(default)]
    pub scalars: BTreeMap<Arc<str>, i64>,
}

/// How a pod asks for GPUs.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GpuRequest {
    /// Not.
    None {
        /// Key present with value 0.
        #[serde(default)]
        explicit_zero: bool,
    },
    /// Whole devices.
    Whole {
        /// How many.
        devices: i64,
    },
    /// Parts of devices.
    Fraction {
        /// Of each.
        portion: f64,
        /// How many.
        devices: i64,
    },
    /// Memory on devices.
    Memory {
        /// On each.
        mib: i64,
        /// How many.
        devices: i64,
    },
}

/// One of the things that were seen.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// Number of executions.
    pub n: u32,
    /// Whether queue numbers were bit-equal in all executions.
    pub queues_exact: bool,
    /// Whether queue numbers differed by more than last bits.
    #[serde(default)]
    pub queues_vary: bool,
    /// The crash that ends it.
    #[serde(default)]
    pub panic: Option<Crash>,
    /// Rounds.
    pub rounds: Vec<Round>,
}

/// A crash of the real scheduler.
#[derive(Clone, Debug, Deserialize)]
pub struct Crash {
    /// In which action.
    pub action: String,
}

/// A round.
#[derive(Clone, Debug, Deserialize)]
pub struct Round {
    /// The state it opens from; absent in the first round.
    #[serde(default)]
    pub open: Option<Open>,
    /// Queue numbers at the opening.
    #[serde(default)]
    pub shares: Option<BTreeMap<String, Shares>>,
    /// Actions that did something.
    pub steps: Vec<Step>,
}

/// The state a later round opens from.
#[derive(Clone, Debug, Deserialize)]
pub struct Open {
    /// Status, node, groups by pod.
    pub pods: BTreeMap<Arc<str>, OpenPod>,
    /// By job.
    pub jobs: BTreeMap<Arc<str>, OpenJob>,
}

/// Status, node, shared devices.
pub type OpenPod = (String, Arc<str>, Vec<Arc<str>>);

/// A job at the opening of a later round.
#[derive(Clone, Debug, Deserialize)]
pub struct OpenJob {
    /// Job-level allocation.
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    /// Last start.
    #[serde(default)]
    pub last_start_s: Option<f64>,
    /// Since when it is stale.
    #[serde(default)]
    pub stale_since_s: Option<f64>,
}

/// A queue's numbers at the opening.
#[derive(Clone, Debug, Deserialize)]
pub struct Shares {
    /// Entitlement.
    #[serde(deserialize_with = "triple")]
    pub fair_share: Quantities,
    /// Request.
    #[serde(deserialize_with = "triple")]
    pub request: Quantities,
    /// Allocated.
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    /// Allocated and not preemptible.
    #[serde(deserialize_with = "triple")]
    pub allocated_non_preemptible: Quantities,
}

/// What an action did.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// Its name.
    pub action: String,
    /// Committed statements.
    #[serde(default)]
    pub commits: Vec<Vec<Event>>,
    /// Changed pods.
    #[serde(default)]
    pub pods: BTreeMap<String, (String, String, Vec<String>)>,
    /// Changed queues.
    #[serde(default)]
    pub queues: BTreeMap<String, QueueAfter>,
    /// Jobs that were started.
    #[serde(default)]
    pub started: Vec<String>,
    /// Jobs whose staleness was set or cleared.
    #[serde(default)]
    pub stale: BTreeMap<String, String>,
}

/// A queue's numbers after an action.
#[derive(Clone, Debug, Deserialize)]
pub struct QueueAfter {
    /// Allocated.
    #[serde(deserialize_with = "triple")]
    pub allocated: Quantities,
    /// Allocated and not preemptible.
    #[serde(deserialize_with = "triple")]
    pub allocated_non_preemptible: Quantities,
}

/// A committed operation.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// `bind`, `evict` or `pipelined`.
    pub kind: String,
    /// The pod.
    pub pod: String,
    /// Its node.
    #[serde(default)]
    pub node: String,
    /// Shared devices.
    #[serde(default)]
    pub gpu_groups: Vec<String>,
    /// For which job.
    #[serde(default)]
    pub preemptor: String,
}

/// What upstream's own test states.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// By job, for all its pods.
    #[serde(default)]
    pub jobs: BTreeMap<String, ExpectedState>,
    /// By pod.
    #[serde(default)]
    pub pods: BTreeMap<String, ExpectedState>,
    /// After how many rounds it holds.
    pub after_round: usize,
}

/// A state that is expected.
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
