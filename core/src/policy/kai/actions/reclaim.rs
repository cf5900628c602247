//! The reclaim action: evicts jobs of queues above their share.
//!
//! # Rule
//! Each pending job is tried once: its queue must be entitled, and no equivalent job may have failed in its queue; then
//! the solver searches for victims in other queues. A solution is committed.
//!
//! # Source
//! kai.md 4.2, 6.1
//!
//! # Differs
//! nothing

use crate::policy::kai::config::Action;
use crate::policy::kai::fast::early_exit::Candidates;
use crate::policy::kai::fast::signatures::Failed;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::recorder::{Recorder, Why};
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::solver::Solved;
use crate::policy::kai::solve::victim_search::VictimSearch;

impl Session<'_> {
    pub fn run_reclaim(&mut self, out: &mut Recorder<'_>) {
        let mut tree = QueueTree::of_action(self, Action::Reclaim);
        let jobs = self.claimants();
        let mut remaining = Candidates::new(self, &jobs, |s, job| s.can_reclaim(job).0);
        if remaining.is_over(&self.state) {
            return;
        }
        tree.load(self, jobs);
        let mut failed = Failed::default();
        while !remaining.is_over(&self.state)
            && let Some(job) = tree.pop(self)
        {
            remaining.popped(job);
            let (is_entitled, check) = self.can_reclaim(job);
            if !is_entitled {
                self.notes.about(job, |note| note.not_entitled = check);
                continue;
            }
            let queue = self.facts_of(job).queue;
            if let Some(failed_job) = failed.like(self, queue, job) {
                self.notes.about(job, |note| note.like = Some(failed_job));
                continue;
            }
            if self.is_impossible(job) {
                continue;
            }
            let (need, search) = (self.need(job), VictimSearch::Reclaim(self.state.allocations()));
            match self.solve(&search, job, out) {
                Some(Solved { statement, mut proof }) => {
                    proof.common.extend(check);
                    let done = statement.commit(self);
                    remaining.committed();
                    let not_selected = self.not_selected(&search, (job, need), &done);
                    out.trace.not_selected.extend(not_selected);
                    out.committed(self, job, done, Why::Reclaimed(proof));
                }
                None => {
                    self.note_not_allowed(&search, job, need);
                    failed.remember(self, queue, job);
                }
            }
        }
    }
}
