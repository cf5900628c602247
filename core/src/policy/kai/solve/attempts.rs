//! What a search for victims tries with a hypothesis.
//!
//! # Rule
//! A hypothesis is a growing list of victims. Its *attempts* evict some of them and place everything again. Nodes of
//! evicted tasks become feasible. Which victims an attempt evicts, and what ends a hypothesis, depends on the
//! generator.
//!
//! # v0.13: node by node
//! An attempt evicts the recorded victims; then, for each node of the latest victim's job, all groups of the jobs that
//! have a victim there. A refusal by the validator ends the hypothesis. The validator sees all victims of the
//! hypothesis.
//!
//! # v0.17: scenarios
//! Two generators, each a plugin, are asked in turn; the second one only if the first has not solved the job. Each
//! makes *scenarios* of the hypothesis, which are tried one after the other, each from nothing. One that evicts the
//! same pods as a failed one is skipped. The validator sees the victims of the scenario.
//!
//! *Greedy*: for each node of the latest victim's job, by name, all pods of all groups of the jobs with a victim there,
//! as one group per job.
//!
//! *Gang*: nodes with victims, ordered by the devices they would have with their victims gone, smallest first; those
//! too small for any pod are left out. The first scenario takes as many of them as the claimant needs beside the room
//! elsewhere, the next one 1 more, then 2, 4 … more; each evicts every group that touches these nodes, as a whole, node
//! by node.
//!
//! # Source
//! kai.md 6.5; kai-v0.17.md 18.1, 18.5-18.8, 20
//!
//! # Differs
//! nothing; Q-11 (recorded victims that are victims again are evicted twice) reproduced

use std::collections::BTreeSet;

use smallvec::{SmallVec, smallvec};

use crate::policy::kai::config::Config;
use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::job::Chunk;
use crate::policy::kai::order::nondeterminism::{self, RandomOrder};
use crate::policy::kai::record::notes::Proof;
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::hypothesis::Hypothesis;
use crate::policy::kai::solve::simulate::{Attempt, Tried};
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::solve::victims::VictimsOfJob;
use crate::policy::kai::statement::{NotHeld, Statement};
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, Status, TaskRef};
use crate::trace::Emptied;

/// What makes the attempts of a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) enum Generator {
    /// v0.13.
    NodeByNode,
    /// v0.17, plugin `sg-nodelocalgreedy`.
    NodeLocalGreedy,
    /// v0.17, plugin `sg-multinodegang`.
    MultiNodeGang,
}

impl Generator {
    /// The generators that are asked in turn.
    pub fn in_turn(config: &Config) -> Vec<Generator> {
        let plugin = |name: &str| match name {
            "sg-nodelocalgreedy" => Some(Generator::NodeLocalGreedy),
            "sg-multinodegang" => Some(Generator::MultiNodeGang),
            _ => None,
        };
        match config.revision {
            Revision::V0_13 => vec![Generator::NodeByNode],
            Revision::V0_17 => config.plugins.iter().filter_map(|name| plugin(name)).collect(),
        }
    }
}

/// Result of a successful probe.
pub(in crate::policy::kai) struct Solution {
    pub statement: Statement,
    /// Objects of the evicted or moved tasks.
    pub displaced: Vec<TaskRef>,
    /// Groups that contain them.
    pub groups: Vec<Chunk>,
    pub proof: Proof,
    /// How the nodes were selected, for its explanation.
    pub emptied: Option<Emptied>,
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

/// Pods to place, recorded and other pods to evict, each sorted.
type ScenarioKey = [Vec<PodRef>; 3];

/// The scenarios that failed for a claimant.
pub(in crate::policy::kai) type FailedScenarios = BTreeSet<ScenarioKey>;

/// Victims of a hypothesis that are evicted together with the recorded ones.
struct Scenario {
    /// Groups of the victims that are not recorded.
    groups: Vec<Chunk>,
    evicts_twice: bool,
    /// How its nodes were selected, if explanations are recorded.
    emptied: Option<Emptied>,
}

impl Session<'_> {
    fn evict_all(&mut self, st: &mut Statement, tasks: &[TaskRef]) -> Result<(), NotHeld> {
        tasks.iter().try_for_each(|&task| st.evict(self, task))
    }

