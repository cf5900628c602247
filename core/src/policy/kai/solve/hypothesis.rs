//! A growing set of victims, simulated for one claimant.
//!
//! # Rule
//! Victims come from a tree of candidates in victim mode. A popped job contributes its next tasks to evict; if it has
//! more, a clone with the rest is pushed back. If one of those tasks is a *recorded* victim (of the previous step), no
//! task is added and a clone without the recorded ones is pushed back. Tasks are evicted as clones made when they were
//! added; recorded groups are cloned once more, so a recorded task has two objects.
//!
//! # Source
//! kai.md 6.4, 6.5 (upstream: scenario)
//!
//! # Differs
//! nothing; Q-10 (which tasks are "core" follows the order of eviction), Q-11 reproduced

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::policy::kai::job::Chunk;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::simulate::Tried;
use crate::policy::kai::solve::victims::VictimsOfJob;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, TaskRef};

#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Hypothesis {
    /// Partial job of the claimant: the tasks of this step.
    pub partial: JobRef,
    /// Tasks to place.
    pub pending: Vec<TaskRef>,
    /// Recorded victims by group.
    pub recorded: Vec<Chunk>,
    /// Whether two recorded victims are objects of the same task.
    is_recorded_twice: bool,
    /// Clones of the recorded groups, then other groups in the order of addition.
    pub groups: Vec<Chunk>,
    /// Objects of all victims: recorded ones, then the others in the order of eviction.
    pub victims: Vec<TaskRef>,
    /// Index of the first victim that is not recorded.
    pub first_potential: usize,
    /// All victims by job, in the order in which the jobs were added.
    pub by_job: Vec<VictimsOfJob>,
    /// Index into `by_job`.
    entered: BTreeMap<JobRef, usize>,
    /// Indices into `by_job`, per node, of the jobs with a potential victim there, in order of addition.
    on_node: BTreeMap<Option<NodeRef>, SmallVec<[usize; 4]>>,
    /// Indices into `groups`, per node, of the groups with a potential victim there, in order of addition.
    groups_on_node: BTreeMap<NodeRef, SmallVec<[usize; 4]>>,
}

impl Hypothesis {
    /// An attempt whose validator sees all victims of the hypothesis.
    pub fn tried<'h>(&'h self, evicted: &'h [TaskRef]) -> Tried<'h> {
        Tried { partial: self.partial, evicted, victims: &self.by_job }
    }

    /// Returns the initial hypothesis, which has only recorded victims.
    pub fn new(s: &mut Session<'_>, partial: JobRef, pending: Vec<TaskRef>, recorded: Vec<Chunk>) -> Self {
        let mut hypothesis = Hypothesis { partial, pending, ..Hypothesis::default() };
        for tasks in &recorded {
            let clones = tasks.iter().map(|&t| s.state.clone_task(t)).collect();
            hypothesis.enter(s, tasks, clones);
        }
        hypothesis.victims = recorded.iter().flatten().copied().collect();
        hypothesis.first_potential = hypothesis.victims.len();
        let mut pods: SmallVec<[PodRef; 8]> = hypothesis.victims.iter().map(|&t| s.task(t).pod).collect();
        pods.sort_unstable();
        hypothesis.is_recorded_twice = pods.windows(2).any(|two| two[0] == two[1]);
        hypothesis.recorded = recorded;
        hypothesis
    }

    /// Adds a group of victims, whose clones are evicted together; returns the index of its job.
    fn enter(&mut self, s: &Session<'_>, tasks: &[TaskRef], clones: Chunk) -> usize {
        let job = s.job_of(tasks[0]);
        let i = *self.entered.entry(job).or_insert(self.by_job.len());
        if i == self.by_job.len() {
            self.by_job.push(VictimsOfJob { job, pods: SmallVec::new(), groups: SmallVec::new() });
        }
        self.by_job[i].pods.extend(tasks.iter().map(|&t| s.task(t).pod));
        self.by_job[i].groups.push(self.groups.len());
        self.groups.push(clones);
        i
    }

    /// Victims that are not recorded.
    pub fn potential(&self) -> &[TaskRef] {
        &self.victims[self.first_potential..]
    }

    fn is_recorded(&self, s: &Session<'_>, task: TaskRef) -> bool {
        let pod = s.task(task).pod;
        self.victims[..self.first_potential].iter().any(|&t| s.task(t).pod == pod)
    }

    /// Adds the next victims; returns `false` if none are left.
    pub fn grow(&mut self, s: &mut Session<'_>, tree: &mut QueueTree) -> bool {
        while let Some(victim) = tree.pop(s) {
            let (tasks, has_more) = s.tasks_to_evict(victim);
            if tasks.is_empty() && s.is_semi(victim) {
                continue;
            }
            if tasks.iter().any(|&t| self.is_recorded(s, t)) {
                let tasks_of_victim = s.job(victim).tasks();
                let remaining: Vec<TaskRef> = tasks_of_victim.filter(|&t| !self.is_recorded(s, t)).collect();
                if !remaining.is_empty() {
                    let clone = s.clone_with_tasks(victim, &remaining);
                    tree.push(s, clone);
                }
                continue;
            }
            if has_more {
                let remaining: Vec<TaskRef> = s.job(victim).tasks().filter(|t| !tasks.contains(t)).collect();
                let clone = s.clone_with_tasks(victim, &remaining);
                tree.push(s, clone);
            }
            self.add(s, tasks);
            return true;
        }
        false
    }

    fn add(&mut self, s: &mut Session<'_>, tasks: Chunk) {
        if tasks.is_empty() {
            return;
        }
        let mut by_name = tasks.clone();
        by_name.sort_by_key(|&t| s.task(t).pod);
        let clones = by_name.iter().map(|&t| s.state.clone_task(t)).collect();
        let job_index = self.enter(s, &tasks, clones);
        let group = self.groups.len() - 1;
        for &task in &tasks {
            let jobs = self.on_node.entry(s.task(task).node).or_default();
            if !jobs.contains(&job_index) {
                jobs.push(job_index);
            }
            if let Some(node) = s.task(task).node {
                let groups = self.groups_on_node.entry(node).or_default();
                if groups.last() != Some(&group) {
                    groups.push(group);
                }
            }
        }
        self.victims.extend(tasks);
    }

    /// The jobs with a potential victim on a node, as indices into `by_job`.
    pub fn jobs_on(&self, node: Option<NodeRef>) -> &[usize] {
        self.on_node.get(&node).map_or(&[], SmallVec::as_slice)
    }

    /// The groups with a potential victim on a node, as indices into `groups`.
    pub fn groups_on(&self, node: NodeRef) -> &[usize] {
        self.groups_on_node.get(&node).map_or(&[], SmallVec::as_slice)
    }

    /// Whether an attempt evicts a task twice, given the jobs whose victims it evicts beside the recorded ones.
    pub fn evicts_twice(&self, jobs: &[usize]) -> bool {
        let mut groups = jobs.iter().flat_map(|&i| &self.by_job[i].groups);
        self.is_recorded_twice || groups.any(|&group| group < self.recorded.len())
    }

    /// The victims of these jobs, job by job.
    pub fn tasks_of<'a>(&'a self, jobs: &'a [usize]) -> impl Iterator<Item = TaskRef> + 'a {
        let groups = jobs.iter().flat_map(|&i| &self.by_job[i].groups);
        groups.flat_map(|&group| self.groups[group].iter().copied())
    }
}
