//! Search for victims that let a job run.
//!
//! # Rule
//! For k = 1..n the first k tasks of the job's chunk are solved with the *recorded* victims of step k-1. A step tries the
//! recorded victims alone, then with ever more candidates, until one attempt succeeds; hypotheses that fail a filter
//! are skipped but keep their victims. An attempt evicts the recorded victims; then, for each node of the latest
//! victim's job, all groups of the jobs that have a victim there, and evictions everything again. Nodes of evicted tasks
//! become feasible. A refusal by the validator ends the hypothesis. Only the last step's statement is kept.
//!
//! # Source
//! kai.md 6.5
//!
//! # Differs
//! a job without a placeable task left, which crashes the real scheduler, is unsolved and reported

use smallvec::{SmallVec, smallvec};

use crate::policy::kai::explain::notes::Proof;
use crate::policy::kai::explain::recorder::Recorder;
use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::fast::repeated_attempts::FailedAttempts;
use crate::policy::kai::job::Chunk;
use crate::policy::kai::order::nondeterminism::{self, RandomOrder};
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::filters::Filters;
use crate::policy::kai::solve::hypothesis::Hypothesis;
use crate::policy::kai::solve::min_runtime::Against;
use crate::policy::kai::solve::simulate::Attempt;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::statement::{NotHeld, Statement};
use crate::policy::kai::task::{JobRef, NodeRef, TaskRef};

/// A statement that lets a job run, and the comparisons that allow it.
#[derive(Debug)]
pub(in crate::policy::kai) struct Solved {
    pub statement: Statement,
    pub proof: Proof,
}

/// Result of a successful step.
struct Solution {
    statement: Statement,
    /// Objects of the evicted or moved tasks.
    displaced: Vec<TaskRef>,
    /// Groups that contain them.
    groups: Vec<Chunk>,
    proof: Proof,
}

/// Tasks evicted in an attempt.
type Evicted = SmallVec<[TaskRef; 8]>;

/// The attempts of a hypothesis. Those that evict the same tasks in the same order are *equal*.
#[derive(Default)]
struct Attempts {
    /// Tasks evicted in each different attempt, recorded victims first.
    evicted: SmallVec<[Evicted; 1]>,
    /// Indices into `evicted`.
    in_order: SmallVec<[usize; 1]>,
    /// Whether one of them evicts a task twice, which is not undone completely.
    evicts_twice: bool,
}

