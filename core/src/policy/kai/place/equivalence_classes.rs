//! Cached node evaluations for classes of equal pods, so that not every pod visits every node.
//!
//! # Rule
//! None of its own. Fit and score of a node depend on the node and the pod's request, except for the capacity test,
//! which depends on the queues and the node's device memory, and packing, which is relative to all candidates. What
//! depends on node and pod alone is cached until a task is added to or removed from the node; the order of the
//! candidates is cached while the candidates, the capacity test and the packing range stay the same.
//!
//! # Source
//! kai.md 5.4, 5.5
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use super::super::record::notes::Misfits;
use crate::policy::kai::place::score_parts::{Parts, Range};
use crate::policy::kai::task::{NodeRef, PodRef};
use crate::policy::node_order::MOST;
use crate::trace::NodeReason;

/// Number of changes per node that are remembered.
const CHANGES_PER_NODE: usize = 4;

/// Node evaluations for the classes of recently placed pods.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct EquivalenceClasses {
    pub(super) classes: Vec<Choice>,
    /// Number of changes per node, from 1.
    pub(super) versions: Vec<u32>,
    /// Nodes that changed, in order, without the earliest changes.
    changed: Vec<NodeRef>,
    /// Number of changes left out.
    n_forgotten: usize,
    /// Distinct device memory sizes of all nodes, in MiB.
    pub(super) models: Vec<i64>,
    /// Number of choices begun.
    pub(super) n_choices: u64,
    /// Number of pods of a class that fit each node; cleared when any node changes.
    pub(in crate::policy::kai) rooms: BTreeMap<u32, Rc<[i64]>>,
}

impl EquivalenceClasses {
    /// Empty cache; `models` yields the device memory of each node.
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

    /// Invalidates the cached evaluations of a node.
    pub fn changed(&mut self, node: NodeRef) {
        self.versions[node.ix()] += 1;
        self.changed.push(node);
        self.rooms.clear();
    }

    /// Number of changes of nodes so far.
    pub(super) fn n_changes(&self) -> usize {
        self.n_forgotten + self.changed.len()
    }

    /// The nodes that changed after the first `n` changes; `None` if that is forgotten.
    pub(super) fn changed_since(&self, n: usize) -> Option<&[NodeRef]> {
        self.changed.get(n.checked_sub(self.n_forgotten)?..)
    }

    /// Forgets which nodes changed, once that takes longer to read than to evaluate all nodes.
    pub(super) fn forget_changes(&mut self) {
        if self.changed.len() > CHANGES_PER_NODE * self.versions.len() {
            self.n_forgotten = self.n_changes();
            self.changed.clear();
        }
    }

    pub(super) fn model(&self, mib: i64) -> u16 {
        self.models.iter().position(|&m| m == mib).unwrap_or_default() as u16
    }
}

/// Evaluation of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evaluation {
    /// Version of the node when it was evaluated; 0: never.
    pub(super) version: u32,
    /// First insufficient resource.
    pub(super) lacks: Option<NodeReason>,
    /// Other reason that excludes the pod, except for the gate.
    pub(super) excludes: Option<NodeReason>,
    /// Index of its device memory among all models.
    pub(super) model: u16,
    pub(super) parts: Parts,
}

/// Candidate nodes for the pods of one class, which have equal requests.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Choice {
    /// A pod of the class.
    pub(super) pod: Option<PodRef>,
    /// By node.
    pub(super) evaluations: Vec<Evaluation>,
    /// Number of the last choice for the class; the smallest is evicted first.
    pub(super) last_choice: u64,
    /// By device model: whether the capacity test fails.
    pub(super) gates: Vec<bool>,
    pub(super) range: Range,
    pub(super) ranking: Ranking,
    /// Number of the session's changes already applied.
    pub(super) n_changes: usize,
    /// Some candidates that did not fit when they were last ranked, for explanations; empty if none are recorded.
    pub(super) unfit: Vec<NodeRef>,
    /// Why no candidate fits, until a candidate changes.
    pub(super) misfits: Option<Rc<Misfits>>,
}

