//! The private working copy of one cycle, opened from a snapshot and thrown away at its end.
//!
//! # Rule
//! Nodes are in order of names, queues of (age, name), jobs and the pods of a job of names: these are the canonical
//! orders in which sums are taken. Active pods are put on their nodes; then every queue's *allocated*, *allocated not
//! preemptible* and *request* are summed from its jobs' tasks up to the root, and the total is divided down the tree.
//! A queue whose parent does not exist is left out with all below it. Jobs of such queues, and of queues with children,
//! are never ordered.
//!
//! # Source
//! kai.md 1, 2.1, 2.2, 4.1, 11 (N-1)
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::config::Config;
use super::explain::notes::Notes;
use super::fast::equivalence_classes::{EquivalenceClasses, Numbering};
use super::fast::signatures::Keys;
use super::job::{Group, Job, JobFacts, PodSet};
use super::order::job_order::Place;
use super::order::nondeterminism::{Probe, Ties};
use super::place::node::{Node, Room, device_mib};
use super::place::score;
use super::request::{Request, yardstick};
use super::share::shares::{self, Queue, open_queues};
use super::snapshot::{GpuAsk, Quantities, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, Status};
use super::task::{GroupRef, JobRef, NodeRef, PodRef, QueueRef, Task, TaskRef};
use crate::cluster::{PodRules, Preemptible, is_tolerated};
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::trace::Level;

/// The working copy.
pub(super) struct Session<'a> {
    pub config: &'a Config,
    pub plugins: Plugins,
    pub now_s: f64,
    pub total: Quantities,
    pub nodes: Vec<Node>,
    pub queues: Vec<Queue>,
    pub facts: Vec<JobFacts>,
    pub pods: Vec<PodFacts>,
    pub jobs: Vec<Job>,
    pub tasks: Vec<Task>,
    pub groups: Groups,
    pub score_parts: Vec<score::Part>,
    /// The most of each resource that any node has when it is empty.
    pub largest: Room,
    /// What was found out about nodes.
    pub classes: EquivalenceClasses,
    pub keys: Keys,
    /// How many jobs are the session's own; the others are clones.
    pub n_jobs: usize,
    /// Whether all quantities are whole numbers and no device is shared, so that sums are exact in any order
    /// and undoing restores every number.
    pub is_whole: bool,
    /// Jobs without a signature that should have one.
    pub unsigned: Vec<JobRef>,
    /// Pods whose eviction was committed; one may be named twice, and may still be shown as running.
    pub evicted: Vec<PodRef>,
    /// Jobs of leaf queues with something pending, in order; dropped when something is committed.
    pub waiting: Option<Rc<[JobRef]>>,
    /// Whether the queue order is a total one among the children of every queue, whatever they hold.
    pub siblings_are_ordered: bool,
    /// What pending requests of device memory are measured against, MiB.
    pub yardstick: f64,
    /// The one job that is tried; `None`: all are.
    pub only: Option<JobRef>,
    /// Orders of the register that are drawn anew, whatever the seed.
    pub probe: Option<Probe>,
    /// Choices between equals.
    pub ties: Ties,
    /// What is kept for explanations.
    pub notes: Notes,
}

/// The cluster's ids of a snapshot's items, in the snapshot's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids {
    pub nodes: Vec<NodeId>,
    pub queues: Vec<QueueId>,
    pub jobs: Vec<JobId>,
    /// Of all jobs' pods, one job after the other.
    pub pods: Vec<PodId>,
}

impl Ids {
    /// The ids of a snapshot that was not made from a cluster: positions.
    pub fn in_file_order(snapshot: &Snapshot) -> Self {
        let n_pods = snapshot.jobs.iter().map(|j| j.pods.len()).sum();
        Ids {
            nodes: (0..snapshot.nodes.len()).map(NodeId::from_index).collect(),
            queues: (0..snapshot.queues.len()).map(QueueId::from_index).collect(),
            jobs: (0..snapshot.jobs.len()).map(JobId::from_index).collect(),
            pods: (0..n_pods).map(PodId::from_index).collect(),
        }
    }
}

