//! The allocate action: places pending jobs on free room.
//!
//! # Rule
//! Jobs are popped from the queue tree until it is empty. A placed chunk is committed, and the job is pushed back if it
//! has more; if a pod set claims and fewer than its minimum are bound, everything is turned into claims first. The
//! job's last start is set when it is bound and none of its tasks was allocated before. There is no fair-share test.
//!
//! # Source
//! kai.md 4.2, 5.7
//!
//! # Differs
//! nothing

use crate::policy::kai::config::Action;
use crate::policy::kai::fast::early_exit::{Candidates, MayFit};
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::recorder::{Recorder, Why};
use crate::policy::kai::session::Session;
use crate::policy::kai::statement::Statement;
use crate::policy::kai::task::{JobRef, NodeRef, Status};

impl Session<'_> {
    pub fn run_allocate(&mut self, out: &mut Recorder<'_>) {
        let mut tree = QueueTree::of_action(self, Action::Allocate);
        let jobs = self.candidates();
        let all_nodes = vec![true; self.state.nodes.len()];
        let mut cache = MayFit::default();
        let mut remaining = Candidates::new(self, &jobs, |s, job| s.may_fit(job, &all_nodes, &mut cache));
        if remaining.is_over(&self.state) {
            return;
        }
        tree.load(self, jobs);
        let nodes: Vec<NodeRef> = (0..self.state.nodes.len()).map(NodeRef::of).collect();
        while !remaining.is_over(&self.state)
            && let Some(job) = tree.pop(self)
        {
            if !remaining.includes(&self.state, job) {
                continue;
            }
            remaining.popped(job);
            if self.allocate_next(job, &nodes, out) && self.job(job).has_pending() {
                tree.push(self, job);
                remaining.pushed(job);
            }
        }
    }

    /// Ready jobs with pending tasks.
    pub fn candidates(&self) -> Vec<JobRef> {
        let is_tried = |job: JobRef| self.inputs.only.is_none_or(|only| only == job);
        let is_candidate = |&job: &JobRef| is_tried(job) && self.job(job).is_ready() && self.job(job).has_pending();
        self.own_jobs().filter(is_candidate).collect()
    }

    /// Candidates that may evict others for themselves now.
    pub fn claimants(&self) -> Vec<JobRef> {
        let mut jobs = self.candidates();
        jobs.retain(|&job| self.facts_of(job).may_evict_from_s().is_none_or(|time_s| time_s <= self.inputs.now_s));
        jobs
    }

    fn allocate_next(&mut self, job: JobRef, nodes: &[NodeRef], out: &mut Recorder<'_>) -> bool {
        self.compute_deferred_signatures();
        let was_started = self.has_allocated(job);
        let mut st = Statement::default();
        let n_ties = self.notes.ties.len();
        if let Err(failure) = self.allocate_job(&mut st, job, nodes, false) {
            st.discard(self);
            self.notes.ties.forget(n_ties);
            self.notes.about(job, |note| note.not_placed = Some(failure));
            return false;
        }
        let claims = self.should_claim(job);
        if claims {
            st.convert_to_pipelined(self, job);
        }
        let done = st.commit(self);
        out.committed(self, job, done, Why::Free);
        if !claims && !was_started {
            self.state.jobs[job.ix()].last_start_s = Some(self.inputs.now_s);
            self.state.latest_start_s = self.state.latest_start_s.max(self.inputs.now_s);
            out.started(job);
        }
        true
    }

    fn has_allocated(&self, job: JobRef) -> bool {
        self.job(job).tasks().any(|t| self.task(t).status.is_allocated())
    }

    /// Whether some pod set claims while fewer than its minimum are bound.
    fn should_claim(&self, job: JobRef) -> bool {
        let job = self.job(job);
        let mut counts = vec![(false, 0); job.sets.len()];
        for task in job.tasks() {
            let set = &mut counts[self.pod_of(task).set];
            let status = self.task(task).status;
            if status == Status::Pipelined {
                set.0 = true;
            } else if status.is_active_allocated() {
                set.1 += 1;
            }
        }
        job.sets.iter().zip(counts).any(|(set, (claims, n_bound))| claims && n_bound < set.min_available)
    }
}
