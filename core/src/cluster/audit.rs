//! Invariants of the world, recomputed from phases, places and requests alone.
//!
//! [`audit`] is complete and visits everything; tests run it after every cycle. [`audit_live`] visits live jobs only,
//! [`audit_nodes`] nodes only: they are cheap enough for long runs.

use super::lifecycle::Recount;
use super::{ClusterState, GpuRequest, Phase};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::units::{Amount, Resource};

/// An invariant that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The totals of the node differ from the sum over its pods.
    NodeSums(NodeId),
    /// More of the resource is allocated than the node has, and [`ClusterState::may_exceed`] does not apply.
    OverCapacity(NodeId, Resource),
    /// The node has more pods than slots.
    OverSlots(NodeId),
    /// Two pods hold the same whole device, or a pod holds a device that the node lacks.
    Devices(NodeId, PodId),
    /// A pod is on a node outside the partition to which its job is offered.
    Partition(PodId),
    /// A pod has a phase that holds resources but no node, or the reverse.
    Place(PodId),
    /// The totals of the queue differ from the sum over its pods.
    QueueSums(QueueId),
    /// The counts of the job differ from the sum over its pods.
    JobCounts(JobId),
    /// The list of live jobs contains an ended or future job, or lacks a live one.
    Live(JobId),
    /// Of the pods created with their job, only some are [`Phase::Future`].
    HalfSubmitted(JobId),
}

/// Checks every invariant; returns one finding per violation.
pub fn audit(world: &ClusterState) -> Vec<Finding> {
    let mut findings = audit_live(world);
    let cluster = world.cluster();
    for (id, pod) in cluster.pods.iter() {
        if pod.phase.holds() != pod.node.is_some() {
            findings.push(Finding::Place(id));
        }
    }
    for (id, job) in cluster.jobs.iter() {
        if !world.counts_are_correct(id) {
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

/// Checks nodes, queues and live jobs: nothing is held twice, and every total equals the sum of its parts.
pub fn audit_live(world: &ClusterState) -> Vec<Finding> {
    let mut findings = audit_nodes(world);
    let recount = Recount::new(world);
    for (id, recomputed) in recount.nodes.iter() {
        let maintained = world.node_use(id);
        let is_same = Resource::ACCOUNTED.iter().all(|&r| recomputed.used().get(r) == maintained.used().get(r));
        if !is_same || recomputed.free() != maintained.free() || recomputed.n_pods() != maintained.n_pods() {
            findings.push(Finding::NodeSums(id));
        }
    }
    findings.extend(device_conflicts(world));
    let in_pools = recount
        .queues
        .pools
        .iter()
        .zip(world.queues.pools.values())
        .map(|(recomputed, maintained)| (recomputed.1, maintained));
    for (recomputed, maintained) in std::iter::once((&recount.queues.all, &world.queues.all)).chain(in_pools) {
        for ((id, recomputed), maintained) in recomputed.iter().zip(maintained.values()) {
            let is_same = (recomputed.allocated, recomputed.non_preemptible)
                == (maintained.allocated, maintained.non_preemptible)
                && (recomputed.leaving, recomputed.waiting, recomputed.gated)
                    == (maintained.leaving, maintained.waiting, maintained.gated);
            if !is_same {
                findings.push(Finding::QueueSums(id));
            }
        }
    }
    findings
}

/// Checks capacities and slots of nodes.
pub fn audit_nodes(world: &ClusterState) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, node) in world.cluster().nodes.iter() {
        let maintained = world.node_use(id);
        for resource in (0..crate::units::RESOURCES_MAX as u8).map(Resource) {
            let used = maintained.used().get(resource);
            let is_over = resource != Resource::GPU && used > node.capacity.get(resource);
            if used < Amount::ZERO || is_over && !world.may_exceed(id) {
                findings.push(Finding::OverCapacity(id, resource));
            }
        }
        if maintained.n_pods() > node.pods_max && !world.may_exceed(id) {
            findings.push(Finding::OverSlots(id));
        }
        if (0..node.n_devices()).any(|d| maintained.device_milli(d) > 1000) {
            findings.push(Finding::OverCapacity(id, Resource::GPU));
        }
    }
    findings
}

fn device_conflicts(world: &ClusterState) -> Vec<Finding> {
    let cluster = world.cluster();
    let mut findings = Vec::new();
    let mut whole_devices: Arena<NodeId, u64> = cluster.nodes.ids().map(|_| 0).collect();
    let mut shared_devices = whole_devices.clone();
    for (id, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
        let Some(node) = pod.node else { continue };
        if cluster.nodes[node].partition != cluster.jobs[pod.job].partition {
            findings.push(Finding::Partition(id));
        }
        let (mask, n) = (pod.devices.0, cluster.nodes[node].n_devices());
        let n_requested = pod.request.gpu.n_devices();
        // A pod may lack devices only on a node that has no free ones.
        let is_missing = mask.count_ones() < n_requested
            && world.may_exceed(node)
            && (world.node_use(node).n_free() == 0 || !matches!(pod.request.gpu, GpuRequest::Whole { .. }));
        let mut conflict = whole_devices[node] & mask != 0
            || n < 64 && mask >> n != 0
            || mask.count_ones() != n_requested && !is_missing;
        if matches!(pod.request.gpu, GpuRequest::Whole { .. }) {
            conflict |= shared_devices[node] & mask != 0;
            whole_devices[node] |= mask;
        } else {
            shared_devices[node] |= mask;
        }
        if conflict {
            findings.push(Finding::Devices(node, id));
        }
    }
    findings
}
