//! Working copy of one cycle, dropped at its end.
//!
//! # Rule
//! Active pods are added to their nodes; then every queue's *allocated*, *allocated not preemptible* and *request* are
//! summed from its jobs' tasks up to the root, and the total is divided down the tree.
//!
//! # Source
//! kai.md 1, 2.1, 2.2, 3.3, 4.1, 4.3, 11 (N-1)
//!
//! # Differs
//! nothing

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::config::Config;
use super::job::{Job, JobFacts, JobRank, PodSet, SetOrder};
use super::number::Quantities;
use super::order::job_index::JobIndex;
use super::order::leaves::Leaves;
use super::order::nondeterminism::Probe;
use super::place::equivalence_classes::EquivalenceClasses;
use super::place::groups::Groups;
use super::place::node::{Node, NodeAmounts};
use super::place::score_parts::{self, Part};
use super::pod::{Numbers, Pod};
use super::pool_state::{CycleInput, PoolState};
use super::record::notes::Notes;
use super::request::MemoryBasis;
use super::share::shares::{self, Queue};
use super::task::{JobRef, PodRef, QueueRef, Status, Task, TaskRef};
use crate::cluster::Preemptible;
use crate::policy::Monitor;
use crate::trace::{Level, Subject};

pub(super) struct Session<'a> {
    pub inputs: Inputs<'a>,
    pub state: SessionState,
    pub caches: Caches,
    pub notes: Notes,
}

/// What holds for the whole cycle: nothing changes it once the actions run.
pub(super) struct Inputs<'a> {
    pub config: &'a Config,
    pub plugins: Plugins,
    pub now_s: f64,
    pub total: Quantities,
    /// Of the original jobs; jobs of the state after these are clones.
    pub facts: Arc<Vec<JobFacts>>,
    pub pods: Arc<Vec<Pod>>,
    pub score_parts: Vec<Part>,
    /// Maximum of each resource over all nodes when empty.
    pub largest: NodeAmounts,
    /// Whether the queue order is total among the children of every queue, for any allocation.
    pub siblings_are_ordered: bool,
    /// Device memory by which requests of device memory are divided.
    pub memory_basis: MemoryBasis,
    /// The only job to try; `None`: all.
    pub only: Option<JobRef>,
    /// Registered orders to permute, whatever the seed.
    pub probe: Option<Probe>,
    pub monitor: Monitor,
}

/// What statements change and undo, and what their commits leave.
pub(super) struct SessionState {
    pub nodes: Vec<Node>,
    pub queues: Vec<Queue>,
    pub jobs: Vec<Job>,
    pub tasks: Vec<Task>,
    pub groups: Groups,
    /// Whether all quantities are whole numbers and no device is shared, so that sums are exact in any order
    /// and undoing restores every number. Cleared by an attempt that evicts a task twice.
    pub sums_are_exact: bool,
    /// Pods whose eviction was committed; may contain duplicates and pods still shown as running.
    pub evicted: BTreeSet<PodRef>,
    /// The latest start of a job.
    pub latest_start_s: f64,
}

/// What is derived from the state and kept to save time.
pub(super) struct Caches {
    /// Cached node evaluations.
    pub classes: EquivalenceClasses,
    /// Keys of jobs; see `fast/signatures.rs`.
    pub keys: Numbers<Vec<Vec<u32>>>,
    /// Jobs whose signature is still to be computed.
    pub unsigned: Vec<JobRef>,
    /// See [`Session::waiting`]; cleared on commit.
    pub waiting: Option<Rc<Leaves>>,
    /// Whether lists of jobs and orders of nodes are kept from job to job; otherwise they are made again each time,
    /// with the same result.
    pub keeps_lists: bool,
    /// Ordered jobs with pending tasks.
    pub pending: JobIndex,
    /// Ordered jobs with active tasks of which any may be evicted.
    pub active: JobIndex,
}

