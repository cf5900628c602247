//! State of a cycle: free resources per node, allocation per queue, and the pending jobs of every leaf.
//!
//! # Rule
//! A queue is *open* while at least one leaf in its subtree has pods to place and is not frozen. A terminating pod
//! still occupies its node but counts for no queue. A job with fewer pods left than it needs to start is skipped.
//!
//! # Source
//! none: this is our own
//!
//! # Differs
//! nothing

use super::measure::{Measure, Share};
use crate::cluster::{Node, NodeUse, Phase, Pod, Queue, Sums, request_of};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;
use crate::trace::{Check, FreeGpus, Gate};
use crate::units::{Amount, Bound, Resource};

/// Why a leaf is frozen for the rest of the cycle, with what was compared then.
#[derive(Clone, Debug)]
pub struct Stop {
    pub gate: Gate,
    pub checks: Vec<Check>,
    /// Whether no completion helps.
    pub is_final: bool,
}

/// Pending jobs of a leaf.
#[derive(Clone, Debug, Default)]
pub struct PendingJobs {
    /// By submit time, then file order; those before `at` are placed.
    pub jobs: Vec<JobId>,
    /// Position of the next job.
    pub at: usize,
    /// Its pending pods; those that must start together come first.
    pods: Vec<PodId>,
    /// Number of them that must start together.
    together: usize,
    /// Set when the leaf is frozen, if reasons are recorded.
    pub stop: Option<Stop>,
}

/// State of a cycle.
#[derive(Clone)]
pub struct CycleState<'w> {
    /// Share measure of the policy.
    pub measure: &'static Measure,
    /// The world at the start of the cycle.
    pub world: PartitionView<'w>,
    /// Capacity of the ready nodes of the partition.
    pub total: Sums,
    /// Resources allocated per node.
    pub nodes: Arena<NodeId, NodeUse>,
    /// Allocation per queue, descendants included.
    pub held: Arena<QueueId, Sums>,
    /// Pending jobs per queue; empty for inner queues.
    pub pending: Arena<QueueId, PendingJobs>,
    /// Jobs with too few pods left to start.
    pub not_ready: Vec<JobId>,
    /// Number of open leaves in the subtree of each queue.
    n_open: Arena<QueueId, u32>,
    /// Queues without parent.
    tops: Vec<QueueId>,
}

/// Weight of the queue per resource; 1 by default.
pub fn weights(queue: &Queue) -> [f64; 3] {
    Resource::ACCOUNTED.map(|r| queue.resources.get(r).weight.map_or(1.0, |weight| weight.as_real()))
}

