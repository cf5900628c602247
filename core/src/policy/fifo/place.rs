//! Selects the nodes of a job.
//!
//! # Rule
//! Candidates are the queue's own nodes, then, within its counted share, the nodes without owner; only schedulable
//! nodes whose labels and taints match. The GPUs that the queue holds and those that the job requests do not exceed the
//! quota together. If the pending pods fit one empty candidate together, they go to the candidate with the fewest free
//! GPUs on which they fit now; otherwise to empty candidates in order.
//! # Source
//! Helios simulator, placer `consolidate`
//!
//! # Differs
//! nothing

use super::Memory;
use crate::cluster::{NodeUse, Phase, Request, request_of};
use crate::id::{JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::policy::node_order::Nearest;
use crate::trace::{FreeGpus, NodeReason};
use crate::units::{Amount, Resource};

/// Sort key of a node: whether it has no owner, its number of free GPUs, then the order in the file.
pub type Key = (bool, u32, NodeId);

/// An attempt to place the pending pods of a job.
pub struct Attempt<'a> {
    pub world: PartitionView<'a>,
    pub memory: &'a Memory,
    /// Position of the job's queue among the leaves.
    pub leaf: usize,
    /// Pending pods of the job.
    pub pods: Vec<PodId>,
}

impl<'a> Attempt<'a> {
    pub fn new(world: PartitionView<'a>, memory: &'a Memory, leaf: usize, job: JobId) -> Attempt<'a> {
        let pods = world.cluster.pods_of(job).filter(|(_, pod)| pod.phase == Phase::Pending);
        Attempt { world, memory, leaf, pods: pods.map(|(id, _)| id).collect() }
    }

    fn request(&self, pod: PodId) -> &'a Request {
        &self.world.cluster.pods[pod].request
    }

    /// Total GPU request of the pods, in milli-GPUs.
    pub fn gpus(&self) -> i64 {
        self.pods.iter().map(|&pod| request_of(self.request(pod))[2]).sum()
    }

    /// Nodes on which the pods may be placed now, those that the queue owns first.
    pub fn candidates(&self) -> Vec<NodeId> {
        let has_share = self.memory.share_left(self.leaf) >= 0;
        self.reachable().into_iter().filter(|&node| has_share || !self.memory.is_common[node]).collect()
    }

    /// Like [`Attempt::candidates`], but regardless of how much of its counted share the queue uses.
    pub fn reachable(&self) -> Vec<NodeId> {
        let cluster = self.world.cluster;
        let may_run = |id: &NodeId| {
            let node = &cluster.nodes[*id];
            let matches = |&pod: &PodId| cluster.pods[pod].selects(node) && cluster.pods[pod].tolerates(node);
            node.takes_pods() && self.pods.iter().all(matches)
        };
        let own_nodes = &self.memory.leaves[self.leaf].owned.nodes;
        own_nodes.iter().chain(&self.memory.common).copied().filter(may_run).collect()
    }

    /// Finds nodes for all pods, or returns `None`.
    ///
    /// `near`: gathers the nodes with which the chosen one is compared, if they are recorded.
    pub fn place(&self, near: Option<&mut Nearest<Key>>) -> Option<Vec<(PodId, NodeId)>> {
        let candidates = self.candidates();
        if self.exceeds_quota() {
            return None;
        }
        if self.fits_empty_node(&candidates) {
            let node = self.best_fit(&candidates, near)?;
            return Some(self.pods.iter().map(|&pod| (pod, node)).collect());
        }
        if self.pods.len() == 1 {
            return None;
        }
        self.on_empty_nodes(&candidates)
    }

    /// Whether the pods fit together on at least one of the nodes when it is empty.
    pub fn fits_empty_node(&self, nodes: &[NodeId]) -> bool {
        // Usually the first node has room now, which is cheaper to check.
        let fits_now = nodes.first().is_some_and(|&node| self.fit(&self.memory.node_use[node], node));
        fits_now || nodes.iter().any(|&node| self.fit(&NodeUse::new(&self.world.cluster.nodes[node]), node))
    }

    /// Whether the pods fit together on the node in addition to `used`.
    fn fit(&self, used: &NodeUse, node: NodeId) -> bool {
        let node = &self.world.cluster.nodes[node];
        if let [pod] = *self.pods {
            return used.has_room(node, self.request(pod)) && used.pick(self.request(pod).gpu).is_some();
        }
        let mut used = used.clone();
        self.pods.iter().all(|&pod| {
            let request = self.request(pod);
            let devices = used.pick(request.gpu).filter(|_| used.has_room(node, request));
            devices.is_some_and(|devices| {
                used.take(request, devices);
                true
            })
        })
    }

    /// Whether quota and counted share of the queue allow the pods on the node.
    fn may_take(&self, node: NodeId) -> bool {
        let gpus = self.gpus();
        gpus <= self.memory.quota_left(self.leaf)
            && (!self.memory.is_common[node] || gpus <= self.memory.share_left(self.leaf))
    }

    /// Sort key of a node.
    pub fn key(&self, node: NodeId) -> Key {
        (self.memory.is_common[node], self.memory.node_use[node].n_free(), node)
    }

    fn best_fit(&self, nodes: &[NodeId], mut near: Option<&mut Nearest<Key>>) -> Option<NodeId> {
        let mut best: Option<Key> = None;
        // From this key on, a node is neither better nor recorded.
        let mut end = (true, u32::MAX);
        for &node in nodes {
            let key = self.key(node);
            // Own nodes come before common ones; the first among equals is kept.
            if (key.0, key.1) >= end {
                continue;
            }
            let is_better = best.is_none_or(|best| key.0 == best.0 && key.1 < best.1);
            let fits = self.may_take(node) && self.fit(&self.memory.node_use[node], node);
            if fits {
                let worse = if is_better { best.replace(key) } else { Some(key) };
                near.iter_mut().zip(worse).for_each(|(near, worse)| near.fits(worse));
                let last = near.as_ref().map(|near| near.last().map_or((true, u32::MAX), |last| (last.0, last.1)));
                end = last.unwrap_or((key.0, key.1));
            } else if is_better {
                near.iter_mut().for_each(|near| near.fails(key));
            }
        }
        best.map(|(.., node)| node)
    }

    fn on_empty_nodes(&self, nodes: &[NodeId]) -> Option<Vec<(PodId, NodeId)>> {
        let Memory { is_common, node_use, .. } = self.memory;
        let mut remaining = self.pods.as_slice();
        let mut share_left = self.memory.share_left(self.leaf);
        let mut places = Vec::new();
        for &node in nodes.iter().filter(|&&node| node_use[node].n_pods() == 0) {
            let mut used = node_use[node].clone();
            while let Some((&pod, others)) = remaining.split_first() {
                let request = self.request(pod);
                let gpus = if is_common[node] { request_of(request)[2] } else { 0 };
                if gpus > share_left || !used.has_room(&self.world.cluster.nodes[node], request) {
                    break;
                }
                let Some(devices) = used.pick(request.gpu) else { break };
                used.take(request, devices);
                share_left -= gpus;
                places.push((pod, node));
                remaining = others;
            }
            if remaining.is_empty() {
                return Some(places);
            }
        }
        None
    }

    /// What all pods request together beside GPUs.
    fn request_of_all(&self) -> Request {
        let mut all = Request::default();
        for &pod in &self.pods {
            all.resources.add(&self.request(pod).resources);
        }
        all.resources.set(Resource::GPU, Amount::ZERO);
        all
    }

    /// Whether the pods exceed the quota of the queue.
    pub fn exceeds_quota(&self) -> bool {
        self.gpus() > self.memory.quota_left(self.leaf)
    }

    /// Nodes on which quota and counted share allow all pods.
    pub fn open(&self) -> Vec<NodeId> {
        self.candidates().into_iter().filter(|&node| self.may_take(node)).collect()
    }

    /// Free GPUs on the nodes that the pods may use: only on empty ones if they do not fit one node together.
    pub fn free(&self) -> FreeGpus {
        let open = self.open();
        let may_be_part = self.pods.len() == 1 || self.fits_empty_node(&open);
        let is_open = |&&node: &&NodeId| may_be_part || self.memory.node_use[node].n_pods() == 0;
        open.iter().filter(is_open).map(|&node| f64::from(self.memory.node_use[node].n_free())).collect()
    }

    /// Returns one reason per node of the partition why the pods cannot be placed there.
    pub fn reasons(&self) -> Vec<NodeReason> {
        let candidates = self.candidates();
        let pods = || self.pods.iter().map(|&pod| &self.world.cluster.pods[pod]);
        let own_nodes = &self.memory.leaves[self.leaf].owned.nodes;
        let mut reasons = Vec::new();
        for (id, node) in self.world.nodes() {
            let is_own = own_nodes.binary_search(&id).is_ok() || self.memory.is_common[id];
            let used = &self.memory.node_use[id];
            let lacks = || pods().next().and_then(|pod| used.lacking(node, &pod.request));
            let lacks = || lacks().or_else(|| used.lacking(node, &self.request_of_all()));
            reasons.push(match () {
                () if !is_own => NodeReason::Held,
                () if !node.takes_pods() => NodeReason::NotReady,
                () if pods().next().is_some_and(|pod| !pod.tolerates(node)) => NodeReason::Taint,
                () if pods().any(|pod| !pod.selects(node)) => NodeReason::Selector,
                // A common node while the queue exceeds its counted share.
                () if !candidates.contains(&id) || !self.may_take(id) => NodeReason::Gate,
                () if used.n_pods() >= node.pods_max => NodeReason::PodSlots,
                () => match lacks() {
                    None if used.n_pods() as usize + self.pods.len() > node.pods_max as usize => NodeReason::PodSlots,
                    lacks => NodeReason::Insufficient(lacks.unwrap_or(Resource::GPU)),
                },
            });
        }
        reasons
    }
}
