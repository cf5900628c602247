//! Jobs that may not evict others yet.
//!
//! # Rule
//! A job with a preemption delay evicts no other job before that time has passed since its creation or, if that is
//! later, the last eviction of one of its pods for another job. It is placed on free room as usual.
//!
//! # Source
//! kai-v0.17.md 17.1
//!
//! # Differs
//! nothing

use crate::policy::kai::job::JobFacts;
use crate::policy::kai::record::notes::real;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::JobRef;
use crate::time::Time;
use crate::trace::{Check, Delay, Gate, Op, Quantity, Rule, RuleRecord};

/// kai-v0.17.md 17.1.
pub static PREEMPTION_DELAY: Rule = Rule(&RuleRecord {
    key: "kai/preemption-delay",
    says: "a job with a preemption delay may evict others only after that time since its creation or its last eviction; \
           it may start on free room before",
    formula: "now - max(creation, last eviction) >= preemption delay",
    source: "kai-v0.17.md 17.1",
    differs: "",
});

impl JobFacts {
    /// The time in seconds from which a job with a preemption delay may evict others (kai-v0.17.md 17.1).
    pub fn may_evict_from_s(&self) -> Option<f64> {
        let delay = self.preemption_delay_s.filter(|&delay| delay > 0.0)?;
        let since = self.last_eviction_s.map_or(self.created_s, |evicted| evicted.max(self.created_s));
        Some(since + delay)
    }
}

impl Session<'_> {
    /// The time from which a job may evict others, if it may not yet, and the comparison.
    pub fn may_not_evict_yet(&self, job: JobRef) -> Option<(Gate, Vec<Check>)> {
        let facts = self.facts_of(job);
        let delay = facts.preemption_delay_s?;
        let from_s = facts.may_evict_from_s().filter(|&from_s| from_s > self.inputs.now_s)?;
        let waited = real(Quantity::Waited, self.inputs.now_s - (from_s - delay));
        let delay = real(Quantity::PreemptionDelay, delay);
        let check = Check::new(PREEMPTION_DELAY, self.about_job(job), waited, Op::AtLeast, delay);
        let until = Time::from_millis((from_s * 1000.0).ceil() as i64);
        Some((Gate::Delayed { until, why: Delay::Preemption }, vec![check]))
    }
}
