//! The consolidation action: moves running jobs so that pending jobs fit.
//!
//! # Rule
//! For pending preemptible jobs, if the ready nodes together have enough devices and device memory, idle or releasing.
//! Victims are other preemptible jobs of any queue, at most one more than the configured number; every evicted task
//! must be placed again.
//!
//! # Source
//! kai.md 7.2
//!
//! # Differs
//! nothing; victims beyond the number are cut in victim order (N-9)

use crate::policy::kai::config::Action;
use crate::policy::kai::fast::early_exit::Candidates;
use crate::policy::kai::fast::signatures::Failed;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::place::node::Node;
use crate::policy::kai::record::recorder::{Recorder, Why};
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::solver::Solved;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::task::JobRef;

impl Session<'_> {
    pub fn run_consolidation(&mut self, out: &mut Recorder<'_>) {
        let most = self.inputs.config.max_consolidation_preemptees;
        if most == Some(0) {
            return;
        }
        let mut tree = QueueTree::of_action(self, Action::Consolidation);
        let mut jobs = self.claimants();
        jobs.retain(|&job| self.may_move_others(job));
        let available = self.idle_or_releasing();
        let mut remaining = Candidates::new(self, &jobs, |s, job| s.could_fit_together(job, available));
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
            if failed.like(self, None, job).is_some() || self.is_impossible(job) {
                continue;
            }
            let available = self.idle_or_releasing();
            let solved = if self.could_fit_together(job, available) {
                self.solve(&VictimSearch::Consolidation { most }, job, out)
            } else {
                None
            };
            match solved {
                Some(Solved { statement, .. }) => {
                    let done = statement.commit(self);
                    remaining.committed();
                    out.committed(self, job, done, Why::Consolidated);
                }
                None => failed.remember(self, None, job),
            }
        }
        if remaining.is_over(&self.state) {
            self.defer_signatures(&jobs);
        }
    }

    /// Whether the ready nodes together can hold the chunk.
    fn could_fit_together(&mut self, job: JobRef, (gpus, mib): (f64, i64)) -> bool {
        let (mut requested, mut requested_mib) = (0.0, 0);
        for task in self.chunk(job, false) {
            let request = &self.pod_of(task).request;
            requested += request.gpus;
            requested_mib += request.mib;
        }
        gpus >= requested && mib >= requested_mib
    }

    /// Devices and device memory that are idle or releasing on the ready nodes together.
    fn idle_or_releasing(&self) -> (f64, i64) {
        let (mut gpus, mut mib) = (0.0, 0);
        for node in self.state.nodes.iter().filter(|n| n.ready) {
            gpus += node.sum_idle() + node.sum_releasing();
            mib += node.idle_or_releasing_mib();
        }
        (gpus, mib)
    }
}

impl Node {
    /// Idle or releasing device memory in MiB.
    fn idle_or_releasing_mib(&self) -> i64 {
        let mut mib = (self.idle.gpus as i64 + self.releasing.gpus as i64) * self.device_mib;
        for (_, s) in self.shared.iter() {
            if s.alloc() > 0 {
                mib += self.device_mib - s.alloc();
            }
            if s.releases_a_part() {
                mib += s.rel();
            }
        }
        mib
    }
}
