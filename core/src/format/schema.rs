//! The shape of format version 1. Values stay as typed ([`Scalar`]); `check` gives them meaning.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A value as typed: `8`, `1.5`, `500m`, `16Gi`, `64 GB`, `unlimited`, `true`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scalar(pub String);

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar(text.to_string())
    }
}

// Long sections are shared, so that an undo step copies only what it changed.
/// A scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Title.
    pub name: String,
    /// Description; free text.
    pub note: String,
    /// Whose field names and units the file uses. Default: `kai`.
    pub dialect: String,
    /// The policy: `kai`, `fifo`, `yunikorn`, `ego`, `runai`, `max-min` or `drf`. Default: `kai`.
    pub policy: String,
    /// Settings of the policy by name. Default: the product's own default values.
    pub settings: BTreeMap<String, Scalar>,
    /// When cycles run: a period (`1s`, or `120s, first at 1s`), `on change` (whenever a job arrives or ends, and whenever the
    /// passing of time can change a decision; under `kai` and `runai` at least 1 s apart), or `on events` (whenever a job
    /// arrives or ends, and at timeline entries). Default: every second under `kai` and `runai`, otherwise on change.
    pub cycle: Option<Scalar>,
    /// How long pods take to start and to terminate.
    pub delays: DelaysEntry,
    /// Nodes, single or in groups of equal nodes.
    pub nodes: Arc<Vec<NodeEntry>>,
    /// The queue tree, as a flat list in which queues name their parents.
    pub queues: Arc<Vec<QueueEntry>>,
    /// Jobs, single or as patterns of equal jobs.
    pub jobs: Arc<Vec<JobEntry>>,
    /// External events during the run.
    pub timeline: Arc<Vec<TimelineEntry>>,
    /// Separately scheduled parts of the cluster (node pools, partitions, shards), in the order in which their schedulers run.
    /// Default: one pool with all nodes.
    pub pools: Arc<Vec<PoolEntry>>,
}

/// A node pool: a set of nodes with its own scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolEntry {
    /// Unique name.
    pub name: String,
    /// Settings of the policy that differ in this pool.
    pub settings: BTreeMap<String, Scalar>,
    /// When cycles run in this pool. Default: the scenario's `cycle`.
    pub cycle: Option<Scalar>,
    /// A note.
    pub note: String,
}

/// How long pods take to start and to terminate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelaysEntry {
    /// Time from binding to running. Default: none.
    pub start: Option<Scalar>,
    /// Time from eviction to termination. Default: pods terminate before the next cycle.
    pub termination: Option<Scalar>,
}

/// A node, or a group of equal nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeEntry {
    /// Name of the node. For a group, the prefix of its nodes `name-1` to `name-count`.
    pub name: String,
    /// Number of equal nodes. Default: a single node with this name. With `1`: a group of one node, `name-1`.
    pub count: Option<Scalar>,
    /// GPUs per node, at most 64. Default: none.
    pub gpu: Option<Scalar>,
    /// CPU cores per node. Default: 64.
    pub cpu: Option<Scalar>,
    /// Memory per node; without a unit, in bytes. Default: 256 GB.
    pub memory: Option<Scalar>,
    /// Maximum number of pods per node, or `unlimited`. Default: 110. If no node has a maximum, YuniKorn does not count pods.
    pub pods: Option<Scalar>,
    /// Memory per GPU; without a unit, in MiB. Default: 40000 MiB.
    pub gpu_memory: Option<Scalar>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// `draining`: accepts no new pods, running pods stay. `down`, or a condition that makes a node unschedulable in Kubernetes
    /// (`cordoned`, `not-ready`, `memory-pressure`, `disk-pressure`, `pid-pressure`, `network-unavailable`): the node is not
    /// used. Default: `ready`.
    pub state: Option<Scalar>,
    /// Taints: `key:Effect` or `key=value:Effect`, with the effect `NoSchedule`, `NoExecute` or `PreferNoSchedule`.
    pub taints: Vec<String>,
    /// The pool of the node. Default: the first pool.
    pub pool: Option<String>,
    /// A note.
    pub note: String,
    /// Other countable resources per node, by name (`rdma: 4`).
    pub resources: BTreeMap<String, Scalar>,
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// Unique name.
    pub name: String,
    /// Name of the parent queue. Default: none, a top-level queue.
    pub parent: Option<String>,
    /// Priority; larger values first. Default: the policy's default.
    pub priority: Option<Scalar>,
    /// Creation time. Default: older than all queues below it in the file.
    pub created: Option<Scalar>,
    /// GPU quota, limit and weight.
    pub gpu: ResourceEntry,
    /// CPU quota, limit and weight.
    pub cpu: ResourceEntry,
    /// Memory quota, limit and weight; without a unit, in units of 10^6 bytes, as in KAI.
    pub memory: ResourceEntry,
    /// Minimum runtime before jobs of the same queue can preempt.
    pub preempt_min_runtime: Option<Scalar>,
    /// Minimum runtime before other queues can reclaim.
    pub reclaim_min_runtime: Option<Scalar>,
    /// A note.
    pub note: String,
    /// Values that differ in individual pools.
    pub pools: Vec<QueuePoolEntry>,
    /// Pools, in order, for jobs without `pools`. Default: those of the parent, or the first pool.
    pub default_pools: Vec<String>,
    /// Display name, shown beside the name.
    pub display_name: String,
}

