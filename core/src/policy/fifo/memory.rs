//! State between cycles: node ownership, free resources, waiting jobs and the sums of the ledger.
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
use crate::cluster::{Devices, NodeUse, Phase, Preemptible, Sums, request_of};
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::{Change, PartitionView};
use crate::time::Time;
use crate::trace::{Ledger, LedgerRow};
use crate::units::{Amount, Bound, PerResource, Resource};

/// State of the policy between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Whether the rest is up to date.
    is_fresh: bool,
    leaves: Vec<Leaf>,
    /// Position in `leaves` of each queue; `None` for inner ones.
    leaf_of: Arena<QueueId, Option<usize>>,
    /// Nodes without owner.
    common: Vec<NodeId>,
    is_common: Arena<NodeId, bool>,
    node_use: Arena<NodeId, NodeUse>,
    placed: BTreeMap<PodId, (NodeId, Devices)>,
    /// Positions of the leaves to reconsider in the next cycle.
    dirty: BTreeSet<usize>,
    /// Per queue, descendants included.
    sums: Arena<QueueId, LeafSums>,
    /// Columns of the ledger that only the configuration changes.
    template: Ledger,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    owned: Owned,
    /// Milli-GPUs held on common nodes.
    share_used: i64,
    /// Milli-GPUs held on any node.
    held: i64,
    /// By submit time, then file order.
    waiting: BTreeSet<(Time, JobId)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeafSums {
    allocated: Sums,
    non_preemptible: Sums,
    request: Sums,
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
            sums: cluster.queues.ids().map(|_| LeafSums::default()).collect(),
            template: template(world),
        };
        for job in world.live_jobs() {
            for (id, pod) in cluster.pods_of(job) {
                if let (true, Some(node)) = (pod.phase.holds(), pod.node) {
                    let asks = !matches!(pod.phase, Phase::Terminating { .. });
                    self.hold(world, id, node, pod.devices);
                    self.count(world, id, i64::from(asks), i64::from(asks));
                }
            }
            self.arrive(world, job);
        }
    }

    /// Counts and queues the pending pods of the job.
    fn arrive(&mut self, world: PartitionView<'_>, job: JobId) {
        let mut waits = false;
        for (pod, p) in world.cluster.pods_of(job) {
            if p.phase == Phase::Pending {
                self.count(world, pod, 0, 1);
                waits = true;
            }
        }
        if waits {
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
        let p = &world.cluster.pods[pod];
        let job = &world.cluster.jobs[p.job];
        let waits = p.phase == Phase::Pending;
        match self.placed.remove(&pod) {
            Some((node, devices)) => {
                self.node_use[node].give_back(&p.request, devices);
                self.count(world, pod, -1, if waits { 0 } else { -1 });
                self.count_gpus(world, pod, node, -1);
                let Some(leaf) = self.leaf_of[job.queue] else { return };
                // A pod placed by the scenario may be on a node that another queue owns.
                if self.owned(leaf).binary_search(&node).is_ok() {
                    self.dirty.insert(leaf);
                } else {
                    self.dirty.extend(0..self.leaves.len());
                }
            }
            // Withdrawn while pending; the configuration changes at the same time, so recompute the sums.
            None => self.is_fresh = false,
        }
        if waits {
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

    /// Releases the resources of the pod, for a forecast: the sums of the ledger are not updated.
    pub(super) fn free(&mut self, world: PartitionView<'_>, pod: PodId) {
        let p = &world.cluster.pods[pod];
        let Some((node, devices)) = self.placed.remove(&pod) else { return };
        self.node_use[node].give_back(&p.request, devices);
        self.count_gpus(world, pod, node, -1);
    }

    /// Records a placement.
    pub(super) fn bind(&mut self, world: PartitionView<'_>, pod: PodId, node: NodeId) {
        let devices = self.node_use[node].pick(world.cluster.pods[pod].request.gpu);
        self.hold(world, pod, node, devices.expect("only pods that fit are placed"));
        self.count(world, pod, 1, 0);
    }

    /// Removes the job from the queue of its leaf.
    pub(super) fn started(&mut self, world: PartitionView<'_>, leaf: usize, job: JobId) {
        self.leaves[leaf].waiting.remove(&(world.cluster.jobs[job].submit, job));
    }

    fn count(&mut self, world: PartitionView<'_>, pod: PodId, allocated: i64, request: i64) {
        let p = &world.cluster.pods[pod];
        let job = &world.cluster.jobs[p.job];
        let ask = request_of(&p.request);
        let mut queue = Some(job.queue);
        while let Some(id) = queue {
            let sums = &mut self.sums[id];
            for (r, ask) in ask.into_iter().enumerate() {
                sums.allocated[r] += allocated * ask;
                sums.non_preemptible[r] +=
                    if job.preemptible != Preemptible::No { 0 } else { allocated * ask };
                sums.request[r] += request * ask;
            }
            queue = world.cluster.queues[id].parent;
        }
    }

    /// Returns the leaves to reconsider, and clears the list.
    pub(super) fn take_dirty(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.dirty)
    }
    /// Positions of all leaves.
    pub(super) fn leaves(&self) -> std::ops::Range<usize> {
        0..self.leaves.len()
    }
    /// First pending job of the leaf.
    pub(super) fn first_waiting(&self, leaf: usize) -> Option<JobId> {
        self.leaves[leaf].waiting.first().map(|&(_, job)| job)
    }
    /// All pending jobs of the leaf, in order.
    pub(super) fn waiting(&self, leaf: usize) -> &BTreeSet<(Time, JobId)> {
        &self.leaves[leaf].waiting
    }
    /// Nodes the leaf owns.
    pub(super) fn owned(&self, leaf: usize) -> &[NodeId] {
        &self.leaves[leaf].owned.nodes
    }
    /// Nodes without owner.
    pub(super) fn common(&self) -> &[NodeId] {
        &self.common
    }
    /// Milli-GPUs that the leaf may still allocate on common nodes; negative if it holds more than its share.
    pub(super) fn share_left(&self, leaf: usize) -> i64 {
        self.leaves[leaf].owned.share - self.leaves[leaf].share_used
    }
    /// Milli-GPUs that the leaf may still allocate on any node.
    pub(super) fn quota_left(&self, leaf: usize) -> i64 {
        self.leaves[leaf].owned.quota.saturating_sub(self.leaves[leaf].held).max(0)
    }
    /// Whether the node has no owner.
    pub(super) fn is_common(&self, node: NodeId) -> bool {
        self.is_common[node]
    }
    /// Resources allocated on the node.
    pub(super) fn node_use(&self, node: NodeId) -> &NodeUse {
        &self.node_use[node]
    }

    /// The ledger: `allocated` and `request` are sums over pods, quota and limit are as configured.
    pub(super) fn ledger(&self, world: PartitionView<'_>) -> Ledger {
        if !self.is_fresh {
            let mut fresh = self.clone();
            fresh.refresh(world);
            return fresh.ledger(world);
        }
        let mut ledger = self.template.clone();
        for (row, sums) in ledger.rows.iter_mut().zip(self.sums.values()) {
            row.allocated = in_policy_units(&sums.allocated);
            row.non_preemptible = in_policy_units(&sums.non_preemptible);
            row.request = in_policy_units(&sums.request);
        }
        ledger
    }
}

fn in_policy_units(sums: &Sums) -> PerResource<f64> {
    let of = |r: Resource| Amount::base_units(sums[r.index()]).in_policy_units(r);
    PerResource { cpu: of(Resource::CPU), memory: of(Resource::MEMORY), gpu: of(Resource::GPU) }
}

/// The columns of the ledger that only the configuration changes.
fn template(world: PartitionView<'_>) -> Ledger {
    let mut total = Sums::default();
    for (_, node) in world.nodes().filter(|(_, node)| node.ready) {
        for (sum, r) in total.iter_mut().zip(Resource::ACCOUNTED) {
            *sum += node.capacity.get(r).in_base_units();
        }
    }
    let resolve = |bound: Bound, r: Resource, unset: f64| match bound {
        Bound::Unset => unset,
        Bound::Unlimited => f64::INFINITY,
        Bound::At(amount) => amount.in_policy_units(r),
    };
    let row = |(queue, q): (QueueId, &crate::cluster::Queue)| {
        let mut row = LedgerRow::empty(queue);
        for r in Resource::ACCOUNTED {
            row.quota.set(r, resolve(q.resources.get(r).quota, r, 0.0));
            row.limit.set(r, resolve(q.resources.get(r).limit, r, f64::INFINITY));
        }
        row
    };
    Ledger { rows: world.queues().iter().map(row).collect(), total: in_policy_units(&total) }
}
