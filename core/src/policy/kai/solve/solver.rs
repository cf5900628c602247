//! Search for victims that let a job run.
//!
//! # Rule
//! Partial jobs, with the first k tasks of the job's chunk, are solved by *probes*, each with the *recorded* victims of
//! the last successful one. A probe tries its attempts with the recorded victims alone, then with ever more candidates,
//! until one succeeds; hypotheses that fail a filter are skipped but keep their victims. Which k are tried, and which
//! attempts a hypothesis has, depends on the generator: see `solve_by` and [`crate::policy::kai::solve::attempts`].
//!
//! # Source
//! kai.md 6.5; kai-v0.17.md 18.1-18.4
//!
//! # Differs
//! in v0.13 a job without a placeable task left, which crashes the real scheduler, is unsolved and reported; in
//! v0.17 the limits of time (18.9) are not simulated

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::job::Chunk;
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::notes::Proof;
use crate::policy::kai::record::recorder::Recorder;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::attempts::{FailedScenarios, Generator, Solution};
use crate::policy::kai::solve::filters::Filters;
use crate::policy::kai::solve::hypothesis::Hypothesis;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::statement::Statement;
use crate::policy::kai::task::{JobRef, NodeRef, TaskRef};

/// A statement that lets a job run, and the comparisons that allow it.
#[derive(Debug)]
pub(in crate::policy::kai) struct Solved {
    pub statement: Statement,
    pub proof: Proof,
}

/// A job for which victims are searched.
pub(in crate::policy::kai) struct Claimant<'a> {
    pub search: &'a VictimSearch,
    pub job: JobRef,
    /// All tasks to place.
    chunk: Chunk,
    /// Nodes on which it may be placed without evictions.
    feasible: Vec<bool>,
    /// Candidates, unless each probe lists them anew.
    candidates: Option<Leaves>,
    /// Scenarios that failed.
    failed: FailedScenarios,
}

/// Victims recorded for the next probe.
#[derive(Clone, Default)]
struct Recording {
    groups: Vec<Chunk>,
    /// Nodes of the evicted and moved tasks.
    nodes: Vec<NodeRef>,
}

/// What a probe found.
enum Probe {
    Solved(Solution),
    Unsolved,
    /// The partial job has no task to place.
    Empty,
}

