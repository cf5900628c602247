//! Candidate nodes for a pod, updated incrementally from pod to pod.
//!
//! # Rule
//! None of its own; see `equivalence_classes.rs`.
//!
//! # Source
//! kai.md 5.4, 5.5
//!
//! # Differs
//! nothing

use crate::policy::kai::fast::equivalence_classes::{Choice, EquivalenceClass, Known, Ranked};
use crate::policy::kai::order::nondeterminism::RandomOrder;
use crate::policy::kai::place::score_parts::{Parts, Range};
use crate::policy::kai::pod::PodFacts;
use crate::policy::kai::request::requested_on_node;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef};
use crate::policy::node_order::MOST;

/// Approximate bound on cached node evaluations in total.
const KEPT_MAX: usize = 250_000;

impl Session<'_> {
    /// Returns the current candidates for a pod, reusing those of the last pod if both are in the same class. Return them
    /// with [`Session::end_choice`].
    pub fn choose(&mut self, last: Option<Choice>, job: JobRef, pod: PodRef, nodes: &[NodeRef]) -> Choice {
        let mut choice = match last {
            Some(last) if self.is_of(&last.kind, pod) => last,
            last => {
                last.into_iter().for_each(|last| self.end_choice(last));
                self.begin_choice(pod)
            }
        };
        let gates = self.shut_gates(job, pod);
        if choice.gates != gates || !self.apply_changes(&mut choice) {
            choice.gates = gates;
            self.rank(&mut choice, nodes);
        }
        choice
    }

    /// Caches the evaluations for later pods of the same class.
    pub fn end_choice(&mut self, choice: Choice) {
        let most = (KEPT_MAX / self.nodes.len().max(1)).clamp(2, 16);
        let classes = &mut self.classes.classes;
        if classes.len() >= most
            && let Some(oldest) = (0..classes.len()).min_by_key(|&i| classes[i].last_choice)
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
        self.classes.n_choices += 1;
        kind.last_choice = self.classes.n_choices;
        kind.pod = Some(pod);
        kind.known.resize(self.nodes.len(), Known::default());
        self.classes.changed.clear();
        let ranking = std::mem::take(&mut self.classes.ranking);
        Choice { kind, gates: Vec::new(), range: Range::default(), ranking, n_changes: 0, unfit: Vec::new() }
    }

    /// (2), by device model; empty without the predicates plugin.
    fn shut_gates(&self, job: JobRef, pod: PodRef) -> Vec<bool> {
        let request = &self.pods[pod.ix()].request;
        let is_fixed = self.is_fixed(job, pod);
        let is_shut = |&mib: &i64| {
            let requested = requested_on_node(self.config.revision, request, mib);
            self.over_capacity(job, requested, is_fixed.then_some(requested)).is_some()
        };
        self.classes.models.iter().filter(|_| self.plugins.predicates).map(is_shut).collect()
    }

    /// Updates nodes changed since the last pod; `false` if the packing range may have changed.
    fn apply_changes(&self, choice: &mut Choice) -> bool {
        let changed = &self.classes.changed[choice.n_changes..];
        choice.n_changes = self.classes.changed.len();
        let mut is_as_before = !choice.ranking.of.is_empty();
        for &at in changed {
            if choice.ranking.is_in.get(at.ix()) != Some(&true) {
                continue;
            }
            let before = choice.kind.known[at.ix()].parts;
            let parts = self.evaluate(choice, at);
            is_as_before &= choice.range.replace(&before, &parts);
            if is_as_before {
                self.rank_one(choice, at);
            }
        }
        is_as_before
    }

    /// Ranks all candidates again.
    fn rank(&self, choice: &mut Choice, nodes: &[NodeRef]) {
        choice.n_changes = self.classes.changed.len();
        choice.ranking.begin(nodes, self.nodes.len());
        choice.range = Range::default();
        // With a random order of devices, cached choices among shared devices are invalid.
        let is_kept =
            |pod: PodRef| !self.pods[pod.ix()].request.is_shared() || !self.draws(RandomOrder::Devices);
        let is_kept = choice.kind.pod.is_some_and(is_kept);
        for &at in nodes {
            let known = &choice.kind.known[at.ix()];
            let is_known = is_kept && known.version == self.classes.versions[at.ix()];
            let parts = if is_known { known.parts } else { self.evaluate(choice, at) };
            choice.range.add(&parts);
        }
        let mut ranking = std::mem::take(&mut choice.ranking);
        let score = |at: NodeRef| self.score(&choice.kind.known[at.ix()].parts, choice.range);
        let mut unfit = Vec::new();
        let n_noted = if self.notes.is_on() { MOST } else { 0 };
        let fitting = nodes.iter().filter(|&&at| {
            let fits = choice.misfit(at).is_none();
            if !fits && unfit.len() < n_noted {
                unfit.push(at);
            }
            fits
        });
        ranking.order(fitting.map(|&at| Ranked { score: score(at), node: at }));
        (choice.ranking, choice.unfit) = (ranking, unfit);
    }

    fn rank_one(&self, choice: &mut Choice, at: NodeRef) {
        let score = self.score(&choice.kind.known[at.ix()].parts, choice.range);
        let score = choice.misfit(at).is_none().then_some(score);
        if score.is_none() && self.notes.is_on() {
            choice.note_unfit(at);
        }
        choice.ranking.scores[at.ix()] = score;
        choice.ranking.best.extend(score.map(|score| Ranked { score, node: at }));
    }

    /// Evaluates a node and caches the result.
    fn evaluate(&self, choice: &mut Choice, at: NodeRef) -> Parts {
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
