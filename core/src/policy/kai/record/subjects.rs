//! Subjects of comparisons.

use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::trace::Subject;

impl Session<'_> {
    pub fn about_job(&self, job: JobRef) -> Subject {
        let queue = self.facts_of(job).queue.map(|q| self.state.queues[q.ix()].id);
        Subject { queue, job: Some(self.facts_of(job).id), ..Subject::default() }
    }
    /// A job and its queue or an ancestor of it.
    pub fn about_queue(&self, job: JobRef, queue: QueueRef) -> Subject {
        Subject { queue: Some(self.state.queues[queue.ix()].id), ..self.about_job(job) }
    }
    /// A job, one of the queues above it, and a queue to reclaim from.
    pub fn about_queues(&self, job: JobRef, queue: QueueRef, other: QueueRef) -> Subject {
        let other_queue = Some(self.state.queues[other.ix()].id);
        Subject { other_queue, ..self.about_queue(job, queue) }
    }
}