/// Which optional rules are loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Plugins {
    pub predicates: bool,
    pub proportion: bool,
    pub priority: bool,
    pub elastic: bool,
    pub subgroup_order: bool,
    pub min_runtime: bool,
    pub gpu_pack: bool,
    pub gpu_spread: bool,
}

/// What never changes about a pod.
#[derive(Clone, Debug)]
pub(super) struct PodFacts {
    pub id: PodId,
    pub name: Arc<str>,
    pub job: JobRef,
    /// The node it holds something on at the opening.
    pub held_on: Option<NodeRef>,
    /// Position of its pod set.
    pub set: usize,
    /// Place in task order within its job.
    pub order: u32,
    pub request: Request,
    /// Nodes whose labels it accepts; `None`: all.
    pub selects: Option<Vec<bool>>,
    /// Nodes whose taints it does not mind; `None`: all.
    pub tolerates: Option<Vec<bool>>,
    /// The node of the session that something outside has in mind for it.
    pub nominated: Option<NodeRef>,
    /// What makes pods alike for signatures, numbered.
    pub likeness: u32,
    /// What makes nodes the same for pods, numbered.
    pub kind: u32,
}

/// Names of shared devices.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Of those that were there before the cycle.
    known: Vec<Arc<str>>,
    /// How many were opened since; most of them in thought, so that they get their names when those are asked for.
    n_fresh: usize,
    /// The number of the first of those.
    next: u64,
}

impl Groups {
    /// The name of a group.
    pub fn name(&self, group: GroupRef) -> Arc<str> {
        let fresh = || Arc::from(format!("{FRESH}{}", self.next + (group.ix() - self.known.len()) as u64));
        self.known.get(group.ix()).cloned().unwrap_or_else(fresh)
    }
    /// A group that does not exist yet.
    pub fn fresh(&mut self) -> GroupRef {
        self.n_fresh += 1;
        GroupRef::of(self.known.len() + self.n_fresh - 1)
    }
    /// Whether it was opened in this cycle.
    pub fn is_fresh(&self, group: GroupRef) -> bool {
        group.ix() >= self.known.len()
    }
    /// Whether the name is a decimal integer.
    pub fn is_integer(&self, group: GroupRef) -> bool {
        self.known.get(group.ix()).is_some_and(|name| name.parse::<i64>().is_ok())
    }
    fn of(snapshot: &Snapshot) -> Groups {
        let pods = snapshot.jobs.iter().flat_map(|j| &j.pods);
        let mut known: Vec<Arc<str>> = pods.flat_map(|p| p.gpu_groups.iter().cloned()).collect();
        known.sort();
        known.dedup();
        let number = |name: &Arc<str>| name.strip_prefix(FRESH)?.parse::<u64>().ok();
        let next = known.iter().filter_map(number).max().map_or(0, |n| n + 1);
        Groups { known, n_fresh: 0, next }
    }
    fn find(&self, name: &Arc<str>) -> GroupRef {
        GroupRef::of(self.known.binary_search(name).expect("all names were collected"))
    }
}

/// Nodes whose labels a pod accepts; `None`: all.
fn accepted(
    pod: &SnapshotPod,
    role: Option<&'static str>,
    nodes: &[(&SnapshotNode, &NodeId)],
) -> Option<Vec<bool>> {
    let required = || pod.node_affinity_in.iter().chain(&pod.selector);
    let affinity = pod.rules.as_deref().map_or(&[][..], |rules| &rules.affinity);
    let has = |labels: &Labels, (key, values): &(Arc<str>, Vec<Arc<str>>)| {
        labels.iter().any(|(k, v)| k == key && values.contains(v))
    };
    let accepts = |labels: &Labels| {
        required().all(|wanted| has(labels, wanted))
            && affinity.iter().all(|requirement| requirement.is_met(labels))
            && role.is_none_or(|role| labels.iter().any(|(k, _)| **k == *role))
    };
    let selects = required().next().is_some() || !affinity.is_empty() || role.is_some();
    selects.then(|| nodes.iter().map(|n| accepts(&n.0.labels)).collect())
}

