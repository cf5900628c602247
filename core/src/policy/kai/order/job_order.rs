//! Order of jobs in a queue.
//!
//! # Rule
//! Jobs: higher priority; then *below* its minimum before *exactly* before *above*; then older; then smaller name.
//!
//! # Source
//! kai.md 3.2
//!
//! # Differs
//! nothing

use std::cmp::Ordering;

use super::super::job::Filled;
use crate::policy::kai::job::JobFacts;
use crate::policy::kai::record::notes::{count, real};
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::task::JobRef;
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};

macro_rules! rules {
    ($($name:ident $number:literal $says:literal $formula:literal)*) => {$(
        #[doc = $says]
        pub static $name: Rule = Rule(&RuleRecord {
            key: concat!("kai/job-order/", $number),
            says: $says,
            formula: $formula,
            source: "kai.md 3.2",
            differs: "",
        });
    )*};
}

rules! {
    PRIORITY 1 "the job of higher priority comes first" "priority(l) > priority(r)"
    FILLED 2 "a job below its minimum of pods comes before one at its minimum, and that one before a job above it"
        "below < exactly < above"
    OLDER 3 "the older job comes first" "created(l) < created(r)"
    NAME 4 "jobs of the same age are ordered by name" "name(l) < name(r)"
}

impl SessionState {
    /// 3.2: order of two jobs.
    pub fn job_order(&self, l: JobRef, r: JobRef) -> Ordering {
        self.jobs[l.ix()].rank.cmp(&self.jobs[r.ix()].rank)
    }
}

impl Session<'_> {
    /// The comparison that orders the left job after the right one of the same queue.
    pub fn job_comes_after(&self, l: JobRef, r: JobRef) -> Check {
        self.filled_job_comes_after((l, self.job(l).filled()), (r, self.job(r).filled()))
    }

    /// The same with given fills.
    pub fn filled_job_comes_after(&self, (l, filled_l): (JobRef, Filled), (r, filled_r): (JobRef, Filled)) -> Check {
        let (left, right) = (self.facts_of(l), self.facts_of(r));
        let subject = Subject { job: Some(left.id), other_job: Some(right.id), ..Subject::default() };
        let check = |rule, left, op, right| Check::new(rule, subject, left, op, right);
        if self.inputs.plugins.priority && left.priority != right.priority {
            let term = |facts: &JobFacts| count(Quantity::Priority, facts.priority);
            return check(PRIORITY, term(left), Op::Less, term(right));
        }
        if self.inputs.plugins.elastic && filled_l != filled_r {
            let term = |filled| count(Quantity::Applies, filled as i64);
            return check(FILLED, term(filled_l), Op::Exceeds, term(filled_r));
        }
        if left.created_s != right.created_s {
            let term = |facts: &JobFacts| real(Quantity::Created, facts.created_s);
            return check(OLDER, term(left), Op::Exceeds, term(right));
        }
        let term = |facts: &JobFacts| Term::new(Quantity::Name, Value::Name(facts.name.clone()));
        check(NAME, term(left), Op::Exceeds, term(right))
    }
}