    /// v0.13: the recorded victims are evicted once for all attempts of the hypothesis.
    pub fn try_node_by_node(
        &mut self,
        search: &VictimSearch,
        hypothesis: &Hypothesis,
        nodes: &mut [bool],
        feasibility: &mut Option<Feasibility>,
    ) -> Option<Solution> {
        let recorded: Vec<TaskRef> = hypothesis.recorded.iter().flatten().copied().collect();
        let attempts = self.attempts(hypothesis, &recorded);
        if attempts.evicts_twice {
            self.state.sums_are_exact = false;
            *feasibility = None;
        }
        let may_fit = |evicted: &Evicted| feasibility.as_ref().is_none_or(|p| p.is_open(self, nodes, evicted));
        let is_open: SmallVec<[bool; 1]> = attempts.evicted.iter().map(may_fit).collect();
        let n_closed = attempts.in_order.iter().filter(|&&i| !is_open[i]).count();
        self.note_tried(search, hypothesis.partial, n_closed);
        if n_closed == attempts.in_order.len() {
            attempts.evicted.iter().for_each(|evicted| self.skip_attempt(evicted));
            return None;
        }
        let n_ties = self.notes.ties.len();
        // Sorted before any eviction; attempts insert the jobs that lose tasks at their rank.
        self.waiting();
        let mut st = Statement::default();
        if self.evict_all(&mut st, &recorded).is_err() {
            st.discard(self);
            return None;
        }
        let attempt = if hypothesis.potential().is_empty() {
            self.simulate(search, &mut st, hypothesis.tried(&recorded), nodes, feasibility.as_ref())
        } else {
            self.try_nodes(search, &mut st, hypothesis, (attempts, &is_open), nodes, feasibility)
        };
        let Attempt::Solved(displaced, proof) = attempt else {
            st.discard(self);
            self.notes.ties.forget(n_ties);
            return None;
        };
        let is_displaced = |s: &Self, &t: &TaskRef| displaced.iter().any(|&g| s.task(g).pod == s.task(t).pod);
        let of_displaced = hypothesis.groups.iter().filter(|group| group.iter().any(|t| is_displaced(self, t)));
        let groups = of_displaced.cloned().collect();
        Some(Solution { statement: st, displaced, groups, proof, emptied: None })
    }

