//! Nodes whose pods may exceed the capacity, because it was reduced or because pods were placed outside the scheduler.
//!
//! # Rule
//! Pods stay where they are; the node accepts no others until there is room. Device numbers are only names: when a node
//! has fewer devices, free ones are removed first, and pods on higher numbers get lower ones. If too few are left, the
//! affected pods hold fewer devices until other pods leave.
//!
//! # Source
//! yunikorn.md 1.8: a capacity may fall below what is allocated, and an allocation that is found is booked without any
//! check

use super::node::NodeUse;
use super::{Capacity, ClusterState, Devices, Found, Phase};
use crate::id::{NodeId, PodId};

impl ClusterState {
    /// Changes the capacity of a node. Its pods stay, even if they exceed the capacity.
    pub fn set_capacity(&mut self, node: NodeId, capacity: Capacity) {
        let state = &mut self.cluster.nodes[node];
        (state.capacity, state.pods_max) = (capacity.amounts, capacity.pods_max);
        if let Err(i) = self.may_exceed.binary_search(&node) {
            self.may_exceed.insert(i, node);
        }
        self.deal_devices(node);
    }

    /// Adds a node to `may_exceed` if its pods exceed its capacity.
    pub(super) fn note_excess(&mut self, node: NodeId) {
        if self.nodes[node].exceeds(&self.cluster.nodes[node])
            && let Err(i) = self.may_exceed.binary_search(&node)
        {
            self.may_exceed.insert(i, node);
        }
    }

    /// Whether the pods of a node may exceed its capacity: the capacity changed, or pods were placed outside the
    /// scheduler.
    pub fn may_exceed(&self, node: NodeId) -> bool {
        self.may_exceed.binary_search(&node).is_ok()
    }

    /// Returns the pods whose devices were reassigned since the last call, in order.
    pub fn take_dealt(&mut self) -> Vec<PodId> {
        std::mem::take(&mut self.dealt)
    }

    /// Reassigns the devices of a node to its pods: pods whose devices all still exist keep them, the others get what
    /// is left.
    pub(super) fn deal_devices(&mut self, node: NodeId) {
        let pods: Vec<PodId> = self.pods_on(node).collect();
        let mut recomputed = NodeUse::new(&self.cluster.nodes[node]);
        let existing = recomputed.free().0;
        let keeps = |pod: &PodId| {
            let p = &self.cluster.pods[*pod];
            p.devices.0 & !existing == 0 && p.devices.0.count_ones() == p.request.gpu.n_devices()
        };
        let (keeping, displaced): (Vec<PodId>, Vec<PodId>) = pods.into_iter().partition(keeps);
        for pod in keeping {
            let p = &self.cluster.pods[pod];
            recomputed.take(&p.request, p.devices);
        }
        for pod in displaced {
            let p = &mut self.cluster.pods[pod];
            let devices = recomputed.pick_some(p.request.gpu, p.devices);
            recomputed.take(&p.request, devices);
            if std::mem::replace(&mut p.devices, devices) != devices {
                self.touched.push(pod);
                self.dealt.push(pod);
            }
        }
        self.nodes[node] = recomputed;
    }

    /// Starts a pod that was placed outside the scheduler, even beyond the capacity of its node. Returns `false` if
    /// there is no such placement or the node is down; the pod is then pending.
    pub(super) fn start_found(&mut self, pod: PodId) -> bool {
        let Ok(i) = self.cluster.found.binary_search_by_key(&pod, |found| found.pod) else { return false };
        let Found { node, devices, since, .. } = self.cluster.found[i];
        if !self.cluster.nodes[node].ready {
            return false;
        }
        let p = &mut self.cluster.pods[pod];
        let (job, node_use) = (p.job, &mut self.nodes[node]);
        let is_free = devices != Devices(0) && node_use.can_give(p.request.gpu, devices);
        p.devices = if is_free { devices } else { node_use.pick_some(p.request.gpu, devices) };
        p.node = Some(node);
        node_use.take(&p.request, p.devices);
        self.note_excess(node);
        self.jobs[job].holding += 1;
        let j = &mut self.cluster.jobs[job];
        j.first_start = j.first_start.or(Some(since));
        j.last_start = j.last_start.or(Some(since));
        let until = j.lasts.map(|lasts| since + lasts);
        self.set_phase(pod, Phase::Running { since, until });
        self.pods[pod].since = since;
        true
    }
}
