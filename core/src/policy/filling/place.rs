//! Selects nodes for pods.
//!
//! # Rule
//! Pod by pod to the node with the fewest free GPUs on which it fits, the first in file order among equals; all or
//! none.
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
use crate::policy::node_order::{self, Nearest};
use crate::trace::{Check, NodeReason, Subject};
use crate::units::Resource;

/// A pod with its place.
#[derive(Debug)]
pub struct Placed {
    pub pod: PodId,
    pub node: NodeId,
    pub devices: Devices,
    /// Comparisons with other nodes, if they are recorded.
    pub compared: Vec<Check>,
}

/// Pods that do not all fit.
#[derive(Debug)]
pub struct NoRoom {
    /// Number of the first ones that fit.
    pub placed: usize,
    /// Why nodes cannot take the next one beside these, with the number of nodes for each; empty if reasons are not
    /// recorded.
    pub reasons: Vec<(NodeReason, u32)>,
}

/// Allocates nodes and devices for all pods, or none; `records`: whether comparisons of nodes and reasons are recorded.
///
/// # Errors
///
/// Returns how many pods fit if not all do.
pub fn place(state: &mut CycleState<'_>, pods: &[PodId], records: bool) -> Result<Vec<Placed>, NoRoom> {
    let cluster = state.world.cluster;
    let mut places: Vec<Placed> = Vec::with_capacity(pods.len());
    for &pod in pods {
        let request = &cluster.pods[pod].request;
        let mut near = records.then(Nearest::default);
        match best(state, &cluster.pods[pod], near.as_mut()) {
            Some((node, devices)) => {
                let compared = near.map_or(Vec::new(), |near| compared(state, pod, node, near));
                state.nodes[node].take(request, devices);
                places.push(Placed { pod, node, devices, compared });
            }
            None => {
                let reasons = if records { reasons(state, &cluster.pods[pod]) } else { Vec::new() };
                for Placed { pod, node, devices, .. } in &places {
                    state.nodes[*node].give_back(&cluster.pods[*pod].request, *devices);
                }
                return Err(NoRoom { placed: places.len(), reasons });
            }
        }
    }
    Ok(places)
}

/// Number of free GPUs, then the order in the file.
type Key = (u32, NodeId);

fn best(state: &CycleState<'_>, pod: &Pod, mut near: Option<&mut Nearest<Key>>) -> Option<(NodeId, Devices)> {
    let cluster = state.world.cluster;
    let mut best: Option<(Key, Devices)> = None;
    // With as many free GPUs, a node is neither better nor recorded.
    let mut too_many = u32::MAX;
    for (id, node) in cluster.nodes.iter().filter(|(_, node)| node.partition == state.world.partition) {
        let used = &state.nodes[id];
        let key = (used.n_free(), id);
        if key.0 >= too_many {
            continue;
        }
        let is_better = best.is_none_or(|((least, _), _)| key.0 < least);
        let may_run = node.takes_pods() && pod.selects(node) && pod.tolerates(node);
        let devices = || used.pick(pod.request.gpu).filter(|_| used.has_room(node, &pod.request));
        let devices = if may_run { devices() } else { None };
        match devices {
            Some(devices) if is_better => {
                let previous = best.replace((key, devices));
                if let (Some(near), Some((previous, _))) = (&mut near, previous) {
                    near.fits(previous);
                }
            }
            Some(_) => near.iter_mut().for_each(|near| near.fits(key)),
            None if is_better => near.iter_mut().for_each(|near| near.fails(key)),
            None => {}
        }
        if devices.is_some() {
            let last = near.as_ref().map(|near| near.last().map_or(u32::MAX, |last| last.0));
            too_many = last.unwrap_or(key.0);
        }
    }
    let ((_, node), devices) = best?;
    Some((node, devices))
}

/// Comparisons of the chosen node with others.
fn compared(state: &CycleState<'_>, pod: PodId, node: NodeId, mut near: Nearest<Key>) -> Vec<Check> {
    let (cluster, rule) = (state.world.cluster, state.measure.rules.node_order);
    let own_key = (state.nodes[node].n_free(), node);
    near.end(own_key);
    let job = cluster.pods[pod].job;
    let queue = Some(cluster.jobs[job].queue);
    let subject_on =
        |node: NodeId| Subject { queue, job: Some(job), pod: Some(pod), node: Some(node), ..Subject::default() };
    let next = near.next.iter().flat_map(|&other| node_order::fuller(rule, subject_on(node), [own_key, other]));
    let pod = &cluster.pods[pod];
    let unfit = near.unfit.iter().filter_map(|&(_, other)| {
        let placement = (&cluster.nodes[other], &state.nodes[other]);
        node_order::misfit(rule, subject_on(other), placement, &[pod])
    });
    next.chain(unfit).collect()
}

/// Returns the reasons why nodes of the partition cannot take the pod, with the number of nodes for each.
fn reasons(state: &CycleState<'_>, pod: &Pod) -> Vec<(NodeReason, u32)> {
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
