//! Transitions of pod phases and the totals that depend on them; no other code changes a phase.
//!
//! A [`ClusterState`] is the cluster together with totals that are maintained incrementally: the allocation of every node, and
//! the allocated, terminating, requested and lost amounts of every queue. Time is always an argument; the end of a
//! phase is part of the phase, and the simulation's agenda orders these ends.

use super::node::NodeUse;
use super::queue::{QueueSums, QueueTotals, Sums};
use super::{Cluster, Devices, Job, Node, NodeState, Phase, Pod, Preemptible, Queue, QueueResource, Restart};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::time::{Span, Time};
use crate::units::PerResource;

/// The cluster and its incrementally maintained totals.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterState {
    pub(super) cluster: Cluster,
    pub(super) nodes: Arena<NodeId, NodeUse>,
    pub(super) queues: QueueTotals,
    pub(super) jobs: Arena<JobId, JobCounts>,
    pub(super) pods: Arena<PodId, PodHistory>,
    /// Nodes whose pods may exceed their capacity, ascending; see [`ClusterState::may_exceed`].
    pub(super) may_exceed: Vec<NodeId>,
    /// Pods whose devices were reassigned since the last [`ClusterState::take_dealt`].
    pub(super) dealt: Vec<PodId>,
    /// Pods whose phase, node or devices changed since the last [`ClusterState::take_touched`].
    pub(super) touched: Vec<PodId>,
}

/// Counts of the pods of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobCounts {
    /// Pods that are not over.
    open: u32,
    /// Pods that hold resources, terminating ones included.
    pub holding: u32,
}

/// History of a pod beyond its phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PodHistory {
    /// Start of the present allocation, or of the present wait.
    pub since: Time,
    /// Whether it was evicted or lost its node at least once.
    pub lost: bool,
    /// Run time before it was evicted or lost, for a job that resumes.
    pub done: Span,
}

/// Why a pod cannot be bound to a node. Such a decision is a bug of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindError {
    /// The pod is not pending.
    NotPending,
    /// The node is down or being drained.
    NodeNotReady,
    /// The job is not offered to the partition of the node.
    OtherPartition,
    /// Too few devices are free, or the given ones are not.
    NoDevices,
}

/// A pod that was removed from its node by an external event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displaced {
    pub pod: PodId,
    /// The node on which it was.
    pub node: NodeId,
    /// Whether it was already terminating.
    pub was_leaving: bool,
}

impl ClusterState {
    /// Creates the world of a plan. Pods that hold resources get devices in file order if they have none, even where
    /// there are too few; pods on a node that is down are pending instead. Jobs submitted at or before the start, or
    /// with a pod that holds resources, are live; all others are submitted later.
    pub fn new(cluster: Cluster) -> ClusterState {
        let nodes = cluster.nodes.values().map(NodeUse::new).collect();
        let queues = QueueTotals::of(&cluster);
        let jobs = cluster.jobs.ids().map(|_| JobCounts::default()).collect();
        let pods = cluster.pods.ids().map(|_| PodHistory::default()).collect();
        let (may_exceed, dealt, touched) = Default::default();
        let mut world = ClusterState { cluster, nodes, queues, jobs, pods, may_exceed, dealt, touched };
        world.cluster.live_jobs.clear();
        // Every partition but the first has its own values, so that they can change independently.
        let queues = &world.cluster.queues;
        for partition in world.cluster.partitions.values_mut().skip(1) {
            partition.queues.get_or_insert_with(|| queues.clone());
        }
        // Pods with given devices first, so that no other pod gets these devices.
        for named in [true, false] {
            for pod in world.cluster.pods.ids() {
                let p = &world.cluster.pods[pod];
                let has_devices = p.devices != Devices(0);
                if p.phase.holds() && has_devices == named {
                    world.place_at_start(pod);
                }
            }
        }
        for job in world.cluster.jobs.ids() {
            world.open_job(job);
        }
        world
    }

