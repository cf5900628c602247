//! Input of one cycle, in the scheduler's own terms and units.
//!
//! # Source
//! kai.md 1 (data model)
//!
//! # Differs
//! Quantities are final: queue memory is already in bytes, preemptibility is resolved.

use std::sync::Arc;

use crate::cluster::{PodRules, Preemptible, Taint};
use crate::policy::kai::config::Config;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::queues::QueueSpec;
use crate::policy::kai::request::GpuAsk;
use crate::policy::kai::task::Status;

/// Input of a session. Lists are in file order; the policy sorts them into its canonical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Configuration of the scheduler.
    pub config: Config,
    /// Nodes, in file order.
    pub nodes: Vec<SnapshotNode>,
    /// Queues of the tree, in file order.
    pub queues: Vec<QueueSpec>,
    /// Live pod groups.
    pub jobs: Vec<SnapshotJob>,
    /// Named resources in the order of their numbers; others requested by pods follow, by name.
    pub named: Vec<Arc<str>>,
    /// Amount divided at the root.
    pub total: Quantities,
    /// Current time in seconds, on the same axis as other times.
    pub now_s: f64,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotNode {
    /// Unique name.
    pub name: Arc<str>,
    /// Allocatable millicores.
    pub cpu_milli: f64,
    /// Allocatable bytes.
    pub memory_bytes: f64,
    /// Allocatable devices.
    pub gpus: f64,
    /// Pod slots.
    pub pods: i64,
    /// Allocatable amounts of named resources.
    pub scalars: Vec<(Arc<str>, i64)>,
    /// Label value of every GPU, MiB.
    pub gpu_memory_mib: i64,
    /// Whether the GPU memory label is trusted.
    pub gpu_memory_synced: bool,
    /// Value of the GPU count label, if present.
    pub gpu_count_label: Option<i64>,
    /// Labels.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// Taints.
    pub taints: Vec<Taint>,
    /// Whether pods may be placed on it.
    pub ready: bool,
}

/// A pod group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotJob {
    /// Unique name, also its UID.
    pub name: Arc<str>,
    /// Name of its queue.
    pub queue: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// Creation time in seconds; tie-break, older first.
    pub created_s: f64,
    /// Whether its scheduling back-off is other than -1: it is tried only once in a node pool.
    pub is_tried_once: bool,
    /// Whether it was tried and is no longer loaded: only its allocation remains visible.
    pub is_set_aside: bool,
    /// Last start in seconds, if ever.
    pub last_start_s: Option<f64>,
    /// Start of its staleness in seconds, if stale.
    pub stale_since_s: Option<f64>,
    /// How long after its creation or an eviction it may not evict others, seconds.
    pub preemption_delay_s: Option<f64>,
    /// Last eviction of one of its pods for another job, in seconds, if ever.
    pub last_eviction_s: Option<f64>,
    /// Its own staleness grace period in seconds; negative for never.
    pub staleness_grace_s: Option<f64>,
    /// Number of members that a group needs, by its name; the name of the job itself is empty. Others need all.
    pub min_sub_group: Vec<(Arc<str>, u32)>,
    /// The job-level allocation, where a recording differs from the sum over pods.
    pub allocated: Option<Quantities>,
    /// Leaf subgroups.
    pub pod_sets: Vec<SnapshotPodSet>,
    /// Pods.
    pub pods: Vec<SnapshotPod>,
}

/// A leaf subgroup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotPodSet {
    /// Unique in the job.
    pub name: Arc<str>,
    /// Gang size.
    pub min_available: i64,
    /// Names of the inner subgroups from the root.
    pub path: Vec<Arc<str>>,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotPod {
    /// Unique name, also its UID.
    pub name: Arc<str>,
    /// Name of its pod set.
    pub pod_set: Arc<str>,
    /// Status at the opening.
    pub status: Status,
    /// Name of its node; empty for none.
    pub node: Arc<str>,
    /// Shared devices it uses there.
    pub gpu_groups: Vec<Arc<str>>,
    /// Creation time in seconds; tie-break, older first.
    pub created_s: Option<f64>,
    /// Value of the label that orders tasks.
    pub task_priority: Option<Arc<str>>,
    /// Required node label: key and allowed values.
    pub node_affinity_in: Option<(Arc<str>, Vec<Arc<str>>)>,
    /// Further required node labels: each key with its allowed values.
    pub selector: Vec<(Arc<str>, Vec<Arc<str>>)>,
    /// Affinity, tolerations and labels; `None` for most pods.
    pub rules: Option<Arc<PodRules>>,
    /// Requested millicores.
    pub cpu_milli: f64,
    /// Requested bytes.
    pub memory_bytes: f64,
    /// Requested named resources.
    pub scalars: Vec<(Arc<str>, i64)>,
    /// Requested GPUs.
    pub gpu: GpuAsk,
}