/// Enabled optional rules.
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

impl Plugins {
    fn of(config: &Config) -> Plugins {
        let has = |plugin| config.has(plugin);
        Plugins {
            predicates: has("predicates"),
            proportion: has("proportion"),
            priority: has("priority"),
            elastic: has("elastic"),
            subgroup_order: has("subgrouporder"),
            min_runtime: has("minruntime"),
            gpu_pack: has("gpupack"),
            gpu_spread: has("gpuspread"),
        }
    }

    /// Worth of a device of which this part is used.
    pub fn device_score(&self, filled: f64) -> f64 {
        let pack = if self.gpu_pack { filled } else { 0.0 };
        if self.gpu_spread { pack + (1.0 - filled) } else { pack }
    }
}

impl<'a> Inputs<'a> {
    fn of(input: &CycleInput<'a>) -> Inputs<'a> {
        Inputs {
            config: input.config,
            plugins: Plugins::of(input.config),
            now_s: input.now_s,
            total: input.pool.total,
            facts: input.pool.jobs.clone(),
            pods: input.pool.pods.clone(),
            score_parts: score_parts::parts(input.config),
            largest: NodeAmounts::largest(input.pool.nodes.iter().map(|n| &n.allocatable), input.n_scalars),
            siblings_are_ordered: false,
            memory_basis: input.pool.memory_basis,
            only: None,
            probe: None,
            monitor: input.monitor.clone(),
        }
    }
}

/// Capacity for the partial jobs of searches and their tasks: without it the first one moves all jobs.
const SPARE: usize = 64;

impl SessionState {
    fn open(pool: PoolState) -> SessionState {
        let PoolState { jobs: facts, pods, .. } = pool;
        let mut jobs = Vec::with_capacity(facts.len() + SPARE);
        jobs.extend((0..).map(JobRef).zip(facts.iter()).map(|(uid, facts)| Job::new(uid, facts)));
        let mut state = SessionState {
            nodes: pool.nodes,
            queues: pool.queues,
            jobs,
            tasks: Vec::with_capacity(pods.len() + SPARE),
            groups: pool.groups,
            sums_are_exact: pool.sums_are_exact,
            evicted: BTreeSet::new(),
            latest_start_s: facts.iter().filter_map(|job| job.last_start_s).fold(f64::NEG_INFINITY, f64::max),
        };
        state.reserve_nodes(&pods);
        for (job, facts) in (0..).map(JobRef).zip(facts.iter()) {
            state.open_pods(job, facts, &pods[facts.pods()]);
        }
        state
    }

    /// Allocates the memory for the tasks of every node at once.
    fn reserve_nodes(&mut self, pods: &[Pod]) {
        let mut n_tasks = vec![0; self.nodes.len()];
        pods.iter().filter_map(Pod::held_on).for_each(|node_ref| n_tasks[node_ref.ix()] += 1);
        self.nodes.iter_mut().zip(n_tasks).for_each(|(node, n)| node.tasks.reserve(n + 1));
    }

    fn open_pods(&mut self, job: JobRef, facts: &JobFacts, pods: &[Pod]) {
        for (slot, pod) in pods.iter().enumerate() {
            let task = self.open_pod(pod);
            self.jobs[job.ix()].assign(slot, pod.set, task, pod.status, pod.request.plain());
        }
        if let Some(allocated) = facts.allocated {
            self.jobs[job.ix()].allocated = allocated;
        }
    }

    /// Creates a pod's task and adds it to its node, if it is allocated there.
    fn open_pod(&mut self, pod: &Pod) -> TaskRef {
        let task_ref = TaskRef::of(self.tasks.len());
        let mut task = Task {
            pod: PodRef(task_ref.0),
            status: pod.status,
            node: pod.node,
            groups: pod.groups.clone(),
            ..Task::default()
        };
        if let Some(node) = pod.held_on() {
            self.nodes[node.ix()].add(&pod.request, &mut task);
        }
        self.tasks.push(task);
        task_ref
    }

