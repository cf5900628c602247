//! The only code that changes a pod's phase, and the sums that hang on phases.
//!
//! A [`World`] is the cluster together with what is kept incrementally about it: what every node has given
//! away, what every queue holds, leaves and waits for, and what was lost by evictions. Time is always passed in;
//! when something happens next is said by the phases themselves and kept in order by the simulation's agenda.

use super::sums::{QueueSums, QueueTotals, Sums};
use super::usage::NodeUse;
use super::{Cluster, Devices, Job, Node, NodeState, Phase, Pod, Preemptible, Queue, QueueResource, Restart};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::time::{Span, Time};
use crate::units::PerResource;

/// The cluster and what is kept incrementally about it.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    pub(super) cluster: Cluster,
    pub(super) nodes: Arena<NodeId, NodeUse>,
    pub(super) queues: QueueTotals,
    pub(super) jobs: Arena<JobId, JobCounts>,
    pub(super) pods: Arena<PodId, PodBook>,
    /// Nodes whose pods may hold more than they have, ascending: their capacity changed, or pods were found on them.
    pub(super) may_exceed: Vec<NodeId>,
    /// Pods that were dealt other devices since [`World::take_dealt`].
    pub(super) dealt: Vec<PodId>,
    /// Pods whose phase, node or devices changed since [`World::take_touched`].
    pub(super) touched: Vec<PodId>,
}

/// Pods of one job by what they are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobCounts {
    /// Not over.
    open: u32,
    /// Holding something, those evicted included.
    pub holding: u32,
}

/// What is remembered of one pod beyond its phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PodBook {
    /// While it holds something: since when. While it waits: since when.
    pub since: Time,
    /// Whether it lost its place at least once.
    pub lost: bool,
    /// Work it did before it lost its place, of a job that resumes.
    pub done: Span,
}

/// Why a pod cannot be bound to a node. A policy that decides so has a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindError {
    /// The pod does not wait.
    NotPending,
    /// The node takes no part.
    NodeNotReady,
    /// The job is offered to another partition than the node's.
    OtherPartition,
    /// Too few devices are free.
    NoDevices,
}

/// What became of a pod that was torn off its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// The pod.
    pub pod: PodId,
    /// Where it was.
    pub node: NodeId,
    /// Whether it had been evicted before.
    pub was_leaving: bool,
}

impl World {
    /// Takes over a cluster as a plan describes it. Pods that hold something get devices if they have none yet,
    /// in file order, also where they are too few; what is on a node that takes no part waits instead. Jobs submitted at or
    /// before the start, or with a pod that holds something, are live; everything else is yet to come.
    pub fn new(cluster: Cluster) -> World {
        let nodes = cluster.nodes.values().map(NodeUse::new).collect();
        let queues = QueueTotals::of(&cluster);
        let jobs = cluster.jobs.ids().map(|_| JobCounts::default()).collect();
        let pods = cluster.pods.ids().map(|_| PodBook::default()).collect();
        let (may_exceed, dealt, touched) = Default::default();
        let mut world = World { cluster, nodes, queues, jobs, pods, may_exceed, dealt, touched };
        world.cluster.live_jobs.clear();
        // Every partition but the first has values of its own, so that they can change alone.
        let queues = &world.cluster.queues;
        for partition in world.cluster.partitions.values_mut().skip(1) {
            partition.queues.get_or_insert_with(|| queues.clone());
        }
        // Those with devices first, so that nobody else is given them.
        for named in [true, false] {
            for pod in world.cluster.pods.ids() {
                let p = &world.cluster.pods[pod];
                let has_devices = p.devices != Devices(0);
                if p.phase.holds() && has_devices == named {
                    world.settle(pod);
                }
            }
        }
        for job in world.cluster.jobs.ids() {
            world.open_job(job);
        }
        world
    }

