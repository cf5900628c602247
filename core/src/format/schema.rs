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
    /// What to watch; free text.
    pub note: String,
    /// Whose words and units the file uses; left out: `kai`.
    pub dialect: String,
    /// Which policy runs it: `kai`, `fifo`, `yunikorn`, `ego`, `runai`, `max-min` or `drf`; left out:
    /// `kai`.
    pub policy: String,
    /// Switches of the policy by name; left out: the product's default.
    pub settings: BTreeMap<String, Scalar>,
    /// When cycles take place: a period (`1s`; or `120s, first at 1s`), `on change` (at every arrival and end, and when time
    /// alone may change a decision; under `kai` and `runai` at least 1 s apart), or `on events` (at every arrival, end and entry of
    /// the timeline, never by time alone). Left out: every second under `kai` and `runai`, on change under the others.
    pub cycle: Option<Scalar>,
    /// How long things take between cycles.
    pub delays: DelaysEntry,
    /// Machines, as single nodes or groups of equal ones.
    pub nodes: Arc<Vec<NodeEntry>>,
    /// The organisation tree, flat, by parent name.
    pub queues: Arc<Vec<QueueEntry>>,
    /// Work.
    pub jobs: Arc<Vec<JobEntry>>,
    /// What happens from outside during the run.
    pub timeline: Arc<Vec<TimelineEntry>>,
    /// Separately scheduled parts of the cluster (node pools, partitions, shards), in the order in which their
    /// schedulers are asked; left out: one, with all nodes.
    pub pools: Arc<Vec<PoolEntry>>,
}

/// A node pool: nodes with a scheduler of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolEntry {
    /// Unique name.
    pub name: String,
    /// Switches of the policy that are different here.
    pub settings: BTreeMap<String, Scalar>,
    /// When cycles take place here; left out: as the scenario says.
    pub cycle: Option<Scalar>,
    /// A remark.
    pub note: String,
}

/// How long things take between cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelaysEntry {
    /// From bind to running; left out: no time.
    pub start: Option<Scalar>,
    /// From evict to gone; left out: gone before the next cycle.
    pub termination: Option<Scalar>,
}

/// A node, or a group of equal nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeEntry {
    /// Name; of a group: the prefix, its nodes are `name-1` to `name-count`.
    pub name: String,
    /// How many equal nodes; left out: this one, under its own name; 1: a group of one, `name-1`.
    pub count: Option<Scalar>,
    /// GPUs of one node, at most 64; left out: none.
    pub gpu: Option<Scalar>,
    /// Cores of one node; left out: 64.
    pub cpu: Option<Scalar>,
    /// Memory of one node, in bytes if it has no unit; left out: 256 GB.
    pub memory: Option<Scalar>,
    /// Pod slots of one node, or `unlimited`; left out: 110. Where no node limits them, YuniKorn does not count pods.
    pub pods: Option<Scalar>,
    /// Memory of each GPU, in MiB if it has no unit; left out: 40000 MiB.
    pub gpu_memory: Option<Scalar>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// `draining`: takes no more pods, those on it stay. `down`, or what keeps pods away in Kubernetes: `cordoned` (unschedulable), `not-ready`, `memory-pressure`,
    /// `disk-pressure`, `pid-pressure`, `network-unavailable`: does not take part. Left out: ready.
    pub state: Option<Scalar>,
    /// Taints, `key:Effect` or `key=value:Effect` with effect `NoSchedule`, `NoExecute` or `PreferNoSchedule`.
    pub taints: Vec<String>,
    /// The pool it is in; left out: the first.
    pub pool: Option<String>,
    /// A remark.
    pub note: String,
    /// Further things of which one node has a whole number, by name (`rdma: 4`).
    pub resources: BTreeMap<String, Scalar>,
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// Unique name.
    pub name: String,
    /// Name of the parent; left out: a top queue.
    pub parent: Option<String>,
    /// Larger first; left out: the policy's default.
    pub priority: Option<Scalar>,
    /// Its age, as a moment; left out: older than every queue after it in the file.
    pub created: Option<Scalar>,
    /// GPU.
    pub gpu: ResourceEntry,
    /// CPU.
    pub cpu: ResourceEntry,
    /// Memory; a number without a unit counts 10^6 bytes, as in KAI.
    pub memory: ResourceEntry,
    /// Minimum runtime against preemption inside the queue.
    pub preempt_min_runtime: Option<Scalar>,
    /// Minimum runtime against reclaim by other queues.
    pub reclaim_min_runtime: Option<Scalar>,
    /// A remark.
    pub note: String,
    /// Values that are different in single pools.
    pub pools: Vec<QueuePoolEntry>,
    /// Pools to which jobs that name none are offered, in this order; left out: the parent's, else the first pool.
    pub default_pools: Vec<String>,
    /// What people call it; shown beside its name.
    pub display_name: String,
}

