//! The fields of format version 1, one row each. Values stay as typed ([`Scalar`]); `check` gives them meaning.
//!
//! The position is that in a file; the order of the rows is that of the reference page.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shape::{Scalar, entry};

// Long sections are shared, so that an undo step copies only what it changed.
entry! {
    /// A scenario.
    Scenario {
        /// Title.
        name: String = 0 "name",
        /// Description; free text.
        note: String = 1 "note",
        /// Whose field names and units the file uses. Default: `kai`.
        dialect: String = 2 "dialect",
        /// The policy: `kai`, `fifo`, `yunikorn`, `ego`, `runai`, `max-min` or `drf`. Default: `kai`.
        policy: String = 3 "policy",
        /// Settings of the policy by name. Default: the product's own default values.
        settings: BTreeMap<String, Scalar> = 4 "settings",
        /// When cycles run: a period (`1s`, or `120s, first at 1s`), `on change` (whenever a job arrives or ends, and
        /// whenever the passing of time can change a decision; under `kai` and `runai` at least 1 s apart), or `on
        /// events` (whenever a job arrives or ends, and at timeline entries). Default: every second under `kai` and
        /// `runai`, otherwise on change.
        cycle: Option<Scalar> = 5 "cycle",
        /// How long pods take to start and to terminate.
        delays: DelaysEntry = 6 "delays",
        /// Nodes, single or in groups of equal nodes.
        nodes: Arc<Vec<NodeEntry>> = 7 "nodes",
        /// The queue tree, as a flat list in which queues name their parents.
        queues: Arc<Vec<QueueEntry>> = 8 "queues",
        /// Jobs, single or as patterns of equal jobs.
        jobs: Arc<Vec<JobEntry>> = 9 "jobs",
        /// External events during the run.
        timeline: Arc<Vec<TimelineEntry>> = 10 "timeline",
        /// Separately scheduled parts of the cluster (node pools, partitions, shards), in the order in which their
        /// schedulers run. Default: one pool with all nodes.
        pools: Arc<Vec<PoolEntry>> = 11 "pools",
    }
}

entry! {
    /// A node pool: a set of nodes with its own scheduler.
    PoolEntry {
        /// Unique name.
        name: String = 0 "name",
        /// Settings of the policy that differ in this pool.
        settings: BTreeMap<String, Scalar> = 2 "settings",
        /// When cycles run in this pool. Default: the scenario's `cycle`.
        cycle: Option<Scalar> = 1 "cycle",
        /// A note.
        note: String = 3 "note",
    }
}

entry! {
    /// How long pods take to start and to terminate.
    DelaysEntry {
        /// Time from binding to running. Default: none.
        start: Option<Scalar> = 0 "start",
        /// Time from eviction to termination. Default: pods terminate before the next cycle.
        termination: Option<Scalar> = 1 "termination",
    }
}

entry! {
    /// A node, or a group of equal nodes.
    NodeEntry {
        /// Name of the node. For a group, the prefix of its nodes `name-1` to `name-count`.
        name: String = 0 "name",
        /// Number of equal nodes. Default: a single node with this name. With `1`: a group of one node, `name-1`.
        count: Option<Scalar> = 1 "count",
        /// GPUs per node, at most 64. Default: none.
        gpu: Option<Scalar> = 2 "gpu",
        /// CPU cores per node. Default: 64.
        cpu: Option<Scalar> = 4 "cpu",
        /// Memory per node; without a unit, in bytes. Default: 256 GB.
        memory: Option<Scalar> = 5 "memory",
        /// Maximum number of pods per node, or `unlimited`. Default: 110. If no node has a maximum, YuniKorn does not
        /// count pods.
        pods: Option<Scalar> = 6 "pods",
        /// Memory per GPU; without a unit, in MiB. Default: 40000 MiB.
        gpu_memory: Option<Scalar> = 3 "gpu-memory",
        /// Labels.
        labels: BTreeMap<String, String> = 7 "labels",
        /// `draining`: accepts no new pods, running pods stay. `down`, or a condition that makes a node unschedulable
        /// in Kubernetes (`cordoned`, `not-ready`, `memory-pressure`, `disk-pressure`, `pid-pressure`,
        /// `network-unavailable`): the node is not used. Default: `ready`.
        state: Option<Scalar> = 8 "state",
        /// Taints: `key:Effect` or `key=value:Effect`, with the effect `NoSchedule`, `NoExecute` or `PreferNoSchedule`.
        taints: Vec<String> = 9 "taints",
        /// The pool of the node. Default: the first pool.
        pool: Option<String> = 10 "pool",
        /// A note.
        note: String = 11 "note",
        /// Other countable resources per node, by name (`rdma: 4`).
        resources: BTreeMap<String, Scalar> = 12 "resources",
    }
}