impl<'w> CycleState<'w> {
    /// Builds the state from the cluster at the start of a cycle.
    pub fn open(measure: &'static Measure, world: PartitionView<'w>) -> CycleState<'w> {
        let cluster = world.cluster;
        let queues = || cluster.queues.ids();
        let mut state = CycleState {
            measure,
            world,
            total: world.capacity(),
            nodes: world.node_use.clone(),
            held: world.sums.values().map(|sums| sums.allocated).collect(),
            pending: queues().map(|_| PendingJobs::default()).collect(),
            not_ready: Vec::new(),
            n_open: queues().map(|_| 0).collect(),
            tops: queues().filter(|&q| cluster.queues[q].parent.is_none()).collect(),
        };
        for job in world.live_jobs() {
            if cluster.pods_of(job).any(|(_, pod)| pod.phase == Phase::Pending) {
                state.pending[cluster.jobs[job].queue].jobs.push(job);
            }
        }
        for queue in queues().filter(|&q| cluster.queues[q].children.is_empty()) {
            let jobs = &mut state.pending[queue].jobs;
            jobs.sort_by_key(|&job| (cluster.jobs[job].submit, job));
            state.begin_job(queue);
            if !state.pending[queue].pods.is_empty() {
                state.count_open(queue, 1);
            }
        }
        state
    }

    fn hold(&mut self, queue: QueueId, amounts: &Sums) {
        for q in self.world.cluster.path_to_root(queue) {
            for (sum, amount) in self.held[q].iter_mut().zip(amounts) {
                *sum += amount;
            }
        }
    }

    fn count_open(&mut self, leaf: QueueId, change: i32) {
        for q in self.world.cluster.path_to_root(leaf) {
            self.n_open[q] = self.n_open[q].saturating_add_signed(change);
        }
    }

    /// Advances to the next job that can start.
    fn begin_job(&mut self, leaf: QueueId) {
        while let Some(&job) = self.pending[leaf].jobs.get(self.pending[leaf].at) {
            if let Some((pods, together)) = to_place(self.world, job) {
                (self.pending[leaf].pods, self.pending[leaf].together) = (pods, together);
                return;
            }
            self.not_ready.push(job);
            let pending = &mut self.pending[leaf];
            pending.jobs.remove(pending.at);
        }
        self.pending[leaf].pods.clear();
    }

    /// Share of the queue as the policy measures it.
    pub fn share(&self, queue: QueueId) -> f64 {
        let weight = weights(&self.world.queues()[queue]);
        (self.measure.share)(Share { held: &self.held[queue], weight, total: &self.total })
    }

    /// Whether the subtree of the queue has an open leaf.
    pub fn is_open(&self, queue: QueueId) -> bool {
        self.n_open[queue] > 0
    }

    /// Next leaf to serve: the smallest share at each level, from the top.
    pub fn next_leaf(&self) -> Option<QueueId> {
        let mut queue = self.smallest(&self.tops, None)?;
        while let Some(child) = self.smallest(&self.world.queues()[queue].children, None) {
            queue = child;
        }
        Some(queue)
    }

    /// The open queue with the smallest share, the first among equals, excluding `without`.
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

    /// The queue and its siblings.
    pub fn siblings(&self, queue: QueueId) -> &[QueueId] {
        match self.world.queues()[queue].parent {
            Some(parent) => &self.world.queues()[parent].children,
            None => &self.tops,
        }
    }

    /// Next pods of an open leaf, to be placed together.
    pub fn next_pods(&self, leaf: QueueId) -> &[PodId] {
        let pending = &self.pending[leaf];
        &pending.pods[..pending.together.clamp(1, pending.pods.len())]
    }

    /// Total request of the pods.
    pub fn request(&self, pods: &[PodId]) -> Sums {
        let mut sum = Sums::default();
        for &pod in pods {
            for (sum, ask) in sum.iter_mut().zip(request_of(&self.world.cluster.pods[pod].request)) {
                *sum += ask;
            }
        }
        sum
    }

    /// First queue on the path to the root whose limit the pods would exceed.
    pub fn over_limit(&self, leaf: QueueId, pods: &[PodId]) -> Option<(QueueId, Resource)> {
        let requested = self.request(pods);
        let exceeds = |queue: QueueId, r: Resource| {
            let limit = self.world.queues()[queue].resources.get(r).limit;
            let with = self.held[queue][r.index()] + requested[r.index()];
            requested[r.index()] > 0 && matches!(limit, Bound::At(limit) if Amount::base_units(with) > limit)
        };
        self.world.cluster.path_to_root(leaf).find_map(|queue| {
            let over = [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().find(|&r| exceeds(queue, r));
            over.map(|r| (queue, r))
        })
    }

    /// Counts the placed pods for their queue, and advances to the next job after the last one.
    pub fn placed(&mut self, leaf: QueueId, pods: &[PodId]) {
        let requested = self.request(pods);
        self.hold(leaf, &requested);
        let pending = &mut self.pending[leaf];
        pending.pods.drain(..pods.len());
        pending.together = 0;
        if pending.pods.is_empty() {
            pending.at += 1;
            self.begin_job(leaf);
            if self.pending[leaf].pods.is_empty() {
                self.count_open(leaf, -1);
            }
        }
    }

    /// Releases everything that the pods of the job hold.
    pub fn end(&mut self, job: JobId) {
        let (cluster, queue) = (self.world.cluster, self.world.cluster.jobs[job].queue);
        for (_, pod) in cluster.pods_of(job) {
            let Some(node) = pod.node.filter(|_| pod.phase.holds()) else { continue };
            self.nodes[node].give_back(&pod.request, pod.devices);
            self.hold(queue, &request_of(&pod.request).map(|amount| -amount));
        }
    }

    /// Free GPUs on the schedulable nodes that the pod may use. A node whose pods already lack devices has none to
    /// give.
    pub fn free(&self, pod: PodId) -> FreeGpus {
        let usable = usable(self.world, &self.world.cluster.pods[pod]);
        let open = usable.filter(|(id, node)| node.takes_pods() && !self.nodes[*id].lacks_devices());
        open.map(|(id, _)| f64::from(self.nodes[id].n_free())).collect()
    }

    /// Excludes the leaf from the rest of the cycle; the reason, if it is recorded.
    pub fn freeze(&mut self, leaf: QueueId, stop: Option<Stop>) {
        self.pending[leaf].stop = stop;
        self.count_open(leaf, -1);
    }
}

/// Returns the pending pods of a job, those that must start together first, and the number of these; `None` if too few
/// are left.
fn to_place(world: PartitionView<'_>, job: JobId) -> Option<(Vec<PodId>, usize)> {
    let (mut together, mut others) = (Vec::new(), Vec::new());
    for set in world.cluster.jobs[job].pod_set_ids() {
        let pods = || world.cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == set);
        let counts =
            |phase: Phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. } | Phase::Finished { .. });
        let existing = pods().filter(|(_, pod)| counts(pod.phase)).count();
        let missing = (world.cluster.pod_sets[set].min_available as usize).saturating_sub(existing);
        let waiting: Vec<PodId> = pods().filter(|(_, pod)| pod.phase == Phase::Pending).map(|(id, _)| id).collect();
        if waiting.len() < missing {
            return None;
        }
        together.extend(&waiting[..missing]);
        others.extend(&waiting[missing..]);
    }
    let n = together.len();
    together.append(&mut others);
    Some((together, n))
}

/// Nodes that the selectors of the pod and the taints let it use.
pub fn usable<'a>(world: PartitionView<'a>, pod: &'a Pod) -> impl Iterator<Item = (NodeId, &'a Node)> {
    world.nodes().filter(move |(_, node)| pod.selects(node) && pod.tolerates(node))
}