/// A queue's values in one pool; what is left out is as in the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePoolEntry {
    /// The pool.
    pub name: String,
    /// Larger first.
    pub priority: Option<Scalar>,
    /// GPU.
    pub gpu: ResourceEntry,
    /// CPU.
    pub cpu: ResourceEntry,
    /// Memory; a number without a unit counts 10^6 bytes, as in KAI.
    pub memory: ResourceEntry,
    /// Minimum runtime against preemption inside the queue.
    pub preempt_min_runtime: Option<Scalar>,
    /// Minimum runtime against reclaim by other queues.
    pub reclaim_min_runtime: Option<Scalar>,
}

/// What a queue is promised and allowed of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceEntry {
    /// Guaranteed part, or `unlimited`, for which KAI also writes `-1`. Left out: the policy decides; 0 under KAI.
    pub quota: Option<Scalar>,
    /// Ceiling, or `unlimited`. Left out: the policy decides; under KAI nothing is allowed then.
    pub limit: Option<Scalar>,
    /// Part in the surplus. Left out: the policy decides; 0 under KAI.
    pub weight: Option<Scalar>,
    /// Past usage as a share of the cluster, 0 to 1.
    pub usage: Option<Scalar>,
}

/// A job, or a pattern of equal jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntry {
    /// Unique name; of a pattern: the prefix, its jobs are `name-1` to `name-count`.
    pub name: String,
    /// A leaf queue.
    pub queue: String,
    /// How many equal jobs; left out: this one, under its own name; 1: a pattern of one, `name-1`.
    pub count: Option<Scalar>,
    /// Distance of two arrivals of a pattern: `30s`; `60s..10s`, which goes evenly from the first to the last; with `random` behind
    /// (`30s random`) drawn around that mean, as of people who do not know of each other. Left out: all at once.
    pub every: Option<Scalar>,
    /// When it becomes known; left out: at the start.
    pub submit: Option<Scalar>,
    /// When it was created, at or before the moment at which it becomes known: what its age is counted from. Left out: at
    /// that moment.
    pub created: Option<Scalar>,
    /// How long each pod runs: `20m`, or `8m..20m`, drawn for each job of the pattern, every length as likely as the others. Left out:
    /// until the end.
    pub lasts: Option<Scalar>,
    /// A number, or a priority class: one whose value is in the settings (`priority-class.NAME`, under `kai`, `runai` and `yunikorn`)
    /// or, under `kai` and `runai`, a preset: `train` (50), `build-preemptible` (75; `interactive-preemptible` in Run:ai), `build` (100),
    /// `inference` (125). Left out: 50 under these two, 0 under the others.
    pub priority: Option<Scalar>,
    /// Whether its pods may be evicted for others: `true`, `false`, or `semi` (under `runai`): the first `min-available` pods
    /// of a kind may not, those above may. Left out: under `kai` and `runai` if its priority is below 100, else `true`.
    pub preemptible: Option<Scalar>,
    /// Who submitted it.
    pub user: Option<String>,
    /// Number of pods; left out: 1. Not together with `pod_sets`.
    pub pods: Option<Scalar>,
    /// How many pods must start together; left out: all of them. Beside `pod_sets`: so many pods of whatever kind; left out
    /// there: each kind has a minimum of its own.
    pub min_available: Option<Scalar>,
    /// GPUs of each pod: whole, or a fraction of one. Left out: none.
    pub gpu: Option<Scalar>,
    /// GPU memory of each pod, instead of `gpu`.
    pub gpu_memory: Option<Scalar>,
    /// Cores of each pod.
    pub cpu: Option<Scalar>,
    /// Memory of each pod.
    pub memory: Option<Scalar>,
    /// Required node labels.
    pub selector: BTreeMap<String, String>,
    /// Pods of several kinds, instead of `pods` and the requests above.
    pub pod_sets: Vec<PodSetEntry>,
    /// Nodes on which its first pods run at the start, one per pod, each on the lowest free devices. Of a pattern:
    /// dealt out job after job. Of a job that is submitted later: at that moment they run there already, because something else
    /// than the scheduler placed them, even if the node has too little for them; only if it is down they wait.
    pub on: Vec<String>,
    /// When those started running, at or before 0 or, of a job that is submitted later, `submit`; left out: at `submit`.
    pub started: Option<Scalar>,
    /// A remark.
    pub note: String,
    /// Tolerated taints: `key`, `key=value`, either with `:Effect` behind, or `*` for all.
    pub tolerations: Vec<String>,
    /// Required node affinity, all of: `key in (a, b)`, `key notin (a, b)`, `key` (exists), `!key` (does not exist).
    pub affinity: Vec<String>,
    /// Labels of its pods. Three order the pods of a job under KAI: `kai.scheduler/task-priority`,
    /// `training.kubeflow.org/job-role` and `ray.io/node-type`.
    pub labels: BTreeMap<String, String>,
    /// `true`: its pods have a scheduling gate that never opens. Left out: false.
    pub gated: Option<Scalar>,
    /// On how many devices each pod wants its part (`gpu` below 1, or `gpu-memory`); left out: 1.
    pub gpu_devices: Option<Scalar>,
    /// Pools it may run in. Under `runai` it is offered to them one after the other, under other policies to the first
    /// only. Left out: the queue's, else the first pool.
    pub pools: Vec<String>,
    /// `soft` or `hard`: placeholders hold the room of its gang, `min-available` pods of each kind, and its pods take their places
    /// once all are there. If that takes too long, a soft gang goes on without one, a hard gang fails. Only under `yunikorn`.
    /// Left out: no placeholders.
    pub gang: Option<Scalar>,
    /// How long placeholders wait for the rest of the gang, from the first that is placed; left out: 15 minutes.
    pub placeholder_timeout: Option<Scalar>,
    /// KAI: `1`: if all of it still waits at the end of a cycle, it is not tried again in that pool; `-1`: it is tried
    /// in every cycle. Left out: -1.
    pub scheduling_backoff: Option<Scalar>,
    /// The node that something outside (another scheduler, an autoscaler) has in mind for its pods. Under KAI a pod goes
    /// there before any other node, if it fits. Left out: none.
    pub nominated_node: Option<String>,
    /// Further things of which each pod asks for a whole number, by name (`rdma: 1`).
    pub resources: BTreeMap<String, Scalar>,
    /// What is drawn is the same for the same seed, and the nth job's never depends on anything else of the file. Left out: 1.
    pub seed: Option<Scalar>,
    /// The whole pattern again: `5 every 1d`, five times in all, a day from one beginning to the next. Left out: once.
    pub repeat: Option<Scalar>,
    /// What becomes of a pod that was evicted or lost its node. Its controller creates a new one, which does all of the work `again`
    /// or, with `resume`, the rest; or creates none (`never`), and the job is over once it has no pod left. Left out: again.
    pub restart: Option<Scalar>,
    /// YuniKorn: the application that its pods belong to (label `applicationId`). Jobs of one application share its queue and
    /// its place in the order, and may differ in everything else. Left out: the job is an application by itself.
    pub application: Option<String>,
    /// YuniKorn: `true`: its pods started their application, as a driver does, and are evicted after all others. Left out:
    /// `false`.
    pub originator: Option<Scalar>,
    /// YuniKorn: `false`: others are never evicted for its pods (Kubernetes' `preemptionPolicy: Never`). Left out: `true`.
    pub preempts: Option<Scalar>,
    /// YuniKorn: the only node where its pods may run, as of a DaemonSet. Left out: none.
    pub required_node: Option<String>,
    /// YuniKorn: the groups of its user when it was submitted, for limits of groups. Left out: those of the setting
    /// `groups.USER`.
    pub groups: Vec<String>,
    /// Which GPUs of those nodes its first pods use, one entry per pod as in `on`, counted from 0: `2`, or `0+1` for several.
    /// Left out: the lowest free ones; a part of a GPU goes to one that is shared already, if one has room.
    pub on_devices: Vec<String>,
    /// Which of the pods in `on` are being evicted at the start, and when each of them is gone: one entry per pod as in `on`, a
    /// moment such as `30s`; empty: it runs on. What becomes of it then says `restart`. Left out: none of them.
    pub terminating: Vec<String>,
    /// EGO: the job for which those are being evicted; the room that they leave is held for its waiting pods. Left out: for
    /// none.
    pub evicted_for: Option<String>,
}

