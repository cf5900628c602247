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

use crate::policy::kai::order::nondeterminism::RandomOrder;
use crate::policy::kai::place::equivalence_classes::{Choice, Evaluation, Ranked};
use crate::policy::kai::place::score_parts::{Parts, Range};
use crate::policy::kai::pod::PodFacts;
use crate::policy::kai::request::requested_on_node;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef};
use crate::policy::node_order::MOST;

/// Approximate bound on cached node evaluations in total.
const KEPT_MAX: usize = 250_000;

impl Session<'_> {
    /// Returns the current candidates for a pod, reusing those of the last pod if both are in the same class. Return
    /// them with [`Session::end_choice`].
    pub fn choose(&mut self, last: Option<Choice>, job: JobRef, pod: PodRef, nodes: &[NodeRef]) -> Choice {
        let (mut choice, is_new) = match last {
            Some(last) if self.is_of(&last, pod) => (last, false),
            last => {
                last.into_iter().for_each(|last| self.end_choice(last));
                (self.begin_choice(pod, nodes), true)
            }
        };
        let gates = self.shut_gates(job, pod);
        if choice.gates != gates || !self.apply_changes(&mut choice) {
            choice.gates = gates;
            self.rank(&mut choice, nodes);
        } else if is_new {
            choice.unfit = self.first_unfit(&choice);
        }
        choice
    }

    /// Caches the evaluations for later pods of the same class.
    pub fn end_choice(&mut self, choice: Choice) {
        let most = (KEPT_MAX / self.state.nodes.len().max(1)).clamp(2, 16);
        let classes = &mut self.caches.classes.classes;
        if classes.len() >= most
            && let Some(oldest) = (0..classes.len()).min_by_key(|&i| classes[i].last_choice)
        {
            classes.swap_remove(oldest);
        }
        classes.push(choice);
    }

    fn is_of(&self, choice: &Choice, pod: PodRef) -> bool {
        choice.pod.is_some_and(|other| self.inputs.pods[pod.ix()].kind == self.inputs.pods[other.ix()].kind)
    }

    fn begin_choice(&mut self, pod: PodRef, nodes: &[NodeRef]) -> Choice {
        let cached = self.caches.classes.classes.iter().position(|choice| self.is_of(choice, pod));
        let mut choice = cached.map(|i| self.caches.classes.classes.swap_remove(i)).unwrap_or_default();
        self.caches.classes.n_choices += 1;
        choice.last_choice = self.caches.classes.n_choices;
        choice.pod = Some(pod);
        choice.evaluations.resize(self.state.nodes.len(), Evaluation::default());
        self.caches.classes.forget_changes();
        choice.ranking.best.extend(std::mem::take(&mut choice.ranking.taken));
        // Parts of devices may be chosen in a random order, with other scores each time.
        let is_shared = self.inputs.pods[pod.ix()].request.is_shared();
        if is_shared
            || !self.caches.keeps_lists
            || !choice.ranking.is_of(nodes, self.state.nodes.len())
            || choice.ranking.best.len() > 2 * nodes.len()
        {
            choice.ranking.clear();
        }
        choice
    }

    /// (2), by device model; empty without the predicates plugin.
    fn shut_gates(&self, job: JobRef, pod: PodRef) -> Vec<bool> {
        let request = &self.inputs.pods[pod.ix()].request;
        let is_fixed = self.is_fixed(job, pod);
        let is_shut = |&mib: &i64| {
            let requested = requested_on_node(self.inputs.config.revision, request, mib);
            self.over_capacity(job, requested, is_fixed.then_some(requested)).is_some()
        };
        self.caches.classes.models.iter().filter(|_| self.inputs.plugins.predicates).map(is_shut).collect()
    }

    /// Updates nodes changed since the last pod; `false` if the packing range may have changed.
    fn apply_changes(&self, choice: &mut Choice) -> bool {
        let Some(changed) = self.caches.classes.changed_since(choice.n_changes) else { return false };
        choice.n_changes = self.caches.classes.n_changes();
        let mut is_as_before = !choice.ranking.of.is_empty();
        for &node in changed {
            if choice.ranking.is_in.get(node.ix()) != Some(&true) {
                continue;
            }
            choice.misfits = None;
            let before = choice.evaluations[node.ix()].parts;
            let parts = self.evaluate(choice, node);
            is_as_before &= choice.range.replace(&before, &parts);
            if is_as_before {
                self.rank_one(choice, node);
            }
        }
        is_as_before
    }

    /// Ranks all candidates again.
    fn rank(&self, choice: &mut Choice, nodes: &[NodeRef]) {
        choice.n_changes = self.caches.classes.n_changes();
        choice.misfits = None;
        choice.ranking.begin(nodes, self.state.nodes.len());
        choice.range = Range::default();
        // With a random order of devices, cached choices among shared devices are invalid.
        let is_kept =
            |pod: PodRef| !self.inputs.pods[pod.ix()].request.is_shared() || !self.inputs.draws(RandomOrder::Devices);
        let is_kept = choice.pod.is_some_and(is_kept);
        for &node in nodes {
            let evaluation = &choice.evaluations[node.ix()];
            let is_current = is_kept && evaluation.version == self.caches.classes.versions[node.ix()];
            let parts = if is_current { evaluation.parts } else { self.evaluate(choice, node) };
            choice.range.add(&parts);
        }
        let mut ranking = std::mem::take(&mut choice.ranking);
        let score = |node: NodeRef| self.inputs.score(&choice.evaluations[node.ix()].parts, choice.range);
        let fitting = nodes.iter().filter(|&&node| choice.misfit(node).is_none());
        ranking.order(fitting.map(|&node| Ranked { score: score(node), node }));
        choice.ranking = ranking;
        choice.unfit = self.first_unfit(choice);
    }

    /// The first candidates that do not fit, for explanations.
    fn first_unfit(&self, choice: &Choice) -> Vec<NodeRef> {
        let n_noted = if self.notes.is_on() { MOST } else { 0 };
        let unfit = choice.ranking.of.iter().copied().filter(|&node| choice.misfit(node).is_some());
        unfit.take(n_noted).collect()
    }

    fn rank_one(&self, choice: &mut Choice, node: NodeRef) {
        let score = self.inputs.score(&choice.evaluations[node.ix()].parts, choice.range);
        let score = choice.misfit(node).is_none().then_some(score);
        if score.is_none() && self.notes.is_on() {
            choice.note_unfit(node);
        }
        choice.ranking.scores[node.ix()] = score;
        choice.ranking.best.extend(score.map(|score| Ranked { score, node }));
    }

    /// Evaluates a node and caches the result.
    fn evaluate(&self, choice: &mut Choice, node: NodeRef) -> Parts {
        let Some(pod) = choice.pod.map(|pod| &self.inputs.pods[pod.ix()]) else { return Parts::default() };
        let evaluation = self.evaluation(pod, node);
        choice.evaluations[node.ix()] = evaluation;
        evaluation.parts
    }

    fn evaluation(&self, pod: &PodFacts, host: NodeRef) -> Evaluation {
        let node = &self.state.nodes[host.ix()];
        let (version, model) = (self.caches.classes.versions[host.ix()], self.caches.classes.model(node.device_mib));
        let lacks = node.lacks(&pod.request, true);
        let (excludes, parts) = match lacks {
            Some(_) => (None, Parts::of(self.inputs.packing(node, &pod.request))),
            None => (self.excludes(pod, host), self.inputs.parts_of((host, node), pod)),
        };
        Evaluation { version, lacks, excludes, model, parts }
    }
}