    /// The recorded victims alone or, node by node of the latest victim's job, with all victims of the jobs with a
    /// victim there.
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
            let position = different.iter().position(|&seen| seen == jobs);
            let i = position.unwrap_or_else(|| {
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
        for &i in &attempts.in_order {
            let victims = &attempts.evicted[i];
            if !is_open[i] {
                self.skip_attempt(victims);
                continue;
            }
            let checkpoint = st.checkpoint();
            if self.evict_all(st, &victims[n_recorded..]).is_err() {
                return Attempt::Failed;
            }
            let added = self.make_feasible(&victims[n_recorded..], nodes);
            match self.simulate(search, st, hypothesis.tried(victims), nodes, feasibility.as_ref()) {
                Attempt::Failed => {
                    added.into_iter().for_each(|n| nodes[n.ix()] = false);
                    st.rollback(self, checkpoint);
                }
                ended => {
                    if is_choice {
                        self.notes.ties.met(nondeterminism::NODES, self.about_job(hypothesis.partial));
                    }
                    feasibility.iter_mut().for_each(|p| p.nodes_added(nodes));
                    return ended;
                }
            }
        }
        Attempt::Failed
    }

    /// v0.17: tries the scenarios of a hypothesis.
    pub fn try_scenarios(
        &mut self,
        (generator, search): (Generator, &VictimSearch),
        hypothesis: &Hypothesis,
        (nodes, feasibility): (&mut [bool], &mut Option<Feasibility>),
        failed: &mut FailedScenarios,
    ) -> Option<Solution> {
        let scenarios = match generator {
            Generator::MultiNodeGang => self.scenarios_by_capacity(hypothesis, nodes),
            Generator::NodeByNode | Generator::NodeLocalGreedy => self.scenarios_by_node(hypothesis),
        };
        for scenario in scenarios {
            if scenario.groups.is_empty() && hypothesis.recorded.is_empty() {
                continue;
            }
            let key = self.key_of(hypothesis, &scenario);
            if failed.contains(&key) {
                continue;
            }
            if scenario.evicts_twice {
                self.state.sums_are_exact = false;
                *feasibility = None;
            }
            let solution = self.try_scenario(search, hypothesis, scenario, nodes, feasibility.as_ref());
            if solution.is_some() {
                return solution;
            }
            failed.insert(key);
        }
        None
    }

    fn key_of(&self, hypothesis: &Hypothesis, scenario: &Scenario) -> ScenarioKey {
        let sorted = |tasks: &mut dyn Iterator<Item = TaskRef>| {
            let mut pods: Vec<PodRef> = tasks.map(|t| self.task(t).pod).collect();
            pods.sort_unstable();
            pods
        };
        [
            sorted(&mut hypothesis.pending.iter().copied()),
            sorted(&mut hypothesis.recorded.iter().flatten().copied()),
            sorted(&mut scenario.groups.iter().flatten().copied()),
        ]
    }

    fn try_scenario(
        &mut self,
        search: &VictimSearch,
        hypothesis: &Hypothesis,
        scenario: Scenario,
        nodes: &mut [bool],
        feasibility: Option<&Feasibility>,
    ) -> Option<Solution> {
        let groups = || hypothesis.recorded.iter().chain(&scenario.groups);
        let evicted: Evicted = groups().flatten().copied().collect();
        if feasibility.is_some_and(|f| !f.is_open(self, nodes, &evicted)) {
            self.note_tried(search, hypothesis.partial, 1);
            self.skip_attempt(&evicted);
            return None;
        }
        let victims = self.victims_by_job(groups());
        let n_ties = self.notes.ties.len();
        // Sorted before any eviction; attempts insert the jobs that lose tasks at their rank.
        self.waiting();
        let mut st = Statement::default();
        if self.evict_all(&mut st, &evicted).is_err() {
            st.discard(self);
            return None;
        }
        let added = self.make_feasible(&evicted, nodes);
        let tried = Tried { partial: hypothesis.partial, evicted: &evicted, victims: &victims };
        let Attempt::Solved(mut displaced, proof) = self.simulate(search, &mut st, tried, nodes, feasibility) else {
            added.into_iter().for_each(|n| nodes[n.ix()] = false);
            st.discard(self);
            self.notes.ties.forget(n_ties);
            return None;
        };
        displaced.sort_by_key(|&t| self.task(t).status != Status::Releasing);
        let recorded = hypothesis.groups[..hypothesis.recorded.len()].iter();
        let groups = self.groups_with(&displaced, recorded.chain(&scenario.groups));
        Some(Solution { statement: st, displaced, groups, proof, emptied: scenario.emptied })
    }

    /// For each task whose pod is in none of the groups found before, the first group that contains its pod; by job and
    /// name (N-4).
    fn groups_with<'g>(&self, tasks: &[TaskRef], groups: impl Iterator<Item = &'g Chunk>) -> Vec<Chunk> {
        let groups: Vec<&Chunk> = groups.collect();
        let contains = |group: &Chunk, pod: PodRef| group.iter().any(|&t| self.task(t).pod == pod);
        let mut positions: Vec<usize> = Vec::new();
        for &task in tasks {
            let pod = self.task(task).pod;
            if !positions.iter().any(|&group| contains(groups[group], pod)) {
                positions.extend(groups.iter().position(|group| contains(group, pod)));
            }
        }
        let by_name = |group: usize| {
            let mut group = groups[group].clone();
            group.sort_by_key(|&t| self.task(t).pod);
            group
        };
        let mut chunks: Vec<Chunk> = positions.into_iter().map(by_name).collect();
        chunks.sort_by_key(|group| self.job_of(group[0]));
        chunks
    }

