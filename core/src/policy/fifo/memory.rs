//! State between cycles: node ownership, free resources and waiting jobs.
//!
//! # Rule
//! All of it can be recomputed from the cluster; it is updated incrementally so that a cycle costs only what changed. A
//! change of the configuration recomputes it.
//!
//! # Source
//! none: this is our own
//!
//! # Differs
//! nothing

use std::collections::{BTreeMap, BTreeSet};

use super::owners::{Owned, owners};
use crate::cluster::{Devices, NodeUse, Phase, request_of};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::{Change, PartitionView};
use crate::time::Time;

/// State of the policy between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Whether the rest is up to date.
    is_fresh: bool,
    pub(super) leaves: Vec<Leaf>,
    /// Position in `leaves` of each queue; `None` for inner ones.
    leaf_of: Arena<QueueId, Option<usize>>,
    /// Nodes without owner.
    pub(super) common: Vec<NodeId>,
    pub(super) is_common: Arena<NodeId, bool>,
    pub(super) node_use: Arena<NodeId, NodeUse>,
    placed: BTreeMap<PodId, (NodeId, Devices)>,
    /// Positions of the leaves to reconsider in the next cycle.
    dirty: BTreeSet<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Leaf {
    pub(super) owned: Owned,
    /// Milli-GPUs held on common nodes.
    share_used: i64,
    /// Milli-GPUs held on any node.
    held: i64,
    /// By submit time, then file order.
    pub(super) waiting: BTreeSet<(Time, JobId)>,
}

impl Memory {
    /// Applies a change of the cluster.
    pub(super) fn observe(&mut self, world: PartitionView<'_>, change: Change) {
        match change {
            Change::Configuration => self.is_fresh = false,
            _ if !self.is_fresh => {}
            Change::Submitted(job) => self.arrive(world, job),
            Change::PodOver(pod) => self.leave(world, pod),
        }
    }

    /// Recomputes everything if the configuration changed.
    pub(super) fn refresh(&mut self, world: PartitionView<'_>) {
        if self.is_fresh {
            return;
        }
        let cluster = world.cluster;
        let is_leaf = |&id: &QueueId| cluster.queues[id].children.is_empty();
        let leaves: Vec<QueueId> = cluster.queues.ids().filter(is_leaf).collect();
        let (owned, common) = owners(world, &leaves);
        let leaf_at = |id: QueueId| leaves.binary_search(&id).ok();
        *self = Memory {
            is_fresh: true,
            leaves: owned.into_iter().map(|owned| Leaf { owned, ..Leaf::default() }).collect(),
            leaf_of: cluster.queues.ids().map(leaf_at).collect(),
            is_common: cluster.nodes.ids().map(|id| common.binary_search(&id).is_ok()).collect(),
            common,
            node_use: cluster.nodes.values().map(NodeUse::new).collect(),
            placed: BTreeMap::new(),
            dirty: (0..leaves.len()).collect(),
        };
        for job in world.live_jobs() {
            for (id, pod) in cluster.pods_of(job) {
                if let (true, Some(node)) = (pod.phase.holds(), pod.node) {
                    self.hold(world, id, node, pod.devices);
                }
            }
            self.arrive(world, job);
        }
    }

    /// Queues the job if any of its pods is pending.
    fn arrive(&mut self, world: PartitionView<'_>, job: JobId) {
        if world.cluster.pods_of(job).any(|(_, pod)| pod.phase == Phase::Pending) {
            self.wait(world, job);
        }
    }

    fn wait(&mut self, world: PartitionView<'_>, job: JobId) {
        let j = &world.cluster.jobs[job];
        let Some(leaf) = self.leaf_of[j.queue] else { return };
        self.leaves[leaf].waiting.insert((j.submit, job));
        if self.first_waiting(leaf) == Some(job) {
            self.dirty.insert(leaf);
        }
    }

