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

use crate::policy::kai::order::nondeterminism::RandomOrder;
use crate::policy::kai::place::score::{Parts, Range};
use crate::policy::kai::pod::PodFacts;
use crate::policy::kai::request::{self, Request};
use crate::policy::kai::session::Session;
use crate::policy::kai::share::capacity::asked_on_node;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef};
use crate::trace::NodeReason;

/// How many answers about nodes are kept in all, roughly.
const KEPT_MAX: usize = 250_000;

/// Numbers pods by what a choice of nodes depends on.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Numbering {
    known: BTreeMap<Key, u32>,
    /// The pod before, as most pods are like it.
    last: Option<(Request, u32, Option<NodeRef>, u32)>,
}

/// The bits of CPU, memory, portion and devices; named resources; the kind; devices, memory of each; likeness; nominated.
type Key = ([u64; 4], Vec<i64>, request::Kind, [i64; 2], u32, Option<NodeRef>);

impl Numbering {
    /// The same number for pods with the same request and `likeness`, for which the same node is nominated.
    pub fn number(&mut self, request: &Request, likeness: u32, nominated: Option<NodeRef>) -> u32 {
        if let Some((r, l, n, number)) = &self.last
            && (r, *l, *n) == (request, likeness, nominated)
        {
            return *number;
        }
        let Request { cpu, memory, scalars, kind, count, portion, mib, gpus } = request;
        let bits = [cpu, memory, portion, gpus].map(|amount| amount.to_bits());
        let key = (bits, scalars.clone(), *kind, [*count, *mib], likeness, nominated);
        let next = self.known.len() as u32;
        let number = *self.known.entry(key).or_insert(next);
        self.last = Some((request.clone(), likeness, nominated, number));
        number
    }
}

/// What was found out about nodes, for the classes of pods that were placed lately.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct EquivalenceClasses {
    classes: Vec<EquivalenceClass>,
    /// How often each node changed, from 1.
    versions: Vec<u32>,
    /// The nodes that changed since the present choice was begun, in order.
    changed: Vec<NodeRef>,
    /// Memory of a device in MiB, each that some node has, once.
    models: Vec<i64>,
    n_asked: u64,
    /// That of the last choice, to be used again.
    ranking: Ranking,
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
    }

    fn model(&self, mib: i64) -> u16 {
        self.models.iter().position(|&m| m == mib).unwrap_or_default() as u16
    }
}

/// Pods that ask for the same, and what is known of nodes for them.
#[derive(Debug, Default)]
struct EquivalenceClass {
    /// One of them.
    pod: Option<PodRef>,
    known: Vec<Known>,
    asked: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The node's version when it was found out; 0: never.
    version: u32,
    /// What there is not enough of.
    lacks: Option<NodeReason>,
    /// What else keeps the pod away, but for the gate.
    excludes: Option<NodeReason>,
    /// Position of the memory of its devices among all models.
    model: u16,
    parts: Parts,
}

/// Nodes to choose from for pods of one kind, one pod after the other.
#[derive(Debug)]
pub(in crate::policy::kai) struct Choice {
    kind: EquivalenceClass,
    /// By device model: whether the queues have no room for one more.
    gates: Vec<bool>,
    range: Range,
    ranking: Ranking,
    /// How many of the session's changes are taken in.
    n_changes: usize,
}

/// Candidates and their order.
#[derive(Debug, Default)]
struct Ranking {
    /// The candidates, whether they fit or not.
    of: Vec<NodeRef>,
    /// By node: whether it is a candidate.
    is_in: Vec<bool>,
    /// By node: its score; `None`: it is no candidate or does not fit.
    scores: Vec<Option<f64>>,
    /// Those that fit, best first; those whose score is another by now are passed over.
    best: BinaryHeap<Ranked>,
}

impl Ranking {
    /// Has no candidates any more.
    fn clear(&mut self) {
        for at in self.of.drain(..) {
            (self.is_in[at.ix()], self.scores[at.ix()]) = (false, None);
        }
        self.best.clear();
    }

    /// Begins with candidates none of which fits yet.
    fn begin(&mut self, nodes: &[NodeRef], n_nodes: usize) {
        self.clear();
        self.is_in.resize(n_nodes, false);
        self.scores.resize(n_nodes, None);
        nodes.iter().for_each(|at| self.is_in[at.ix()] = true);
        self.of.extend_from_slice(nodes);
    }

    /// Sets those that fit.
    fn order(&mut self, fitting: impl Iterator<Item = Ranked>) {
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

    fn misfit(&self, at: NodeRef) -> Option<NodeReason> {
        let known = &self.kind.known[at.ix()];
        let gate = || self.gates.get(usize::from(known.model)).is_some_and(|is_shut| *is_shut);
        known.lacks.or_else(|| gate().then_some(NodeReason::Gate)).or(known.excludes)
    }
}

impl Session<'_> {
    /// The nodes to choose from for a pod as they are now, where the last pod's may serve again. To be given back with
    /// [`Session::end_choice`].
    pub fn choose(&mut self, last: Option<Choice>, job: JobRef, pod: PodRef, nodes: &[NodeRef]) -> Choice {
        let mut choice = match last {
            Some(last) if self.is_of(&last.kind, pod) => last,
            last => {
                last.into_iter().for_each(|last| self.end_choice(last));
                self.begin_choice(pod)
            }
        };
        let gates = self.shut_gates(job, pod);
        if choice.gates != gates || !self.take_changes_in(&mut choice) {
            choice.gates = gates;
            self.rank(&mut choice, nodes);
        }
        choice
    }