entry! {
    /// A queue.
    QueueEntry {
        /// Unique name.
        name: String = 0 "name",
        /// Name of the parent queue. Default: none, a top-level queue.
        parent: Option<String> = 1 "parent",
        /// Priority; larger values first. Default: the policy's default.
        priority: Option<Scalar> = 2 "priority",
        /// Creation time. Default: older than all queues below it in the file.
        created: Option<Scalar> = 3 "created",
        /// GPU quota, limit and weight.
        gpu: ResourceEntry = 4 "gpu",
        /// CPU quota, limit and weight.
        cpu: ResourceEntry = 5 "cpu",
        /// Memory quota, limit and weight; without a unit, in units of 10^6 bytes, as in KAI.
        memory: ResourceEntry = 6 "memory",
        /// Minimum runtime before jobs of the same queue can preempt.
        preempt_min_runtime: Option<Scalar> = 7 "preempt-min-runtime",
        /// Minimum runtime before other queues can reclaim.
        reclaim_min_runtime: Option<Scalar> = 8 "reclaim-min-runtime",
        /// A note.
        note: String = 9 "note",
        /// Values that differ in individual pools.
        pools: Vec<QueuePoolEntry> = 10 "pools",
        /// Pools, in order, for jobs without `pools`. Default: those of the parent, or the first pool.
        default_pools: Vec<String> = 11 "default-pools",
        /// Display name, shown beside the name.
        display_name: String = 12 "display-name",
    }
}

entry! {
    /// A queue's values in one pool. Default of each field: the value of the queue.
    QueuePoolEntry {
        /// Name of the pool.
        name: String = 0 "name",
        /// Priority; larger values first.
        priority: Option<Scalar> = 1 "priority",
        /// GPU quota, limit and weight.
        gpu: ResourceEntry = 2 "gpu",
        /// CPU quota, limit and weight.
        cpu: ResourceEntry = 3 "cpu",
        /// Memory quota, limit and weight; without a unit, in units of 10^6 bytes, as in KAI.
        memory: ResourceEntry = 4 "memory",
        /// Minimum runtime before jobs of the same queue can preempt.
        preempt_min_runtime: Option<Scalar> = 5 "preempt-min-runtime",
        /// Minimum runtime before other queues can reclaim.
        reclaim_min_runtime: Option<Scalar> = 6 "reclaim-min-runtime",
    }
}

entry! {
    /// Quota, limit and weight of a queue for one resource.
    ResourceEntry {
        /// Guaranteed amount, or `unlimited` (in KAI also `-1`). Default: depends on the policy; 0 under KAI.
        quota: Option<Scalar> = 0 "quota",
        /// Maximum amount, or `unlimited`. Default: depends on the policy; under KAI 0.
        limit: Option<Scalar> = 1 "limit",
        /// Weight in the division of what exceeds all quotas. Default: depends on the policy; 0 under KAI.
        weight: Option<Scalar> = 2 "weight",
        /// Past usage as a fraction of the cluster, 0 to 1.
        usage: Option<Scalar> = 3 "usage",
    }
}

