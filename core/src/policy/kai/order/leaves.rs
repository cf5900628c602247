//! Jobs by leaf queue, in the order in which a queue tree is filled.
//!
//! # Rule
//! None of its own. A queue tree filled in job order, or in the reverse order in victim mode, links each leaf at its
//! first job, so leaves are sorted by their first jobs.
//!
//! # Source
//! kai.md 0.5, 3.6
//!
//! # Differs
//! nothing

use std::cmp::Ordering;

use super::super::job::JobRank;
use crate::policy::kai::task::{JobRef, QueueRef};

/// Jobs by leaf queue. No leaf is empty.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct Leaves(Vec<(QueueRef, Vec<JobRef>)>);

impl Leaves {
    /// Sorts leaves by their first jobs; the jobs of each are in order, and there is at least one.
    pub fn by_first(
        leaves: impl Iterator<Item = (QueueRef, Vec<JobRef>)>,
        order: impl Fn(JobRef, JobRef) -> Ordering,
    ) -> Leaves {
        let mut leaves: Vec<_> = leaves.collect();
        leaves.sort_by(|(_, l), (_, r)| order(l[0], r[0]));
        Leaves(leaves)
    }

    /// Inserts jobs at their `rank` in job order. From each leaf that receives a job, removes the jobs for which
    /// `is_left_out` holds.
    pub fn with(
        mut self,
        jobs: impl Iterator<Item = (QueueRef, JobRef)>,
        is_left_out: impl Fn(JobRef) -> bool,
        rank: impl Fn(JobRef) -> JobRank,
    ) -> Leaves {
        let mut cleared: Vec<QueueRef> = Vec::new();
        for (queue, job) in jobs {
            let jobs_of_leaf = self.leaf(queue);
            if !cleared.contains(&queue) {
                jobs_of_leaf.retain(|&job| !is_left_out(job));
                cleared.push(queue);
            }
            let position = jobs_of_leaf.partition_point(|&before| rank(before) <= rank(job));
            jobs_of_leaf.insert(position, job);
        }
        self.0.sort_by_key(|(_, jobs)| rank(jobs[0]));
        self
    }

    pub fn of_leaf(&self, leaf: QueueRef) -> &[JobRef] {
        self.0.iter().find(|(queue, _)| *queue == leaf).map_or(&[], |(_, jobs)| jobs)
    }

    fn leaf(&mut self, queue: QueueRef) -> &mut Vec<JobRef> {
        let i = match self.0.iter().position(|leaf| leaf.0 == queue) {
            Some(i) => i,
            None => {
                self.0.push((queue, Vec::new()));
                self.0.len() - 1
            }
        };
        &mut self.0[i].1
    }
}

/// Expects jobs in order.
impl FromIterator<(QueueRef, JobRef)> for Leaves {
    fn from_iter<I: IntoIterator<Item = (QueueRef, JobRef)>>(jobs: I) -> Leaves {
        let mut leaves = Leaves::default();
        jobs.into_iter().for_each(|(queue, job)| leaves.leaf(queue).push(job));
        leaves
    }
}

impl IntoIterator for Leaves {
    type Item = (QueueRef, Vec<JobRef>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