/// A queue's values in one pool. Default of each field: the value of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePoolEntry {
    /// Name of the pool.
    pub name: String,
    /// Priority; larger values first.
    pub priority: Option<Scalar>,
    /// GPU quota, limit and weight.
    pub gpu: ResourceEntry,
    /// CPU quota, limit and weight.
    pub cpu: ResourceEntry,
    /// Memory quota, limit and weight; without a unit, in units of 10^6 bytes, as in KAI.
    pub memory: ResourceEntry,
    /// Minimum runtime before jobs of the same queue can preempt.
    pub preempt_min_runtime: Option<Scalar>,
    /// Minimum runtime before other queues can reclaim.
    pub reclaim_min_runtime: Option<Scalar>,
}

/// Quota, limit and weight of a queue for one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceEntry {
    /// Guaranteed amount, or `unlimited` (in KAI also `-1`). Default: depends on the policy; 0 under KAI.
    pub quota: Option<Scalar>,
    /// Maximum amount, or `unlimited`. Default: depends on the policy; under KAI 0.
    pub limit: Option<Scalar>,
    /// Weight in the division of what exceeds all quotas. Default: depends on the policy; 0 under KAI.
    pub weight: Option<Scalar>,
    /// Past usage as a fraction of the cluster, 0 to 1.
    pub usage: Option<Scalar>,
}

