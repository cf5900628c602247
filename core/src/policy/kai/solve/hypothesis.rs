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
    pub groups: Vec<Group>,
    /// Objects of all victims: recorded ones, then others in the order of eviction.
    pub victims: Vec<TaskRef>,
    /// Where the others begin.
    pub first_potential: usize,
}

/// Tasks that are evicted together.
#[derive(Debug)]
pub(in crate::policy::kai) struct Group {
    pub job: JobRef,
    pub tasks: Vec<TaskRef>,
}

/// Victims of one job.
#[derive(Debug)]
pub(in crate::policy::kai) struct VictimsOfJob {
    pub job: JobRef,
    pub pods: Vec<PodRef>,
}

impl Hypothesis {
    /// The initial one, with recorded victims only.
    pub fn new(
        s: &mut Session<'_>,
        partial: JobRef,
        pending: Vec<TaskRef>,
        recorded: Vec<Vec<TaskRef>>,
    ) -> Self {
        let mut groups = Vec::new();
        for tasks in &recorded {
            let job = s.job_of(tasks[0]);
            let tasks = tasks.iter().map(|&t| s.clone_task(t)).collect();
            groups.push(Group { job, tasks });
        }
        let victims: Vec<TaskRef> = recorded.iter().flatten().copied().collect();
        let first_potential = victims.len();
        Hypothesis { partial, pending, recorded, groups, victims, first_potential }
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
        self.groups.push(Group { job: s.job_of(tasks[0]), tasks: clones });
        self.victims.extend(tasks);
    }

    /// All victims by job, in the order in which the jobs entered.
    pub fn by_job(&self, s: &Session<'_>) -> Vec<VictimsOfJob> {
        let mut jobs: Vec<VictimsOfJob> = Vec::new();
        for &victim in &self.victims {
            let (job, pod) = (s.job_of(victim), s.task(victim).pod);
            match jobs.iter_mut().find(|j| j.job == job) {
                Some(known) => known.pods.push(pod),
                None => jobs.push(VictimsOfJob { job, pods: vec![pod] }),
            }
        }
        jobs
    }

    /// The jobs that have a potential victim on a node, in the order in which they entered.
    pub fn jobs_on(&self, s: &Session<'_>, node: Option<NodeRef>) -> Vec<JobRef> {
        let mut jobs = Vec::new();
        for &victim in self.potential().iter().filter(|&&t| s.task(t).node == node) {
            let job = s.job_of(victim);
            if !jobs.contains(&job) {
                jobs.push(job);
            }
        }
        jobs
    }
}
