//! What one cycle of the scheduler starts from, and what it comes to, in the scheduler's own words and numbers.
//!
//! The snapshot is the border of the policy: [`super`] makes one from the cluster, and recorded
//! cases of the real scheduler are read into one directly, because recordings may hold states (bound pods,
//! arbitrary doubles, negative weights) that no scenario can describe.
//!
//! # Source
//! kai.md 1 (data model); recordings of format `kai-cycle/1`.
//!
//! # Differs
//! Quantities are final: queue memory is in bytes already, preemptibility is resolved.

use std::sync::Arc;

pub use super::number::Quantities;
use crate::cluster::{PodRules, Preemptible, Taint};

/// Everything a session opens from. Lists are in file order; the policy brings them into its canonical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Switches.
    pub config: super::config::Config,
    /// Machines.
    pub nodes: Vec<SnapshotNode>,
    /// Queues of the tree.
    pub queues: Vec<SnapshotQueue>,
    /// Pod groups that are not over.
    pub jobs: Vec<SnapshotJob>,
    /// Named resources in the order in which they are numbered; others that pods ask for come after them, by name.
    pub named: Vec<Arc<str>>,
    /// What the root divides.
    pub total: Quantities,
    /// Now, in seconds; other moments are on the same axis.
    pub now_s: f64,
}

/// A machine.
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
    /// What keeps pods off it.
    pub taints: Vec<Taint>,
    /// Whether it takes part.
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
    /// Tie-break by age.
    pub created_s: f64,
    /// Deserved quota.
    pub quota: Quantities,
    /// Limit.
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
    /// Tie-break by age.
    pub created_s: f64,
    /// Whether its scheduling back-off is other than -1: it is tried once in a node pool.
    pub is_tried_once: bool,
    /// Whether that was done, so that it is not loaded: only what it still holds is seen.
    pub is_set_aside: bool,
    /// When it last started, if ever.
    pub last_start_s: Option<f64>,
    /// Since when it is stale.
    pub stale_since_s: Option<f64>,
    /// The job-level allocation, where a recording says it differs from the sum over pods.
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
    /// Inner subgroups from the root.
    pub path: Vec<Arc<str>>,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotPod {
    /// Unique name, also its UID.
    pub name: Arc<str>,
    /// Its pod set.
    pub pod_set: Arc<str>,
    /// Status at the opening.
    pub status: Status,
    /// Its node; empty for none.
    pub node: Arc<str>,
    /// Shared devices it uses there.
    pub gpu_groups: Vec<Arc<str>>,
    /// Tie-break by age.
    pub created_s: Option<f64>,
    /// Label that orders tasks.
    pub task_priority: Option<Arc<str>>,
    /// Required node label: key and allowed values.
    pub node_affinity_in: Option<(Arc<str>, Vec<Arc<str>>)>,
    /// Further node labels it requires: each key with its allowed values.
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

/// How a pod asks for GPUs (kai.md 1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GpuAsk {
    /// Key absent.
    #[default]
    None,
    /// Key present with value 0.
    ExplicitZero,
    /// Whole devices.
    Whole {
        /// How many.
        devices: i64,
    },
    /// Part of each of several devices.
    Fraction {
        /// 0 < portion <= 1.
        portion: f64,
        /// How many devices.
        devices: i64,
    },
    /// Memory on each of several devices.
    Memory {
        /// MiB.
        mib: i64,
        /// How many devices.
        devices: i64,
    },
}

/// Pod status (kai.md 1.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Waiting to be placed.
    #[default]
    Pending,
    /// Waiting for something outside scheduling.
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
    /// Told to go.
    Releasing,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
}

/// What a cycle came to, in the form in which the real scheduler was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleOutcome {
    /// Per queue at the opening, in the order of the snapshot.
    pub shares: Vec<QueueShares>,
    /// What every job holds at the opening, by name.
    pub jobs: Vec<(Arc<str>, Quantities)>,
    /// One entry per action, in order, also when nothing happened in it.
    pub steps: Vec<ActionOutcome>,
}

/// A queue's numbers at the opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueShares {
    /// Name.
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

/// What one action did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionOutcome {
    /// `allocate`, `consolidation`, `reclaim`, `preempt`, `stalegangeviction`.
    pub action: &'static str,
    /// Committed statements in order; events inside one in the order of its operations.
    pub commits: Vec<Vec<Committed>>,
    /// Pods whose status, node or groups differ from before the action.
    pub pods: Vec<PodState>,
    /// Queues whose numbers changed by the action: name, allocated, allocated non-preemptible.
    pub queues: Vec<(Arc<str>, Quantities, Quantities)>,
    /// Jobs whose last start was set.
    pub started: Vec<Arc<str>>,
    /// Jobs whose staleness was set (`true`) or cleared.
    pub stale: Vec<(Arc<str>, bool)>,
    /// Jobs on which the real scheduler would have died in this action.
    pub crashes: Vec<Arc<str>>,
}

/// One committed operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Committed {
    /// A bind request.
    Bind {
        /// The pod.
        pod: Arc<str>,
        /// Its node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
    /// A deletion request.
    Evict {
        /// The pod.
        pod: Arc<str>,
        /// The job it is for; empty for stale gangs.
        preemptor: Arc<str>,
    },
    /// A claim.
    Pipelined {
        /// The pod.
        pod: Arc<str>,
        /// The node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
}

/// A pod's state after an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodState {
    /// The pod.
    pub pod: Arc<str>,
    /// Status.
    pub status: Status,
    /// Node; empty for none.
    pub node: Arc<str>,
    /// Shared devices, only in an active-used status.
    pub gpu_groups: Vec<Arc<str>>,
}