/// A job, or a pattern of equal jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntry {
    /// Unique name. For a pattern, the prefix of its jobs `name-1` to `name-count`.
    pub name: String,
    /// Name of a leaf queue.
    pub queue: String,
    /// Number of equal jobs. Default: a single job with this name. With `1`: a pattern of one job, `name-1`.
    pub count: Option<Scalar>,
    /// Time between two arrivals of a pattern: `30s`; `60s..10s`, which changes linearly from the first to the last; or `30s
    /// random`, drawn independently with this mean (exponential distribution). Default: all jobs arrive at once.
    pub every: Option<Scalar>,
    /// Submission time. Default: at the start.
    pub submit: Option<Scalar>,
    /// Creation time, at or before the submission, from which its age is counted. Default: the submission time.
    pub created: Option<Scalar>,
    /// Runtime of each pod: `20m`, or `8m..20m`, drawn for each job of the pattern (uniform distribution). Default: unlimited.
    pub lasts: Option<Scalar>,
    /// A number or the name of a priority class. Under `kai`, `runai` and `yunikorn`, the setting `priority-class.NAME` defines
    /// a class; `kai` and `runai` also have `train` (50), `build-preemptible` (75; `interactive-preemptible` in Run:ai),
    /// `build` (100) and `inference` (125). Default: 50 under `kai` and `runai`, otherwise 0.
    pub priority: Option<Scalar>,
    /// Whether its pods can be evicted for other jobs: `true`, `false`, or, under `runai`, `semi`: the first `min-available`
    /// pods of a pod set cannot be evicted, the others can. Default: under `kai` and `runai`, `true` if the priority is below
    /// 100; otherwise `true`.
    pub preemptible: Option<Scalar>,
    /// The user who submitted the job.
    pub user: Option<String>,
    /// Number of pods; not together with `pod_sets`. Default: 1.
    pub pods: Option<Scalar>,
    /// Number of pods that must start together; 0 under KAI, version 0.17. Default: all. With `pod_sets`: the minimum over all
    /// pod sets. Default in this case: each pod set has its own minimum.
    pub min_available: Option<Scalar>,
    /// GPUs per pod: a whole number, or a fraction of one GPU. Default: none.
    pub gpu: Option<Scalar>,
    /// GPU memory per pod, instead of `gpu`.
    pub gpu_memory: Option<Scalar>,
    /// CPU cores per pod.
    pub cpu: Option<Scalar>,
    /// Memory per pod.
    pub memory: Option<Scalar>,
    /// Required node labels.
    pub selector: BTreeMap<String, String>,
    /// Sets of equal pods, instead of `pods` and the requests above.
    pub pod_sets: Vec<PodSetEntry>,
    /// Nodes on which its first pods run at the start, one entry per pod, each on the lowest free devices. In a pattern, the
    /// entries are assigned job by job. If the job is submitted later, something other than the scheduler has placed these pods
    /// by then: they run there even if the node lacks room, and wait only if it is down.
    pub on: Vec<String>,
    /// When the pods in `on` started, at or before `submit`. Default: `submit`.
    pub started: Option<Scalar>,
    /// A note.
    pub note: String,
    /// Tolerated taints: `key`, `key=value`, `key:Effect`, `key=value:Effect`, or `*` for all.
    pub tolerations: Vec<String>,
    /// Required node affinity; a node must match all entries: `key in (a, b)`, `key notin (a, b)`, `key` (exists), `!key` (does
    /// not exist).
    pub affinity: Vec<String>,
    /// Labels of its pods. Under KAI, three labels affect the order of pods in a job: `kai.scheduler/task-priority`,
    /// `training.kubeflow.org/job-role` and `ray.io/node-type`.
    pub labels: BTreeMap<String, String>,
    /// `true`: its pods have a scheduling gate that is never removed. Default: `false`.
    pub gated: Option<Scalar>,
    /// Number of devices on which each pod requests its fraction (`gpu` below 1, or `gpu-memory`). Default: 1.
    pub gpu_devices: Option<Scalar>,
    /// Pools in which it can run. Under `runai` they are tried in order, under other policies only the first is used. Default:
    /// `default-pools` of the queue, or the first pool.
    pub pools: Vec<String>,
    /// Only under `yunikorn`: `soft` or `hard`. Placeholders reserve room for the gang (`min-available` pods of each pod set),
    /// and pods replace them once all are placed. After the timeout, a soft gang is scheduled without placeholders, a hard gang
    /// fails. Default: no placeholders.
    pub gang: Option<Scalar>,
    /// How long placeholders wait for the rest of the gang, counted from the first placement. Default: 15 minutes.
    pub placeholder_timeout: Option<Scalar>,
    /// KAI: with `1`, a job that is completely unscheduled at the end of a cycle is not tried again in that pool; with `-1`, it
    /// is tried in every cycle. Default: `-1`.
    pub scheduling_backoff: Option<Scalar>,
    /// KAI, version 0.17: how long after its creation, or after an eviction of one of its pods for another job, it may not evict
    /// others. Default: 0s.
    pub preemption_delay: Option<Scalar>,
    /// KAI, version 0.17: how long it may run below its minimum, or `unlimited`. Default: the setting `staleness-grace`.
    pub staleness_grace: Option<Scalar>,
    /// KAI, version 0.17: number of its members that must start together: groups (`group` of the pod sets) and pod sets outside
    /// of groups. Default: all.
    pub min_subgroups: Option<Scalar>,
    /// KAI, version 0.17: the same for the groups, by name: `{replicas: 2}`. Default: all.
    pub min_subgroups_of: BTreeMap<String, Scalar>,
    /// The node that another component (a scheduler, an autoscaler) nominated for its pods. KAI prefers this node if the pod
    /// fits. Default: none.
    pub nominated_node: Option<String>,
    /// Other countable resources per pod, by name (`rdma: 1`).
    pub resources: BTreeMap<String, Scalar>,
    /// Seed of the random values of the pattern; those of the nth job depend on nothing else in the file. Default: 1.
    pub seed: Option<Scalar>,
    /// Repeats the whole pattern: `5 every 1d` runs it five times, each one day after the previous start. Default: once.
    pub repeat: Option<Scalar>,
    /// What happens after a pod was evicted or lost its node. `again`: its controller creates a new pod, which starts over.
    /// `resume`: the new pod continues where the old one stopped. `never`: no new pod is created, and the job ends once it has
    /// no pods left. Default: `again`.
    pub restart: Option<Scalar>,
    /// YuniKorn: the application of its pods (label `applicationId`). Jobs of one application share its queue and its position
    /// in the order; everything else may differ. Default: the job is an application of its own.
    pub application: Option<String>,
    /// YuniKorn: with `true`, its pods are the originators of their application, such as a driver, and are evicted last.
    /// Default: `false`.
    pub originator: Option<Scalar>,
    /// YuniKorn: with `false`, its pods never preempt others (`preemptionPolicy: Never` in Kubernetes). Default: `true`.
    pub preempts: Option<Scalar>,
    /// YuniKorn: the only node on which its pods can run, as for a DaemonSet. Default: none.
    pub required_node: Option<String>,
    /// YuniKorn: the groups of its user at submission, for group limits. Default: the setting `groups.USER`.
    pub groups: Vec<String>,
    /// GPUs that the pods in `on` use, one entry per pod, counted from 0: `2`, or `0+1` for several. Default: the lowest free
    /// GPUs; a fraction goes to a shared GPU with room, if there is one.
    pub on_devices: Vec<String>,
    /// When the pods in `on` that are being evicted at the start terminate, one entry per pod, such as `30s`; empty: the pod is
    /// not being evicted. `restart` applies afterwards. Default: none.
    pub terminating: Vec<String>,
    /// EGO: the job for which the pods in `terminating` are being evicted; their room is reserved for its pending pods.
    /// Default: none.
    pub evicted_for: Option<String>,
}