impl JobEntry {
    /// The same job, of which nothing runs at the start.
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

/// Pods of one kind in a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodSetEntry {
    /// Unique in the job.
    pub name: String,
    /// Number of pods.
    pub pods: Option<Scalar>,
    /// How many must start together; left out: all of them, unless the job has a minimum for all kinds.
    pub min_available: Option<Scalar>,
    /// GPUs of each pod.
    pub gpu: Option<Scalar>,
    /// GPU memory of each pod, instead of `gpu`.
    pub gpu_memory: Option<Scalar>,
    /// Cores of each pod.
    pub cpu: Option<Scalar>,
    /// Memory of each pod.
    pub memory: Option<Scalar>,
    /// Inner subgroups it stands in, from the root: `workers/left`; left out: directly in the job.
    pub group: String,
    /// Labels of its pods, beside the job's.
    pub labels: BTreeMap<String, String>,
    /// `true`: its pods have a scheduling gate that never opens. Left out: as the job says.
    pub gated: Option<Scalar>,
    /// On how many devices each pod wants its part; left out: 1.
    pub gpu_devices: Option<Scalar>,
    /// The node that something outside has in mind for its pods; left out: as the job says.
    pub nominated_node: Option<String>,
    /// Further things of which each pod asks for a whole number, by name.
    pub resources: BTreeMap<String, Scalar>,
    /// Required node affinity of its pods, beside the job's.
    pub affinity: Vec<String>,
    /// How long after their job these pods are created and join it; at least one kind comes with the job. Under `kai` and `runai`. Left
    /// out: with the job.
    pub after: Option<Scalar>,
}

