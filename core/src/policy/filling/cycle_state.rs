//! The state of a cycle: what is free on every node, what every queue holds, and whose turn it is.
//!
//! # Rule
//! A queue is *open* while a leaf in or below it has pods to place and is not frozen. A pod that was evicted still
//! takes its room, but counts for no queue. A job of which too few pods are left to start is passed over.
//!
//! # Source
//! none; bookkeeping
//!
//! # Differs
//! nothing

use super::measure::{Measure, Share, Triple};
use crate::cluster::{NodeUse, Phase, Queue, request_of};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;
use crate::trace::FreeGpus;
use crate::units::{Amount, Bound, Resource};

/// Why a leaf gets nothing more in this cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A queue on the path would exceed its limit.
    Limit {
        /// The queue.
        queue: QueueId,
        /// The resource.
        resource: Resource,
    },
    /// The next pods do not fit.
    NoRoom {
        /// How many of them fitted.
        placed: usize,
        /// GPUs that were free then.
        free: FreeGpus,
    },
}

/// The waiting jobs of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// By submit time, then file order; those before `at` have been served.
    pub jobs: Vec<JobId>,
    /// The job whose turn it is.
    pub at: usize,
    /// Its pods that still wait: those that must start together first.
    pods: Vec<PodId>,
    /// How many of them must start together.
    together: usize,
    /// Why nothing more is placed.
    pub stop: Option<Stop>,
}

/// The state of a cycle.
#[derive(Clone)]
pub struct CycleState<'w> {
    /// How shares are measured.
    pub measure: &'static Measure,
    /// The world at the start of the cycle.
    pub world: PartitionView<'w>,
    /// What all nodes that take part have.
    pub total: Triple,
    /// What every node has given away.
    pub nodes: Arena<NodeId, NodeUse>,
    /// What every queue holds, descendants included.
    pub held: Arena<QueueId, Triple>,
    /// Who waits in every queue.
    pub lines: Arena<QueueId, Line>,
    /// Jobs of which too few pods are left to start.
    pub not_ready: Vec<JobId>,
    /// Open leaves in and below every queue.
    n_open: Arena<QueueId, u32>,
    /// Queues without parent.
    tops: Vec<QueueId>,
}

/// What all nodes of the partition that take part have.
pub fn total(world: PartitionView<'_>) -> Triple {
    let mut total = [0; 3];
    let part = |node: &&crate::cluster::Node| node.ready && node.partition == world.partition;
    for node in world.cluster.nodes.values().filter(part) {
        for (sum, r) in total.iter_mut().zip(Resource::ACCOUNTED) {
            *sum += node.capacity.get(r).in_base_units();
        }
    }
    total
}

/// The weight of a queue for each resource; 1 where the scenario does not say.
pub fn weights(queue: &Queue) -> [f64; 3] {
    Resource::ACCOUNTED.map(|r| queue.resources.get(r).weight.map_or(1.0, |weight| weight.as_real()))
}