    /// Places a pod that holds resources at the start.
    fn place_at_start(&mut self, pod: PodId) {
        let p = &self.cluster.pods[pod];
        let lasts = self.cluster.jobs[p.job].lasts;
        let place = p.node.and_then(|node| {
            let free = self.nodes[node].pick_some(p.request.gpu, Devices(0));
            let is_whole = matches!(p.request.gpu, super::GpuRequest::Whole { .. });
            let is_taken = is_whole && p.devices.0 & !self.nodes[node].free().0 != 0;
            let devices = if p.devices == Devices(0) || is_taken { free } else { p.devices };
            self.cluster.nodes[node].ready.then_some((node, devices))
        });
        let p = &mut self.cluster.pods[pod];
        let Some((node, devices)) = place else {
            p.phase = Phase::Future;
            return;
        };
        p.devices = devices;
        if let Phase::Running { since, until: until @ None } = &mut p.phase {
            *until = lasts.map(|lasts| *since + lasts);
        }
        let job = &self.cluster.jobs[p.job];
        let since = match p.phase {
            Phase::Running { since, .. } => since,
            Phase::Terminating { .. } => job.first_start.unwrap_or(Time::ZERO),
            _ => Time::ZERO,
        };
        self.pods[pod].since = since;
        if matches!(p.phase, Phase::Terminating { .. }) && job.restart == Restart::Resume {
            self.pods[pod].done = Time::ZERO - since;
        }
        self.nodes[node].take(&self.cluster.pods[pod].request, devices);
        self.note_excess(node);
    }

    /// Counts the pods of a job, and submits it if it is live at the start.
    fn open_job(&mut self, job: JobId) {
        let starts = self.cluster.pods_of(job).filter(|(_, p)| p.phase.holds()).map(|(id, _)| self.pods[id].since);
        let first = starts.min();
        let is_live = first.is_some() || self.cluster.jobs[job].submit <= Time::ZERO;
        for pod in self.cluster.jobs[job].pod_ids() {
            let phase = self.cluster.pods[pod].phase;
            match phase {
                Phase::Future | Phase::Pending => {
                    self.cluster.pods[pod].phase = Phase::Future;
                    self.cluster.pods[pod].node = None;
                    self.cluster.pods[pod].devices = Devices(0);
                }
                _ => self.count(pod, 1),
            }
            self.jobs[job].open += u32::from(!phase.is_over());
            self.jobs[job].holding += u32::from(phase.holds());
        }
        add_core(&self.cluster, &mut self.queues, job, 1);
        if let Some(first) = first {
            let j = &mut self.cluster.jobs[job];
            j.first_start = j.first_start.or(Some(first));
            j.last_start = j.last_start.or(Some(first));
        }
        if is_live {
            self.submit(job, Time::ZERO);
        }
        self.touched.clear();
    }