/// What a node has from some moment on; what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityEntry {
    /// GPUs, at most 64.
    pub gpu: Option<Scalar>,
    /// Cores.
    pub cpu: Option<Scalar>,
    /// Memory, in bytes if it has no unit.
    pub memory: Option<Scalar>,
    /// Pod slots, or `unlimited`.
    pub pods: Option<Scalar>,
    /// Whole numbers of further things, by name.
    pub resources: BTreeMap<String, Scalar>,
}

/// Something that happens from outside during the run. Exactly one of `queue`, `node`, `job` and `settings` (or `unset`) is
/// given; none of them beside a `note` that is a remark on that moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// When.
    pub at: Scalar,
    /// The queue whose plan changes: values given below replace the present ones.
    pub queue: Option<String>,
    /// New priority of the queue.
    pub priority: Option<Scalar>,
    /// New GPU values of the queue.
    pub gpu: ResourceEntry,
    /// New CPU values of the queue.
    pub cpu: ResourceEntry,
    /// New memory values of the queue.
    pub memory: ResourceEntry,
    /// The node whose state changes.
    pub node: Option<String>,
    /// `ready`; `draining`, which takes no more pods and keeps those on it; or a state of a node that does not take
    /// part such as `down` or `cordoned`, whose pods are lost.
    pub state: Option<Scalar>,
    /// What the node has from now on. Pods on it stay, also if it has less than they hold; nothing more comes to it until
    /// there is room again. Of its GPUs, free ones go first.
    pub capacity: CapacityEntry,
    /// The job that ends now.
    pub job: Option<String>,
    /// YuniKorn, which reads its configuration anew: new values of switches by name; others stay as they are.
    pub settings: BTreeMap<String, Scalar>,
    /// YuniKorn: switches that its configuration does not say any more.
    pub unset: Vec<String>,
    /// A remark. An entry with nothing else is a remark on its moment and changes nothing.
    pub note: String,
    /// The pool in which the queue's plan changes; left out: in all of them.
    pub pool: Option<String>,
}

impl TimelineEntry {
    /// Whether it is a remark on its moment and nothing else.
    pub fn is_remark(&self) -> bool {
        let bare = TimelineEntry { at: self.at.clone(), note: self.note.clone(), ..TimelineEntry::default() };
        !self.note.is_empty() && *self == bare
    }
}
