//! Selects the nodes of a job.
//!
//! # Rule
//! Candidates are the queue's own nodes, then, within its counted share, the nodes without owner; only schedulable nodes
//! whose labels and taints match. The GPUs that the queue holds and those that the job requests do not exceed the quota
//! together. If the pending pods fit one empty candidate together, they go to the candidate with the fewest free GPUs on
//! which they fit now; otherwise to empty candidates in order.
//! # Source
//! Helios simulator, placer `consolidate`
//!
//! # Differs
//! nothing

use super::Memory;
use crate::cluster::{Cluster, NodeUse, Phase, Pod, request_of};
use crate::id::{JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::NodeReason;
use crate::units::Resource;

/// Pending pods of the job.
pub fn waiting_pods(world: PartitionView<'_>, job: JobId) -> Vec<PodId> {
    let pods = world.cluster.pods_of(job);
    pods.filter(|(_, pod)| pod.phase == Phase::Pending).map(|(id, _)| id).collect()
}

/// Nodes on which the job may be placed now, those that its queue owns first.
pub fn candidates(world: PartitionView<'_>, memory: &Memory, leaf: usize, job: JobId) -> Vec<NodeId> {
    let all = reachable(world, memory, leaf, job);
    let has_share = memory.share_left(leaf) >= 0;
    all.into_iter().filter(|&node| has_share || !memory.is_common[node]).collect()
}

/// Like [`candidates`], but regardless of how much of its counted share the queue uses.
pub fn reachable(world: PartitionView<'_>, memory: &Memory, leaf: usize, job: JobId) -> Vec<NodeId> {
    let cluster = world.cluster;
    let pods = waiting_pods(world, job);
    let may_run = |node: &NodeId| {
        cluster.nodes[*node].takes_pods()
            && pods.iter().all(|&pod| matches(cluster, &cluster.pods[pod], *node))
    };
    memory.leaves[leaf].owned.nodes.iter().chain(&memory.common).copied().filter(may_run).collect()
}

/// Whether the pod selects the node and tolerates its taints.
fn matches(cluster: &Cluster, pod: &Pod, node: NodeId) -> bool {
    pod.selects(&cluster.nodes[node]) && pod.tolerates(&cluster.nodes[node])
}

/// Finds nodes for all pending pods of the job, or returns `None`.
pub fn place(
    world: PartitionView<'_>,
    memory: &Memory,
    leaf: usize,
    job: JobId,
) -> Option<Vec<(PodId, NodeId)>> {
    let candidates = candidates(world, memory, leaf, job);
    let pods = waiting_pods(world, job);
    if gpus_of(world, &pods) > memory.quota_left(leaf) {
        return None;
    }
    if fits_empty_node(world, memory, &candidates, &pods) {
        let node = best_fit(world, memory, leaf, &candidates, &pods)?;
        return Some(pods.into_iter().map(|pod| (pod, node)).collect());
    }
    if pods.len() == 1 {
        return None;
    }
    on_empty_nodes(world, memory, leaf, &candidates, &pods)
}

/// Whether the pods fit together on at least one of the nodes when it is empty.
pub fn fits_empty_node(world: PartitionView<'_>, memory: &Memory, nodes: &[NodeId], pods: &[PodId]) -> bool {
    // Usually the first node has room now, which is cheaper to check.
    let now = nodes.first().is_some_and(|&node| fit(world, &memory.node_use[node], node, pods));
    now || nodes.iter().any(|&node| fit(world, &NodeUse::new(&world.cluster.nodes[node]), node, pods))
}

/// Whether the pods fit together on the node in addition to `used`.
fn fit(world: PartitionView<'_>, used: &NodeUse, node: NodeId, pods: &[PodId]) -> bool {
    let node = &world.cluster.nodes[node];
    let request = |pod: PodId| &world.cluster.pods[pod].request;
    if let [pod] = *pods {
        return used.has_room(node, request(pod)) && used.pick(request(pod).gpu).is_some();
    }
    let mut used = used.clone();
    pods.iter().all(|&pod| {
        let devices = used.has_room(node, request(pod)).then(|| used.pick(request(pod).gpu)).flatten();
        devices.is_some_and(|devices| {
            used.take(request(pod), devices);
            true
        })
    })
}

/// Total GPU request of the pods, in milli-GPUs.
fn gpus_of(world: PartitionView<'_>, pods: &[PodId]) -> i64 {
    pods.iter().map(|&pod| request_of(&world.cluster.pods[pod].request)[2]).sum()
}

/// Whether quota and counted share of the queue allow the pods on the node.
fn may_take(world: PartitionView<'_>, memory: &Memory, leaf: usize, node: NodeId, pods: &[PodId]) -> bool {
    let gpus = gpus_of(world, pods);
    gpus <= memory.quota_left(leaf) && (!memory.is_common[node] || gpus <= memory.share_left(leaf))
}

fn best_fit(
    world: PartitionView<'_>,
    memory: &Memory,
    leaf: usize,
    nodes: &[NodeId],
    pods: &[PodId],
) -> Option<NodeId> {
    let mut best: Option<(u32, NodeId)> = None;
    for &node in nodes {
        let n_free = memory.node_use[node].n_free();
        // Own nodes come before common ones; the first among equals is kept.
        let is_better =
            best.is_none_or(|(least, at)| memory.is_common[at] == memory.is_common[node] && n_free < least);
        if is_better
            && may_take(world, memory, leaf, node, pods)
            && fit(world, &memory.node_use[node], node, pods)
        {
            best = Some((n_free, node));
        }
    }
    best.map(|(_, node)| node)
}

fn on_empty_nodes(
    world: PartitionView<'_>,
    memory: &Memory,
    leaf: usize,
    nodes: &[NodeId],
    pods: &[PodId],
) -> Option<Vec<(PodId, NodeId)>> {
    let mut left = pods;
    let mut share_left = memory.share_left(leaf);
    let mut places = Vec::new();
    for &node in nodes.iter().filter(|&&node| memory.node_use[node].n_pods() == 0) {
        let mut node_use = memory.node_use[node].clone();
        while let Some((&pod, rest)) = left.split_first() {
            let request = &world.cluster.pods[pod].request;
            let gpus = if memory.is_common[node] { request_of(request)[2] } else { 0 };
            if gpus > share_left || !node_use.has_room(&world.cluster.nodes[node], request) {
                break;
            }
            let Some(devices) = node_use.pick(request.gpu) else { break };
            node_use.take(request, devices);
            share_left -= gpus;
            places.push((pod, node));
            left = rest;
        }
        if left.is_empty() {
            return Some(places);
        }
    }
    None
}

/// Returns one reason per node of the partition why the pods cannot be placed there.
pub fn reasons(
    world: PartitionView<'_>,
    memory: &Memory,
    leaf: usize,
    candidates: &[NodeId],
    pods: &[PodId],
) -> Vec<NodeReason> {
    let mut reasons = Vec::new();
    for (id, node) in world.nodes() {
        let is_own = memory.leaves[leaf].owned.nodes.binary_search(&id).is_ok() || memory.is_common[id];
        let request = pods.first().map(|&pod| &world.cluster.pods[pod].request);
        let node_use = &memory.node_use[id];
        reasons.push(match request {
            _ if !is_own => NodeReason::Gate,
            _ if !node.takes_pods() => NodeReason::NotReady,
            _ if pods.first().is_some_and(|&pod| !world.cluster.pods[pod].tolerates(node)) => {
                NodeReason::Taint
            }
            _ if pods.iter().any(|&pod| !world.cluster.pods[pod].selects(node)) => NodeReason::Selector,
            // A common node while the queue exceeds its counted share.
            _ if !candidates.contains(&id) => NodeReason::Gate,
            _ if !may_take(world, memory, leaf, id, pods) => NodeReason::Gate,
            _ if node_use.n_pods() >= node.pods_max => NodeReason::PodSlots,
            Some(request) => match node_use.lacking(node, request) {
                Some(resource) => NodeReason::Insufficient(resource),
                None => NodeReason::Insufficient(Resource::GPU),
            },
            None => NodeReason::Insufficient(Resource::GPU),
        });
    }
    reasons
}

/// Returns the first resource of which no node has enough for the first pod, even when empty.
pub fn largest_lack(world: PartitionView<'_>, candidates: &[NodeId], pods: &[PodId]) -> Option<Resource> {
    let request = &world.cluster.pods[*pods.first()?].request;
    let most = |r: Resource| candidates.iter().map(|&node| world.cluster.nodes[node].capacity.get(r)).max();
    request.resources.iter().find(|&(r, amount)| most(r).is_none_or(|most| amount > most)).map(|(r, _)| r)
}