    /// Victims by job, in the order in which the jobs first occur.
    fn victims_by_job<'g>(&self, groups: impl Iterator<Item = &'g Chunk>) -> Vec<VictimsOfJob> {
        let mut victims: Vec<VictimsOfJob> = Vec::new();
        for group in groups {
            let Some(&first) = group.first() else { continue };
            let job = self.job_of(first);
            let pods = group.iter().map(|&t| self.task(t).pod);
            match victims.iter_mut().find(|of_job| of_job.job == job) {
                Some(of_job) => of_job.pods.extend(pods),
                None => victims.push(VictimsOfJob::of(job, pods)),
            }
        }
        victims
    }

    /// Adds the nodes of tasks to the feasible ones; returns those that were not feasible before.
    fn make_feasible(&self, evicted: &[TaskRef], nodes: &mut [bool]) -> Vec<NodeRef> {
        let mut added = Vec::new();
        for node in evicted.iter().filter_map(|&t| self.task(t).node) {
            if !std::mem::replace(&mut nodes[node.ix()], true) {
                added.push(node);
            }
        }
        added
    }

    /// The scenarios of the greedy generator.
    fn scenarios_by_node(&mut self, hypothesis: &Hypothesis) -> Vec<Scenario> {
        let Some(&latest) = hypothesis.potential().last() else {
            let evicts_twice = hypothesis.evicts_twice(&[]);
            return vec![Scenario { groups: Vec::new(), evicts_twice, emptied: None }];
        };
        let mut of_latest: Vec<NodeRef> =
            self.job(self.job_of(latest)).tasks().filter_map(|t| self.task(t).node).collect();
        of_latest.sort();
        of_latest.dedup();
        let mut scenarios = Vec::new();
        let mut job_sets: Vec<Vec<usize>> = Vec::new();
        for node in of_latest {
            let mut jobs = hypothesis.jobs_on(Some(node)).to_vec();
            if jobs.is_empty() {
                continue;
            }
            jobs.sort_by_key(|&i| hypothesis.by_job[i].job);
            if job_sets.contains(&jobs) {
                continue;
            }
            let evicts_twice = hypothesis.evicts_twice(&jobs);
            let groups = jobs.iter().map(|&i| self.as_one_group(hypothesis, i)).collect();
            scenarios.push(Scenario { groups, evicts_twice, emptied: None });
            job_sets.push(jobs);
        }
        scenarios
    }

    /// All victims of a job as one group, recorded ones as further objects.
    fn as_one_group(&mut self, hypothesis: &Hypothesis, job_index: usize) -> Chunk {
        let mut tasks: Vec<TaskRef> = Vec::new();
        for task in hypothesis.tasks_of(&[job_index]) {
            if tasks.iter().all(|&listed| self.task(listed).pod != self.task(task).pod) {
                tasks.push(task);
            }
        }
        tasks.into_iter().map(|t| self.state.clone_task(t)).collect()
    }

    /// The scenarios of the gang generator.
    fn scenarios_by_capacity(&self, hypothesis: &Hypothesis, nodes: &[bool]) -> Vec<Scenario> {
        let scenario = |groups, emptied| Scenario { groups, evicts_twice: hypothesis.evicts_twice(&[]), emptied };
        if hypothesis.potential().is_empty() {
            return vec![scenario(Vec::new(), None)];
        }
        let requests: Vec<f64> = hypothesis.pending.iter().map(|&t| self.pod_of(t).request.gpus).collect();
        let (smallest, demand) = (requests.iter().copied().fold(f64::INFINITY, f64::min), requests.iter().sum::<f64>());
        let mut capacity: Vec<f64> = self.state.nodes.iter().map(|n| n.sum_idle() + n.sum_releasing()).collect();
        let mut free = |task: TaskRef| {
            if let Some(node) = self.task(task).node {
                capacity[node.ix()] += self.task(task).accepted.quantities.gpu;
            }
        };
        hypothesis.recorded.iter().flatten().for_each(|&task| free(task));
        hypothesis.potential().iter().for_each(|&task| free(task));
        let mut has_victims = vec![false; nodes.len()];
        let mut with_victims: Vec<NodeRef> = Vec::new();
        for node in hypothesis.potential().iter().filter_map(|&t| self.task(t).node) {
            if !std::mem::replace(&mut has_victims[node.ix()], true) {
                with_victims.push(node);
            }
        }
        let without_victims = (0..nodes.len()).filter(|&n| nodes[n] && !has_victims[n]);
        let needed = demand - without_victims.map(|n| capacity[n]).sum::<f64>();
        with_victims.retain(|n| smallest <= 0.0 || capacity[n.ix()] >= smallest);
        with_victims.sort_by(|l, r| capacity[l.ix()].total_cmp(&capacity[r.ix()]));
        let Some(fewest) = fewest_nodes(with_victims.iter().map(|n| capacity[n.ix()]), needed) else {
            return Vec::new();
        };
        let (groups, ends) = groups_node_by_node(hypothesis, &with_victims);
        let touching = |n: usize| groups[..ends[n]].iter().map(|&group| hypothesis.groups[group].clone()).collect();
        let selected = |n: usize| {
            let counted = |node: &NodeRef| (self.state.nodes[node.ix()].id, capacity[node.ix()]);
            let nodes = || with_victims[..n].iter().map(counted).collect();
            self.notes.is_on().then(|| Emptied { needed, nodes: nodes() })
        };
        let numbers = growing(fewest, with_victims.len());
        numbers.into_iter().map(|n| scenario(touching(n), selected(n))).collect()
    }

    /// Adds `n` to the number of attempts in the job's note.
    pub fn note_tried(&mut self, search: &VictimSearch, partial: JobRef, n: usize) {
        self.notes.search.sets += n as u32;
        if !matches!(search, VictimSearch::Consolidation { .. }) {
            let claimant = self.job(partial).uid;
            self.notes.about(claimant, |note| *note.tried.get_or_insert(0) += n as u32);
        }
    }
}