impl<'w> CycleState<'w> {
    /// The state of the world.
    pub fn open(measure: &'static Measure, world: PartitionView<'w>) -> CycleState<'w> {
        let cluster = world.cluster;
        let queues = || cluster.queues.ids();
        let mut state = CycleState {
            measure,
            world,
            total: total(world),
            nodes: cluster.nodes.values().map(NodeUse::new).collect(),
            held: queues().map(|_| [0; 3]).collect(),
            lines: queues().map(|_| Line::default()).collect(),
            not_ready: Vec::new(),
            n_open: queues().map(|_| 0).collect(),
            tops: queues().filter(|&q| cluster.queues[q].parent.is_none()).collect(),
        };
        for job in world.live_jobs() {
            let queue = cluster.jobs[job].queue;
            let mut waits = false;
            for (_, pod) in cluster.pods_of(job) {
                waits |= pod.phase == Phase::Pending;
                let Some(node) = pod.node.filter(|_| pod.phase.holds()) else { continue };
                state.nodes[node].take(&pod.request, pod.devices);
                if !matches!(pod.phase, Phase::Terminating { .. }) {
                    state.hold(queue, &request_of(&pod.request));
                }
            }
            if waits {
                state.lines[queue].jobs.push(job);
            }
        }
        for queue in queues().filter(|&q| cluster.queues[q].children.is_empty()) {
            let jobs = &mut state.lines[queue].jobs;
            jobs.sort_by_key(|&job| (cluster.jobs[job].submit, job));
            state.begin_job(queue);
            if !state.lines[queue].pods.is_empty() {
                state.count_open(queue, 1);
            }
        }
        state
    }

    fn hold(&mut self, queue: QueueId, amounts: &[i64]) {
        for q in self.world.cluster.path_to_root(queue) {
            for (held, amount) in self.held[q].iter_mut().zip(amounts) {
                *held += amount;
            }
        }
    }

    fn count_open(&mut self, leaf: QueueId, by: i32) {
        for q in self.world.cluster.path_to_root(leaf) {
            self.n_open[q] = self.n_open[q].saturating_add_signed(by);
        }
    }

    /// Finds the next job of the line that can start.
    fn begin_job(&mut self, leaf: QueueId) {
        while let Some(&job) = self.lines[leaf].jobs.get(self.lines[leaf].at) {
            if let Some((pods, together)) = to_place(self.world, job) {
                (self.lines[leaf].pods, self.lines[leaf].together) = (pods, together);
                return;
            }
            self.not_ready.push(job);
            let line = &mut self.lines[leaf];
            line.jobs.remove(line.at);
        }
        self.lines[leaf].pods.clear();
    }

    /// The share of a queue.
    pub fn share(&self, queue: QueueId) -> f64 {
        let weight = weights(&self.world.queues()[queue]);
        (self.measure.share)(Share { held: &self.held[queue], weight, total: &self.total })
    }

    /// Whether something is left to place in or below the queue.
    pub fn is_open(&self, queue: QueueId) -> bool {
        self.n_open[queue] > 0
    }

    /// The leaf whose turn it is.
    pub fn next_leaf(&self) -> Option<QueueId> {
        let mut at = self.smallest(&self.tops, None)?;
        while let Some(child) = self.smallest(&self.world.queues()[at].children, None) {
            at = child;
        }
        Some(at)
    }

    /// The open queue with the smallest share, the first among equals; one may be left out.
    pub fn smallest(&self, among: &[QueueId], without: Option<QueueId>) -> Option<QueueId> {
        let mut best: Option<(f64, QueueId)> = None;
        for &queue in among.iter().filter(|&&q| self.is_open(q) && Some(q) != without) {
            let share = self.share(queue);
            if best.is_none_or(|(least, _)| share < least) {
                best = Some((share, queue));
            }
        }
        best.map(|(_, queue)| queue)
    }

    /// The queues among which a queue is chosen.
    pub fn siblings(&self, queue: QueueId) -> &[QueueId] {
        match self.world.queues()[queue].parent {
            Some(parent) => &self.world.queues()[parent].children,
            None => &self.tops,
        }
    }

    /// The pods that are placed next in an open leaf.
    pub fn next_pods(&self, leaf: QueueId) -> &[PodId] {
        let line = &self.lines[leaf];
        &line.pods[..line.together.clamp(1, line.pods.len())]
    }

    /// What pods ask for together.
    pub fn request(&self, pods: &[PodId]) -> Triple {
        let mut sum = [0; 3];
        for &pod in pods {
            for (sum, ask) in sum.iter_mut().zip(request_of(&self.world.cluster.pods[pod].request)) {
                *sum += ask;
            }
        }
        sum
    }

    /// The first queue on the way up that would exceed a limit with these pods.
    pub fn over_limit(&self, leaf: QueueId, pods: &[PodId]) -> Option<(QueueId, Resource)> {
        let asked = self.request(pods);
        let exceeds = |queue: QueueId, r: Resource| {
            let limit = self.world.queues()[queue].resources.get(r).limit;
            let with = self.held[queue][r.index()] + asked[r.index()];
            asked[r.index()] > 0 && matches!(limit, Bound::At(limit) if Amount::base_units(with) > limit)
        };
        self.world.cluster.path_to_root(leaf).find_map(|queue| {
            let over =
                [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().find(|&r| exceeds(queue, r));
            over.map(|r| (queue, r))
        })
    }

    /// The pods have got their places.
    pub fn placed(&mut self, leaf: QueueId, pods: &[PodId]) {
        let asked = self.request(pods);
        self.hold(leaf, &asked);
        let line = &mut self.lines[leaf];
        line.pods.drain(..pods.len());
        line.together = 0;
        if line.pods.is_empty() {
            line.at += 1;
            self.begin_job(leaf);
            if self.lines[leaf].pods.is_empty() {
                self.count_open(leaf, -1);
            }
        }
    }

    /// The pods of a job hold nothing any more.
    pub fn end(&mut self, job: JobId) {
        let (cluster, queue) = (self.world.cluster, self.world.cluster.jobs[job].queue);
        for (_, pod) in cluster.pods_of(job) {
            let Some(node) = pod.node.filter(|_| pod.phase.holds()) else { continue };
            self.nodes[node].give_back(&pod.request, pod.devices);
            self.hold(queue, &request_of(&pod.request).map(|amount| -amount));
        }
    }

    /// GPUs that are free on the nodes that take part.
    pub fn free(&self) -> FreeGpus {
        let part = self.world.nodes().filter(|(_, node)| node.takes_pods());
        let free = part.map(|(id, _)| f64::from(self.nodes[id].n_free()));
        free.fold(FreeGpus { total: 0.0, most: 0.0 }, |all, n| FreeGpus {
            total: all.total + n,
            most: all.most.max(n),
        })
    }

    /// Nothing more is placed in the leaf.
    pub fn freeze(&mut self, leaf: QueueId, stop: Stop) {
        self.lines[leaf].stop = Some(stop);
        self.count_open(leaf, -1);
    }
}

/// The waiting pods of a job, those that must start together first, and how many these are; `None`: too few are left.
fn to_place(world: PartitionView<'_>, job: JobId) -> Option<(Vec<PodId>, usize)> {
    let (mut together, mut later) = (Vec::new(), Vec::new());
    for set in world.cluster.jobs[job].pod_set_ids() {
        let pods = || world.cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == set);
        let counts = |phase: Phase| {
            matches!(phase, Phase::Starting { .. } | Phase::Running { .. } | Phase::Finished { .. })
        };
        let there = pods().filter(|(_, pod)| counts(pod.phase)).count();
        let missing = (world.cluster.pod_sets[set].min_available as usize).saturating_sub(there);
        let waiting: Vec<PodId> =
            pods().filter(|(_, pod)| pod.phase == Phase::Pending).map(|(id, _)| id).collect();
        if waiting.len() < missing {
            return None;
        }
        together.extend(&waiting[..missing]);
        later.extend(&waiting[missing..]);
    }
    let n = together.len();
    together.append(&mut later);
    Some((together, n))
}