impl Session<'_> {
    /// Returns the statement that lets a job's chunk run, if one exists.
    pub fn solve(&mut self, search: &VictimSearch, job: JobRef, out: &mut Recorder<'_>) -> Option<Solved> {
        if !matches!(search, VictimSearch::Consolidation { .. }) {
            self.notes.about(job, |note| note.tried = note.tried.or(Some(0)));
        }
        self.compute_deferred_signatures();
        let feasible = self.feasible_nodes(job);
        let used_before = self.job(job).active_used();
        let chunk = self.chunk(job, false);
        let mut recorded = Vec::new();
        let mut more_nodes: Vec<NodeRef> = Vec::new();
        for k in 1..=chunk.len() {
            let partial = self.partial_job(job, &chunk[..k]);
            if self.chunk(partial, false).is_empty() {
                out.crashed(self, job);
                return None;
            }
            // Includes tasks of a stale chunk that cannot be placed.
            let pending = self.job(partial).tasks().collect();
            let mut nodes = feasible.clone();
            more_nodes.iter().for_each(|n| nodes[n.ix()] = true);
            let hypothesis = Hypothesis::new(self, partial, pending, recorded);
            let solution = self.solve_step(search, job, hypothesis, nodes)?;
            if k == chunk.len() {
                let grew = self.job(job).active_used() > used_before;
                if self.job(job).is_gang_satisfied() && grew {
                    return Some(Solved { statement: solution.statement, proof: solution.proof });
                }
                self.waiting = None;
                return None;
            }
            solution.statement.discard(self);
            more_nodes = solution.displaced.iter().filter_map(|&t| self.task(t).node).collect();
            recorded = solution.groups;
        }
        None
    }

    /// 6.1d: nodes with idle or releasing devices; all nodes if some pod requests no GPU.
    fn feasible_nodes(&self, job: JobRef) -> Vec<bool> {
        let any_cpu_only = self.job(job).tasks().any(|t| self.pod_of(t).request.is_cpu_only());
        let has_room =
            |n: &crate::policy::kai::place::node::Node| n.sum_idle() > 0.0 || n.sum_releasing() > 0.0;
        self.nodes.iter().map(|n| any_cpu_only || has_room(n)).collect()
    }

    /// Clones a job with only some of its tasks, all of them required.
    fn partial_job(&mut self, job: JobRef, tasks: &[TaskRef]) -> JobRef {
        let partial = self.clone_with_tasks(job, tasks);
        for set in 0..self.job(partial).sets.len() {
            let n = tasks.iter().filter(|&&t| self.pod_of(t).set == set).count() as i64;
            if n > 0 {
                self.jobs[partial.ix()].sets[set].min_available = n;
            }
        }
        self.place_job(partial);
        partial
    }

    fn solve_step(
        &mut self,
        search: &VictimSearch,
        job: JobRef,
        mut hypothesis: Hypothesis,
        mut nodes: Vec<bool>,
    ) -> Option<Solution> {
        let mut tree = QueueTree::victims(self);
        let victims = self.victims_for(search, job);
        if self.notes.is_on() {
            self.note_protected(search, job);
        }
        tree.load(self, victims);
        let mut filters = Filters::new(self, &hypothesis, &nodes);
        let mut feasibility = Feasibility::new(self, hypothesis.partial, &nodes);
        loop {
            if filters.accept(self, &hypothesis)
                && let Some(solution) = self.try_hypothesis(search, &hypothesis, &mut nodes, &mut feasibility)
            {
                return Some(solution);
            }
            if !hypothesis.grow(self, &mut tree) {
                return None;
            }
        }
    }

    /// Notes the minimum runtimes that alone protect candidates.
    fn note_protected(&mut self, search: &VictimSearch, job: JobRef) {
        let (queue, priority) = (self.facts_of(job).queue, self.facts_of(job).priority);
        let Some(by) = queue else { return };
        let mut checks = Vec::new();
        for victim in self.own_jobs().filter(|&v| v != job && self.may_lose(v)) {
            let facts = self.facts_of(victim);
            let against = match search {
                VictimSearch::Reclaim(_) if facts.queue != queue => Against::Reclaim(by),
                VictimSearch::Preemption if facts.queue == queue && facts.priority < priority => {
                    Against::Preemption
                }
                _ => continue,
            };
            if self.job(victim).n_active_allocated != 0 && self.is_protected(victim, against) {
                let until =
                    self.job(victim).last_start_s.unwrap_or_default() + self.min_runtime(victim, against);
                checks.extend(self.protection(job, victim, against).map(|check| (check, until)));
            }
        }
        // Each step visits the same jobs, each action others.
        self.notes.about(job, |note| {
            checks.retain(|check| !note.protected.contains(check));
            note.protected.append(&mut checks);
        });
    }

    /// Candidate victims.
    fn victims_for(&mut self, search: &VictimSearch, job: JobRef) -> Vec<JobRef> {
        let (queue, priority) = (self.facts_of(job).queue, self.facts_of(job).priority);
        let all = self.own_jobs().filter(|&v| self.may_lose(v));
        match search {
            VictimSearch::Reclaim(_) => {
                let Some(by) = queue else { return Vec::new() };
                let active =
                    |v: JobRef| self.job(v).tasks().any(|t| self.task(t).status.is_active_allocated());
                let others = all.filter(|&v| self.facts_of(v).queue != queue);
                others.filter(|&v| active(v) && self.may_be_victim(v, Against::Reclaim(by))).collect()
            }
            VictimSearch::Preemption => {
                let same =
                    all.filter(|&v| self.facts_of(v).queue == queue && self.facts_of(v).priority < priority);
                let active = same.filter(|&v| self.job(v).n_active_allocated != 0);
                active.filter(|&v| self.may_be_victim(v, Against::Preemption)).collect()
            }
            VictimSearch::Consolidation { most } => {
                let others = all.filter(|&v| v != job && self.job(v).n_active_allocated != 0);
                let mut victims: Vec<JobRef> = others.collect();
                if let Some(most) = most {
                    victims.sort_by(|&l, &r| self.job_order(r, l));
                    self.draw_jobs(RandomOrder::Consolidation, &mut victims);
                    if victims.len() > *most as usize + 1 {
                        self.ties.met(nondeterminism::CANDIDATES, self.about_job(job));
                    }
                    victims.truncate(*most as usize + 1);
                }
                victims
            }
        }
    }

    fn evict_all(&mut self, st: &mut Statement, tasks: &[TaskRef]) -> Result<(), NotHeld> {
        tasks.iter().try_for_each(|&task| st.evict(self, task))
    }

    fn try_hypothesis(
        &mut self,
        search: &VictimSearch,
        hypothesis: &Hypothesis,
        nodes: &mut [bool],
        feasibility: &mut Option<Feasibility>,
    ) -> Option<Solution> {
        let recorded: Vec<TaskRef> = hypothesis.recorded.iter().flatten().copied().collect();
        let attempts = self.attempts(hypothesis, &recorded);
        if attempts.evicts_twice {
            self.is_whole = false;
            *feasibility = None;
        }
        let may_fit =
            |evicted: &Evicted| feasibility.as_ref().is_none_or(|p| p.is_open(self, nodes, evicted));
        let is_open: SmallVec<[bool; 1]> = attempts.evicted.iter().map(may_fit).collect();
        let n_closed = attempts.in_order.iter().filter(|&&i| !is_open[i]).count();
        self.note_tried(search, hypothesis, n_closed);
        if n_closed == attempts.in_order.len() {
            attempts.evicted.iter().for_each(|evicted| self.skip_attempt(evicted));
            return None;
        }
        let n_ties = self.ties.len();
        // Sorted before any eviction; attempts insert the jobs that lose tasks at their rank.
        self.waiting();
        let mut st = Statement::default();
        if self.evict_all(&mut st, &recorded).is_err() {
            st.discard(self);
            return None;
        }
        let attempt = if hypothesis.potential().is_empty() {
            self.simulate(search, &mut st, hypothesis, &recorded, nodes, feasibility.as_ref())
        } else {
            self.try_nodes(search, &mut st, hypothesis, (attempts, &is_open), nodes, feasibility)
        };
        let Attempt::Solved(displaced, proof) = attempt else {
            st.discard(self);
            self.ties.forget(n_ties);
            return None;
        };
        let is_displaced = |s: &Self, &t: &TaskRef| displaced.iter().any(|&g| s.task(g).pod == s.task(t).pod);
        let of_displaced =
            hypothesis.groups.iter().filter(|group| group.iter().any(|t| is_displaced(self, t)));
        let groups = of_displaced.cloned().collect();
        Some(Solution { statement: st, displaced, groups, proof })
    }

    /// The recorded victims alone or, node by node of the latest victim's job, with all victims of the jobs with a victim
    /// there.
    fn attempts(&self, hypothesis: &Hypothesis, recorded: &[TaskRef]) -> Attempts {
        let mut attempts = Attempts::default();
        let Some(&latest) = hypothesis.potential().last() else {
            if !recorded.is_empty() {
                attempts = Attempts {
                    evicted: smallvec![recorded.into()],
                    in_order: smallvec![0],
                    evicts_twice: hypothesis.evicts_twice(&[]),
                };
            }
            return attempts;
        };
        let of_latest = self.job(self.job_of(latest)).tasks().map(|t| self.task(t).node);
        let mut of_latest: SmallVec<[Option<NodeRef>; 1]> = of_latest.collect();
        of_latest.sort();
        of_latest.dedup();
        let in_order = of_latest.clone();
        let slot = |n: &Option<NodeRef>| in_order.iter().position(|o| o == n).unwrap_or_default();
        self.draw(RandomOrder::Nodes, &mut of_latest, in_order.len(), slot);
        let mut different: SmallVec<[&[usize]; 1]> = SmallVec::new();
        for node in of_latest {
            let jobs = hypothesis.jobs_on(node);
            let known = different.iter().position(|&other| other == jobs);
            let i = known.unwrap_or_else(|| {
                let victims = hypothesis.tasks_of(jobs);
                attempts.evicted.push(recorded.iter().copied().chain(victims).collect());
                attempts.evicts_twice |= hypothesis.evicts_twice(jobs);
                different.push(jobs);
                different.len() - 1
            });
            attempts.in_order.push(i);
        }
        attempts
    }

    /// Simulates one attempt after the other until one succeeds or is refused; those that are not open fail.
    fn try_nodes(
        &mut self,
        search: &VictimSearch,
        st: &mut Statement,
        hypothesis: &Hypothesis,
        (attempts, is_open): (Attempts, &[bool]),
        nodes: &mut [bool],
        feasibility: &mut Option<Feasibility>,
    ) -> Attempt {
        let n_recorded = hypothesis.first_potential;
        let mut open = attempts.in_order.iter().filter(|&&i| is_open[i]);
        let first = open.next();
        let is_choice = open.any(|i| Some(i) != first);
        let mut failed = FailedAttempts::default();
        for &i in &attempts.in_order {
            let victims = &attempts.evicted[i];
            if failed.includes(self, i) {
                self.note_tried(search, hypothesis, usize::from(is_open[i]));
                continue;
            }
            failed.add(self, i);
            if !is_open[i] {
                self.skip_attempt(victims);
                continue;
            }
            if n_recorded == 0
                && feasibility.as_mut().is_some_and(|f| f.closes(self, hypothesis.partial, nodes, victims))
            {
                self.note_tried(search, hypothesis, 1);
                self.skip_attempt(victims);
                continue;
            }
            let checkpoint = st.checkpoint();
            if self.evict_all(st, &victims[n_recorded..]).is_err() {
                return Attempt::Failed;
            }
            let mut added = Vec::new();
            for at in victims[n_recorded..].iter().filter_map(|&t| self.task(t).node) {
                if !nodes[at.ix()] {
                    nodes[at.ix()] = true;
                    added.push(at);
                }
            }
            match self.simulate(search, st, hypothesis, victims, nodes, feasibility.as_ref()) {
                Attempt::Failed => {
                    added.into_iter().for_each(|n| nodes[n.ix()] = false);
                    st.rollback(self, checkpoint);
                }
                ended => {
                    if is_choice {
                        self.ties.met(nondeterminism::NODES, self.about_job(hypothesis.partial));
                    }
                    feasibility.iter_mut().for_each(|p| p.nodes_added(nodes));
                    return ended;
                }
            }
        }
        Attempt::Failed
    }

    /// Adds `n` to the number of attempts in the job's note.
    pub fn note_tried(&mut self, search: &VictimSearch, hypothesis: &Hypothesis, n: usize) {
        if !matches!(search, VictimSearch::Consolidation { .. }) {
            let claimant = self.job(hypothesis.partial).uid;
            self.notes.about(claimant, |note| *note.tried.get_or_insert(0) += n as u32);
        }
    }
}