/// The label a node needs for a task where scheduling is restricted by role (kai.md 5.4, item 8).
fn worker_label(request: &Request) -> &'static str {
    if request.is_cpu_only() { CPU_WORKER } else { GPU_WORKER }
}

/// Role of nodes for GPU work.
pub(super) const GPU_WORKER: &str = "node-role.kubernetes.io/gpu-worker";
/// Role of nodes for work without GPU.
const CPU_WORKER: &str = "node-role.kubernetes.io/cpu-worker";

/// How names of new groups begin; not an integer, like the identifiers of a real cluster.
const FRESH: &str = "gpu-group-";

impl<'a> Session<'a> {
    /// Opens a session.
    pub fn open(snapshot: &'a Snapshot, ids: &Ids, level: Level) -> Self {
        let config = &snapshot.config;
        let has = |plugin| config.has(plugin);
        let plugins = Plugins {
            predicates: has("predicates"),
            proportion: has("proportion"),
            priority: has("priority"),
            elastic: has("elastic"),
            subgroup_order: has("subgrouporder"),
            min_runtime: has("minruntime"),
            gpu_pack: has("gpupack"),
            gpu_spread: has("gpuspread"),
        };
        let mut session = Session {
            config,
            plugins,
            now_s: snapshot.now_s,
            total: snapshot.total,
            nodes: Vec::new(),
            queues: open_queues(&snapshot.queues, &ids.queues),
            facts: Vec::with_capacity(snapshot.jobs.len()),
            pods: Vec::new(),
            jobs: Vec::with_capacity(snapshot.jobs.len()),
            tasks: Vec::new(),
            groups: Groups::of(snapshot),
            score_parts: score::parts(config),
            largest: Room::default(),
            classes: EquivalenceClasses::default(),
            keys: Keys::default(),
            n_jobs: snapshot.jobs.len(),
            is_whole: is_whole(snapshot),
            unsigned: Vec::new(),
            evicted: Vec::new(),
            waiting: None,
            siblings_are_ordered: false,
            yardstick: measured_against(snapshot),
            only: None,
            probe: None,
            ties: Ties::default(),
            notes: Notes::new(level, snapshot.jobs.len()),
        };
        session.open_jobs(snapshot, ids);
        session.rank_jobs();
        if session.plugins.proportion {
            session.sum_queues();
            shares::divide(&mut session.queues, session.total, config.division_params());
            session.siblings_are_ordered = shares::siblings_are_ordered(&session.queues);
        }
        session
    }

