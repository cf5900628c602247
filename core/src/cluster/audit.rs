//! Invariants of the world, recomputed from nothing but phases, places and requests.
//!
//! [`audit`] is complete and walks over everything; tests run it after every cycle. [`audit_live`] walks over live jobs only,
//! [`audit_nodes`] over nodes only: they are cheap enough for long runs.

use super::lifecycle::Recount;
use super::{GpuRequest, Phase, World};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::units::{Amount, Resource};

/// An invariant that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// What is kept about the node differs from the sum over its pods.
    NodeSums(NodeId),
    /// More of the resource was given away than there is, on a node of which that cannot be.
    OverCapacity(NodeId, Resource),
    /// More pods than slots.
    OverSlots(NodeId),
    /// Two pods hold the same whole device, or one holds a device the node has not.
    Devices(NodeId, PodId),
    /// A pod is on a node of another partition than its job is offered to.
    Partition(PodId),
    /// A pod holds something without a node, or is on a node without holding anything.
    Place(PodId),
    /// What is kept about the queue differs from the sum over its pods.
    QueueSums(QueueId),
    /// What is kept about the job differs from the sum over its pods.
    JobCounts(JobId),
    /// The job is live and should not be, or the other way round.
    Live(JobId),
    /// Of the pods that come with their job some are yet to come and others are not.
    HalfSubmitted(JobId),
}

/// Every invariant; one finding for each that does not hold.
pub fn audit(world: &World) -> Vec<Finding> {
    let mut findings = audit_live(world);
    let cluster = world.cluster();
    for (id, pod) in cluster.pods.iter() {
        if pod.phase.holds() != pod.node.is_some() {
            findings.push(Finding::Place(id));
        }
    }
    for (id, job) in cluster.jobs.iter() {
        if !world.counts_right(id) {
            findings.push(Finding::JobCounts(id));
        }
        let at_submission = || cluster.pods_of(id).filter(|(pod, _)| cluster.joins_at(*pod).is_none());
        let n_future = at_submission().filter(|(_, p)| p.phase == Phase::Future).count();
        if n_future != 0 && n_future != at_submission().count() {
            findings.push(Finding::HalfSubmitted(id));
        }
        let live = n_future == 0 && cluster.pods_of(id).any(|(_, p)| !p.phase.is_over());
        if live != cluster.live_jobs.binary_search(&id).is_ok() || live && job.ended.is_some() {
            findings.push(Finding::Live(id));
        }
    }
    findings
}

/// The part over nodes, queues and live jobs: nothing is held twice, every sum is the sum of its parts.
pub fn audit_live(world: &World) -> Vec<Finding> {
    let mut findings = audit_nodes(world);
    let recount = Recount::new(world);
    for (id, fresh) in recount.nodes.iter() {
        let kept = world.node_use(id);
        let same = Resource::ACCOUNTED.iter().all(|&r| fresh.used().get(r) == kept.used().get(r));
        if !same || fresh.free() != kept.free() || fresh.n_pods() != kept.n_pods() {
            findings.push(Finding::NodeSums(id));
        }
    }
    findings.extend(device_conflicts(world));
    let in_pools =
        recount.queues.pools.iter().zip(world.queues.pools.values()).map(|(fresh, kept)| (fresh.1, kept));
    for (fresh, kept) in std::iter::once((&recount.queues.all, &world.queues.all)).chain(in_pools) {
        for ((id, fresh), kept) in fresh.iter().zip(kept.values()) {
            let same = (fresh.allocated, fresh.non_preemptible) == (kept.allocated, kept.non_preemptible)
                && (fresh.leaving, fresh.waiting) == (kept.leaving, kept.waiting);
            if !same {
                findings.push(Finding::QueueSums(id));
            }
        }
    }
    findings
}

/// The half over nodes: capacities and slots.
pub fn audit_nodes(world: &World) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, node) in world.cluster().nodes.iter() {
        let kept = world.node_use(id);
        for resource in (0..crate::units::RESOURCES_MAX as u8).map(Resource) {
            let used = kept.used().get(resource);
            let is_over = resource != Resource::GPU && used > node.capacity.get(resource);
            if used < Amount::ZERO || is_over && !world.may_exceed(id) {
                findings.push(Finding::OverCapacity(id, resource));
            }
        }
        if kept.n_pods() > node.pods_max && !world.may_exceed(id) {
            findings.push(Finding::OverSlots(id));
        }
        if (0..node.n_devices()).any(|d| kept.device_milli(d) > 1000) {
            findings.push(Finding::OverCapacity(id, Resource::GPU));
        }
    }
    findings
}

fn device_conflicts(world: &World) -> Vec<Finding> {
    let cluster = world.cluster();
    let mut findings = Vec::new();
    let mut whole: Arena<NodeId, u64> = cluster.nodes.ids().map(|_| 0).collect();
    let mut parts = whole.clone();
    for (id, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
        let Some(node) = pod.node else { continue };
        if cluster.nodes[node].partition != cluster.jobs[pod.job].partition {
            findings.push(Finding::Partition(id));
        }
        let (mask, n) = (pod.devices.0, cluster.nodes[node].n_devices());
        let wanted = pod.request.gpu.n_devices();
        // A node that has fewer devices than its pods hold has none left.
        let is_missing = mask.count_ones() < wanted
            && world.may_exceed(node)
            && (world.node_use(node).n_free() == 0 || !matches!(pod.request.gpu, GpuRequest::Whole { .. }));
        let mut conflict =
            whole[node] & mask != 0 || n < 64 && mask >> n != 0 || mask.count_ones() != wanted && !is_missing;
        if matches!(pod.request.gpu, GpuRequest::Whole { .. }) {
            conflict |= parts[node] & mask != 0;
            whole[node] |= mask;
        } else {
            parts[node] |= mask;
        }
        if conflict {
            findings.push(Finding::Devices(node, id));
        }
    }
    findings
}
