//! Input and result of one cycle, in the scheduler's own terms and units.
//!
//! Recorded cases of the real scheduler are read into a snapshot, because they may contain states (bound pods, arbitrary doubles,
//! negative weights) that no scenario can describe. A cycle of the simulation is opened from the cluster instead.
//!
//! # Source
//! kai.md 1 (data model); recordings of format `kai-cycle/1`.
//!
//! # Differs
//! Quantities are final: queue memory is already in bytes, preemptibility is resolved.

use std::sync::Arc;

pub use super::number::Quantities;
use crate::cluster::{PodRules, Preemptible, Taint};

/// Input of a session. Lists are in file order; the policy sorts them into its canonical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Configuration of the scheduler.
    pub config: super::config::Config,
    /// Nodes, in file order.
    pub nodes: Vec<SnapshotNode>,
    /// Queues of the tree, in file order.
    pub queues: Vec<SnapshotQueue>,
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

/// A queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotQueue {
    /// Unique name, also its UID.
    pub name: Arc<str>,
    /// Name of the parent; empty for a top queue.
    pub parent: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Creation time in seconds; tie-break, older first.
    pub created_s: f64,
    /// Deserved quota; -1 for unlimited.
    pub quota: Quantities,
    /// Limit; -1 for unlimited.
    pub limit: Quantities,
    /// Over-quota weight.
    pub weight: Quantities,
    /// Past usage, shares of cluster capacity.
    pub usage: Quantities,
    /// Minimum runtime against preemption, seconds.
    pub preempt_min_runtime_s: Option<f64>,
    /// Minimum runtime against reclaim, seconds.
    pub reclaim_min_runtime_s: Option<f64>,
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

/// GPU request of a pod (kai.md 1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GpuAsk {
    /// Key absent.
    #[default]
    None,
    /// Key present with value 0.
    ExplicitZero,
    /// Whole devices.
    Whole {
        /// Number of devices.
        devices: i64,
    },
    /// A fraction of each of several devices.
    Fraction {
        /// 0 < portion <= 1.
        portion: f64,
        /// Number of devices.
        devices: i64,
    },
    /// Memory on each of several devices.
    Memory {
        /// Memory on each device, MiB.
        mib: i64,
        /// Number of devices.
        devices: i64,
    },
}

/// Pod status (kai.md 1.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Waiting to be placed.
    #[default]
    Pending,
    /// Waiting for a condition outside scheduling.
    Gated,
    /// Placed in this cycle, not committed.
    Allocated,
    /// Placed on room that is not free yet.
    Pipelined,
    /// Bind requested.
    Binding,
    /// Bound.
    Bound,
    /// Running.
    Running,
    /// Terminating.
    Releasing,
    /// Terminating for longer than the threshold, since v0.17: its room is not promised to others.
    StuckInReleasing,
    /// Finished successfully.
    Succeeded,
    /// Finished with an error.
    Failed,
}

/// Result of a cycle, in the format of the recordings of the real scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleOutcome {
    /// Per queue at the opening, in the order of the snapshot.
    pub shares: Vec<QueueShares>,
    /// Allocation of every job at the opening, by name.
    pub jobs: Vec<(Arc<str>, Quantities)>,
    /// One entry per action, in order, even if the action changed nothing.
    pub steps: Vec<ActionOutcome>,
}

/// Amounts of a queue at the opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueShares {
    /// Name of the queue.
    pub queue: Arc<str>,
    /// Fair share.
    pub fair_share: Quantities,
    /// Request.
    pub request: Quantities,
    /// Allocated.
    pub allocated: Quantities,
    /// Allocated and not preemptible.
    pub allocated_non_preemptible: Quantities,
}

/// Result of one action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionOutcome {
    /// `allocate`, `consolidation`, `reclaim`, `preempt`, `stalegangeviction`.
    pub action: &'static str,
    /// Committed statements in order; events inside one in the order of its operations.
    pub commits: Vec<Vec<Committed>>,
    /// Pods whose status, node or groups differ from before the action.
    pub pods: Vec<PodState>,
    /// Queues whose amounts changed by the action: name, allocated, allocated non-preemptible.
    pub queues: Vec<(Arc<str>, Quantities, Quantities)>,
    /// Jobs whose last start was set.
    pub started: Vec<Arc<str>>,
    /// Jobs whose staleness was set (`true`) or cleared.
    pub stale: Vec<(Arc<str>, bool)>,
    /// Jobs on which the real scheduler would crash in this action.
    pub crashes: Vec<Arc<str>>,
}

/// One committed operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Committed {
    /// A bind request.
    Bind {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of its node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
    /// A deletion request.
    Evict {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of the job for which it is evicted; empty for stale gangs.
        preemptor: Arc<str>,
    },
    /// A claim on room that is not free yet.
    Pipelined {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of the node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
}

/// A pod's state after an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodState {
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Status.
    pub status: Status,
    /// Name of its node; empty for none.
    pub node: Arc<str>,
    /// Shared devices, only in an active-used status.
    pub gpu_groups: Vec<Arc<str>>,
}
