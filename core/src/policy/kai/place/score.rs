//! Score of a node for a task.
//!
//! # Rule
//! The sum, in plugin order, of: packing `9*(1-(x-lo)/(hi-lo))` (9 when all are equal, 0 when nothing is free) or
//! spreading `x/total`, with x = idle + releasing of the GPU, or of the CPU for tasks without GPU; 10 for a task
//! without GPU on a node without GPUs; 100 if it could be bound at once; 1000 if a shared device has room for it;
//! 1000000 if the node is nominated for it. Since v0.17 the last three are ten times as large. Equal sums are ordered
//! by node name.
//!
//! # Source
//! kai.md 3.5, 5.5; kai-v0.17.md 15.7
//!
//! # Differs
//! nothing; Q-9 (tasks without GPU get the 1000 as well) reproduced

use crate::policy::kai::config::Placement;
use crate::policy::kai::place::equivalence_classes::{Choice, Ranked};
use crate::policy::kai::place::node::Node;
use crate::policy::kai::place::score_parts::{Packing, Part, Parts, Range};
use crate::policy::kai::pod::PodFacts;
use crate::policy::kai::record::notes::real;
use crate::policy::kai::request::{GpuRequestKind, Request};
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Inputs;
use crate::policy::kai::task::NodeRef;
use crate::trace::{Quantity, Term};

impl Node {
    fn available(&self, cpu_only: bool) -> f64 {
        if cpu_only { self.idle.cpu + self.releasing.cpu } else { self.idle.gpus + self.releasing.gpus }
    }
    fn capacity(&self, cpu_only: bool) -> f64 {
        if cpu_only { self.allocatable.cpu } else { self.allocatable.gpus }
    }
}

impl Inputs<'_> {
    /// Score parts of a node for a pod, without the range that packing is relative to.
    pub fn parts_of(&self, (host, node): (NodeRef, &Node), pod: &PodFacts) -> Parts {
        let r = &pod.request;
        let applies = |part: &Part| match part {
            Part::Placement => true,
            Part::ResourceType => r.is_cpu_only() && node.is_cpu_only(),
            Part::Availability => self.is_allocatable_now(node, r),
            Part::Sharing => wants_parts(r) && node.fitting(r).next().is_some(),
            Part::Nominated => pod.nominated == Some(host),
        };
        let bit = |i: usize| 1_u32.checked_shl(i as u32).unwrap_or(0);
        let bits = self.score_parts.iter().enumerate().filter(|(_, part)| applies(part));
        Parts { applying: bits.fold(0, |bits, (i, _)| bits | bit(i)), packing: self.packing(node, r) }
    }

    /// The placement part of a node, or the amount it is computed from.
    pub fn packing(&self, node: &Node, r: &Request) -> Packing {
        let cpu_only = r.is_cpu_only();
        let available = node.available(cpu_only);
        let strategy = if cpu_only { self.config.cpu_placement } else { self.config.gpu_placement };
        match strategy {
            Placement::Spread => {
                let total = if cpu_only { node.allocatable.cpu } else { node.n_devices as f64 };
                Packing::Done(if total == 0.0 { 0.0 } else { available / total })
            }
            Placement::BinPack if node.capacity(cpu_only) == 0.0 => Packing::Done(0.0),
            Placement::BinPack => Packing::Of(available),
        }
    }

    /// Total score.
    pub fn score(&self, parts: &Parts, range: Range) -> f64 {
        // Parts that do not apply add zero, so skipping them leaves the sum unchanged.
        self.summands(parts, range).fold(0.0, |sum, (_, worth)| sum + worth)
    }

    /// The parts of a score that apply, in plugin order.
    fn summands(&self, parts: &Parts, range: Range) -> impl Iterator<Item = (Part, f64)> {
        let scale = match self.config.revision {
            Revision::V0_13 => 1.0,
            Revision::V0_17 => 10.0,
        };
        let (applying, packing) = (parts.applying, parts.packing);
        let worth = move |part: Part| match part {
            Part::Placement => packing.within(range),
            Part::ResourceType => 10.0,
            Part::Availability => 100.0 * scale,
            Part::Sharing => 1000.0 * scale,
            Part::Nominated => 1_000_000.0 * scale,
        };
        let applies = move |i: usize| applying.checked_shr(i as u32).is_some_and(|bits| bits & 1 == 1);
        let applied = self.score_parts.iter().enumerate().filter(move |(i, _)| applies(*i));
        applied.map(move |(_, &part)| (part, worth(part)))
    }

    /// The score of a node with its parts.
    pub fn scored(&self, choice: &Choice, Ranked { score, node }: Ranked) -> Term {
        let (parts, range) = choice.parts(node);
        let part = |(part, worth): (Part, f64)| {
            let quantity = match part {
                Part::Placement => Quantity::ScorePlacement,
                Part::ResourceType => Quantity::ScoreCpuNode,
                Part::Availability => Quantity::ScoreFreeNow,
                Part::Sharing => Quantity::ScoreSharing,
                Part::Nominated => Quantity::ScoreNominated,
            };
            real(quantity, worth)
        };
        let mut terms: Vec<Term> = self.summands(&parts, range).map(part).collect();
        // A cycle may have a million of them.
        terms.shrink_to_fit();
        Term { parts: terms, ..real(Quantity::Score, score) }
    }
}

/// Any request other than whole devices.
fn wants_parts(r: &Request) -> bool {
    r.kind != GpuRequestKind::Regular || r.gpus == 0.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::PodRules;
    use crate::policy::kai::pool_state::CycleInput;
    use crate::policy::kai::recorded::{GpuAsk, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet};
    use crate::policy::kai::session::Session;
    use crate::policy::kai::task::{JobRef, PodRef};
    use crate::trace::Level;

    /// Scores of three nodes of 8 GPUs with 8, 5 and 2 free ones for a pod of 1 GPU (E5.2).
    fn scores(nominated: Option<&str>, without: &str) -> Vec<f64> {
        let name = |text: &str| -> Arc<str> { Arc::from(text) };
        let node = |(n, gpus)| SnapshotNode { name: name(n), gpus, pods: 110, ready: true, ..Default::default() };
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
        let mut session = Session::open(CycleInput::recorded(&snapshot), Level::Outcomes);
        let nodes_in_order: Vec<NodeRef> = (0..3).map(NodeRef::of).collect();
        let mut choice = session.choose(None, JobRef::of(0), PodRef(0), &nodes_in_order);
        let mut scores = vec![0.0; 3];
        while let Some(best) = choice.take_best() {
            scores[best.node.ix()] = best.score;
        }
        scores
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