    /// Approximate size of a copy, in bytes.
    pub fn weight(&self) -> u64 {
        let pods = (size_of::<Pod>() + size_of::<PodHistory>() + size_of::<u64>()) * self.pods.len();
        let jobs = (size_of::<Job>() + size_of::<JobCounts>()) * self.jobs.len();
        let nodes = (size_of::<Node>() + size_of::<NodeUse>()) * self.nodes.len();
        let copies = 1 + self.queues.pools.len();
        let queues = (size_of::<Queue>() + size_of::<QueueSums>()) * self.queues.all.len() * copies;
        (pods + jobs + nodes + queues) as u64
    }
    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }
    /// The allocation of a node.
    pub fn node_use(&self, node: NodeId) -> &NodeUse {
        &self.nodes[node]
    }
    /// The allocations of all nodes.
    pub fn node_uses(&self) -> &Arena<NodeId, NodeUse> {
        &self.nodes
    }
    /// Pods that hold resources on a node. Iterates over all live jobs.
    pub fn pods_on(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        let pods = self.cluster.live_jobs.iter().flat_map(|&job| self.cluster.pods_of(job));
        pods.filter(move |(_, p)| p.node == Some(node) && p.phase.holds()).map(|(id, _)| id)
    }
    /// The sums of a queue over all partitions.
    pub fn queue_sums(&self, queue: QueueId) -> &QueueSums {
        &self.queues.all[queue]
    }
    /// The sums of a queue in one partition.
    pub fn queue_sums_in(&self, partition: PartitionId, queue: QueueId) -> &QueueSums {
        &self.sums_in(partition)[queue]
    }
    /// The sums of every queue in one partition.
    pub fn sums_in(&self, partition: PartitionId) -> &Arena<QueueId, QueueSums> {
        self.queues.pools.get(partition).unwrap_or(&self.queues.all)
    }
    /// Returns the pods whose phase, node or devices changed since the last call, in order, possibly with repetitions.
    pub fn take_touched(&mut self) -> Vec<PodId> {
        std::mem::take(&mut self.touched)
    }

    /// Submits a job, or the pods that join it now: they become pending, unless they already run. Returns those that
    /// run.
    pub fn submit(&mut self, job: JobId, now: Time) -> Vec<PodId> {
        if let Err(i) = self.cluster.live_jobs.binary_search(&job) {
            self.cluster.live_jobs.insert(i, job);
        }
        let mut running = Vec::new();
        for pod in self.cluster.jobs[job].pod_ids() {
            let is_later = self.cluster.joins_at(pod).is_some_and(|time| time > now);
            if self.cluster.pods[pod].phase != Phase::Future || is_later {
                continue;
            }
            if self.start_found(pod) {
                running.push(pod);
            } else {
                self.set_phase(pod, self.waiting(pod));
                self.pods[pod].since = now;
            }
        }
        running
    }

    /// The phase of a new pod. A replacement is gated like the original pod.
    fn waiting(&self, pod: PodId) -> Phase {
        let gated = self.cluster.pods[pod].rules.as_ref().is_some_and(|rules| rules.gated);
        if gated { Phase::Gated } else { Phase::Pending }
    }

    /// Binds a pending pod to a node, with the given devices or, for `None`, with devices chosen by [`NodeUse::pick`].
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn bind(
        &mut self,
        pod: PodId,
        node: NodeId,
        devices: Option<Devices>,
        now: Time,
    ) -> Result<Devices, BindError> {
        let p = &self.cluster.pods[pod];
        if p.phase != Phase::Pending {
            return Err(BindError::NotPending);
        }
        if !self.cluster.nodes[node].takes_pods() {
            return Err(BindError::NodeNotReady);
        }
        if self.cluster.nodes[node].partition != self.cluster.jobs[p.job].partition {
            return Err(BindError::OtherPartition);
        }
        let devices = match devices {
            Some(named) => Some(named).filter(|&named| self.nodes[node].can_give(p.request.gpu, named)),
            None => self.nodes[node].pick(p.request.gpu),
        };
        let devices = devices.ok_or(BindError::NoDevices)?;
        let job = p.job;
        self.nodes[node].take(&p.request, devices);
        self.cluster.pods[pod].node = Some(node);
        self.cluster.pods[pod].devices = devices;
        if self.jobs[job].holding == 0 {
            self.cluster.jobs[job].last_start = Some(now);
        }
        self.jobs[job].holding += 1;
        self.note_restart(pod, now);
        self.pods[pod].since = now;
        if self.cluster.delays.start > Span::ZERO {
            self.set_phase(pod, Phase::Starting { until: now + self.cluster.delays.start });
        } else {
            self.run(pod, now);
        }
        Ok(devices)
    }

    fn note_restart(&mut self, pod: PodId, now: Time) {
        let history = self.pods[pod];
        if history.lost {
            let waited = i128::from((now - history.since).as_millis());
            self.on_path(pod, |sums| {
                sums.restarts += 1;
                sums.restart_wait_ms += waited;
            });
        }
    }

    /// Moves a pod to the phase *running*.
    pub fn run(&mut self, pod: PodId, now: Time) {
        let job = self.cluster.pods[pod].job;
        let done = self.pods[pod].done;
        let remaining = |lasts: Span| Span::from_millis((lasts.as_millis() - done.as_millis()).max(0));
        let until = self.cluster.jobs[job].lasts.map(|lasts| now + remaining(lasts));
        self.set_phase(pod, Phase::Running { since: now, until });
        let first = &mut self.cluster.jobs[job].first_start;
        *first = first.or(Some(now));
    }

    /// Evicts a pod. Returns its node; `None`: it is neither starting nor running.
    pub fn evict(&mut self, pod: PodId, grace: Span, now: Time) -> Option<NodeId> {
        let p = &self.cluster.pods[pod];
        if !matches!(p.phase, Phase::Starting { .. } | Phase::Running { .. }) {
            return None;
        }
        let (node, job) = (p.node, p.job);
        self.cluster.jobs[job].evictions += 1;
        self.on_path(pod, |sums| sums.evictions += 1);
        self.keep_work(pod, now);
        self.set_phase(pod, Phase::Terminating { since: now, until: now + grace });
        node
    }

    /// Removes an evicted or lost pod from its node. According to [`Restart`] a replacement with all or the remaining
    /// work is pending, or the pod, and possibly its job, is over. Returns the node.
    pub fn gone(&mut self, pod: PodId, now: Time) -> NodeId {
        let held_ms = (now - self.pods[pod].since.max(Time::ZERO)).as_millis();
        let requested = request_of(&self.cluster.pods[pod].request);
        let restart = self.cluster.jobs[self.cluster.pods[pod].job].restart;
        if restart != Restart::Resume {
            self.on_path(pod, |sums| {
                for (lost, requested) in sums.lost.iter_mut().zip(requested) {
                    *lost += i128::from(requested) * i128::from(held_ms);
                }
            });
        }
        self.keep_work(pod, now);
        let is_end = restart == Restart::Never;
        let phase = if is_end { Phase::Evicted { at: now } } else { self.waiting(pod) };
        let node = self.vacate(pod, phase);
        self.pods[pod] = PodHistory { since: now, lost: true, ..self.pods[pod] };
        if is_end {
            self.close_pod(pod, now);
        }
        node
    }

    /// Keeps the work of a running pod if its job resumes. The termination time does not count as work.
    fn keep_work(&mut self, pod: PodId, now: Time) {
        let p = &self.cluster.pods[pod];
        if let (Phase::Running { since, .. }, Restart::Resume) = (p.phase, self.cluster.jobs[p.job].restart) {
            self.pods[pod].done = self.pods[pod].done + (now - since);
        }
    }

    /// Finishes a pod that ends by itself. Returns its node, and whether its job ended as well.
    pub fn finish(&mut self, pod: PodId, now: Time) -> (NodeId, bool) {
        let node = self.vacate(pod, Phase::Finished { at: now });
        (node, self.close_pod(pod, now))
    }

    /// Withdraws a job at once. Returns its pods that held resources.
    pub fn withdraw(&mut self, job: JobId, now: Time) -> Vec<Displaced> {
        let mut displaced = Vec::new();
        for pod in self.cluster.jobs[job].pod_ids() {
            let phase = self.cluster.pods[pod].phase;
            if phase.is_over() {
                continue;
            }
            if phase.holds() {
                let node = self.vacate(pod, Phase::Removed { at: now });
                displaced.push(Displaced { pod, node, was_leaving: matches!(phase, Phase::Terminating { .. }) });
            } else {
                self.set_phase(pod, Phase::Removed { at: now });
            }
            self.close_pod(pod, now);
        }
        displaced
    }

    /// Changes the state of a node. Returns the pods that are lost because it goes down.
    pub fn set_state(&mut self, node: NodeId, state: NodeState, now: Time) -> Vec<Displaced> {
        self.cluster.nodes[node].ready = state != NodeState::Down;
        self.cluster.nodes[node].draining = state == NodeState::Draining;
        if state != NodeState::Down {
            return Vec::new();
        }
        let on_node: Vec<PodId> = self.pods_on(node).collect();
        let mut displaced = Vec::new();
        for pod in on_node {
            let was_leaving = matches!(self.cluster.pods[pod].phase, Phase::Terminating { .. });
            self.gone(pod, now);
            displaced.push(Displaced { pod, node, was_leaving });
        }
        displaced
    }

    /// Changes the values of a queue in a partition; `priority: None` keeps the present one.
    pub fn set_queue(
        &mut self,
        partition: PartitionId,
        id: QueueId,
        priority: Option<i32>,
        resources: PerResource<QueueResource>,
    ) {
        let Cluster { partitions, queues, .. } = &mut self.cluster;
        let queue = match &mut partitions[partition].queues {
            Some(queues_of_partition) => &mut queues_of_partition[id],
            None => &mut queues[id],
        };
        queue.priority = priority.or(queue.priority);
        queue.resources = resources;
    }

    /// Offers a job to another partition. None of its pods may hold resources.
    pub fn offer(&mut self, job: JobId, partition: PartitionId) {
        let pods = || self.cluster.jobs[job].pod_ids();
        let (before, after) = (pods(), pods());
        before.for_each(|pod| self.count(pod, -1));
        let j = &mut self.cluster.jobs[job];
        j.partition = partition;
        j.offers = j.offers.saturating_add(1);
        after.for_each(|pod| self.count(pod, 1));
    }

    /// Whether a pod of the job holds resources.
    pub fn holds_any(&self, job: JobId) -> bool {
        self.jobs[job].holding > 0
    }

    /// Releases a pod's resources and moves it to a phase that holds none. Returns its former node.
    fn vacate(&mut self, pod: PodId, phase: Phase) -> NodeId {
        let p = &mut self.cluster.pods[pod];
        let node = p.node.take().expect("a pod that holds something is on a node");
        let devices = std::mem::take(&mut p.devices);
        self.nodes[node].give_back(&p.request, devices);
        self.jobs[p.job].holding -= 1;
        self.set_phase(pod, phase);
        if self.nodes[node].lacks_devices() {
            self.deal_devices(node);
        }
        node
    }

    /// Counts a pod as over; returns whether its job ended with it.
    fn close_pod(&mut self, pod: PodId, now: Time) -> bool {
        let job = self.cluster.pods[pod].job;
        self.pods[pod].done = Span::ZERO;
        self.jobs[job].open -= 1;
        if self.jobs[job].open > 0 {
            return false;
        }
        self.cluster.jobs[job].ended = Some(now);
        if let Ok(i) = self.cluster.live_jobs.binary_search(&job) {
            self.cluster.live_jobs.remove(i);
        }
        true
    }

    pub(super) fn set_phase(&mut self, pod: PodId, phase: Phase) {
        let job = self.cluster.pods[pod].job;
        add_core(&self.cluster, &mut self.queues, job, -1);
        self.count(pod, -1);
        self.cluster.pods[pod].phase = phase;
        self.count(pod, 1);
        add_core(&self.cluster, &mut self.queues, job, 1);
        self.touched.push(pod);
    }

    /// Adds a pod to the sums of its queues (`sign` 1), or subtracts it (-1).
    fn count(&mut self, pod: PodId, sign: i64) {
        count(&self.cluster, &mut self.queues, pod, sign);
    }

    /// Applies a function to the sums of a pod's queue and of all its ancestors.
    fn on_path(&mut self, pod: PodId, act: impl FnMut(&mut QueueSums)) {
        on_path(&self.cluster, &mut self.queues, pod, act);
    }
}

