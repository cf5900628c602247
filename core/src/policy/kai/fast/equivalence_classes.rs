//! Choosing nodes for many pods of one kind without looking at every node for every pod.
//!
//! # Rule
//! None of its own. Whether a node fits and what makes up its score depend on the node and on what the pod asks for, but
//! for the capacity test, which depends on the queues and the memory of the node's devices, and the packing, which is
//! relative to all candidates. What depends on node and pod alone is kept until something is put on the node or taken
//! from it; the order of the candidates, for as long as the capacity test and what packing is relative to stay the same.
//!
//! # Source
//! kai.md 5.4, 5.5
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use crate::policy::kai::place::score_parts::{Parts, Range};
use crate::policy::kai::task::{NodeRef, PodRef};
use crate::trace::NodeReason;

/// What was found out about nodes, for the classes of pods that were placed lately.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct EquivalenceClasses {
    pub(super) classes: Vec<EquivalenceClass>,
    /// How often each node changed, from 1.
    pub(super) versions: Vec<u32>,
    /// The nodes that changed since the present choice was begun, in order.
    pub(super) changed: Vec<NodeRef>,
    /// Memory of a device in MiB, each that some node has, once.
    pub(super) models: Vec<i64>,
    pub(super) n_asked: u64,
    /// By class of pods: how many fit each node, as long as nothing changes on any.
    pub(super) rooms: BTreeMap<u32, Rc<[i64]>>,
    /// That of the last choice, to be used again.
    pub(super) ranking: Ranking,
}

impl EquivalenceClasses {
    /// Nothing is known yet; `models`: the memory of each node's devices.
    pub fn new(models: impl Iterator<Item = i64>) -> EquivalenceClasses {
        let mut classes = EquivalenceClasses::default();
        for mib in models {
            classes.versions.push(1);
            if !classes.models.contains(&mib) {
                classes.models.push(mib);
            }
        }
        classes
    }

    /// Something on a node changed.
    pub fn changed(&mut self, node: NodeRef) {
        self.versions[node.ix()] += 1;
        self.changed.push(node);
        self.rooms.clear();
    }

    pub(super) fn model(&self, mib: i64) -> u16 {
        self.models.iter().position(|&m| m == mib).unwrap_or_default() as u16
    }
}

/// Pods that ask for the same, and what is known of nodes for them.
#[derive(Debug, Default)]
pub(super) struct EquivalenceClass {
    /// One of them.
    pub(super) pod: Option<PodRef>,
    pub(super) known: Vec<Known>,
    pub(super) asked: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The node's version when it was found out; 0: never.
    pub(super) version: u32,
    /// What there is not enough of.
    pub(super) lacks: Option<NodeReason>,
    /// What else keeps the pod away, but for the gate.
    pub(super) excludes: Option<NodeReason>,
    /// Position of the memory of its devices among all models.
    pub(super) model: u16,
    pub(super) parts: Parts,
}

/// Nodes to choose from for pods of one kind, one pod after the other.
#[derive(Debug)]
pub(in crate::policy::kai) struct Choice {
    pub(super) kind: EquivalenceClass,
    /// By device model: whether the queues have no room for one more.
    pub(super) gates: Vec<bool>,
    pub(super) range: Range,
    pub(super) ranking: Ranking,
    /// How many of the session's changes are taken in.
    pub(super) n_changes: usize,
}

/// Candidates and their order.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// The candidates, whether they fit or not.
    pub(super) of: Vec<NodeRef>,
    /// By node: whether it is a candidate.
    pub(super) is_in: Vec<bool>,
    /// By node: its score; `None`: it is no candidate or does not fit.
    pub(super) scores: Vec<Option<f64>>,
    /// Those that fit, best first; those whose score is another by now are passed over.
    pub(super) best: BinaryHeap<Ranked>,
}

impl Ranking {
    /// Has no candidates any more.
    pub(super) fn clear(&mut self) {
        for at in self.of.drain(..) {
            (self.is_in[at.ix()], self.scores[at.ix()]) = (false, None);
        }
        self.best.clear();
    }

    /// Begins with candidates none of which fits yet.
    pub(super) fn begin(&mut self, nodes: &[NodeRef], n_nodes: usize) {
        self.clear();
        self.is_in.resize(n_nodes, false);
        self.scores.resize(n_nodes, None);
        nodes.iter().for_each(|at| self.is_in[at.ix()] = true);
        self.of.extend_from_slice(nodes);
    }

    /// Sets those that fit.
    pub(super) fn order(&mut self, fitting: impl Iterator<Item = Ranked>) {
        let mut ranked = std::mem::take(&mut self.best).into_vec();
        ranked.clear();
        ranked.extend(fitting);
        ranked.iter().for_each(|r| self.scores[r.node.ix()] = Some(r.score));
        self.best = BinaryHeap::from(ranked);
    }
}

/// A candidate; the one with the higher score, or else the smaller name, is the greater.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::policy::kai) struct Ranked {
    pub score: f64,
    pub node: NodeRef,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        let by_score = self.score.partial_cmp(&other.score).expect("scores are never NaN");
        by_score.then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Choice {
    /// Takes the best candidate out.
    pub fn take_best(&mut self) -> Option<Ranked> {
        self.pass_over();
        self.ranking.best.pop()
    }

    /// The best of those that are left.
    pub fn next_best(&mut self) -> Option<Ranked> {
        self.pass_over();
        self.ranking.best.peek().copied()
    }

    /// Why each of some nodes that do not fit does not.
    pub fn misfits(&self, nodes: &[NodeRef]) -> Vec<NodeReason> {
        nodes.iter().filter_map(|&at| self.misfit(at)).collect()
    }

    fn pass_over(&mut self) {
        while let Some(top) = self.ranking.best.peek()
            && self.ranking.scores[top.node.ix()] != Some(top.score)
        {
            self.ranking.best.pop();
        }
    }

    pub(super) fn misfit(&self, at: NodeRef) -> Option<NodeReason> {
        let known = &self.kind.known[at.ix()];
        let gate = || self.gates.get(usize::from(known.model)).is_some_and(|is_shut| *is_shut);
        known.lacks.or_else(|| gate().then_some(NodeReason::Gate)).or(known.excludes)
    }
}