    /// A queue and the queues above it.
    pub fn path_up(&self, queue: Option<QueueRef>) -> impl Iterator<Item = QueueRef> {
        std::iter::successors(queue, |q| self.queues[q.ix()].parent)
    }
    /// Queues from the root down to this one.
    pub fn path_from_root(&self, queue: QueueRef) -> Vec<QueueRef> {
        let mut path: Vec<QueueRef> = self.path_up(Some(queue)).collect();
        path.reverse();
        path
    }
    /// The siblings at which the paths of two leaf queues diverge: the claimant's side, the other side.
    pub fn split(&self, claimant: QueueRef, other: QueueRef) -> Option<(QueueRef, QueueRef)> {
        let (l, r) = (self.path_from_root(claimant), self.path_from_root(other));
        l.into_iter().zip(r).find(|(l, r)| l != r)
    }
}

impl Caches {
    fn of(pool: &PoolState) -> Caches {
        let (n_queues, n_jobs) = (pool.queues.len(), pool.jobs.len());
        Caches {
            classes: EquivalenceClasses::new(pool.nodes.iter().map(|n| n.device_mib)),
            keys: Numbers::default(),
            unsigned: Vec::new(),
            waiting: None,
            keeps_lists: true,
            pending: JobIndex::new(n_queues, n_jobs),
            active: JobIndex::new(n_queues, n_jobs),
        }
    }
}

impl<'a> Session<'a> {
    pub fn open(input: CycleInput<'a>, level: Level) -> Self {
        let mut session = Session {
            inputs: Inputs::of(&input),
            caches: Caches::of(&input.pool),
            notes: Notes::new(level, input.pool.jobs.len()),
            state: SessionState::open(input.pool),
        };
        session.own_jobs().for_each(|job| session.place_job(job));
        if session.inputs.plugins.proportion {
            session.sum_queues();
            let Session { inputs, state, .. } = &mut session;
            shares::divide(&mut state.queues, inputs.total, inputs.config.division_params());
            // Rule 0 of the queue order can form cycles with the rules after it.
            inputs.siblings_are_ordered =
                !inputs.config.priority_in_quota_reclaim && shares::siblings_are_ordered(&state.queues);
        }
        session
    }

    /// 2.1: request and allocation of every queue.
    fn sum_queues(&mut self) {
        for job in 0..self.inputs.facts.len() {
            let Some(queue) = self.inputs.facts[job].queue.filter(|_| !self.inputs.facts[job].is_set_aside) else {
                continue;
            };
            for task in self.state.jobs[job].tasks() {
                let Task { pod, status, accepted, .. } = self.state.tasks[task.ix()];
                let (amount, is_allocated) = match status {
                    Status::Pending => {
                        (self.inputs.pods[pod.ix()].request.pending(self.inputs.memory_basis.pending), false)
                    }
                    status if status.is_allocated() => (accepted.quantities, true),
                    _ => continue,
                };
                let preemptible = is_allocated.then(|| self.inputs.facts[job].preemptible != Preemptible::No);
                shares::add(&mut self.state.queues, queue, amount, preemptible);
            }
            if self.is_semi(JobRef::of(job)) {
                self.account_core(JobRef::of(job));
            }
        }
    }