fn on_path(cluster: &Cluster, totals: &mut QueueTotals, pod: PodId, mut act: impl FnMut(&mut QueueSums)) {
    let job = &cluster.jobs[cluster.pods[pod].job];
    let mut pool = totals.pools.get_mut(job.partition);
    for queue in cluster.path_to_root(job.queue) {
        act(&mut totals.all[queue]);
        if let Some(pool) = &mut pool {
            act(&mut pool[queue]);
        }
    }
}

/// Adds a pod to the sums of its queues (`sign` 1), or subtracts it (-1).
fn count(cluster: &Cluster, queues: &mut QueueTotals, pod: PodId, sign: i64) {
    let p = &cluster.pods[pod];
    let request = request_of(&p.request);
    let is_non_preemptible = cluster.jobs[p.job].preemptible == Preemptible::No;
    let add = |sums: &mut Sums| add_to(sums, request, sign);
    let phase = p.phase;
    on_path(cluster, queues, pod, |sums| match phase {
        Phase::Starting { .. } | Phase::Running { .. } => {
            add(&mut sums.allocated);
            if is_non_preemptible {
                add(&mut sums.non_preemptible);
            }
        }
        Phase::Terminating { .. } => add(&mut sums.leaving),
        Phase::Pending => add(&mut sums.waiting),
        Phase::Gated => {
            add(&mut sums.waiting);
            add(&mut sums.gated);
        }
        Phase::Future | Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. } => {}
    });
}