    fn open_jobs(&mut self, snapshot: &Snapshot, ids: &Ids) {
        let scalars = scalar_names(snapshot);
        let mut nodes: Vec<_> = snapshot.nodes.iter().zip(&ids.nodes).collect();
        nodes.sort_by(|l, r| l.0.name.cmp(&r.0.name));
        let amounts = |named: &[(Arc<str>, i64)]| amounts(&scalars, named);
        self.nodes = nodes.iter().map(|&(n, &id)| Node::new(id, n, amounts(&n.scalars))).collect();
        self.largest = Room::largest(self.nodes.iter().map(|n| &n.allocatable), scalars.len());
        self.classes = EquivalenceClasses::new(self.nodes.iter().map(|n| n.device_mib));

        let mut queues: Vec<(&str, QueueRef)> = Vec::new();
        let queue_names: Vec<Arc<str>> = self.queues.iter().map(|q| q.name.clone()).collect();
        queues.extend(queue_names.iter().enumerate().map(|(i, name)| (&**name, QueueRef::of(i))));
        queues.sort_by(|l, r| l.0.cmp(r.0));
        let (mut likenesses, mut numbering) = (BTreeMap::new(), Numbering::default());
        let is_tainted = snapshot.nodes.iter().any(|n| !n.taints.is_empty());
        for (from, id, first_pod) in jobs_by_name(snapshot, ids) {
            let found = queues.binary_search_by(|q| q.0.cmp(&from.queue)).ok().map(|i| queues[i].1);
            let mut sets: Vec<_> = from.pod_sets.iter().collect();
            sets.sort_by(|l, r| l.name.cmp(&r.name));
            let set_of = |pod: &SnapshotPod| sets.binary_search_by(|s| s.name.cmp(&pod.pod_set)).ok();
            let pod_ids = &ids.pods[first_pod..];
            let of_set = |(p, &id)| set_of(p).map(|set| SessionPod { from: p, set, id });
            let mut pods: Vec<SessionPod<'_>> = from.pods.iter().zip(pod_ids).filter_map(of_set).collect();
            pods.sort_by(|l, r| l.from.name.cmp(&r.from.name));
            let uid = JobRef::of(self.jobs.len());
            let facts = self.job_facts(from, id, found, Group::of(sets.iter().map(|s| s.path.as_slice())));
            self.facts.push(facts);
            let set = |min: i64| PodSet { min_available: min.max(1), ..PodSet::default() };
            let mut job = Job::new(uid, sets.iter().map(|s| set(s.min_available)).collect(), pods.len());
            job.last_start_s = from.last_start_s;
            job.stale_since_s = from.stale_since_s;
            self.jobs.push(job);
            for &SessionPod { from: pod, set, id } in &pods {
                let n = likenesses.len() as u32;
                let request = Request::new(pod, amounts(&pod.scalars));
                let rules = pod.rules.as_deref();
                let affinity = rules.map_or(&[][..], |rules| &rules.affinity);
                let tolerations = rules.map_or(&[][..], |rules| &rules.tolerations);
                let role = self.config.restrict_node_scheduling.then(|| worker_label(&request));
                let tolerates = |node: &SnapshotNode| is_tolerated(&node.taints, tolerations);
                let accepts = (&pod.node_affinity_in, &pod.selector, affinity, tolerations);
                let likeness = *likenesses.entry(accepts).or_insert(n);
                let nominated = rules.and_then(|rules| self.nominated(rules));
                self.pods.push(PodFacts {
                    id,
                    name: pod.name.clone(),
                    job: uid,
                    held_on: None,
                    set,
                    order: 0,
                    kind: numbering.number(&request, likeness, nominated),
                    request,
                    selects: accepted(pod, role, &nodes),
                    tolerates: is_tainted.then(|| nodes.iter().map(|n| tolerates(n.0)).collect()),
                    nominated,
                    likeness,
                });
            }
            self.order_tasks(uid, &pods);
            self.open_tasks(uid, &pods);
            if let Some(allocated) = from.allocated {
                self.jobs[uid.ix()].allocated = allocated;
            }
        }
    }

    /// The node that something outside has in mind for pods with these rules, if it is one of the session's.
    fn nominated(&self, rules: &PodRules) -> Option<NodeRef> {
        let name = rules.nominated_node.as_ref()?;
        self.nodes.binary_search_by(|n| n.name.cmp(name)).ok().map(NodeRef::of)
    }

    /// What never changes about a job, whose pods come next.
    fn job_facts(
        &self,
        from: &SnapshotJob,
        id: JobId,
        queue: Option<QueueRef>,
        groups: Option<Box<Group>>,
    ) -> JobFacts {
        let is_leaf = |q: QueueRef| self.queues[q.ix()].children.is_empty();
        JobFacts {
            id,
            name: from.name.clone(),
            queue,
            is_ordered: !from.is_set_aside && queue.is_some_and(is_leaf),
            priority: from.priority,
            preemptible: from.preemptible,
            created_s: from.created_s,
            is_tried_once: from.is_tried_once,
            is_set_aside: from.is_set_aside,
            place: Place::default(),
            first_pod: PodRef::of(self.pods.len()),
            groups,
        }
    }