    /// Keeps what is known for later pods of the kind.
    pub fn end_choice(&mut self, choice: Choice) {
        let most = (KEPT_MAX / self.nodes.len().max(1)).clamp(2, 16);
        let classes = &mut self.classes.classes;
        if classes.len() >= most
            && let Some(oldest) = (0..classes.len()).min_by_key(|&i| classes[i].asked)
        {
            classes.swap_remove(oldest);
        }
        classes.push(choice.kind);
        self.classes.ranking = choice.ranking;
        self.classes.ranking.clear();
    }

    fn is_of(&self, kind: &EquivalenceClass, pod: PodRef) -> bool {
        kind.pod.is_some_and(|other| self.pods[pod.ix()].kind == self.pods[other.ix()].kind)
    }

    fn begin_choice(&mut self, pod: PodRef) -> Choice {
        let found = self.classes.classes.iter().position(|kind| self.is_of(kind, pod));
        let mut kind = found.map(|i| self.classes.classes.swap_remove(i)).unwrap_or_default();
        self.classes.n_asked += 1;
        kind.asked = self.classes.n_asked;
        kind.pod = Some(pod);
        kind.known.resize(self.nodes.len(), Known::default());
        self.classes.changed.clear();
        let ranking = std::mem::take(&mut self.classes.ranking);
        Choice { kind, gates: Vec::new(), range: Range::default(), ranking, n_changes: 0 }
    }

    /// (2), by device model; nothing where there is no such test.
    fn shut_gates(&self, job: JobRef, pod: PodRef) -> Vec<bool> {
        let request = &self.pods[pod.ix()].request;
        let is_fixed = self.is_fixed(job, pod);
        let is_shut = |&mib: &i64| {
            let asked = asked_on_node(request, mib);
            self.over_capacity(job, asked, is_fixed.then_some(asked)).is_some()
        };
        self.classes.models.iter().filter(|_| self.plugins.predicates).map(is_shut).collect()
    }

    /// Looks again at what changed since the last pod; `false` if packing is relative to something else now.
    fn take_changes_in(&self, choice: &mut Choice) -> bool {
        let changed = &self.classes.changed[choice.n_changes..];
        choice.n_changes = self.classes.changed.len();
        let mut is_as_before = !choice.ranking.of.is_empty();
        for &at in changed {
            if choice.ranking.is_in.get(at.ix()) != Some(&true) {
                continue;
            }
            let before = choice.kind.known[at.ix()].parts;
            let parts = self.look_at(choice, at);
            is_as_before &= choice.range.replace(&before, &parts);
            if is_as_before {
                self.rank_one(choice, at);
            }
        }
        is_as_before
    }

    /// Ranks all candidates anew.
    fn rank(&self, choice: &mut Choice, nodes: &[NodeRef]) {
        choice.n_changes = self.classes.changed.len();
        choice.ranking.begin(nodes, self.nodes.len());
        choice.range = Range::default();
        // The order of devices is drawn anew as the session goes on.
        let is_kept =
            |pod: PodRef| !self.pods[pod.ix()].request.is_shared() || !self.draws(RandomOrder::Devices);
        let is_kept = choice.kind.pod.is_some_and(is_kept);
        for &at in nodes {
            let known = &choice.kind.known[at.ix()];
            let is_known = is_kept && known.version == self.classes.versions[at.ix()];
            let parts = if is_known { known.parts } else { self.look_at(choice, at) };
            choice.range.add(&parts);
        }
        let mut ranking = std::mem::take(&mut choice.ranking);
        let score = |at: NodeRef| self.score(&choice.kind.known[at.ix()].parts, choice.range);
        let fitting = nodes.iter().filter(|&&at| choice.misfit(at).is_none());
        ranking.order(fitting.map(|&at| Ranked { score: score(at), node: at }));
        choice.ranking = ranking;
    }

    fn rank_one(&self, choice: &mut Choice, at: NodeRef) {
        let score = self.score(&choice.kind.known[at.ix()].parts, choice.range);
        let score = choice.misfit(at).is_none().then_some(score);
        choice.ranking.scores[at.ix()] = score;
        choice.ranking.best.extend(score.map(|score| Ranked { score, node: at }));
    }

    /// Finds out what there is to know of a node.
    fn look_at(&self, choice: &mut Choice, at: NodeRef) -> Parts {
        let Some(pod) = choice.kind.pod.map(|pod| &self.pods[pod.ix()]) else { return Parts::default() };
        let known = self.knowledge(pod, at);
        choice.kind.known[at.ix()] = known;
        known.parts
    }

    fn knowledge(&self, pod: &PodFacts, at: NodeRef) -> Known {
        let node = &self.nodes[at.ix()];
        let (version, model) = (self.classes.versions[at.ix()], self.classes.model(node.device_mib));
        let lacks = node.lacks(&pod.request, true);
        if lacks.is_some() {
            let parts = Parts::of(self.packing(node, &pod.request));
            return Known { version, lacks, excludes: None, model, parts };
        }
        Known { version, lacks, excludes: self.excludes(pod, at), model, parts: self.parts_of(at, pod) }
    }
}
