//! Why nothing could be evicted or moved for a job.
//!
//! # Rule
//! No other job that holds resources is preemptible, in the cluster or, for a preemption, in the queue of the job; or,
//! for a preemption, none of those has a lower priority. No decision depends on it.
//!
//! # Source
//! kai.md 6.4, 7.1, 7.2
//!
//! # Differs
//! nothing

use crate::policy::kai::record::notes::count;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::task::JobRef;
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject};

/// 6.4.
pub static PREEMPTIBLE: Rule = Rule(&RuleRecord {
    key: "kai/victims/preemptible",
    says: "only preemptible jobs can be evicted or moved",
    formula: "preemptible jobs that hold resources >= 1",
    source: "kai.md 6.4, 7.1, 7.2",
    differs: "",
});

impl Session<'_> {
    /// Notes why a search for victims can have no candidates.
    pub fn note_immovable(&mut self, search: &VictimSearch, job: JobRef) {
        let may_lose =
            |&other: &JobRef| other != job && self.job(other).n_active_allocated != 0 && self.may_lose(other);
        let queue = self.facts_of(job).queue;
        let is_lowest_wanted = matches!(search, VictimSearch::Preemption);
        let of_queue = self.own_jobs().filter(|&other| is_lowest_wanted && self.facts_of(other).queue == queue);
        let lowest = of_queue.filter(may_lose).min_by_key(|&other| self.facts_of(other).priority);
        let check = if let Some(lowest) = lowest {
            Some(self.lower_priority(job, lowest))
        } else if !self.own_jobs().any(|other| may_lose(&other)) {
            Some(nothing_preemptible(Subject { queue: None, ..self.about_job(job) }))
        } else {
            is_lowest_wanted.then(|| nothing_preemptible(self.about_job(job)))
        };
        let check = check.filter(|check| !check.holds);
        self.notes.about(job, |note| {
            let is_new = |check: &Check| !note.immovable.contains(check);
            let check = check.filter(is_new);
            note.immovable.extend(check);
        });
    }
}

fn nothing_preemptible(subject: Subject) -> Check {
    Check::new(PREEMPTIBLE, subject, count(Quantity::PreemptibleJobs, 0), Op::AtLeast, count(Quantity::Constant, 1))
}
