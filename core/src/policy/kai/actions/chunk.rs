//! A job's next chunk to place, and its next tasks to evict.
//!
//! # Rule
//! Let U pod sets be below their minimum. In pod-set order, until `max(U,1)` sets have contributed: a set contributes its
//! placeable tasks in task order, as many as it lacks, or one if it lacks none. A set without placeable tasks is
//! skipped. `need` is the sum of the requests of those of them that may still be placed.
//! To evict: if some set is above its minimum only the last set in order is considered, else all, in reverse order; a set
//! above its minimum contributes its last active task, another all of them. For semi-preemptible jobs see
//! [`crate::policy::kai::solve::semi`].
//!
//! # Source
//! kai.md 5.1, 6.4
//!
//! # Differs
//! nothing; both are cached on the job object until a status changes

use crate::policy::kai::job::{Chunk, Job};
use crate::policy::kai::session::Session;
use crate::policy::kai::snapshot::Quantities;
use crate::policy::kai::task::{JobRef, Task};

impl Session<'_> {
    /// The next chunk, cached on the job.
    pub fn chunk(&mut self, job: JobRef, real: bool) -> Chunk {
        self.ensure_chunk(job, real);
        self.jobs[job.ix()].chunk.clone().expect("just computed")
    }

    fn ensure_chunk(&mut self, job: JobRef, real: bool) {
        if self.jobs[job.ix()].chunk.is_none() {
            self.jobs[job.ix()].chunk = Some(self.next_chunk(self.job(job), real));
        }
    }

    /// The request of the next chunk, cached on the job.
    pub fn need(&mut self, job: JobRef) -> Quantities {
        if let Some(need) = self.jobs[job.ix()].need {
            return need;
        }
        self.ensure_chunk(job, false);
        let mut need = Quantities::default();
        let chunk = self.jobs[job.ix()].chunk.as_deref().expect("just computed");
        for &task in chunk {
            if self.tasks[task.ix()].should_allocate(false) {
                need += self.pod_of(task).request.pending(self.yardstick);
            }
        }
        self.jobs[job.ix()].need = Some(need);
        need
    }

    fn next_chunk(&self, job: &Job, real: bool) -> Chunk {
        let below = job.sets.iter().filter(|s| s.is_below()).count().max(1);
        let mut chunk = Chunk::new();
        let mut contributed = 0;
        for set in self.sets_in_order(job) {
            if contributed == below {
                break;
            }
            let mut tasks = self.tasks_of(job, set, |t| t.should_allocate(real));
            if tasks.is_empty() {
                continue;
            }
            let lacks = job.sets[set].min_available - job.sets[set].active_allocated;
            tasks.truncate(usize::try_from(lacks).unwrap_or(0).max(1));
            chunk.append(&mut tasks);
            contributed += 1;
        }
        chunk
    }

    /// The next tasks to evict, and whether active ones remain.
    pub fn tasks_to_evict(&self, job: JobRef) -> (Chunk, bool) {
        if self.is_semi(job) {
            let (task, more) = self.next_above_minimum(job);
            return (task.into_iter().collect(), more);
        }
        let job = self.job(job);
        let is_above = |set: usize| job.sets[set].active_allocated > job.sets[set].min_available;
        let some_above = (0..job.sets.len()).any(is_above);
        let visited = if some_above { 1 } else { job.sets.len() };
        let mut evicted = Chunk::new();
        for set in self.sets_in_order(job).into_iter().rev().take(visited) {
            let mut tasks = self.tasks_of(job, set, |t| t.status.is_active_allocated());
            tasks.reverse();
            if is_above(set) {
                tasks.truncate(1);
            }
            evicted.extend(tasks);
        }
        let more = (evicted.len() as i64) < job.n_active_allocated;
        (evicted, more)
    }

    /// Tasks of one pod set that pass a test, in task order.
    fn tasks_of(&self, job: &Job, set: usize, test: impl Fn(&Task) -> bool) -> Chunk {
        let all = job.tasks().filter(|&t| self.pod_of(t).set == set && test(self.task(t)));
        let mut tasks: Chunk = all.collect();
        tasks.sort_by_key(|&t| self.pod_of(t).order);
        tasks
    }
}
