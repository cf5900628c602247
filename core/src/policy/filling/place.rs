//! Selects nodes for pods.
//!
//! # Rule
//! Pod by pod to the node with the fewest free GPUs on which it fits, the first in file order among equals; all or none.
//!
//! # Source
//! a choice of our own: the sources know one pool of resources
//!
//! # Differs
//! nothing

use super::cycle_state::{self, CycleState};
use crate::cluster::{Devices, Node, NodeUse, Pod};
use crate::id::{NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::NodeReason;
use crate::units::Resource;

/// Allocates nodes and devices for all pods, or none.
///
/// # Errors
///
/// Returns the number of pods that fit if not all do.
pub fn place(state: &mut CycleState<'_>, pods: &[PodId]) -> Result<Vec<(PodId, NodeId, Devices)>, usize> {
    let cluster = state.world.cluster;
    let mut places: Vec<(PodId, NodeId, Devices)> = Vec::with_capacity(pods.len());
    for &pod in pods {
        let request = &cluster.pods[pod].request;
        match best(state, &cluster.pods[pod]) {
            Some((node, devices)) => {
                state.nodes[node].take(request, devices);
                places.push((pod, node, devices));
            }
            None => {
                for &(pod, node, devices) in &places {
                    state.nodes[node].give_back(&cluster.pods[pod].request, devices);
                }
                return Err(places.len());
            }
        }
    }
    Ok(places)
}

fn best(state: &CycleState<'_>, pod: &Pod) -> Option<(NodeId, Devices)> {
    let cluster = state.world.cluster;
    let mut best: Option<(u32, NodeId, Devices)> = None;
    for (id, node) in cluster.nodes.iter().filter(|(_, node)| node.partition == state.world.partition) {
        let used = &state.nodes[id];
        let is_better = best.is_none_or(|(least, ..)| used.n_free() < least);
        if !is_better || !node.takes_pods() || !pod.selects(node) || !pod.tolerates(node) {
            continue;
        }
        if let Some(devices) = used.pick(pod.request.gpu).filter(|_| used.has_room(node, &pod.request)) {
            best = Some((used.n_free(), id, devices));
        }
    }
    best.map(|(_, node, devices)| (node, devices))
}

/// Returns the reasons why nodes of the partition cannot take the pod, with the number of nodes for each.
pub fn reasons(state: &CycleState<'_>, pod: &Pod) -> Vec<(NodeReason, u32)> {
    let cluster = state.world.cluster;
    let of_partition = |node: &&crate::cluster::Node| node.partition == state.world.partition;
    let mut reasons: Vec<NodeReason> = Vec::new();
    for (node, used) in cluster.nodes.values().zip(state.nodes.values()).filter(|(n, _)| of_partition(n)) {
        reasons.push(match () {
            () if !node.takes_pods() => NodeReason::NotReady,
            () if !pod.tolerates(node) => NodeReason::Taint,
            () if !pod.selects(node) => NodeReason::Selector,
            () if used.n_pods() >= node.pods_max => NodeReason::PodSlots,
            () => NodeReason::Insufficient(used.lacking(node, &pod.request).unwrap_or(Resource::GPU)),
        });
    }
    NodeReason::counted(reasons)
}

/// Whether there are nodes that the pod may use, but it fits none of them even when empty.
pub fn is_too_large(world: PartitionView<'_>, pod: &Pod) -> bool {
    let fits = |node: &Node| {
        let empty = NodeUse::new(node);
        empty.pick(pod.request.gpu).is_some() && empty.has_room(node, &pod.request)
    };
    let mut nodes = cycle_state::usable(world, pod).map(|(_, node)| node).peekable();
    nodes.peek().is_some() && !nodes.any(fits)
}
