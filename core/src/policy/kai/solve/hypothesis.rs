//! A growing set of victims, tried in thought for the sake of one job.
//!
//! # Rule
//! Victims come from a tree of candidates in victim mode. A popped job gives its next tasks to lose; if it has more, a
//! clone with the rest goes back. If one of those tasks is a *recorded* victim (of the step before), nothing is taken
//! and a clone without the recorded ones goes back. Tasks are evicted as clones made when they were added; recorded
//! groups are cloned once more, so a recorded task has two objects.
//!
//! # Source
//! kai.md 6.4, 6.5 (upstream: scenario)
//!
//! # Differs
//! nothing; Q-10 (which tasks are "core" follows the order of eviction), Q-11 reproduced

use std::collections::BTreeMap;

use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, TaskRef};

/// Victims so far.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Hypothesis {
    /// The claimant with the tasks tried.
    pub partial: JobRef,
    /// What it wants to place.
    pub pending: Vec<TaskRef>,
    /// Recorded victims, by group.
    pub recorded: Vec<Vec<TaskRef>>,
    /// Recorded groups, cloned, and then groups in the order they were added.
    pub groups: Vec<Vec<TaskRef>>,
    /// Objects of all victims: recorded ones, then others in the order of eviction.
    pub victims: Vec<TaskRef>,
    /// Where the others begin.
    pub first_potential: usize,
    /// All victims by job, in the order in which the jobs entered.
    pub by_job: Vec<VictimsOfJob>,
    /// By job: its position in `by_job`.
    entered: BTreeMap<JobRef, usize>,
    /// By node: the positions of the jobs that have a potential victim there, in the order in which they entered.
    on_node: BTreeMap<Option<NodeRef>, Vec<usize>>,
}

/// Victims of one job.
#[derive(Clone, Debug)]
pub(in crate::policy::kai) struct VictimsOfJob {
    pub job: JobRef,
    pub pods: Vec<PodRef>,
    /// Positions of its groups.
    groups: Vec<usize>,
}

impl Hypothesis {
    /// The initial one, with recorded victims only.
    pub fn new(
        s: &mut Session<'_>,
        partial: JobRef,
        pending: Vec<TaskRef>,
        recorded: Vec<Vec<TaskRef>>,
    ) -> Self {
        let mut hypothesis = Hypothesis { partial, pending, ..Hypothesis::default() };
        for tasks in &recorded {
            let clones = tasks.iter().map(|&t| s.clone_task(t)).collect();
            hypothesis.enter(s, tasks, clones);
        }
        hypothesis.victims = recorded.iter().flatten().copied().collect();
        hypothesis.first_potential = hypothesis.victims.len();
        hypothesis.recorded = recorded;
        hypothesis
    }

    /// Notes a group of victims, whose clones are evicted together; gives the position of its job.
    fn enter(&mut self, s: &Session<'_>, tasks: &[TaskRef], clones: Vec<TaskRef>) -> usize {
        let job = s.job_of(tasks[0]);
        let at = *self.entered.entry(job).or_insert(self.by_job.len());
        if at == self.by_job.len() {
            self.by_job.push(VictimsOfJob { job, pods: Vec::new(), groups: Vec::new() });
        }
        self.by_job[at].pods.extend(tasks.iter().map(|&t| s.task(t).pod));
        self.by_job[at].groups.push(self.groups.len());
        self.groups.push(clones);
        at
    }

    /// Victims that are not recorded ones.
    pub fn potential(&self) -> &[TaskRef] {
        &self.victims[self.first_potential..]
    }

    fn is_recorded(&self, s: &Session<'_>, task: TaskRef) -> bool {
        let pod = s.task(task).pod;
        self.victims[..self.first_potential].iter().any(|&t| s.task(t).pod == pod)
    }

    /// Adds the next victims; `false` if there are none left.
    pub fn grow(&mut self, s: &mut Session<'_>, tree: &mut QueueTree) -> bool {
        while let Some(victim) = tree.pop(s) {
            let (tasks, more) = s.tasks_to_evict(victim);
            if tasks.is_empty() && s.is_semi(victim) {
                continue;
            }
            if tasks.iter().any(|&t| self.is_recorded(s, t)) {
                let all = s.job(victim).tasks();
                let rest: Vec<TaskRef> = all.filter(|&t| !self.is_recorded(s, t)).collect();
                if !rest.is_empty() {
                    let clone = s.clone_with_tasks(victim, &rest);
                    tree.push(s, clone);
                }
                continue;
            }
            if more {
                let rest: Vec<TaskRef> = s.job(victim).tasks().filter(|t| !tasks.contains(t)).collect();
                let clone = s.clone_with_tasks(victim, &rest);
                tree.push(s, clone);
            }
            self.add(s, tasks);
            return true;
        }
        false
    }

    fn add(&mut self, s: &mut Session<'_>, tasks: Vec<TaskRef>) {
        if tasks.is_empty() {
            return;
        }
        let mut by_name = tasks.clone();
        by_name.sort_by_key(|&t| s.task(t).pod);
        let clones = by_name.iter().map(|&t| s.clone_task(t)).collect();
        let at = self.enter(s, &tasks, clones);
        for &task in &tasks {
            let jobs = self.on_node.entry(s.task(task).node).or_default();
            if !jobs.contains(&at) {
                jobs.push(at);
            }
        }
        self.victims.extend(tasks);
    }

    /// What is evicted on a node: all that the jobs with a potential victim there may lose, job by job.
    pub fn evicted_on(&self, node: Option<NodeRef>) -> impl Iterator<Item = TaskRef> + '_ {
        let jobs = self.on_node.get(&node).into_iter().flatten();
        let groups = jobs.flat_map(|&at| &self.by_job[at].groups);
        groups.flat_map(|&group| self.groups[group].iter().copied())
    }
}
