//! The preempt action: evicts jobs of lower priority in the same queue.
//!
//! # Rule
//! Each pending job is tried once, unless an equivalent one failed in its queue. A non-preemptible job must stay within
//! quota with its chunk. There is no fair-share test; limits are checked with the victims removed.
//!
//! # Source
//! kai.md 7.1
//!
//! # Differs
//! nothing

use super::super::record::notes::Failure;
use crate::policy::kai::config::Action;
use crate::policy::kai::fast::early_exit::Candidates;
use crate::policy::kai::fast::signatures::Failed;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::recorder::{Recorder, Why};
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::solver::Solved;
use crate::policy::kai::solve::victim_search::VictimSearch;

impl Session<'_> {
    pub fn run_preempt(&mut self, out: &mut Recorder<'_>) {
        let mut tree = QueueTree::of_action(self, Action::Preempt);
        let jobs = self.claimants();
        let lowest = self.lowest_victims();
        let mut remaining = Candidates::new(self, &jobs, |s, job| {
            let facts = s.facts_of(job);
            facts.queue.and_then(|q| lowest[q.ix()]).is_some_and(|lowest| lowest < facts.priority)
        });
        if remaining.is_over(&self.state) {
            self.defer_signatures(&jobs);
            return;
        }
        tree.load(self, jobs.clone());
        let mut failed = Failed::default();
        while !remaining.is_over(&self.state)
            && let Some(job) = tree.pop(self)
        {
            remaining.popped(job);
            let queue = self.facts_of(job).queue;
            if let Some(failed_job) = failed.like(self, queue, job) {
                self.notes.about(job, |note| note.like = Some(failed_job));
                continue;
            }
            if self.is_impossible(job) {
                continue;
            }
            let chunk = self.chunk(job, false);
            let solved = match self.over_quota(job, self.fixed_part(job, &chunk)) {
                Some(excess) => {
                    self.notes.about(job, |note| note.over_quota = Some(Failure::Excess(excess)));
                    None
                }
                None => self.solve(&VictimSearch::Preemption, job, out),
            };
            match solved {
                Some(Solved { statement, .. }) => {
                    let done = statement.commit(self);
                    remaining.committed();
                    let not_selected =
                        self.not_selected(&VictimSearch::Preemption, (job, Quantities::default()), &done);
                    out.trace.not_selected.extend(not_selected);
                    out.committed(self, job, done, Why::Priority);
                }
                None => failed.remember(self, queue, job),
            }
        }
        if remaining.is_over(&self.state) {
            self.defer_signatures(&jobs);
        }
    }

    /// The lowest priority of victims in each queue.
    fn lowest_victims(&self) -> Vec<Option<i64>> {
        let mut lowest: Vec<Option<i64>> = vec![None; self.state.queues.len()];
        for job in self.own_jobs() {
            let facts = self.facts_of(job);
            if let Some(queue) = facts.queue
                && self.job(job).n_active_allocated != 0
                && self.may_lose(job)
            {
                let lowest_of_queue = &mut lowest[queue.ix()];
                *lowest_of_queue = Some(lowest_of_queue.map_or(facts.priority, |lowest| lowest.min(facts.priority)));
            }
        }
        lowest
    }
}