    /// Releases what the pod held, and queues its job again if the pod is pending.
    fn leave(&mut self, world: PartitionView<'_>, pod: PodId) {
        let Some(node) = self.free(world, pod) else {
            // Withdrawn while pending.
            self.is_fresh = false;
            return;
        };
        let p = &world.cluster.pods[pod];
        let Some(leaf) = self.leaf_of[world.cluster.jobs[p.job].queue] else { return };
        // A pod placed by the scenario may be on a node that another queue owns.
        if self.leaves[leaf].owned.nodes.binary_search(&node).is_ok() {
            self.dirty.insert(leaf);
        } else {
            self.dirty.extend(0..self.leaves.len());
        }
        if p.phase == Phase::Pending {
            self.wait(world, p.job);
        }
    }

    /// Assigns devices of the node to the pod.
    fn hold(&mut self, world: PartitionView<'_>, pod: PodId, node: NodeId, devices: Devices) {
        let p = &world.cluster.pods[pod];
        self.node_use[node].take(&p.request, devices);
        self.placed.insert(pod, (node, devices));
        self.count_gpus(world, pod, node, 1);
    }

    /// Adds (`sign` 1) or subtracts (-1) the GPUs of the pod on the node.
    fn count_gpus(&mut self, world: PartitionView<'_>, pod: PodId, node: NodeId, sign: i64) {
        let p = &world.cluster.pods[pod];
        let Some(leaf) = self.leaf_of[world.cluster.jobs[p.job].queue] else { return };
        let gpus = sign * request_of(&p.request)[2];
        self.leaves[leaf].held += gpus;
        if self.is_common[node] {
            self.leaves[leaf].share_used += gpus;
        }
    }

    /// Releases the resources of the pod; returns its node if it held any.
    pub(super) fn free(&mut self, world: PartitionView<'_>, pod: PodId) -> Option<NodeId> {
        let (node, devices) = self.placed.remove(&pod)?;
        self.node_use[node].give_back(&world.cluster.pods[pod].request, devices);
        self.count_gpus(world, pod, node, -1);
        Some(node)
    }

    /// Records a placement.
    pub(super) fn bind(&mut self, world: PartitionView<'_>, pod: PodId, node: NodeId) {
        let devices = self.node_use[node].pick(world.cluster.pods[pod].request.gpu);
        self.hold(world, pod, node, devices.expect("only pods that fit are placed"));
    }

    /// Removes the job from the queue of its leaf.
    pub(super) fn started(&mut self, world: PartitionView<'_>, leaf: usize, job: JobId) {
        self.leaves[leaf].waiting.remove(&(world.cluster.jobs[job].submit, job));
    }

    /// Returns the leaves to reconsider, and clears the list.
    pub(super) fn take_dirty(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.dirty)
    }
    /// First pending job of the leaf.
    pub(super) fn first_waiting(&self, leaf: usize) -> Option<JobId> {
        self.leaves[leaf].waiting.first().map(|&(_, job)| job)
    }
    /// Milli-GPUs that the leaf may still allocate on common nodes; negative if it holds more than its share.
    pub(super) fn share_left(&self, leaf: usize) -> i64 {
        let [held, share] = self.unowned_held_and_share(leaf);
        share - held
    }
    /// Milli-GPUs that the leaf holds on common nodes, and may hold there.
    pub(super) fn unowned_held_and_share(&self, leaf: usize) -> [i64; 2] {
        [self.leaves[leaf].share_used, self.leaves[leaf].owned.share]
    }
    /// Milli-GPUs that the leaf may still allocate on any node.
    pub(super) fn quota_left(&self, leaf: usize) -> i64 {
        let [held, quota] = self.held_and_quota(leaf);
        quota.saturating_sub(held).max(0)
    }
    /// Milli-GPUs that the leaf holds, and its quota.
    pub(super) fn held_and_quota(&self, leaf: usize) -> [i64; 2] {
        [self.leaves[leaf].held, self.leaves[leaf].owned.quota]
    }
}
