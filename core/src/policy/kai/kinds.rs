//! What was found out about nodes for pods of one kind, so that placing many alike pods looks at a node once.
//!
//! # Rule
//! None of its own. Whether a node fits and what makes up its score depend on the node and on what the pod asks for, but
//! for the capacity test, which depends on the queues and the memory of the node's devices, and the packing, which is
//! relative to all candidates. What depends on node and pod alone is kept until something is put on the node or taken
//! from it.
//!
//! # Source
//! kai.md 5.4, 5.5
//!
//! # Differs
//! nothing

use super::capacity::asked_on_node;
use super::orders::Chance;
use super::score::{Parts, Range};
use super::session::{PodFacts, Session};
use super::task::{JobRef, NodeRef, PodRef};
use crate::trace::NodeReason;

/// How many answers about nodes are kept in all, roughly.
const KEPT_MAX: usize = 250_000;

/// The kinds that were asked about lately.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    /// How often each node changed, from 1.
    versions: Vec<u32>,
    /// Memory of a device in MiB, each that some node has, once.
    models: Vec<i64>,
    n_asked: u64,
}

/// Pods that ask for the same, and what is known of nodes for them.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// One of them.
    pod: Option<PodRef>,
    known: Vec<Known>,
    /// By device model: whether the queues have no room for one more.
    gates: Vec<bool>,
    range: Range,
    asked: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The node's version when it was found out; 0: never.
    version: u32,
    /// What there is not enough of.
    lacks: Option<NodeReason>,
    /// What else keeps the pod away, but for the gate.
    excludes: Option<NodeReason>,
    /// Position of the memory of its devices among all models.
    model: u16,
    /// What its score is made of.
    pub parts: Parts,
}

impl Kinds {
    /// Nothing is known yet; `models`: the memory of each node's devices.
    pub fn new(models: impl Iterator<Item = i64>) -> Kinds {
        let mut kinds = Kinds::default();
        for mib in models {
            kinds.versions.push(1);
            if !kinds.models.contains(&mib) {
                kinds.models.push(mib);
            }
        }
        kinds
    }

    /// Something on a node changed.
    pub fn changed(&mut self, node: NodeRef) {
        self.versions[node.ix()] += 1;
    }

    /// Position of a device's memory among all models.
    pub fn model(&self, mib: i64) -> u16 {
        self.models.iter().position(|&m| m == mib).unwrap_or_default() as u16
    }
}

impl Kind {
    /// What is known of a node.
    #[cfg(test)]
    pub fn known(&self, at: NodeRef) -> &Known {
        &self.known[at.ix()]
    }
    /// What packing is relative to.
    #[cfg(test)]
    pub fn range(&self) -> Range {
        self.range
    }

    /// Why a node does not fit; `None` if it does.
    pub fn misfit(&self, at: NodeRef) -> Option<NodeReason> {
        let known = &self.known[at.ix()];
        let gate = || self.gates.get(usize::from(known.model)).is_some_and(|is_shut| *is_shut);
        known.lacks.or_else(|| gate().then_some(NodeReason::Gate)).or(known.excludes)
    }
}

impl Session<'_> {
    /// What is known of some nodes for a pod, as they are now. To be given back with [`Session::keep_kind`].
    pub fn kind_of(&mut self, job: JobRef, pod: PodRef, nodes: &[NodeRef]) -> Kind {
        let mut kind = self.take_kind(pod);
        let facts = &self.pods[pod.ix()];
        // The order of devices is drawn anew as the session goes on.
        let is_kept = !facts.request.is_shared() || !self.draws(Chance::Devices);
        let mut range = Range::default();
        for &at in nodes {
            let version = self.kinds.versions[at.ix()];
            let known = &mut kind.known[at.ix()];
            if known.version != version || !is_kept {
                *known = Known { version, ..self.look_at(facts, at) };
            }
            known.parts.widen(&mut range);
        }
        kind.range = range;
        kind.gates.clear();
        if self.plugins.predicates {
            let is_shut = |&mib| self.over_capacity(job, asked_on_node(&facts.request, mib)).is_some();
            kind.gates.extend(self.kinds.models.iter().map(is_shut));
        }
        kind
    }

    /// Keeps what is known for the next pod like this one.
    pub fn keep_kind(&mut self, kind: Kind) {
        let most = (KEPT_MAX / self.nodes.len().max(1)).clamp(2, 16);
        let kinds = &mut self.kinds.kinds;
        if kinds.len() >= most
            && let Some(oldest) = (0..kinds.len()).min_by_key(|&i| kinds[i].asked)
        {
            kinds.swap_remove(oldest);
        }
        kinds.push(kind);
    }

    fn take_kind(&mut self, pod: PodRef) -> Kind {
        let facts = &self.pods[pod.ix()];
        let is_alike = |kind: &Kind| kind.pod.is_some_and(|other| facts.is_alike(&self.pods[other.ix()]));
        let found = self.kinds.kinds.iter().position(is_alike);
        let mut kind = found.map(|i| self.kinds.kinds.swap_remove(i)).unwrap_or_default();
        self.kinds.n_asked += 1;
        kind.asked = self.kinds.n_asked;
        kind.pod = Some(pod);
        kind.known.resize(self.nodes.len(), Known::default());
        kind
    }

    fn look_at(&self, pod: &PodFacts, at: NodeRef) -> Known {
        let node = &self.nodes[at.ix()];
        let model = self.kinds.model(node.device_mib);
        let lacks = node.lacks(&pod.request, true);
        if lacks.is_some() {
            let parts = Parts::of(self.packing(node, &pod.request));
            return Known { version: 0, lacks, excludes: None, model, parts };
        }
        Known { version: 0, lacks, excludes: self.excludes(pod, at), model, parts: self.parts_of(at, pod) }
    }

    /// The best of some nodes and the next best, each with its score: of those that fit and are not among `tried`.
    pub fn best_two(&self, kind: &Kind, nodes: &[NodeRef], tried: &[NodeRef]) -> [Option<(f64, NodeRef)>; 2] {
        let [mut best, mut next] = [None::<(f64, NodeRef)>; 2];
        let is_better = |l: (f64, NodeRef), r: Option<(f64, NodeRef)>| {
            r.is_none_or(|r| l.0 > r.0 || (l.0 == r.0 && l.1 < r.1))
        };
        for &at in nodes.iter().filter(|at| kind.misfit(**at).is_none() && !tried.contains(at)) {
            let scored = (self.score(&kind.known[at.ix()].parts, kind.range), at);
            if is_better(scored, best) {
                next = best.replace(scored);
            } else if is_better(scored, next) {
                next = Some(scored);
            }
        }
        [best, next]
    }
}