    /// Original jobs, by name.
    pub fn own_jobs(&self) -> impl Iterator<Item = JobRef> + use<> {
        (0..self.inputs.facts.len()).map(JobRef::of)
    }
    /// Jobs with pending tasks, by leaf queue.
    pub fn waiting(&mut self) -> Rc<Leaves> {
        if let Some(waiting) = &self.caches.waiting {
            return waiting.clone();
        }
        let mut pending = std::mem::take(&mut self.caches.pending);
        if !self.caches.keeps_lists {
            pending = JobIndex::new(self.state.queues.len(), self.inputs.facts.len());
        }
        pending.update(|job| Some(self.place_of(job)?).filter(|_| self.job(job).has_pending()));
        let leaves = pending.queues().map(|(leaf, jobs)| (leaf, jobs.iter().map(|job| job.1).collect()));
        let waiting = Rc::new(Leaves::by_first(leaves, |l, r| self.state.job_order(l, r)));
        self.caches.pending = pending;
        self.caches.waiting = Some(waiting.clone());
        waiting
    }
    /// The leaf of an ordered job, and its rank there.
    pub fn place_of(&self, job: JobRef) -> Option<(QueueRef, JobRank)> {
        let facts = self.facts_of(job);
        Some((facts.queue.filter(|_| facts.is_ordered)?, self.job(job).rank))
    }
    /// The queue of an ordered job.
    pub fn leaf_of(&self, job: JobRef) -> QueueRef {
        self.facts_of(job).queue.expect("ordered jobs have a queue")
    }
    pub fn job(&self, job: JobRef) -> &Job {
        &self.state.jobs[job.ix()]
    }
    pub fn facts_of(&self, job: JobRef) -> &JobFacts {
        &self.inputs.facts[self.state.jobs[job.ix()].uid.ix()]
    }
    pub fn task(&self, task: TaskRef) -> &Task {
        &self.state.tasks[task.ix()]
    }
    pub fn pod_of(&self, task: TaskRef) -> &Pod {
        &self.inputs.pods[self.state.tasks[task.ix()].pod.ix()]
    }
    pub fn job_of(&self, task: TaskRef) -> JobRef {
        self.pod_of(task).job
    }
    /// Current object of a pod in the session's job.
    pub fn current_of(&self, pod: PodRef) -> TaskRef {
        let slot = self.inputs.slot_of(pod);
        self.state.jobs[self.inputs.pods[pod.ix()].job.ix()].slots[slot].task.expect("a session's job has all its pods")
    }

    /// The proportion handler of an operation: adds or subtracts a task's accepted request along its queues.
    pub fn account(&mut self, task: TaskRef, add: bool) {
        if !self.inputs.plugins.proportion {
            return;
        }
        let amount = self.state.tasks[task.ix()].accepted.quantities;
        let job = self.inputs.pods[self.state.tasks[task.ix()].pod.ix()].job;
        let facts = &self.inputs.facts[job.ix()];
        let is_fixed = facts.preemptible == Preemptible::No;
        let mut next = facts.queue;
        while let Some(q) = next {
            let queue = &mut self.state.queues[q.ix()];
            let change = |sum: &mut Quantities| if add { *sum += amount } else { *sum -= amount };
            change(&mut queue.allocated);
            if is_fixed {
                change(&mut queue.allocated_np);
            }
            next = queue.parent;
        }
        if self.is_semi(job) {
            self.account_core(job);
        }
    }

    /// A job and its queue.
    pub fn about_job(&self, job: JobRef) -> Subject {
        let queue = self.facts_of(job).queue.map(|q| self.state.queues[q.ix()].id);
        Subject { queue, job: Some(self.facts_of(job).id), ..Subject::default() }
    }
    /// A job and its queue or an ancestor of it.
    pub fn about_queue(&self, job: JobRef, queue: QueueRef) -> Subject {
        Subject { queue: Some(self.state.queues[queue.ix()].id), ..self.about_job(job) }
    }
    /// A job, one of the queues above it, and a queue to reclaim from.
    pub fn about_queues(&self, job: JobRef, queue: QueueRef, other: QueueRef) -> Subject {
        let other_queue = Some(self.state.queues[other.ix()].id);
        Subject { other_queue, ..self.about_queue(job, queue) }
    }
}

impl Inputs<'_> {
    /// Index of a pod in its job.
    pub fn slot_of(&self, pod: PodRef) -> usize {
        let job = self.pods[pod.ix()].job;
        (pod.0 - self.facts[job.ix()].first_pod.0) as usize
    }