    /// Puts the active pods of a job on their nodes, and all into the job.
    fn open_tasks(&mut self, job: JobRef, pods: &[SessionPod<'_>]) {
        for (i, SessionPod { from, .. }) in pods.iter().enumerate() {
            let pod = PodRef(self.facts[job.ix()].first_pod.0 + i as u32);
            let mut task = Task { pod, status: from.status, ..Task::default() };
            task.groups = from.gpu_groups.iter().map(|g| self.groups.find(g)).collect();
            let at = self.nodes.binary_search_by(|n| n.name.cmp(&from.node));
            if let Ok(at) = at {
                task.node = Some(NodeRef::of(at));
                if from.status.is_active_used() {
                    self.pods[pod.ix()].held_on = Some(NodeRef::of(at));
                    self.nodes[at].add(&self.pods[pod.ix()].request, &mut task);
                }
            }
            self.tasks.push(task);
            self.assign_task(job, TaskRef::of(self.tasks.len() - 1));
        }
    }

    /// 2.1: what every queue requests and holds.
    fn sum_queues(&mut self) {
        for job in 0..self.n_jobs {
            let Some(queue) = self.facts[job].queue.filter(|_| !self.facts[job].is_set_aside) else {
                continue;
            };
            for task in self.jobs[job].tasks() {
                let Task { pod, status, accepted, .. } = self.tasks[task.ix()];
                let (amount, held) = match status {
                    Status::Pending => (self.pods[pod.ix()].request.pending(self.yardstick), false),
                    status if status.is_allocated() => (accepted.quantities, true),
                    _ => continue,
                };
                let held = held.then(|| self.facts[job].preemptible != Preemptible::No);
                shares::add(&mut self.queues, queue, amount, held);
            }
            if self.is_semi(JobRef::of(job)) {
                self.account_core(JobRef::of(job));
            }
        }
    }

    /// The session's own jobs, by name.
    pub fn own_jobs(&self) -> impl Iterator<Item = JobRef> + use<> {
        (0..self.n_jobs).map(JobRef::of)
    }
    /// Jobs of leaf queues with something pending, in order.
    pub fn waiting(&mut self) -> Rc<[JobRef]> {
        if let Some(waiting) = &self.waiting {
            return waiting.clone();
        }
        let waits = |&job: &JobRef| self.facts[job.ix()].is_ordered && self.job(job).has_pending();
        let mut jobs: Vec<JobRef> = self.own_jobs().filter(waits).collect();
        jobs.sort_by_key(|&job| self.job(job).place);
        let waiting: Rc<[JobRef]> = Rc::from(jobs);
        self.waiting = Some(waiting.clone());
        waiting
    }
    /// A job object.
    pub fn job(&self, job: JobRef) -> &Job {
        &self.jobs[job.ix()]
    }
    /// What never changes about a job.
    pub fn facts_of(&self, job: JobRef) -> &JobFacts {
        &self.facts[self.jobs[job.ix()].uid.ix()]
    }
    /// A task object.
    pub fn task(&self, task: TaskRef) -> &Task {
        &self.tasks[task.ix()]
    }
    /// What never changes about a task's pod.
    pub fn pod_of(&self, task: TaskRef) -> &PodFacts {
        &self.pods[self.tasks[task.ix()].pod.ix()]
    }
    /// The job of a task.
    pub fn job_of(&self, task: TaskRef) -> JobRef {
        self.pod_of(task).job
    }
    /// The object that stands for a task's pod in the session's job.
    pub fn current(&self, task: TaskRef) -> TaskRef {
        let pod = self.tasks[task.ix()].pod;
        let slot = self.slot_of(pod);
        self.jobs[self.pods[pod.ix()].job.ix()].slots[slot].task.expect("a session's job has all its pods")
    }

    /// The proportion handler of an operation: adds or takes a task's accepted request along its queues.
    pub fn account(&mut self, task: TaskRef, add: bool) {
        if !self.plugins.proportion {
            return;
        }
        let amount = self.tasks[task.ix()].accepted.quantities;
        let job = self.pods[self.tasks[task.ix()].pod.ix()].job;
        let facts = &self.facts[job.ix()];
        let is_fixed = facts.preemptible == Preemptible::No;
        let mut at = facts.queue;
        while let Some(q) = at {
            let queue = &mut self.queues[q.ix()];
            let change = |sum: &mut Quantities| if add { *sum += amount } else { *sum -= amount };
            change(&mut queue.allocated);
            if is_fixed {
                change(&mut queue.allocated_np);
            }
            at = queue.parent;
        }
        if self.is_semi(job) {
            self.account_core(job);
        }
    }
}

/// What pending requests of device memory are measured against.
fn measured_against(snapshot: &Snapshot) -> f64 {
    let with_gpus = snapshot.nodes.iter().filter(|n| n.gpus > 0.0);
    yardstick(snapshot.config.dialect, with_gpus.map(|n| device_mib(n.gpu_memory_mib)))
}

/// Whether all quantities are whole numbers whose sums a double holds exactly, and no device is shared.
fn is_whole(snapshot: &Snapshot) -> bool {
    let is_small = |x: f64| x.fract() == 0.0 && x.abs() < 1e15;
    let is_whole_device = |ask| matches!(ask, GpuAsk::None | GpuAsk::ExplicitZero | GpuAsk::Whole { .. });
    let of_pod = |p: &SnapshotPod| {
        is_small(p.cpu_milli) && is_small(p.memory_bytes) && is_whole_device(p.gpu) && p.gpu_groups.is_empty()
    };
    let of_node = |n: &SnapshotNode| is_small(n.cpu_milli) && is_small(n.memory_bytes) && is_small(n.gpus);
    let of_job = |j: &SnapshotJob| j.allocated.is_none() && j.pods.iter().all(of_pod);
    snapshot.nodes.iter().all(of_node) && snapshot.jobs.iter().all(of_job)
}

/// A pod on its way into the session.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionPod<'s> {
    pub from: &'s SnapshotPod,
    pub set: usize,
    pub id: PodId,
}

