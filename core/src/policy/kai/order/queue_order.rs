//! Order of two queues.
//!
//! # Rule
//! The first rule in which they differ decides: (1) not over-utilised, (2) within quota with the job, (3) priority, (4)
//! no zero share, (5) dominant share with the job and without the victims, (6) dominant share, (7) smaller allocatable
//! share, (8) strictly older, otherwise the *right* one. Where queues within their quota reclaim by priority, (0)
//! precedes: of two queues that stay within quota with their jobs, the one of higher priority.
//!
//! # Source
//! kai.md 1.1, 3.1; kai-v0.18.md 2.6
//!
//! # Differs
//! nothing; rule 8 never says "equal" (N-3). A dialect counts a queue as over-utilised once any resource is, and lets
//! equally old queues go by name.

use crate::policy::kai::config::{Config, Dialect};
use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::order::nondeterminism;
use crate::policy::kai::record::notes::real;
use crate::policy::kai::session::Session;
use crate::policy::kai::share::shares::Queue;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::trace::{Check, Level, Op, Quantity, Rule, RuleRecord, Subject};

/// A queue is compared with a job to place or with victims to lose.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::policy::kai) struct With {
    pub job: Option<JobRef>,
    pub victims: Quantities,
}

impl Queue {
    /// `min(max(quota, fair share), limit)` of one resource.
    fn allocatable_of(deserved: f64, fair_share: f64, limit: f64) -> f64 {
        if deserved == UNLIMITED {
            return limit;
        }
        let entitled = deserved.max(fair_share);
        if limit == UNLIMITED { entitled } else { limit.min(entitled) }
    }
    /// `min(max(quota, fair share), limit)`; may be unlimited.
    pub fn allocatable_now(&self) -> Quantities {
        let (d, f, l) = (self.deserved, self.fair_share, self.limit);
        Quantities {
            cpu: Self::allocatable_of(d.cpu, f.cpu, l.cpu),
            memory: Self::allocatable_of(d.memory, f.memory, l.memory),
            gpu: Self::allocatable_of(d.gpu, f.gpu, l.gpu),
        }
    }
}

/// Dominant share: the largest ratio of allocated to allocatable amount over the resources.
pub(in crate::policy::kai) fn dominant(allocated: Quantities, allocatable: Quantities, total: Quantities) -> f64 {
    let mut dominant: f64 = 0.0;
    let resources = allocated.to_array().into_iter().zip(allocatable.to_array()).zip(total.to_array());
    for ((allocated, allocatable), total) in resources {
        let divisor = if allocatable == UNLIMITED { total } else { allocatable };
        let share = if divisor == 0.0 { allocated * 1000.0 } else { allocated / divisor };
        if share > dominant {
            dominant = share;
        }
    }
    dominant
}

/// Whether a resource with nothing allocatable is allocated.
fn has_zero_share(allocated: Quantities, allocatable: Quantities) -> bool {
    let mut resources = allocatable.to_array().into_iter().zip(allocated.to_array());
    resources.any(|(allocatable, allocated)| allocatable == 0.0 && allocated > 0.0)
}

/// Switches of the queue order.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::policy::kai) struct OrderSwitches {
    pub dialect: Dialect,
    /// Whether rule 0 precedes.
    pub priority_within_quota: bool,
}

impl From<&Config> for OrderSwitches {
    fn from(config: &Config) -> OrderSwitches {
        OrderSwitches { dialect: config.dialect, priority_within_quota: config.priority_in_quota_reclaim }
    }
}

/// kai-v0.18.md 2.6.
pub static PRIORITY_WITHIN_QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/queue-order/0",
    says: "of two queues that stay within their quota with the job, the one of higher priority comes first",
    formula: "allocated + need <= quota, of both; priority(l) > priority(r)",
    source: "kai-v0.18.md 2.6",
    differs: "only with queue-priority-in-quota-reclaim, which KAI v0.18 has as an alpha feature",
});

/// RC-7, used by a dialect.
pub static NAME: Rule = Rule(&RuleRecord {
    key: "runai/queue-order/9",
    says: "queues of equal age are ordered by name",
    formula: "name(l) < name(r)",
    source: "runai.md 5",
    differs: "assumption (RC-7): name decides where the documents are silent",
});