    /// 3.3: indices of a job's pod sets, in order.
    pub fn sets_in_order(&self, job: &Job) -> SetOrder {
        let mut order: SetOrder = (0..job.sets.len()).collect();
        if self.plugins.subgroup_order {
            order.sort_by(|&l, &r| job.sets[l].fill().order(job.sets[r].fill()).then(l.cmp(&r)));
        }
        order
    }
}

impl SessionState {
    /// Active tasks of a job.
    pub fn active_of(&self, job: JobRef) -> impl Iterator<Item = TaskRef> {
        self.jobs[job.ix()].tasks().filter(|t| self.tasks[t.ix()].status.is_active_allocated())
    }

    /// Clones a task object.
    pub fn clone_task(&mut self, task: TaskRef) -> TaskRef {
        let clone = self.tasks[task.ix()].clone();
        self.tasks.push(clone);
        TaskRef::of(self.tasks.len() - 1)
    }
}

impl Session<'_> {
    /// Adds a task object to a job.
    pub fn assign_task(&mut self, job: JobRef, task: TaskRef) {
        let Task { pod, status, .. } = self.state.tasks[task.ix()];
        let slot = self.inputs.slot_of(pod);
        let facts = &self.inputs.pods[pod.ix()];
        let plain = facts.request.plain();
        self.state.jobs[job.ix()].assign(slot, facts.set, task, status, plain);
        self.place_job(job);
    }

    /// `UpdateStatus` on the session's job of the task.
    pub fn update_status(&mut self, task: TaskRef, status: Status) {
        let Task { pod, status: before, .. } = self.state.tasks[task.ix()];
        let slot = self.inputs.slot_of(pod);
        let facts = &self.inputs.pods[pod.ix()];
        let job = &mut self.state.jobs[facts.job.ix()];
        if let Some(current) = job.slots[slot].task
            && self.state.tasks[current.ix()].status.is_allocated()
        {
            job.allocated -= facts.request.plain();
        }
        job.unindex(slot, before);
        self.state.tasks[task.ix()].status = status;
        job.assign(slot, facts.set, task, status, facts.request.plain());
        let job = facts.job;
        self.place_job(job);
    }

    /// `CloneWithTasks`: a new job object with clones of exactly these tasks.
    pub fn clone_with_tasks(&mut self, job: JobRef, tasks: &[TaskRef]) -> JobRef {
        let original = &self.state.jobs[job.ix()];
        let set = |s: &PodSet| PodSet { min_available: s.min_available, ..PodSet::default() };
        let sets = original.sets.iter().map(set).collect();
        let mut job = Job::with(original.uid, sets, original.slots.len());
        job.tree = original.tree.clone();
        self.state.jobs.push(job);
        let clone = JobRef::of(self.state.jobs.len() - 1);
        let mut tasks = tasks.to_vec();
        tasks.sort_by_key(|t| self.state.tasks[t.ix()].pod);
        for task in tasks {
            let task = self.state.clone_task(task);
            self.assign_task(clone, task);
        }
        clone
    }

    /// Updates a job's rank from its counters.
    pub fn place_job(&mut self, job: JobRef) {
        let facts = &self.inputs.facts[self.state.jobs[job.ix()].uid.ix()];
        let state = &mut self.state.jobs[job.ix()];
        state.rank = if self.inputs.plugins.elastic { facts.rank.with(state.filled()) } else { facts.rank };
        self.caches.pending.changed(job);
        self.caches.active.changed(job);
    }

    /// Amount requested by a chunk in the job's test.
    pub fn requested_by(&self, chunk: &[TaskRef]) -> Quantities {
        let mut requested = Quantities::default();
        for &task in chunk {
            requested += self.pod_of(task).request.pending(self.inputs.memory_basis.chunk);
        }
        requested
    }
}
