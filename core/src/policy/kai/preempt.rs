//! The preempt action: taking from lower priority in the same queue.
//!
//! # Rule
//! Each pending job is tried once, unless one like it failed in its queue. A non-preemptible job must stay within quota
//! with its chunk. There is no fair-share test; limits apply once the victims are gone in thought.
//!
//! # Source
//! kai.md 7.1
//!
//! # Differs
//! nothing

use super::config::Action;
use super::queue_tree::QueueTree;
use super::recorder::Recorder;
use super::session::Session;
use super::signatures::Failed;
use super::solver::Taking;

impl Session<'_> {
    /// The action.
    pub fn run_preempt(&mut self, out: &mut Recorder<'_>) {
        let mut tree = QueueTree::serving(self, self.config.depth(Action::Preempt));
        let jobs = self.candidates();
        tree.load(self, jobs);
        let mut failed = Failed::default();
        while let Some(job) = tree.pop(self) {
            let queue = self.facts_of(job).queue;
            if failed.like(self, queue, job).is_some() {
                continue;
            }
            let chunk = self.chunk(job, false);
            let solved = match self.over_quota(job, self.asked_by(&chunk)) {
                Some(_) => None,
                None => self.solve(&Taking::Preemption, job, out),
            };
            match solved {
                Some(st) => {
                    let committed = st.commit(self, job);
                    out.committed(self, job, committed);
                }
                None => failed.remember(self, queue, job),
            }
        }
    }
}