macro_rules! rules {
    ($($name:ident $number:literal $says:literal $formula:literal $differs:literal)*) => {$(
        #[doc = $says]
        pub static $name: Rule = Rule(&RuleRecord {
            key: concat!("kai/queue-order/", $number),
            says: $says,
            formula: $formula,
            source: "kai.md 3.1",
            differs: $differs,
        });
    )*};
}

rules! {
    OVER_UTILISED 1 "a queue that is not over its fair share comes first"
        "fair share < allocated, in all resources" "all three resources must be over"
    WITHIN_QUOTA 2 "a queue that stays within its quota with the job comes first"
        "allocated + need <= quota" ""
    PRIORITY 3 "the queue of higher priority comes first" "priority(l) > priority(r)" ""
    ZERO_SHARE 4 "a queue that is entitled to a resource it requests comes first"
        "not (allocatable = 0 and allocated + need > 0), in some resource" ""
    SHARE_WITH_JOB 5 "the smaller dominant share, with the job and without the victims, comes first"
        "max over resources of (allocated + need - victims) / allocatable" ""
    SHARE 6 "the smaller dominant share comes first" "max over resources of allocated / allocatable" ""
    SMALLER 7 "the queue that is entitled to less comes first" "allocatable(l) <= allocatable(r), less in some" ""
    OLDER 8 "the older queue comes first" "created(l) < created(r)" "for equally old queues it depends on their positions"
}

impl Session<'_> {
    /// 3.1: whether the left queue is served first.
    pub fn queue_goes_first(&mut self, l: QueueRef, r: QueueRef, lw: With, rw: With) -> bool {
        if !self.inputs.plugins.proportion {
            let (l, r) = (&self.state.queues[l.ix()], &self.state.queues[r.ix()]);
            return (l.created_s, &l.name) < (r.created_s, &r.name);
        }
        let (rule, left, right) = self.decisive(l, r, lw, rw);
        let is_first = left < right;
        if rule == OLDER && left == right {
            let id = |q: QueueRef| Some(self.state.queues[q.ix()].id);
            self.notes
                .ties
                .met(nondeterminism::QUEUES, Subject { queue: id(l), other_queue: id(r), ..Subject::default() });
        }
        if self.notes.level >= Level::Every {
            let check = self.compared((l, r), (rule, left, right), Op::Less);
            self.notes.check(|| check);
        }
        is_first
    }

    /// The comparison that orders the left queue after the right one.
    pub fn queue_comes_after(&mut self, l: QueueRef, r: QueueRef, lw: With, rw: With) -> Check {
        let decided = if self.inputs.plugins.proportion {
            self.decisive(l, r, lw, rw)
        } else {
            (OLDER, self.state.queues[l.ix()].created_s, self.state.queues[r.ix()].created_s)
        };
        self.compared((l, r), decided, Op::AtLeast)
    }

    /// Check of the numbers that decide; the smaller one is served first, so priorities are negated back for display.
    fn compared(&self, (l, r): (QueueRef, QueueRef), (rule, left, right): (Rule, f64, f64), op: Op) -> Check {
        let quantity = match rule.key() {
            "kai/queue-order/0" | "kai/queue-order/3" => Quantity::Priority,
            "kai/queue-order/5" | "kai/queue-order/6" => Quantity::DominantShare,
            "kai/queue-order/8" => Quantity::Created,
            _ => Quantity::Applies,
        };
        let id = |q: QueueRef| Some(self.state.queues[q.ix()].id);
        let subject = Subject { queue: id(l), other_queue: id(r), ..Subject::default() };
        let (left, op, right) = match op {
            _ if ![PRIORITY, PRIORITY_WITHIN_QUOTA].contains(&rule) => (left, op, right),
            Op::Less => (-left, Op::Exceeds, -right),
            _ => (-left, Op::AtMost, -right),
        };
        Check::new(rule, subject, real(quantity, left), op, real(quantity, right))
    }

    fn decisive(&mut self, l: QueueRef, r: QueueRef, lw: With, rw: With) -> (Rule, f64, f64) {
        let mut allocated_with_job = |q: QueueRef, w: With| {
            let need = w.job.map_or(Quantities::default(), |job| self.need(job));
            self.state.queues[q.ix()].allocated + need
        };
        let (l_allocated, r_allocated) = (allocated_with_job(l, lw), allocated_with_job(r, rw));
        let left = Side { queue: &self.state.queues[l.ix()], allocated: l_allocated, victims: lw.victims };
        let right = Side { queue: &self.state.queues[r.ix()], allocated: r_allocated, victims: rw.victims };
        decide(&left, &right, self.inputs.total, self.inputs.config.into())
    }
}

