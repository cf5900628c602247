//! Which node is better for a task.
//!
//! # Rule
//! The sum, in the order of the plugins, of: packing `9*(1-(x-lo)/(hi-lo))` (9 when all are equal, 0 when nothing is
//! free) or spreading `x/total`, with x = idle + releasing of the GPU, or of the CPU for tasks without GPU; 10 for a task
//! without GPU on a node without; 100 if it could be bound right away; 1000 if a shared device has room for it; 1000000
//! if the node is the one nominated for it. Equal sums are ordered by node name.
//!
//! # Source
//! kai.md 3.5, 5.5
//!
//! # Differs
//! nothing; Q-9 (tasks without GPU get the 1000 as well) reproduced

use super::config::{Config, Placement};
use super::node::Node;
use super::request::{Kind, Request};
use super::session::{PodFacts, Session};
use super::task::NodeRef;

/// What is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Placement,
    ResourceType,
    Availability,
    Sharing,
    Nominated,
}

/// The loaded parts, in order.
pub(super) fn parts(config: &Config) -> Vec<Part> {
    let part = |plugin: &str| match plugin {
        "nodeplacement" => Some(Part::Placement),
        "resourcetype" => Some(Part::ResourceType),
        "nodeavailability" => Some(Part::Availability),
        "gpusharingorder" => Some(Part::Sharing),
        "nominatednode" => Some(Part::Nominated),
        _ => None,
    };
    config.plugins.iter().filter_map(|p| part(p)).collect()
}

/// The smallest and largest x over the candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    lo: f64,
    hi: f64,
}

impl Node {
    fn x(&self, cpu_only: bool) -> f64 {
        if cpu_only { self.idle.cpu + self.releasing.cpu } else { self.idle.gpus + self.releasing.gpus }
    }
    fn capacity(&self, cpu_only: bool) -> f64 {
        if cpu_only { self.allocatable.cpu } else { self.allocatable.gpus }
    }
}

impl Session<'_> {
    /// The range over a node set that packing is relative to.
    pub fn range(&self, nodes: &[NodeRef], r: &Request) -> Range {
        let cpu_only = r.is_cpu_only();
        let mut range = Range { lo: f64::MAX, hi: 0.0 };
        for node in nodes.iter().map(|n| &self.nodes[n.ix()]) {
            if node.capacity(cpu_only) != 0.0 {
                let x = node.x(cpu_only);
                range = Range { lo: range.lo.min(x), hi: range.hi.max(x) };
            }
        }
        range
    }

    /// The score of a node for a pod.
    pub fn score(&self, at: NodeRef, pod: &PodFacts, range: Range) -> f64 {
        let (node, r) = (&self.nodes[at.ix()], &pod.request);
        let of = |part: &Part| match part {
            Part::Placement => self.placement(node, r, range),
            Part::ResourceType if r.is_cpu_only() && node.is_cpu_only() => 10.0,
            Part::Availability if node.is_allocatable_now(r) => 100.0,
            Part::Sharing if wants_parts(r) && node.fitting(r).next().is_some() => 1000.0,
            Part::Nominated if pod.nominated == Some(at) => 1_000_000.0,
            _ => 0.0,
        };
        self.score_parts.iter().fold(0.0, |sum, part| sum + of(part))
    }

    fn placement(&self, node: &Node, r: &Request, Range { lo, hi }: Range) -> f64 {
        let cpu_only = r.is_cpu_only();
        let x = node.x(cpu_only);
        let strategy = if cpu_only { self.config.cpu_placement } else { self.config.gpu_placement };
        match strategy {
            Placement::Spread => {
                let total = if cpu_only { node.allocatable.cpu } else { node.n_devices as f64 };
                if total == 0.0 { 0.0 } else { x / total }
            }
            Placement::BinPack if node.capacity(cpu_only) == 0.0 || hi == 0.0 => 0.0,
            Placement::BinPack if lo == hi => 9.0,
            Placement::BinPack => 9.0 * (1.0 - (x - lo) / (hi - lo)),
        }
    }
}

/// All but whole devices.
fn wants_parts(r: &Request) -> bool {
    r.kind != Kind::Regular || r.gpus == 0.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::session::Ids;
    use super::super::snapshot::{GpuAsk, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet};
    use super::*;
    use crate::cluster::PodRules;
    use crate::trace::Level;

    /// The scores of three nodes of 8 GPUs with 8, 5 and 2 free ones for a pod of 1 GPU (E5.2).
    fn scores(nominated: Option<&str>, without: &str) -> Vec<f64> {
        let name = |text: &str| -> Arc<str> { Arc::from(text) };
        let node =
            |(n, gpus)| SnapshotNode { name: name(n), gpus, pods: 110, ready: true, ..Default::default() };
        let rules = PodRules { nominated_node: nominated.map(name), ..PodRules::default() };
        let pod = SnapshotPod {
            name: name("p"),
            pod_set: name("default"),
            gpu: GpuAsk::Whole { devices: 1 },
            rules: Some(Arc::new(rules)),
            ..SnapshotPod::default()
        };
        let set = SnapshotPodSet { name: name("default"), min_available: 1, ..Default::default() };
        let job = SnapshotJob { name: name("j"), pod_sets: vec![set], pods: vec![pod], ..Default::default() };
        let nodes = [("a", 8.0), ("b", 5.0), ("c", 2.0)].map(node).to_vec();
        let mut snapshot = Snapshot { nodes, jobs: vec![job], ..Snapshot::default() };
        snapshot.config.plugins.retain(|plugin| **plugin != *without);
        let session = Session::open(&snapshot, &Ids::in_file_order(&snapshot), Level::Outcomes);
        let all: Vec<NodeRef> = (0..3).map(NodeRef::of).collect();
        let pod = &session.pods[0];
        let range = session.range(&all, &pod.request);
        all.iter().map(|&node| session.score(node, pod, range)).collect()
    }

    #[test]
    fn the_fullest_node_is_best_unless_another_is_nominated() {
        assert_eq!(scores(None, ""), [100.0, 104.5, 109.0]);
        assert_eq!(scores(Some("a"), ""), [1_000_100.0, 104.5, 109.0]);
        assert_eq!(scores(Some("b"), ""), [100.0, 1_000_104.5, 109.0]);
        assert_eq!(scores(Some("c"), ""), [100.0, 104.5, 1_000_109.0]);
        assert_eq!(scores(Some("elsewhere"), ""), [100.0, 104.5, 109.0]);
        assert_eq!(scores(Some("a"), "nominatednode"), [100.0, 104.5, 109.0]);
        assert_eq!(scores(Some("a"), "nodeavailability"), [1_000_000.0, 4.5, 9.0]);
        assert_eq!(scores(Some("a"), "nodeplacement"), [1_000_100.0, 100.0, 100.0]);
    }
}