entry! {
    /// A job, or a pattern of equal jobs.
    JobEntry {
        /// Unique name. For a pattern, the prefix of its jobs `name-1` to `name-count`.
        name: String = 0 "name",
        /// Name of a leaf queue.
        queue: String = 1 "queue",
        /// Number of equal jobs. Default: a single job with this name. With `1`: a pattern of one job, `name-1`.
        count: Option<Scalar> = 2 "count",
        /// Time between two arrivals of a pattern: `30s`; `60s..10s`, which changes linearly from the first to the
        /// last; or `30s random`, drawn independently with this mean (exponential distribution). Default: all jobs
        /// arrive at once.
        every: Option<Scalar> = 3 "every",
        /// Submission time. Default: at the start.
        submit: Option<Scalar> = 4 "submit",
        /// Creation time, at or before the submission, from which its age is counted. Default: the submission time.
        created: Option<Scalar> = 34 "created",
        /// Runtime of each pod: `20m`, or `8m..20m`, drawn for each job of the pattern (uniform distribution). Default:
        /// unlimited.
        lasts: Option<Scalar> = 5 "lasts",
        /// A number or the name of a priority class. Under `kai`, `runai` and `yunikorn`, the setting
        /// `priority-class.NAME` defines a class; `kai` and `runai` also have `train` (50), `build-preemptible` (75;
        /// `interactive-preemptible` in Run:ai), `build` (100) and `inference` (125). Default: 50 under `kai` and
        /// `runai`, otherwise 0.
        priority: Option<Scalar> = 6 "priority",
        /// Whether its pods can be evicted for other jobs: `true`, `false`, or, under `runai`, `semi`: the first
        /// `min-available` pods of a pod set cannot be evicted, the others can. Default: under `kai` and `runai`,
        /// `true` if the priority is below 100; otherwise `true`.
        preemptible: Option<Scalar> = 7 "preemptible",
        /// The user who submitted the job.
        user: Option<String> = 8 "user",
        /// Number of pods; not together with `pod_sets`. Default: 1.
        pods: Option<Scalar> = 9 "pods",
        /// Number of pods that must start together; 0 under KAI, version 0.17. Default: all. With `pod_sets`: the
        /// minimum over all pod sets. Default in this case: each pod set has its own minimum.
        min_available: Option<Scalar> = 10 "min-available",
        /// GPUs per pod: a whole number, or a fraction of one GPU. Default: none.
        gpu: Option<Scalar> = 11 "gpu",
        /// GPU memory per pod, instead of `gpu`.
        gpu_memory: Option<Scalar> = 12 "gpu-memory",
        /// CPU cores per pod.
        cpu: Option<Scalar> = 13 "cpu",
        /// Memory per pod.
        memory: Option<Scalar> = 14 "memory",
        /// Required node labels.
        selector: BTreeMap<String, String> = 15 "selector",
        /// Sets of equal pods, instead of `pods` and the requests above.
        pod_sets: Vec<PodSetEntry> = 16 "pod-sets",
        /// Nodes on which its first pods run at the start, one entry per pod, each on the lowest free devices. In a
        /// pattern, the entries are assigned job by job. If the job is submitted later, something other than the
        /// scheduler has placed these pods by then: they run there even if the node lacks room, and wait only if it is
        /// down.
        on: Vec<String> = 17 "on",
        /// When the pods in `on` started, at or before `submit`. Default: `submit`.
        started: Option<Scalar> = 18 "started",
        /// A note.
        note: String = 19 "note",
        /// Tolerated taints: `key`, `key=value`, `key:Effect`, `key=value:Effect`, or `*` for all.
        tolerations: Vec<String> = 20 "tolerations",
        /// Required node affinity; a node must match all entries: `key in (a, b)`, `key notin (a, b)`, `key` (exists),
        /// `!key` (does not exist).
        affinity: Vec<String> = 21 "affinity",
        /// Labels of its pods. Under KAI, three labels affect the order of pods in a job:
        /// `kai.scheduler/task-priority`, `training.kubeflow.org/job-role` and `ray.io/node-type`.
        labels: BTreeMap<String, String> = 22 "labels",
        /// `true`: its pods have a scheduling gate that is never removed. Default: `false`.
        gated: Option<Scalar> = 23 "gated",
        /// Number of devices on which each pod requests its fraction (`gpu` below 1, or `gpu-memory`). Default: 1.
        gpu_devices: Option<Scalar> = 24 "gpu-devices",
        /// Pools in which it can run. Under `runai` they are tried in order, under other policies only the first is
        /// used. Default: `default-pools` of the queue, or the first pool.
        pools: Vec<String> = 25 "pools",
        /// Only under `yunikorn`: `soft` or `hard`. Placeholders reserve room for the gang (`min-available` pods of
        /// each pod set), and pods replace them once all are placed. After the timeout, a soft gang is scheduled
        /// without placeholders, a hard gang fails. Default: no placeholders.
        gang: Option<Scalar> = 26 "gang",
        /// How long placeholders wait for the rest of the gang, counted from the first placement. Default: 15 minutes.
        placeholder_timeout: Option<Scalar> = 27 "placeholder-timeout",
        /// KAI: with `1`, a job that is completely unscheduled at the end of a cycle is not tried again in that pool;
        /// with `-1`, it is tried in every cycle. Default: `-1`.
        scheduling_backoff: Option<Scalar> = 28 "scheduling-backoff",
        /// KAI, version 0.17: how long after its creation, or after an eviction of one of its pods for another job, it
        /// may not evict others. Default: 0s.
        preemption_delay: Option<Scalar> = 43 "preemption-delay",
        /// KAI, version 0.17: how long it may run below its minimum, or `unlimited`. Default: the setting
        /// `staleness-grace`.
        staleness_grace: Option<Scalar> = 44 "staleness-grace",
        /// KAI, version 0.17: number of its members that must start together: groups (`group` of the pod sets) and pod
        /// sets outside of groups. Default: all.
        min_subgroups: Option<Scalar> = 45 "min-subgroups",
        /// KAI, version 0.17: the same for the groups, by name: `{replicas: 2}`. Default: all.
        min_subgroups_of: BTreeMap<String, Scalar> = 46 "min-subgroups-of",
        /// The node that another component (a scheduler, an autoscaler) nominated for its pods. KAI prefers this node
        /// if the pod fits. Default: none.
        nominated_node: Option<String> = 29 "nominated-node",
        /// Other countable resources per pod, by name (`rdma: 1`).
        resources: BTreeMap<String, Scalar> = 30 "resources",
        /// Seed of the random values of the pattern; those of the nth job depend on nothing else in the file. Default:
        /// 1.
        seed: Option<Scalar> = 31 "seed",
        /// Repeats the whole pattern: `5 every 1d` runs it five times, each one day after the previous start. Default:
        /// once.
        repeat: Option<Scalar> = 32 "repeat",
        /// What happens after a pod was evicted or lost its node. `again`: its controller creates a new pod, which
        /// starts over. `resume`: the new pod continues where the old one stopped. `never`: no new pod is created, and
        /// the job ends once it has no pods left. Default: `again`.
        restart: Option<Scalar> = 33 "restart",
        /// YuniKorn: the application of its pods (label `applicationId`). Jobs of one application share its queue and
        /// its position in the order; everything else may differ. Default: the job is an application of its own.
        application: Option<String> = 35 "application",
        /// YuniKorn: with `true`, its pods are the originators of their application, such as a driver, and are evicted
        /// last. Default: `false`.
        originator: Option<Scalar> = 36 "originator",
        /// YuniKorn: with `false`, its pods never preempt others (`preemptionPolicy: Never` in Kubernetes). Default:
        /// `true`.
        preempts: Option<Scalar> = 37 "preempts",
        /// YuniKorn: the only node on which its pods can run, as for a DaemonSet. Default: none.
        required_node: Option<String> = 38 "required-node",
        /// YuniKorn: the groups of its user at submission, for group limits. Default: the setting `groups.USER`.
        groups: Vec<String> = 42 "groups",
        /// GPUs that the pods in `on` use, one entry per pod, counted from 0: `2`, or `0+1` for several. Default: the
        /// lowest free GPUs; a fraction goes to a shared GPU with room, if there is one.
        on_devices: Vec<String> = 39 "on-devices",
        /// When the pods in `on` that are being evicted at the start terminate, one entry per pod, such as `30s`;
        /// empty: the pod is not being evicted. `restart` applies afterwards. Default: none.
        terminating: Vec<String> = 40 "terminating",
        /// EGO: the job for which the pods in `terminating` are being evicted; their room is reserved for its pending
        /// pods. Default: none.
        evicted_for: Option<String> = 41 "evicted-for",
    }
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

entry! {
    /// A set of equal pods in a job.
    PodSetEntry {
        /// Unique name within the job.
        name: String = 0 "name",
        /// Number of pods.
        pods: Option<Scalar> = 1 "pods",
        /// Number of pods that must start together; 0 under KAI, version 0.17. Default: all, unless the job has
        /// `min-available`.
        min_available: Option<Scalar> = 2 "min-available",
        /// GPUs per pod.
        gpu: Option<Scalar> = 3 "gpu",
        /// GPU memory per pod, instead of `gpu`.
        gpu_memory: Option<Scalar> = 4 "gpu-memory",
        /// CPU cores per pod.
        cpu: Option<Scalar> = 5 "cpu",
        /// Memory per pod.
        memory: Option<Scalar> = 6 "memory",
        /// Path of the subgroup that contains it: `workers/left`. Default: the job itself.
        group: String = 7 "group",
        /// Labels of its pods, in addition to the job's.
        labels: BTreeMap<String, String> = 8 "labels",
        /// `true`: its pods have a scheduling gate that is never removed. Default: the value of the job.
        gated: Option<Scalar> = 9 "gated",
        /// Number of devices on which each pod requests its fraction. Default: 1.
        gpu_devices: Option<Scalar> = 10 "gpu-devices",
        /// The node that another component nominated for its pods. Default: the value of the job.
        nominated_node: Option<String> = 11 "nominated-node",
        /// Other countable resources per pod, by name.
        resources: BTreeMap<String, Scalar> = 12 "resources",
        /// Required node affinity of its pods, in addition to the job's.
        affinity: Vec<String> = 13 "affinity",
        /// Under `kai` and `runai`: time from the submission of the job until these pods are created. At least one pod
        /// set has no delay. Default: created with the job.
        after: Option<Scalar> = 14 "after",
    }
}

entry! {
    /// New capacity of a node. Default of each field: unchanged.
    CapacityEntry {
        /// GPUs, at most 64.
        gpu: Option<Scalar> = 0 "gpu",
        /// CPU cores.
        cpu: Option<Scalar> = 1 "cpu",
        /// Memory; without a unit, in bytes.
        memory: Option<Scalar> = 2 "memory",
        /// Maximum number of pods, or `unlimited`.
        pods: Option<Scalar> = 3 "pods",
        /// Other countable resources, by name.
        resources: BTreeMap<String, Scalar> = 4 "resources",
    }
}

entry! {
    /// An external event during the run. An entry has exactly one of `queue`, `node`, `job` and `settings` (or
    /// `unset`); an entry with only a `note` changes nothing.
    TimelineEntry {
        /// Time of the event.
        at: Scalar = 0 "at",
        /// The queue to change: the values below replace its current values.
        queue: Option<String> = 1 "queue",
        /// New priority of the queue.
        priority: Option<Scalar> = 2 "priority",
        /// New GPU values of the queue.
        gpu: ResourceEntry = 3 "gpu",
        /// New CPU values of the queue.
        cpu: ResourceEntry = 4 "cpu",
        /// New memory values of the queue.
        memory: ResourceEntry = 5 "memory",
        /// The node to change.
        node: Option<String> = 6 "node",
        /// `ready`; `draining`: accepts no new pods, running pods stay; or a state in which a node is not used and
        /// loses its pods, such as `down` or `cordoned`.
        state: Option<Scalar> = 7 "state",
        /// New capacity of the node. Its pods stay even if they exceed it; no pods are added until there is room again.
        /// Free GPUs are removed first.
        capacity: CapacityEntry = 11 "capacity",
        /// The job to end.
        job: Option<String> = 8 "job",
        /// YuniKorn, which reloads its configuration: new values of settings, by name. Other settings stay unchanged.
        settings: BTreeMap<String, Scalar> = 12 "settings",
        /// YuniKorn: settings removed from its configuration.
        unset: Vec<String> = 13 "unset",
        /// A note. An entry with nothing else changes nothing.
        note: String = 9 "note",
        /// The pool in which the queue changes. Default: all pools.
        pool: Option<String> = 10 "pool",
    }
}

impl TimelineEntry {
    /// Whether the entry is only a note.
    pub fn is_remark(&self) -> bool {
        let bare = TimelineEntry { at: self.at.clone(), note: self.note.clone(), ..TimelineEntry::default() };
        !self.note.is_empty() && *self == bare
    }
}