/// Adds the core of a semi-preemptible job to the sums of its queues, or subtracts it. The core depends on the phases
/// of all pods of the job, so it is recounted with every change.
fn add_core(cluster: &Cluster, queues: &mut QueueTotals, job: JobId, sign: i64) {
    if cluster.jobs[job].preemptible != Preemptible::Semi {
        return;
    }
    for pod in cluster.fixed_pods(job) {
        let request = request_of(&cluster.pods[pod].request);
        on_path(cluster, queues, pod, |sums| add_to(&mut sums.non_preemptible, request, sign));
    }
}

fn add_to(sums: &mut Sums, request: Sums, sign: i64) {
    for (sum, request) in sums.iter_mut().zip(request) {
        *sum += sign * request;
    }
}

/// The amounts of a request, by resource index.
pub fn request_of(request: &super::Request) -> Sums {
    request.resources.in_base_units()
}

/// For the audit: the incrementally maintained totals, recomputed.
#[derive(Clone, Debug)]
pub(super) struct Recount {
    pub nodes: Arena<NodeId, NodeUse>,
    pub queues: QueueTotals,
}

impl Recount {
    /// Recomputes the totals from the phases, places and requests of live jobs; other jobs contribute nothing.
    pub fn new(world: &ClusterState) -> Recount {
        let cluster = &world.cluster;
        let mut nodes: Arena<NodeId, NodeUse> = cluster.nodes.values().map(NodeUse::new).collect();
        let mut queues = QueueTotals::of(cluster);
        for &job in &cluster.live_jobs {
            add_core(cluster, &mut queues, job, 1);
        }
        for (id, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
            count(cluster, &mut queues, id, 1);
            if let Some(node) = pod.node.filter(|_| pod.phase.holds()) {
                nodes[node].take(&pod.request, pod.devices);
            }
        }
        Recount { nodes, queues }
    }
}

impl ClusterState {
    /// For the audit: whether the counts of a job's pods are correct.
    pub(super) fn counts_are_correct(&self, job: JobId) -> bool {
        let count = |test: fn(Phase) -> bool| self.cluster.pods_of(job).filter(|(_, p)| test(p.phase)).count() as u32;
        self.jobs[job] == JobCounts { open: count(|phase| !phase.is_over()), holding: count(Phase::holds) }
    }
}