/// One side of a comparison.
pub(in crate::policy::kai) struct Side<'q> {
    pub queue: &'q Queue,
    /// Allocated amount, including the need of the next job.
    pub allocated: Quantities,
    pub victims: Quantities,
}

/// The first rule in which two queues differ; the smaller number is served first, on a tie the right queue.
pub(in crate::policy::kai) fn decide(
    l: &Side<'_>,
    r: &Side<'_>,
    total: Quantities,
    OrderSwitches { dialect, priority_within_quota }: OrderSwitches,
) -> (Rule, f64, f64) {
    let applies = |rule: &Rule, l: bool, r: bool| (*rule, f64::from(u8::from(l)), f64::from(u8::from(r)));
    let over = |q: &Queue| {
        if dialect.over_share_in_any {
            q.fair_share.less_in_at_least_one(&q.allocated)
        } else {
            q.fair_share.less(&q.allocated)
        }
    };
    let (lq, rq) = (l.queue, r.queue);
    let (l_within, r_within) = (l.allocated.less_equal(&lq.deserved), r.allocated.less_equal(&rq.deserved));
    let by_priority = |rule: &Rule| (*rule, -(lq.priority as f64), -(rq.priority as f64));
    if priority_within_quota && l_within && r_within && lq.priority != rq.priority {
        return by_priority(&PRIORITY_WITHIN_QUOTA);
    }
    if over(lq) != over(rq) {
        return applies(&OVER_UTILISED, over(lq), over(rq));
    }
    if l_within != r_within {
        return applies(&WITHIN_QUOTA, !l_within, !r_within);
    }
    if lq.priority != rq.priority {
        return by_priority(&PRIORITY);
    }
    let (l_allocatable, r_allocatable) = (lq.allocatable, rq.allocatable);
    let l_zero = has_zero_share(l.allocated, l_allocatable);
    let r_zero = has_zero_share(r.allocated, r_allocatable);
    if l_zero != r_zero {
        return applies(&ZERO_SHARE, l_zero, r_zero);
    }
    let share = |side: &Side<'_>| {
        let mut allocated = side.allocated;
        allocated -= side.victims;
        dominant(allocated, side.queue.allocatable, total)
    };
    let (a, b) = (share(l), share(r));
    if a != b {
        return (SHARE_WITH_JOB, a, b);
    }
    let (a, b) = (dominant(lq.allocated, l_allocatable, total), dominant(rq.allocated, r_allocatable, total));
    if a != b {
        return (SHARE, a, b);
    }
    let smaller = |l: &Quantities, r: &Quantities| l.less_in_at_least_one(r) && l.less_equal(r);
    if smaller(&l_allocatable, &r_allocatable) || smaller(&r_allocatable, &l_allocatable) {
        return applies(&SMALLER, smaller(&r_allocatable, &l_allocatable), smaller(&l_allocatable, &r_allocatable));
    }
    if dialect.ties_by_name && lq.created_s == rq.created_s {
        return applies(&NAME, lq.name >= rq.name, lq.name < rq.name);
    }
    (OLDER, lq.created_s, rq.created_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominant_share_with_and_without_the_job() {
        let q = |gpu| Quantities { cpu: 0.0, memory: 0.0, gpu };
        let total = Quantities { cpu: 80_000.0, memory: 1.0, gpu: 8.0 };
        let allocatable = |gpu| Quantities { cpu: -1.0, memory: -1.0, gpu };
        assert_eq!((dominant(q(4.0), allocatable(4.0), total), dominant(q(3.0), allocatable(3.0), total)), (1.0, 1.0));
        assert!(dominant(q(3.0), allocatable(4.0), total) > dominant(q(2.0), allocatable(3.0), total));
        assert_eq!(dominant(q(2.0), allocatable(0.0), total), 2000.0);
    }
}