type Labels = Vec<(Arc<str>, Arc<str>)>;

impl Group {
    /// The tree of inner subgroups; `None` if there are none.
    fn of<'p>(paths: impl Iterator<Item = &'p [Arc<str>]>) -> Option<Box<Group>> {
        let mut root = Group::default();
        for (set, path) in paths.enumerate() {
            let mut at = &mut root;
            for name in path {
                let i = match at.groups.binary_search_by(|g| g.0.cmp(name)) {
                    Ok(i) => i,
                    Err(i) => {
                        at.groups.insert(i, (name.clone(), Group::default()));
                        i
                    }
                };
                at = &mut at.groups[i].1;
            }
            at.sets.push(set);
        }
        (!root.groups.is_empty()).then(|| Box::new(root))
    }
}

/// The named resources: those that are numbered, then those that some pod asks for, by name.
fn scalar_names(snapshot: &Snapshot) -> Vec<&Arc<str>> {
    let mut names: Vec<&Arc<str>> = Vec::new();
    for pod in snapshot.jobs.iter().flat_map(|j| &j.pods) {
        names.extend(pod.scalars.iter().map(|(name, _)| name));
    }
    names.sort();
    names.dedup();
    names.retain(|name| !snapshot.named.contains(name));
    snapshot.named.iter().chain(names).collect()
}

/// The amount of each named resource, 0 where there is none.
fn amounts(names: &[&Arc<str>], named: &[(Arc<str>, i64)]) -> Vec<i64> {
    let of = |name| named.iter().find(|(n, _)| n == name).map_or(0, |(_, amount)| *amount);
    names.iter().map(|&name| of(name)).collect()
}

/// The jobs by name, each with its id and the position of its first pod among all pods of the snapshot.
fn jobs_by_name<'s>(snapshot: &'s Snapshot, ids: &Ids) -> Vec<(&'s SnapshotJob, JobId, usize)> {
    let mut first_pod = 0;
    let mut jobs = Vec::with_capacity(snapshot.jobs.len());
    for (job, &id) in snapshot.jobs.iter().zip(&ids.jobs) {
        jobs.push((job, id, first_pod));
        first_pod += job.pods.len();
    }
    jobs.sort_by(|l, r| l.0.name.cmp(&r.0.name));
    jobs
}