impl JobEntry {
    /// Returns the job without its initial placement.
    #[must_use]
    pub fn not_running(self) -> JobEntry {
        JobEntry {
            on: Vec::new(),
            on_devices: Vec::new(),
            started: None,
            terminating: Vec::new(),
            evicted_for: None,
            ..self
        }
    }
}

/// A set of equal pods in a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodSetEntry {
    /// Unique name within the job.
    pub name: String,
    /// Number of pods.
    pub pods: Option<Scalar>,
    /// Number of pods that must start together; 0 under KAI, version 0.17. Default: all, unless the job has `min-available`.
    pub min_available: Option<Scalar>,
    /// GPUs per pod.
    pub gpu: Option<Scalar>,
    /// GPU memory per pod, instead of `gpu`.
    pub gpu_memory: Option<Scalar>,
    /// CPU cores per pod.
    pub cpu: Option<Scalar>,
    /// Memory per pod.
    pub memory: Option<Scalar>,
    /// Path of the subgroup that contains it: `workers/left`. Default: the job itself.
    pub group: String,
    /// Labels of its pods, in addition to the job's.
    pub labels: BTreeMap<String, String>,
    /// `true`: its pods have a scheduling gate that is never removed. Default: the value of the job.
    pub gated: Option<Scalar>,
    /// Number of devices on which each pod requests its fraction. Default: 1.
    pub gpu_devices: Option<Scalar>,
    /// The node that another component nominated for its pods. Default: the value of the job.
    pub nominated_node: Option<String>,
    /// Other countable resources per pod, by name.
    pub resources: BTreeMap<String, Scalar>,
    /// Required node affinity of its pods, in addition to the job's.
    pub affinity: Vec<String>,
    /// Under `kai` and `runai`: time from the submission of the job until these pods are created. At least one pod set has no
    /// delay. Default: created with the job.
    pub after: Option<Scalar>,
}

/// New capacity of a node. Default of each field: unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityEntry {
    /// GPUs, at most 64.
    pub gpu: Option<Scalar>,
    /// CPU cores.
    pub cpu: Option<Scalar>,
    /// Memory; without a unit, in bytes.
    pub memory: Option<Scalar>,
    /// Maximum number of pods, or `unlimited`.
    pub pods: Option<Scalar>,
    /// Other countable resources, by name.
    pub resources: BTreeMap<String, Scalar>,
}

/// An external event during the run. An entry has exactly one of `queue`, `node`, `job` and `settings` (or `unset`); an entry
/// with only a `note` changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// Time of the event.
    pub at: Scalar,
    /// The queue to change: the values below replace its current values.
    pub queue: Option<String>,
    /// New priority of the queue.
    pub priority: Option<Scalar>,
    /// New GPU values of the queue.
    pub gpu: ResourceEntry,
    /// New CPU values of the queue.
    pub cpu: ResourceEntry,
    /// New memory values of the queue.
    pub memory: ResourceEntry,
    /// The node to change.
    pub node: Option<String>,
    /// `ready`; `draining`: accepts no new pods, running pods stay; or a state in which a node is not used and loses its pods,
    /// such as `down` or `cordoned`.
    pub state: Option<Scalar>,
    /// New capacity of the node. Its pods stay even if they exceed it; no pods are added until there is room again. Free GPUs
    /// are removed first.
    pub capacity: CapacityEntry,
    /// The job to end.
    pub job: Option<String>,
    /// YuniKorn, which reloads its configuration: new values of settings, by name. Other settings stay unchanged.
    pub settings: BTreeMap<String, Scalar>,
    /// YuniKorn: settings removed from its configuration.
    pub unset: Vec<String>,
    /// A note. An entry with nothing else changes nothing.
    pub note: String,
    /// The pool in which the queue changes. Default: all pools.
    pub pool: Option<String>,
}

impl TimelineEntry {
    /// Whether the entry is only a note.
    pub fn is_remark(&self) -> bool {
        let bare = TimelineEntry { at: self.at.clone(), note: self.note.clone(), ..TimelineEntry::default() };
        !self.note.is_empty() && *self == bare
    }
}
