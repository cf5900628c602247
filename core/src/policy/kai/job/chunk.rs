//! A job's next chunk to place, and its next tasks to evict.
//!
//! # Rule
//! `need` is the sum of the requests of those tasks of the chunk that may still be placed. What a chunk contains and
//! which tasks are evicted together depends on the revision: see `next_chunk` and `tasks_to_evict`. For
//! semi-preemptible jobs see [`crate::policy::kai::job::semi`].
//!
//! # Source
//! kai.md 5.1, 6.4; kai-v0.17.md 16.4, 16.6
//!
//! # Differs
//! nothing; both are cached on the job object until a status changes

use crate::policy::kai::job::subgroups::{Group, Member};
use crate::policy::kai::job::{Chunk, Job, PodSet};
use crate::policy::kai::number::Quantities;
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, Task};

impl Session<'_> {
    /// The next chunk, cached on the job.
    pub fn chunk(&mut self, job: JobRef, real: bool) -> Chunk {
        self.ensure_chunk(job, real);
        self.state.jobs[job.ix()].chunk.clone().expect("just computed")
    }

    fn ensure_chunk(&mut self, job: JobRef, real: bool) {
        if self.state.jobs[job.ix()].chunk.is_none() {
            self.state.jobs[job.ix()].chunk = Some(self.next_chunk(self.job(job), real));
        }
    }

    /// The request of the next chunk, cached on the job.
    pub fn need(&mut self, job: JobRef) -> Quantities {
        if let Some(need) = self.state.jobs[job.ix()].need {
            return need;
        }
        self.ensure_chunk(job, false);
        let mut need = Quantities::default();
        let chunk = self.state.jobs[job.ix()].chunk.as_deref().expect("just computed");
        for &task in chunk {
            if self.state.tasks[task.ix()].should_allocate(false) {
                need += self.pod_of(task).request.pending(self.inputs.memory_basis.pending);
            }
        }
        self.state.jobs[job.ix()].need = Some(need);
        need
    }

    /// # v0.13
    /// Let U pod sets be below their minimum. In pod-set order, until `max(U,1)` sets have contributed: a set
    /// contributes its placeable tasks in task order, as many as it lacks, or one if it lacks none. A set without
    /// placeable tasks is skipped.
    ///
    /// # v0.17
    /// A group that lacks members takes the steps of as many first members as it needs, in order; members that have
    /// enough contribute nothing. A group that has enough takes the first step of a member that is not empty. The step
    /// of a pod set is as above.
    fn next_chunk(&self, job: &Job, real: bool) -> Chunk {
        match (self.inputs.config.revision, &job.tree) {
            (Revision::V0_13, _) => self.next_of_sets(job, real),
            (Revision::V0_17, Some(tree)) => self.next_of_group(job, tree, real),
            (Revision::V0_17, None) => self.next_of_group(job, &Group::flat(job.sets.len()), real),
        }
    }

    fn next_of_sets(&self, job: &Job, real: bool) -> Chunk {
        let below = job.sets.iter().filter(|s| s.is_below()).count().max(1);
        let steps = self.inputs.sets_in_order(job).into_iter().map(|set| self.next_of_set(job, set, real));
        steps.filter(|step| !step.is_empty()).take(below).flatten().collect()
    }

    fn next_of_group(&self, job: &Job, group: &Group, real: bool) -> Chunk {
        let step = |member: &Member| match member {
            Member::Group(group) => self.next_of_group(job, group, real),
            Member::Set(set) => self.next_of_set(job, *set, real),
        };
        let members = group.members_in_order(&job.fills(), self.inputs.plugins.subgroup_order);
        if group.fill(&job.fills()).is_enough() {
            return members.into_iter().map(step).find(|step| !step.is_empty()).unwrap_or_default();
        }
        let lacking = members.into_iter().take(group.needs()).filter(|member| !member.fill(&job.fills()).is_enough());
        lacking.flat_map(step).collect()
    }

    /// Placeable tasks of a pod set: as many as it lacks, or one if it lacks none.
    fn next_of_set(&self, job: &Job, set: usize, real: bool) -> Chunk {
        let mut tasks = self.tasks_of(job, set, |t| t.should_allocate(real));
        let lacks = job.sets[set].min_available - job.sets[set].active_allocated;
        tasks.truncate(usize::try_from(lacks).unwrap_or(0).max(1));
        tasks
    }

    /// The next tasks to evict, and whether active ones remain.
    ///
    /// # v0.13
    /// If some set is above its minimum only the last set in order is considered, else all, in reverse order; a set
    /// above its minimum contributes its last active task, another all of them.
    ///
    /// # v0.17
    /// The last active task of a pod set above its minimum, else all active tasks of a member that its group does not
    /// need, both looked for in reverse order of the members; else all active tasks, by name of the pod sets (N-14).
    pub fn tasks_to_evict(&self, job: JobRef) -> (Chunk, bool) {
        if self.is_semi(job) {
            let (task, more) = self.next_above_minimum(job);
            return (task.into_iter().collect(), more);
        }
        let job = self.job(job);
        let evicted = match (self.inputs.config.revision, &job.tree) {
            (Revision::V0_13, _) => self.last_of_sets(job),
            (Revision::V0_17, Some(tree)) => self.last_of_group(job, tree),
            (Revision::V0_17, None) => self.last_of_group(job, &Group::flat(job.sets.len())),
        };
        let more = (evicted.len() as i64) < job.n_active_allocated;
        (evicted, more)
    }

    fn last_of_sets(&self, job: &Job) -> Chunk {
        let some_above = job.sets.iter().any(PodSet::is_above);
        let visited = if some_above { 1 } else { job.sets.len() };
        let last = self.inputs.sets_in_order(job).into_iter().rev().take(visited);
        let tasks = |set: usize| {
            if job.sets[set].is_above() { self.last_of_set(job, set) } else { self.all_of_set(job, set) }
        };
        last.flat_map(tasks).collect()
    }

    fn last_of_group(&self, job: &Job, group: &Group) -> Chunk {
        let surplus = self.surplus_of(job, group);
        if surplus.is_empty() { self.all_of(job, group.sets()) } else { surplus }
    }

    /// The next tasks that a group does not need.
    fn surplus_of(&self, job: &Job, group: &Group) -> Chunk {
        let fill = group.fill(&job.fills());
        if fill.has == 0 {
            return Chunk::new();
        }
        let mut members = group.members_in_order(&job.fills(), self.inputs.plugins.subgroup_order);
        members.reverse();
        let surplus = |member: &&Member| match member {
            Member::Group(group) => self.surplus_of(job, group),
            Member::Set(set) if job.sets[*set].is_above() => self.last_of_set(job, *set),
            Member::Set(_) => Chunk::new(),
        };
        if let Some(tasks) = members.iter().map(surplus).find(|tasks| !tasks.is_empty()) {
            return tasks;
        }
        if fill.has <= fill.needs {
            return Chunk::new();
        }
        let active = members.into_iter().map(|member| self.all_of(job, member.sets()));
        active.into_iter().find(|active| !active.is_empty()).unwrap_or_default()
    }

    /// The last active task of a pod set.
    fn last_of_set(&self, job: &Job, set: usize) -> Chunk {
        self.all_of_set(job, set).into_iter().take(1).collect()
    }

    /// The active tasks of pod sets, each from the last.
    fn all_of(&self, job: &Job, sets: Vec<usize>) -> Chunk {
        sets.into_iter().flat_map(|set| self.all_of_set(job, set)).collect()
    }

    /// The active tasks of a pod set, from the last.
    fn all_of_set(&self, job: &Job, set: usize) -> Chunk {
        let mut tasks = self.tasks_of(job, set, |t| t.status.is_active_allocated());
        tasks.reverse();
        tasks
    }

    /// Tasks of one pod set that pass a test, in task order.
    fn tasks_of(&self, job: &Job, set: usize, test: impl Fn(&Task) -> bool) -> Chunk {
        let matching = job.tasks().filter(|&t| self.pod_of(t).set == set && test(self.task(t)));
        let mut tasks: Chunk = matching.collect();
        tasks.sort_by_key(|&t| self.pod_of(t).order);
        tasks
    }
}