impl Session<'_> {
    /// Returns the statement that lets a job's chunk run, if one exists.
    pub fn solve(&mut self, search: &VictimSearch, job: JobRef, out: &mut Recorder<'_>) -> Option<Solved> {
        if !matches!(search, VictimSearch::Consolidation { .. }) {
            self.notes.about(job, |note| note.tried = note.tried.or(Some(0)));
        }
        self.compute_deferred_signatures();
        let feasible = self.feasible_nodes(job);
        let chunk = self.chunk(job, false);
        self.notes.begin_search(chunk.len());
        let generators = Generator::in_turn(self.inputs.config);
        let lists_once = !generators.contains(&Generator::NodeByNode)
            && !matches!(search, VictimSearch::Consolidation { most: Some(_) });
        let candidates = (lists_once && !chunk.is_empty()).then(|| self.victims_for(search, job));
        if self.notes.is_on() && !chunk.is_empty() {
            self.note_protected(search, job);
        }
        let mut claimant = Claimant { search, job, chunk, feasible, candidates, failed: BTreeSet::new() };
        let solved =
            generators.into_iter().find_map(|generator| self.solve_by(generator, &mut claimant, out)).flatten();
        if solved.is_none() {
            self.note_failed(search, &claimant);
        }
        solved
    }

    /// Keeps what a search without result has tried. A consolidation leaves no reason why a job waits.
    fn note_failed(&mut self, search: &VictimSearch, claimant: &Claimant<'_>) {
        let job = claimant.job;
        if self.notes.is_on() && !claimant.chunk.is_empty() {
            self.note_immovable(search, job);
        }
        let tried = std::mem::take(&mut self.notes.search);
        if !matches!(search, VictimSearch::Consolidation { .. }) {
            self.notes.about(job, |note| note.searched.get_or_insert_default().join(tried));
        }
    }

    /// The search of one generator: `None` if it finds no solution, `Some(None)` if its solution does not count.
    ///
    /// # v0.13
    /// k = 1 … n, until the first failure; the statement for n is kept.
    ///
    /// # v0.17
    /// k = 1, 2, 4 …, at most n, until the first failure, then by bisection; then n once more, with the recorded
    /// victims of the last success: its statement is kept. The last one is left in place if the job, with a number of
    /// subgroups that would be enough, does not reach the minimum of all its pod sets; no other generator is
    /// asked then.
    fn solve_by(
        &mut self,
        generator: Generator,
        claimant: &mut Claimant<'_>,
        out: &mut Recorder<'_>,
    ) -> Option<Option<Solved>> {
        let used_before = self.job(claimant.job).active_used();
        let solution = match generator {
            Generator::NodeByNode => self.one_more_at_a_time(claimant, out)?,
            Generator::NodeLocalGreedy | Generator::MultiNodeGang => self.by_bisection(generator, claimant)?,
        };
        let job = self.job(claimant.job);
        if job.is_gang_satisfied() && job.active_used() > used_before {
            return Some(Some(Solved { statement: solution.statement, proof: solution.proof }));
        }
        if generator != Generator::NodeByNode {
            out.unfinished(self, claimant.job, &solution.statement);
        }
        self.caches.waiting = None;
        Some(None)
    }

    fn one_more_at_a_time(&mut self, claimant: &mut Claimant<'_>, out: &mut Recorder<'_>) -> Option<Solution> {
        let n = claimant.chunk.len();
        let mut recording = Recording::default();
        for k in 1..=n {
            match self.probe(Generator::NodeByNode, claimant, k, recording) {
                Probe::Solved(solution) if k == n => return Some(solution),
                Probe::Solved(solution) => recording = self.recorded(solution),
                Probe::Unsolved => return None,
                Probe::Empty => {
                    out.crashed(self, claimant.job);
                    return None;
                }
            }
        }
        None
    }

    fn by_bisection(&mut self, generator: Generator, claimant: &mut Claimant<'_>) -> Option<Solution> {
        let n = claimant.chunk.len();
        let (mut solved, mut failed) = (0, None);
        let mut recording = Recording::default();
        let mut k = 1;
        while k <= n {
            if let Probe::Solved(solution) = self.probe(generator, claimant, k, recording.clone()) {
                recording = self.recorded(solution);
                solved = k;
            } else {
                failed = Some(k);
            }
            k = match failed {
                None if solved < n => (2 * k).min(n),
                Some(failed) if failed - solved > 1 => (solved + failed) / 2,
                _ => break,
            };
        }
        if solved == 0 {
            return None;
        }
        match self.probe(generator, claimant, n, recording) {
            Probe::Solved(solution) => Some(solution),
            Probe::Unsolved | Probe::Empty => None,
        }
    }

    /// Undoes a solution and keeps its victims.
    fn recorded(&mut self, solution: Solution) -> Recording {
        solution.statement.discard(self);
        let nodes = solution.displaced.iter().filter_map(|&t| self.task(t).node).collect();
        Recording { groups: solution.groups, nodes }
    }

    /// 6.1d: nodes with idle or releasing devices; all nodes if some pod requests no GPU.
    fn feasible_nodes(&self, job: JobRef) -> Vec<bool> {
        let any_cpu_only = self.job(job).tasks().any(|t| self.pod_of(t).request.is_cpu_only());
        let has_room = |n: &crate::policy::kai::place::node::Node| n.sum_idle() > 0.0 || n.sum_releasing() > 0.0;
        self.state.nodes.iter().map(|n| any_cpu_only || has_room(n)).collect()
    }

    /// Clones a job with only some of its pending tasks, all of them required.
    ///
    /// # v0.17
    /// The clone also has the job's active tasks; minimums are lowered to what it has, not raised.
    fn partial_job(&mut self, generator: Generator, job: JobRef, pending: &[TaskRef]) -> JobRef {
        let keeps_active = generator != Generator::NodeByNode;
        let mut tasks = pending.to_vec();
        if keeps_active {
            tasks.extend(self.state.active_of(job));
        }
        let partial = self.clone_with_tasks(job, &tasks);
        let counted = |set: usize| tasks.iter().filter(|&&t| self.pod_of(t).set == set).count() as i64;
        let counts: Vec<i64> = (0..self.job(partial).sets.len()).map(counted).collect();
        let state = &mut self.state.jobs[partial.ix()];
        for (set, &n) in state.sets.iter_mut().zip(&counts).filter(|(_, n)| **n > 0) {
            set.min_available = if keeps_active { set.min_available.min(n) } else { n };
        }
        if keeps_active && let Some(tree) = &state.tree {
            state.tree = Some(Arc::new(tree.needing_only(&|set| counts[set] > 0)));
        }
        self.place_job(partial);
        partial
    }

    /// Solves the first `k` tasks.
    fn probe(&mut self, generator: Generator, claimant: &mut Claimant<'_>, k: usize, recording: Recording) -> Probe {
        let partial = self.partial_job(generator, claimant.job, &claimant.chunk[..k]);
        let chunk = self.chunk(partial, false);
        if chunk.is_empty() {
            return Probe::Empty;
        }
        let pending = match generator {
            // Includes tasks of a stale chunk that cannot be placed.
            Generator::NodeByNode => self.job(partial).tasks().collect(),
            Generator::NodeLocalGreedy | Generator::MultiNodeGang => chunk.to_vec(),
        };
        let mut nodes = claimant.feasible.clone();
        recording.nodes.iter().for_each(|n| nodes[n.ix()] = true);
        let mut hypothesis = Hypothesis::new(self, partial, pending, recording.groups);
        let (search, job) = (claimant.search, claimant.job);
        let mut tree = QueueTree::victims(&self.state);
        let victims = claimant.candidates.clone().unwrap_or_else(|| self.victims_for(search, job));
        tree.load_leaves(self, victims);
        let mut filters = Filters::new(self, &hypothesis, &nodes);
        let mut feasibility = Feasibility::new(self, hypothesis.partial, &nodes);
        loop {
            if filters.accept(self, &hypothesis) {
                let solution = match generator {
                    Generator::NodeByNode => self.try_node_by_node(search, &hypothesis, &mut nodes, &mut feasibility),
                    Generator::NodeLocalGreedy | Generator::MultiNodeGang => self.try_scenarios(
                        (generator, search),
                        &hypothesis,
                        (&mut nodes, &mut feasibility),
                        &mut claimant.failed,
                    ),
                };
                if let Some(mut solution) = solution {
                    self.notes.sufficed(k, solution.emptied.take());
                    return Probe::Solved(solution);
                }
            }
            if !hypothesis.grow(self, &mut tree) {
                return Probe::Unsolved;
            }
        }
    }
}
