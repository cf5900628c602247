//! The stale gang action: evicts gangs below their minimum after a grace period.
//!
//! # Rule
//! *Stale*: no task succeeded, some are active, and some pod set has fewer active ones (releasing included) than its
//! minimum. A job that is not stale loses its timestamp; a stale one gets one, and once its age reaches the grace
//! period, its own or else the common one, every active task is evicted. A number of subgroups that would be enough
//! plays no part.
//!
//! # Source
//! kai.md 1.3, 7.3; kai-v0.17.md 19
//!
//! # Differs
//! nothing

use crate::policy::kai::record::recorder::{Recorder, Why};
use crate::policy::kai::session::Session;
use crate::policy::kai::statement::Done;
use crate::policy::kai::task::{JobRef, Status, TaskRef};

impl Session<'_> {
    pub fn run_stale_gang_eviction(&mut self, out: &mut Recorder<'_>) {
        for job in self.own_jobs() {
            if self.inputs.facts[job.ix()].is_set_aside {
                continue;
            }
            let is_stale = self.is_stale(job);
            let since = self.job(job).stale_since_s;
            if !is_stale {
                if since.is_some() {
                    self.state.jobs[job.ix()].stale_since_s = None;
                    out.stale(job, false);
                }
                continue;
            }
            let since = since.unwrap_or_else(|| {
                self.state.jobs[job.ix()].stale_since_s = Some(self.inputs.now_s);
                out.stale(job, true);
                self.inputs.now_s
            });
            let grace = self.inputs.facts[job.ix()].staleness_grace_s.unwrap_or(self.inputs.config.staleness_grace_s);
            if let Some(grace) = grace.filter(|grace| self.inputs.now_s - since >= *grace) {
                self.evict_stale(job, (since, grace), out);
            }
        }
    }

    fn is_stale(&self, job: JobRef) -> bool {
        let succeeded = |t: TaskRef| self.task(t).status == Status::Succeeded;
        let state = self.job(job);
        state.active_used() > 0 && !state.is_gang_satisfied() && !state.tasks().any(succeeded)
    }

    fn evict_stale(&mut self, job: JobRef, (since_s, grace_s): (f64, f64), out: &mut Recorder<'_>) {
        self.compute_deferred_signatures();
        let tasks: Vec<TaskRef> = self.state.active_of(job).collect();
        tasks.iter().for_each(|&task| self.evict_now(task));
        let done = tasks.into_iter().map(Done::Evicted).collect();
        out.committed(self, job, done, Why::Stale { since_s, grace_s });
    }
}
