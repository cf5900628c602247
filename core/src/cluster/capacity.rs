//! Nodes whose pods may hold more than there is: they have less than before, or something else than the scheduler placed pods
//! on them.
//!
//! # Rule
//! Pods stay where they are. Nothing more comes to a node until there is room. Numbers of devices are names: when a node has
//! fewer, free ones go first, and pods on higher ones get lower numbers. Where too few are left, pods that lose some hold
//! fewer until others leave.
//!
//! # Source
//! yunikorn.md 1.8: a capacity may fall below what is allocated, and an allocation that is found is booked without any check

use super::usage::NodeUse;
use super::{Capacity, Devices, Found, Phase, World};
use crate::id::{NodeId, PodId};

impl World {
    /// A node has more or less than before. Pods on it stay, also if they hold more than it has.
    pub fn set_capacity(&mut self, node: NodeId, capacity: Capacity) {
        let own = &mut self.cluster.nodes[node];
        (own.capacity, own.pods_max) = (capacity.amounts, capacity.pods_max);
        if let Err(at) = self.may_exceed.binary_search(&node) {
            self.may_exceed.insert(at, node);
        }
        self.deal_devices(node);
    }

    /// Remembers a node of which the pods hold more than it has.
    pub(super) fn note_excess(&mut self, node: NodeId) {
        if let (true, Err(at)) =
            (self.nodes[node].exceeds(&self.cluster.nodes[node]), self.may_exceed.binary_search(&node))
        {
            self.may_exceed.insert(at, node);
        }
    }

    /// Whether the pods of a node may hold more than it has: its capacity changed, or pods were found on it.
    pub fn may_exceed(&self, node: NodeId) -> bool {
        self.may_exceed.binary_search(&node).is_ok()
    }

    /// Pods that were dealt other devices since the last call, in order.
    pub fn take_dealt(&mut self) -> Vec<PodId> {
        std::mem::take(&mut self.dealt)
    }

    /// Deals the devices of a node to the pods on it anew: who has all it wants keeps them, others take what is left. Numbers
    /// are names, so devices that are gone are the free ones as long as there are some.
    pub(super) fn deal_devices(&mut self, node: NodeId) {
        let pods: Vec<PodId> = self.pods_on(node).collect();
        let mut fresh = NodeUse::new(&self.cluster.nodes[node]);
        let there = fresh.free().0;
        let keeps = |pod: &PodId| {
            let p = &self.cluster.pods[*pod];
            p.devices.0 & !there == 0 && p.devices.0.count_ones() == p.request.gpu.n_devices()
        };
        let (keeping, others): (Vec<PodId>, Vec<PodId>) = pods.into_iter().partition(keeps);
        for pod in keeping {
            let p = &self.cluster.pods[pod];
            fresh.take(&p.request, p.devices);
        }
        for pod in others {
            let p = &mut self.cluster.pods[pod];
            let devices = fresh.pick_some(p.request.gpu, p.devices);
            fresh.take(&p.request, devices);
            if std::mem::replace(&mut p.devices, devices) != devices {
                self.touched.push(pod);
                self.dealt.push(pod);
            }
        }
        self.nodes[node] = fresh;
    }

    /// If something else placed a pod, it runs where that put it, also beyond what the node has. It waits if the node takes
    /// no part.
    pub(super) fn start_found(&mut self, pod: PodId) -> bool {
        let Ok(at) = self.cluster.found.binary_search_by_key(&pod, |found| found.pod) else { return false };
        let Found { node, devices, since, .. } = self.cluster.found[at];
        if !self.cluster.nodes[node].ready {
            return false;
        }
        let p = &mut self.cluster.pods[pod];
        let (job, kept) = (p.job, &mut self.nodes[node]);
        let is_free = devices != Devices(0) && kept.can_give(p.request.gpu, devices);
        p.devices = if is_free { devices } else { kept.pick_some(p.request.gpu, devices) };
        p.node = Some(node);
        kept.take(&p.request, p.devices);
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