/// Candidates and their order.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// All candidates, including those that do not fit.
    pub(super) of: Vec<NodeRef>,
    /// By node: whether it is a candidate.
    pub(super) is_in: Vec<bool>,
    /// By node: its score; `None` if it is no candidate or does not fit.
    pub(super) scores: Vec<Option<f64>>,
    /// Fitting candidates, best first; entries with outdated scores are skipped.
    pub(super) best: BinaryHeap<Ranked>,
    /// Candidates removed from `best`; put back when the next choice begins.
    pub(super) taken: Vec<Ranked>,
}

impl Ranking {
    /// Removes all candidates.
    pub(super) fn clear(&mut self) {
        for node in self.of.drain(..) {
            (self.is_in[node.ix()], self.scores[node.ix()]) = (false, None);
        }
        self.best.clear();
        self.taken.clear();
    }

    /// Whether these are the candidates. Candidates ascend, so there is only one list of all nodes.
    pub(super) fn is_of(&self, nodes: &[NodeRef], n_nodes: usize) -> bool {
        debug_assert!(nodes.is_sorted_by(|a, b| a < b), "candidates ascend");
        self.of.len() == nodes.len() && (nodes.len() == n_nodes || self.of == nodes)
    }

    /// Sets the candidates; none fits yet.
    pub(super) fn begin(&mut self, nodes: &[NodeRef], n_nodes: usize) {
        self.clear();
        self.is_in.resize(n_nodes, false);
        self.scores.resize(n_nodes, None);
        nodes.iter().for_each(|node| self.is_in[node.ix()] = true);
        self.of.extend_from_slice(nodes);
    }

    /// Sets the fitting candidates.
    pub(super) fn order(&mut self, fitting: impl Iterator<Item = Ranked>) {
        let mut ranked = std::mem::take(&mut self.best).into_vec();
        ranked.clear();
        ranked.extend(fitting);
        ranked.iter().for_each(|r| self.scores[r.node.ix()] = Some(r.score));
        self.best = BinaryHeap::from(ranked);
    }
}

/// A candidate; a higher score is greater, for equal scores the smaller name.
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
    /// Removes and returns the best candidate.
    pub fn take_best(&mut self) -> Option<Ranked> {
        self.pass_over();
        let best = self.ranking.best.pop()?;
        // A node that changed and changed back is listed twice.
        while self.ranking.best.peek() == Some(&best) {
            self.ranking.best.pop();
        }
        self.ranking.taken.push(best);
        Some(best)
    }

    /// The best remaining candidates, at most as many as asked for.
    pub fn next_best(&mut self, n: usize) -> Vec<Ranked> {
        let best: Vec<Ranked> = (0..n).map_while(|_| self.take_best()).collect();
        self.ranking.best.extend(&best);
        best
    }

    /// Some candidates that do not fit.
    pub fn unfit(&self) -> impl Iterator<Item = NodeRef> {
        self.unfit.iter().copied().filter(|&node| self.misfit(node).is_some())
    }

    /// Notes a candidate that does not fit, in place of the one noted first if there are many.
    pub(super) fn note_unfit(&mut self, node: NodeRef) {
        self.unfit.retain(|&noted| noted != node);
        if self.unfit.len() == MOST {
            self.unfit.remove(0);
        }
        self.unfit.push(node);
    }

    /// Score parts of a node, and the range that packing is relative to.
    pub fn parts(&self, node: NodeRef) -> (Parts, Range) {
        (self.evaluations[node.ix()].parts, self.range)
    }

    fn pass_over(&mut self) {
        while let Some(top) = self.ranking.best.peek()
            && self.ranking.scores[top.node.ix()] != Some(top.score)
        {
            self.ranking.best.pop();
        }
    }

    /// Why a node does not fit; `None` if it does.
    pub fn misfit(&self, node: NodeRef) -> Option<NodeReason> {
        let evaluation = &self.evaluations[node.ix()];
        let gate = || self.gates.get(usize::from(evaluation.model)).is_some_and(|is_shut| *is_shut);
        evaluation.lacks.or_else(|| gate().then_some(NodeReason::Gate)).or(evaluation.excludes)
    }
}
