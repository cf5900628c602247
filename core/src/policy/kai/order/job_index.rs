//! Jobs that satisfy a condition, by leaf queue in job order, kept up to date as jobs change.
//!
//! # Rule
//! None of its own. A search changes few jobs, so only their entries are updated before the next search.
//!
//! # Source
//! kai.md 3.2
//!
//! # Differs
//! nothing

use super::super::job::JobRank;
use crate::policy::kai::task::{JobRef, QueueRef};

/// Where a job is listed: its leaf queue, and its rank there.
type JobIndexKey = (QueueRef, JobRank);

#[derive(Debug, Default)]
pub(in crate::policy::kai) struct JobIndex {
    /// By queue, in job order.
    queues: Vec<Vec<(JobRank, JobRef)>>,
    /// By job; `None`: not listed.
    places: Vec<Option<JobIndexKey>>,
    /// Jobs whose place may have changed, each once.
    changed: Vec<JobRef>,
    /// By job.
    is_changed: Vec<bool>,
}

impl JobIndex {
    /// An index of original jobs, of which none is listed yet.
    pub fn new(n_queues: usize, n_jobs: usize) -> JobIndex {
        JobIndex {
            queues: vec![Vec::new(); n_queues],
            places: vec![None; n_jobs],
            changed: (0..n_jobs).map(JobRef::of).collect(),
            is_changed: vec![true; n_jobs],
        }
    }

    /// Notes that the place of a job may have changed; clones are never listed.
    pub fn changed(&mut self, job: JobRef) {
        if let Some(is_changed @ false) = self.is_changed.get_mut(job.ix()) {
            *is_changed = true;
            self.changed.push(job);
        }
    }

    /// Lists the jobs that changed at their present places.
    pub fn update(&mut self, place: impl Fn(JobRef) -> Option<JobIndexKey>) {
        let mut moved: Vec<(JobIndexKey, JobRef)> = Vec::new();
        for job in std::mem::take(&mut self.changed) {
            self.is_changed[job.ix()] = false;
            let new = place(job);
            let old = std::mem::replace(&mut self.places[job.ix()], new);
            if new == old {
                continue;
            }
            if let Some((queue, rank)) = old {
                let jobs = &mut self.queues[queue.ix()];
                let position = jobs.partition_point(|&before| before < (rank, job));
                jobs.remove(position);
            }
            moved.extend(new.map(|place| (place, job)));
        }
        // In job order, so that the first jobs are appended, not inserted.
        moved.sort_unstable();
        for ((queue, rank), job) in moved {
            let jobs = &mut self.queues[queue.ix()];
            let position = jobs.partition_point(|&before| before < (rank, job));
            jobs.insert(position, (rank, job));
        }
    }

    /// The queues with listed jobs, each with its jobs and their ranks, in job order.
    pub fn queues(&self) -> impl Iterator<Item = (QueueRef, &[(JobRank, JobRef)])> {
        let queues = (0..).map(QueueRef).zip(self.queues.iter().map(Vec::as_slice));
        queues.filter(|(_, jobs)| !jobs.is_empty())
    }
}
