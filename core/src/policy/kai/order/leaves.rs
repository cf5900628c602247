//! Jobs of leaf queues, each leaf's in job order.
//!
//! # Rule
//! None of its own. A queue tree that is filled with jobs in job order links each leaf when its first job comes, so the
//! leaves are kept in the order of their first jobs.
//!
//! # Source
//! kai.md 0.5, 3.6
//!
//! # Differs
//! nothing

use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, QueueRef};

/// Jobs by leaf queue. No leaf is empty.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct Leaves(Vec<(QueueRef, Vec<JobRef>)>);

impl Leaves {
    /// Of jobs in job order.
    pub fn of(session: &Session<'_>, jobs: Vec<JobRef>) -> Leaves {
        let mut leaves = Leaves::default();
        jobs.into_iter().for_each(|job| leaves.leaf_of(session, job).push(job));
        leaves
    }

    /// The same without some jobs and with others, in job order, in their places.
    pub fn with(
        mut self,
        session: &Session<'_>,
        is_left_out: impl Fn(JobRef) -> bool,
        others: &[JobRef],
    ) -> Leaves {
        let rank = |job: JobRef| session.job(job).rank;
        let mut cleared: Vec<QueueRef> = Vec::new();
        for &job in others {
            let queue = session.facts_of(job).queue.expect("ordered jobs have a queue");
            let jobs = self.leaf_of(session, job);
            if !cleared.contains(&queue) {
                jobs.retain(|&job| !is_left_out(job));
                cleared.push(queue);
            }
            let at = jobs.partition_point(|&before| rank(before) <= rank(job));
            jobs.insert(at, job);
        }
        self.0.sort_by_key(|(_, jobs)| rank(jobs[0]));
        self
    }

    /// The jobs of a leaf.
    pub fn of_leaf(&self, leaf: QueueRef) -> &[JobRef] {
        self.0.iter().find(|(queue, _)| *queue == leaf).map_or(&[], |(_, jobs)| jobs)
    }

    /// All jobs in job order.
    pub fn in_order(self, session: &Session<'_>) -> Vec<JobRef> {
        let mut jobs: Vec<JobRef> = self.0.into_iter().flat_map(|(_, jobs)| jobs).collect();
        jobs.sort_by_key(|&job| session.job(job).rank);
        jobs
    }

    fn leaf_of(&mut self, session: &Session<'_>, job: JobRef) -> &mut Vec<JobRef> {
        let queue = session.facts_of(job).queue.expect("ordered jobs have a queue");
        let at = match self.0.iter().position(|leaf| leaf.0 == queue) {
            Some(at) => at,
            None => {
                self.0.push((queue, Vec::new()));
                self.0.len() - 1
            }
        };
        &mut self.0[at].1
    }
}

impl IntoIterator for Leaves {
    type Item = (QueueRef, Vec<JobRef>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