    /// Gives a pod that holds something at the start its place.
    fn settle(&mut self, pod: PodId) {
        let p = &self.cluster.pods[pod];
        let lasts = self.cluster.jobs[p.job].lasts;
        let place = p.node.and_then(|node| {
            let free = self.nodes[node].pick_some(p.request.gpu, Devices(0));
            let whole = matches!(p.request.gpu, super::GpuRequest::Whole { .. });
            let taken = whole && p.devices.0 & !self.nodes[node].free().0 != 0;
            let devices = if p.devices == Devices(0) || taken { free } else { p.devices };
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

    /// Decides whether a job is live at the start, and counts it.
    fn open_job(&mut self, job: JobId) {
        let held =
            self.cluster.pods_of(job).filter(|(_, p)| p.phase.holds()).map(|(id, _)| self.pods[id].since);
        let first = held.min();
        let live = first.is_some() || self.cluster.jobs[job].submit <= Time::ZERO;
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
        count_core(&self.cluster, &mut self.queues, job, 1);
        if let Some(first) = first {
            let j = &mut self.cluster.jobs[job];
            j.first_start = j.first_start.or(Some(first));
            j.last_start = j.last_start.or(Some(first));
        }
        if live {
            self.submit(job, Time::ZERO);
        }
        self.touched.clear();
    }

    /// What a copy weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        let pods = (size_of::<Pod>() + size_of::<PodBook>() + size_of::<u64>()) * self.pods.len();
        let jobs = (size_of::<Job>() + size_of::<JobCounts>()) * self.jobs.len();
        let nodes = (size_of::<Node>() + size_of::<NodeUse>()) * self.nodes.len();
        let copies = 1 + self.queues.pools.len();
        let queues = (size_of::<Queue>() + size_of::<QueueSums>()) * self.queues.all.len() * copies;
        (pods + jobs + nodes + queues) as u64
    }
    /// Everything that exists.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }
    /// What a node has given away.
    pub fn node_use(&self, node: NodeId) -> &NodeUse {
        &self.nodes[node]
    }
    /// Pods that hold something on a node. Walks over the live jobs.
    pub fn pods_on(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        let pods = self.cluster.live_jobs.iter().flat_map(|&job| self.cluster.pods_of(job));
        pods.filter(move |(_, p)| p.node == Some(node) && p.phase.holds()).map(|(id, _)| id)
    }
    /// What a queue and its descendants hold and want.
    pub fn queue_sums(&self, queue: QueueId) -> &QueueSums {
        &self.queues.all[queue]
    }
    /// The same in one partition.
    pub fn queue_sums_in(&self, partition: PartitionId, queue: QueueId) -> &QueueSums {
        self.queues.pools.get(partition).map_or(&self.queues.all[queue], |pool| &pool[queue])
    }
    /// Since when a pod holds or waits, whichever it does now.
    pub fn since(&self, pod: PodId) -> Time {
        self.pods[pod].since
    }
    /// Pods whose phase, node or devices changed since the last call, in order; a pod may be named twice.
    pub fn take_touched(&mut self) -> Vec<PodId> {
        std::mem::take(&mut self.touched)
    }

    /// The job becomes known, or pods that join it now: they wait, unless they run already. Gives those that do.
    pub fn submit(&mut self, job: JobId, now: Time) -> Vec<PodId> {
        if let Err(at) = self.cluster.live_jobs.binary_search(&job) {
            self.cluster.live_jobs.insert(at, job);
        }
        let mut running = Vec::new();
        for pod in self.cluster.jobs[job].pod_ids() {
            let is_later = self.cluster.joins_at(pod).is_some_and(|at| at > now);
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

    /// How a pod waits when it is made. One that is made in the place of another has its gate again.
    fn waiting(&self, pod: PodId) -> Phase {
        let gated = self.cluster.pods[pod].rules.as_ref().is_some_and(|rules| rules.gated);
        if gated { Phase::Gated } else { Phase::Pending }
    }

    /// The pod gets a place: the lowest free devices of the node, or parts of shared ones, become its own.
    pub fn bind(&mut self, pod: PodId, node: NodeId, now: Time) -> Result<Devices, BindError> {
        self.bind_on(pod, node, None, now)
    }

    /// The same on devices that the policy named, if it did.
    pub fn bind_on(
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
        let book = self.pods[pod];
        if book.lost {
            let waited = i128::from((now - book.since).as_millis());
            self.on_path(pod, |sums| {
                sums.restarts += 1;
                sums.restart_wait_ms += waited;
            });
        }
    }

    /// A pod that was starting runs from now on.
    pub fn run(&mut self, pod: PodId, now: Time) {
        let job = self.cluster.pods[pod].job;
        let done = self.pods[pod].done;
        let rest = |lasts: Span| Span::from_millis((lasts.as_millis() - done.as_millis()).max(0));
        let until = self.cluster.jobs[job].lasts.map(|lasts| now + rest(lasts));
        self.set_phase(pod, Phase::Running { since: now, until });
        let first = &mut self.cluster.jobs[job].first_start;
        *first = first.or(Some(now));
    }

    /// The policy evicts a pod. Its node; `None`: it holds nothing, or was evicted before.
    pub fn evict(&mut self, pod: PodId, grace: Span, now: Time) -> Option<NodeId> {
        let p = &self.cluster.pods[pod];
        if !matches!(p.phase, Phase::Starting { .. } | Phase::Running { .. }) {
            return None;
        }
        let (node, job) = (p.node, p.job);
        self.cluster.jobs[job].evictions += 1;
        self.on_path(pod, |sums| sums.evictions += 1);
        self.keep_work(pod, now);
        self.set_phase(pod, Phase::Terminating { until: now + grace });
        node
    }

    /// A pod that lost its place is gone. What [`Restart`] says decides whether another waits in its place, with all its work
    /// before it or the rest of it, or whether this was its end, and perhaps that of its job. Gives where it was.
    pub fn gone(&mut self, pod: PodId, now: Time) -> NodeId {
        let held_ms = (now - self.pods[pod].since.max(Time::ZERO)).as_millis();
        let held = request_of(&self.cluster.pods[pod].request);
        let restart = self.cluster.jobs[self.cluster.pods[pod].job].restart;
        if restart != Restart::Resume {
            self.on_path(pod, |sums| {
                for (lost, held) in sums.lost.iter_mut().zip(held) {
                    *lost += i128::from(held) * i128::from(held_ms);
                }
            });
        }
        self.keep_work(pod, now);
        let is_end = restart == Restart::Never;
        let phase = if is_end { Phase::Evicted { at: now } } else { self.waiting(pod) };
        let node = self.vacate(pod, phase);
        self.pods[pod] = PodBook { since: now, lost: true, ..self.pods[pod] };
        if is_end {
            self.close_pod(pod, now);
        }
        node
    }

    /// Of a job that resumes, what a pod did is not lost. The time it is given to save its state is no work.
    fn keep_work(&mut self, pod: PodId, now: Time) {
        let p = &self.cluster.pods[pod];
        if let (Phase::Running { since, .. }, Restart::Resume) = (p.phase, self.cluster.jobs[p.job].restart) {
            self.pods[pod].done = self.pods[pod].done + (now - since);
        }
    }

    /// The pod ends by itself. Gives where it was, and whether its job ended with it.
    pub fn finish(&mut self, pod: PodId, now: Time) -> (NodeId, bool) {
        let node = self.vacate(pod, Phase::Finished { at: now });
        (node, self.close_pod(pod, now))
    }

    /// The job ends from outside, at once. Gives the pods that held something.
    pub fn withdraw(&mut self, job: JobId, now: Time) -> Vec<Displaced> {
        let mut displaced = Vec::new();
        for pod in self.cluster.jobs[job].pod_ids() {
            let phase = self.cluster.pods[pod].phase;
            if phase.is_over() {
                continue;
            }
            if phase.holds() {
                let node = self.vacate(pod, Phase::Removed { at: now });
                displaced.push(Displaced {
                    pod,
                    node,
                    was_leaving: matches!(phase, Phase::Terminating { .. }),
                });
            } else {
                self.set_phase(pod, Phase::Removed { at: now });
            }
            self.close_pod(pod, now);
        }
        displaced
    }

    /// A node goes down, is drained or comes back. Pods on a node that goes down are lost; they are given.
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

    /// A queue's plan changes in a partition.
    pub fn set_queue(
        &mut self,
        partition: PartitionId,
        id: QueueId,
        priority: Option<i32>,
        resources: PerResource<QueueResource>,
    ) {
        let Cluster { partitions, queues, .. } = &mut self.cluster;
        let queue = match &mut partitions[partition].queues {
            Some(own) => &mut own[id],
            None => &mut queues[id],
        };
        queue.priority = priority.or(queue.priority);
        queue.resources = resources;
    }

    /// The job is offered to another partition from now on. None of its pods holds anything.
    pub fn offer(&mut self, job: JobId, partition: PartitionId) {
        let pods = || self.cluster.jobs[job].pod_ids();
        let (before, after) = (pods(), pods());
        before.for_each(|pod| self.count(pod, -1));
        let j = &mut self.cluster.jobs[job];
        j.partition = partition;
        j.offers = j.offers.saturating_add(1);
        after.for_each(|pod| self.count(pod, 1));
    }

    /// Whether a pod of the job holds something.
    pub fn holds_any(&self, job: JobId) -> bool {
        self.jobs[job].holding > 0
    }

    /// Takes a pod off its node into a phase that holds nothing.
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

    /// A pod is over; gives whether its job is.
    fn close_pod(&mut self, pod: PodId, now: Time) -> bool {
        let job = self.cluster.pods[pod].job;
        self.pods[pod].done = Span::ZERO;
        self.jobs[job].open -= 1;
        if self.jobs[job].open > 0 {
            return false;
        }
        self.cluster.jobs[job].ended = Some(now);
        if let Ok(at) = self.cluster.live_jobs.binary_search(&job) {
            self.cluster.live_jobs.remove(at);
        }
        true
    }

    pub(super) fn set_phase(&mut self, pod: PodId, phase: Phase) {
        let job = self.cluster.pods[pod].job;
        count_core(&self.cluster, &mut self.queues, job, -1);
        self.count(pod, -1);
        self.cluster.pods[pod].phase = phase;
        self.count(pod, 1);
        count_core(&self.cluster, &mut self.queues, job, 1);
        self.touched.push(pod);
    }

    /// Adds a pod to the sums of its queues, or takes it away.
    fn count(&mut self, pod: PodId, sign: i64) {
        count(&self.cluster, &mut self.queues, pod, sign);
    }

    /// Does something to the sums of a pod's queue and of all queues above it.
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

/// Adds a pod to the sums of its queues, or takes it away.
fn count(cluster: &Cluster, queues: &mut QueueTotals, pod: PodId, sign: i64) {
    let p = &cluster.pods[pod];
    let ask = request_of(&p.request);
    let is_fixed = cluster.jobs[p.job].preemptible == Preemptible::No;
    let add = |to: &mut Sums| add_to(to, ask, sign);
    let phase = p.phase;
    on_path(cluster, queues, pod, |sums| match phase {
        Phase::Starting { .. } | Phase::Running { .. } => {
            add(&mut sums.allocated);
            if is_fixed {
                add(&mut sums.non_preemptible);
            }
        }
        Phase::Terminating { .. } => add(&mut sums.leaving),
        Phase::Pending | Phase::Gated => add(&mut sums.waiting),
        Phase::Future | Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. } => {}
    });
}

/// Adds the core of a semi-preemptible job to the sums of its queues, or takes it away: which of its pods that is hangs on
/// all of them.
fn count_core(cluster: &Cluster, queues: &mut QueueTotals, job: JobId, sign: i64) {
    if cluster.jobs[job].preemptible != Preemptible::Semi {
        return;
    }
    for pod in cluster.fixed_pods(job) {
        let ask = request_of(&cluster.pods[pod].request);
        on_path(cluster, queues, pod, |sums| add_to(&mut sums.non_preemptible, ask, sign));
    }
}

fn add_to(sums: &mut Sums, ask: Sums, sign: i64) {
    for (sum, ask) in sums.iter_mut().zip(ask) {
        *sum += sign * ask;
    }
}

/// A request as sums.
pub fn request_of(request: &super::Request) -> Sums {
    request.resources.in_base_units()
}

/// For the audit: sums that are kept incrementally.
#[derive(Clone, Debug)]
pub(super) struct Recount {
    pub nodes: Arena<NodeId, NodeUse>,
    pub queues: QueueTotals,
}

impl Recount {
    /// Recomputes them from the phases, places and requests of live jobs; others hold and want nothing.
    pub fn new(world: &World) -> Recount {
        let cluster = &world.cluster;
        let mut nodes: Arena<NodeId, NodeUse> = cluster.nodes.values().map(NodeUse::new).collect();
        let mut queues = QueueTotals::of(cluster);
        for &job in &cluster.live_jobs {
            count_core(cluster, &mut queues, job, 1);
        }
        for (id, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
            count(cluster, &mut queues, id, 1);
            if let (true, Some(node)) = (pod.phase.holds(), pod.node) {
                nodes[node].take(&pod.request, pod.devices);
            }
        }
        Recount { nodes, queues }
    }
}

impl World {
    /// For the audit: whether the counts of a job's pods are kept right.
    pub(super) fn counts_right(&self, job: JobId) -> bool {
        let n = |is: fn(Phase) -> bool| self.cluster.pods_of(job).filter(|(_, p)| is(p.phase)).count() as u32;
        self.jobs[job] == JobCounts { open: n(|phase| !phase.is_over()), holding: n(Phase::holds) }
    }
}
