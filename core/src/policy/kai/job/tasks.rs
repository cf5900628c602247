//! Task objects of a session's jobs: status changes, clones, order and request.
//!
//! # Source
//! kai.md 1.3, 3.3, 4.3

use crate::policy::kai::job::{Job, PodSet, SetOrder};
use crate::policy::kai::number::Quantities;
use crate::policy::kai::session::{Inputs, Session, SessionState};
use crate::policy::kai::task::{JobRef, PodRef, Status, Task, TaskRef};

impl Inputs<'_> {
    /// Index of a pod in its job.
    pub fn slot_of(&self, pod: PodRef) -> usize {
        let job = self.pods[pod.ix()].job;
        (pod.0 - self.facts[job.ix()].first_pod.0) as usize
    }

    /// 3.3: indices of a job's pod sets, in order.
    pub fn sets_in_order(&self, job: &Job) -> SetOrder {
        let mut order: SetOrder = (0..job.sets.len()).collect();
        if self.plugins.subgroup_order {
            order.sort_by(|&l, &r| job.sets[l].fill().order(job.sets[r].fill()).then(l.cmp(&r)));
        }
        order
    }
}

impl SessionState {
    /// Active tasks of a job.
    pub fn active_of(&self, job: JobRef) -> impl Iterator<Item = TaskRef> {
        self.jobs[job.ix()].tasks().filter(|t| self.tasks[t.ix()].status.is_active_allocated())
    }

    /// Clones a task object.
    pub fn clone_task(&mut self, task: TaskRef) -> TaskRef {
        let clone = self.tasks[task.ix()].clone();
        self.tasks.push(clone);
        TaskRef::of(self.tasks.len() - 1)
    }
}

impl Session<'_> {
    /// Adds a task object to a job.
    pub fn assign_task(&mut self, job: JobRef, task: TaskRef) {
        let Task { pod, status, .. } = self.state.tasks[task.ix()];
        let slot = self.inputs.slot_of(pod);
        let facts = &self.inputs.pods[pod.ix()];
        let plain = facts.request.plain();
        self.state.jobs[job.ix()].assign(slot, facts.set, task, status, plain);
        self.place_job(job);
    }

    /// `UpdateStatus` on the session's job of the task.
    pub fn update_status(&mut self, task: TaskRef, status: Status) {
        let Task { pod, status: before, .. } = self.state.tasks[task.ix()];
        let slot = self.inputs.slot_of(pod);
        let facts = &self.inputs.pods[pod.ix()];
        let job = &mut self.state.jobs[facts.job.ix()];
        if let Some(current) = job.slots[slot].task
            && self.state.tasks[current.ix()].status.is_allocated()
        {
            job.allocated -= facts.request.plain();
        }
        job.unindex(slot, before);
        self.state.tasks[task.ix()].status = status;
        job.assign(slot, facts.set, task, status, facts.request.plain());
        let job = facts.job;
        self.place_job(job);
    }

    /// `CloneWithTasks`: a new job object with clones of exactly these tasks.
    pub fn clone_with_tasks(&mut self, job: JobRef, tasks: &[TaskRef]) -> JobRef {
        let original = &self.state.jobs[job.ix()];
        let set = |s: &PodSet| PodSet { min_available: s.min_available, ..PodSet::default() };
        let sets = original.sets.iter().map(set).collect();
        let mut job = Job::with(original.uid, sets, original.slots.len());
        job.tree = original.tree.clone();
        self.state.jobs.push(job);
        let clone = JobRef::of(self.state.jobs.len() - 1);
        let mut tasks = tasks.to_vec();
        tasks.sort_by_key(|t| self.state.tasks[t.ix()].pod);
        for task in tasks {
            let task = self.state.clone_task(task);
            self.assign_task(clone, task);
        }
        clone
    }

    /// Updates a job's rank from its counters.
    pub fn place_job(&mut self, job: JobRef) {
        let facts = &self.inputs.facts[self.state.jobs[job.ix()].uid.ix()];
        let state = &mut self.state.jobs[job.ix()];
        state.rank = if self.inputs.plugins.elastic { facts.rank.with(state.filled()) } else { facts.rank };
        self.caches.pending.changed(job);
        self.caches.active.changed(job);
    }

    /// Amount requested by a chunk in the job's test.
    pub fn requested_by(&self, chunk: &[TaskRef]) -> Quantities {
        let mut requested = Quantities::default();
        for &task in chunk {
            requested += self.pod_of(task).request.pending(self.inputs.memory_basis.chunk);
        }
        requested
    }
}
