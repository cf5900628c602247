//! Scores of nodes under KAI, from what is free on them.
//!
//! # Rule
//! Each enabled plugin adds its part: packing or spreading, a node without GPUs for a pod without, room that is free
//! now, a shared device, a nomination. The last three are ten times as large in v0.17.
//!
//! # Source
//! kai.md 5.5; kai-v0.17.md 15.7

use fairground::cluster::{GpuRequest, Node};
use fairground::id::{NodeId, PodId};
use fairground::policy::kai::config::{Config, Placement, Revision};
use fairground::trace::Quantity;
use fairground::units::Resource;

use super::accounts::Accounts;
use super::rooms::{FreeCapacity, Rooms, fits_anywhere};

/// Nodes of a pool with what is free on them, for one pod.
#[derive(Debug)]
pub struct Scores<'a> {
    pub accounts: Accounts<'a>,
    pub config: &'a Config,
    pub rooms: &'a Rooms<'a>,
    pub pod: PodId,
}

impl Scores<'_> {
    fn gpu(&self) -> GpuRequest {
        self.accounts.pod(self.pod).request.gpu
    }

    fn is_without_gpu(&self) -> bool {
        self.gpu().n_devices() == 0
    }

    /// The resource by which nodes are packed, with what a node has of it and what is free of it.
    fn packed(&self, node: &Node, room: &FreeCapacity) -> (f64, f64) {
        let r = if self.is_without_gpu() { Resource::CPU } else { Resource::GPU };
        (node.capacity.get(r).in_policy_units(r), room.idle[r.index()] + room.releasing[r.index()])
    }

    fn placement(&self, id: NodeId) -> f64 {
        let of = |id: NodeId| self.packed(&self.accounts.cluster.nodes[id], &self.rooms.room(id));
        let strategy = if self.is_without_gpu() { self.config.cpu_placement } else { self.config.gpu_placement };
        let (total, free) = of(id);
        if total == 0.0 {
            return 0.0;
        }
        if strategy == Placement::Spread {
            return free / total;
        }
        let all = self.accounts.nodes().map(|(id, _)| of(id)).filter(|(total, _)| *total != 0.0);
        let (least, most) = all.fold((f64::MAX, 0.0), |(least, most), (_, free)| (free.min(least), free.max(most)));
        match most {
            0.0 => 0.0,
            _ if least == most => 9.0,
            _ => 9.0 * (1.0 - (free - least) / (most - least)),
        }
    }

    /// One part of the score of a node; `None` if it does not apply.
    pub fn part(&self, of: Quantity, id: NodeId) -> Option<f64> {
        let (node, room) = (&self.accounts.cluster.nodes[id], self.rooms.room(id));
        let pod = self.accounts.pod(self.pod);
        let (plugin, applies, worth) = match of {
            Quantity::ScorePlacement => ("nodeplacement", true, self.placement(id)),
            Quantity::ScoreCpuNode => {
                ("resourcetype", self.is_without_gpu() && node.capacity.get(Resource::GPU).in_base_units() <= 0, 10.0)
            }
            Quantity::ScoreFreeNow => {
                let is_free = room.is_free_for(&pod.request) || fits_anywhere(self.config, &pod.request);
                ("nodeavailability", is_free, 100.0 * self.scale())
            }
            Quantity::ScoreSharing => ("gpusharingorder", room.shares(self.gpu()), 1000.0 * self.scale()),
            Quantity::ScoreNominated => ("nominatednode", self.is_nominated(id), 1_000_000.0 * self.scale()),
            _ => return None,
        };
        (applies && self.config.has(plugin)).then_some(worth)
    }

    /// Whether the node is nominated for the pod.
    pub fn is_nominated(&self, id: NodeId) -> bool {
        let rules = self.accounts.pod(self.pod).rules.as_ref();
        let nominated = rules.and_then(|rules| rules.nominated_node.as_deref());
        nominated == Some(&*self.accounts.cluster.nodes[id].name)
    }

    /// The score of a node.
    pub fn score(&self, id: NodeId) -> f64 {
        const PARTS: [Quantity; 5] = [
            Quantity::ScorePlacement,
            Quantity::ScoreCpuNode,
            Quantity::ScoreFreeNow,
            Quantity::ScoreSharing,
            Quantity::ScoreNominated,
        ];
        PARTS.iter().filter_map(|part| self.part(*part, id)).sum()
    }

    fn scale(&self) -> f64 {
        if self.config.revision == Revision::V0_17 { 10.0 } else { 1.0 }
    }
}
