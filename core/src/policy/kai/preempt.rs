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
use super::place::Failure;
use super::queue_tree::QueueTree;
use super::recorder::{Recorder, Why};
use super::session::Session;
use super::signatures::Failed;
use super::solver::{Solved, Taking};

impl Session<'_> {
    /// The action.
    pub fn run_preempt(&mut self, out: &mut Recorder<'_>) {
        let mut tree = QueueTree::serving(self, self.config.depth(Action::Preempt));
        let jobs = self.candidates();
        tree.load(self, jobs);
        let mut failed = Failed::default();
        while let Some(job) = tree.pop(self) {
            let queue = self.facts_of(job).queue;
            if let Some(known) = failed.like(self, queue, job) {
                self.notes.about(job, |note| note.like = Some(known));
                continue;
            }
            let chunk = self.chunk(job, false);
            let solved = match self.over_quota(job, self.asked_by(&chunk)) {
                Some(excess) => {
                    self.notes.about(job, |note| note.over_quota = Some(Failure::Excess(excess)));
                    None
                }
                None => self.solve(&Taking::Preemption, job, out),
            };
            match solved {
                Some(Solved { statement, .. }) => {
                    let done = statement.commit(self);
                    out.committed(self, job, done, Why::Priority);
                }
                None => failed.remember(self, queue, job),
            }
        }
    }
}