/// The groups that touch these nodes, node by node, each once; and how many of them touch the first 0, 1, 2 … nodes.
fn groups_node_by_node(hypothesis: &Hypothesis, nodes: &[NodeRef]) -> (Vec<usize>, Vec<usize>) {
    let mut is_listed = vec![false; hypothesis.groups.len()];
    let (mut groups, mut ends) = (Vec::new(), vec![0]);
    for &node in nodes {
        let added = hypothesis.groups_on(node).iter().filter(|&&i| !std::mem::replace(&mut is_listed[i], true));
        groups.extend(added.copied());
        ends.push(groups.len());
    }
    (groups, ends)
}

/// Number of leading nodes that together have what is needed; `None` if all have less.
fn fewest_nodes(capacities: impl Iterator<Item = f64>, needed: f64) -> Option<usize> {
    let mut sum = 0.0;
    let mut capacities = capacities;
    let mut n = 0;
    while sum < needed {
        sum += capacities.next()?;
        n += 1;
    }
    Some(n)
}

/// `first`, 1 more, then 2, 4 … more, at last `most`.
fn growing(first: usize, most: usize) -> Vec<usize> {
    let (mut numbers, mut step) = (vec![first], 1);
    while let Some(&last) = numbers.last().filter(|&&last| last < most) {
        numbers.push((last + step).min(most));
        step *= 2;
    }
    numbers
}
