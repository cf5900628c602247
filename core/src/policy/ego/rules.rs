//! Rule records of the policy, and sides of checks that cite them.
//!
//! # Rule
//! One record per rule; our own choices are noted in `differs`.
//!
//! # Source
//! ego.md
//!
//! # Differs
//! nothing

use super::number::{Fraction, Nat};
use crate::id::QueueId;
use crate::policy::checks::term;
use crate::trace::{Quantity, Rule, RuleRecord, Subject, Term, Value};

/// Own hosts are used first.
pub const OWN_HOSTS: Rule = Rule(&RuleRecord {
    key: "ego/own-hosts",
    says: "a consumer uses its own hosts before any share pool",
    formula: "owned → private pool of the parent → … → public pool",
    source: "ego.md 3.2; IBM, Resource reclaim for multidimensional scheduling",
    differs: "assumption (OC-2): all owners are served before any pool",
});

/// Siblings are ordered by share priority.
pub const SHARE_PRIORITY: Rule = Rule(&RuleRecord {
    key: "ego/share-priority",
    says: "among siblings the one with the higher share priority is served first",
    formula: "priority(a) ≥ priority(b)",
    source: "ego.md 7.2; IBM, Share policies for multidimensional scheduling",
    differs: "assumption (OC-1): the larger number is the higher priority; IBM counts from 1, the highest, to 10",
});

/// Siblings are ordered by usage over share ratio.
pub const SHARE_RATIO: Rule = Rule(&RuleRecord {
    key: "ego/share-ratio",
    says: "at equal priority the one with the smallest usage for its share ratio is served first; on a tie the one higher in the tree",
    formula: "usage(a) / ratio(a) ≤ usage(b) / ratio(b)",
    source: "ego.md 7.2; IBM, How does EGO determine resource allocation when multiple consumers with equal share ratios require the same resource",
    differs: "assumption (OC-13): usage includes reserved units and excludes those in their grace period",
});

/// A share ratio of 0 gets nothing.
pub const RATIO_ZERO: Rule = Rule(&RuleRecord {
    key: "ego/share-ratio-zero",
    says: "a consumer whose share ratio is 0, or that is below one, gets nothing from share pools",
    formula: "share ratio > 0 on the path to the pool",
    source: "ego.md 4; IBM, Share policies",
    differs: "",
});

/// An earmark is redeemed.
pub const EARMARK: Rule = Rule(&RuleRecord {
    key: "ego/earmark",
    says: "units reclaimed for a consumer are reserved for it until the victims are gone",
    formula: "",
    source: "ego.md 8.4",
    differs: "assumption (OC-19): the reservation is for the host of the victims",
});

/// The reclaimer is below its quota.
pub const UNDER_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/under-quota",
    says: "a consumer can reclaim while its share usage is below its share usage quota",
    formula: "usage < share usage quota",
    source: "ego.md 8.3; IBM, Share policies for multidimensional scheduling",
    differs: "assumption (OC-16): quotas are computed from projected usage",
});

/// The victim is above its quota.
pub const OVER_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/over-quota",
    says: "units are reclaimed from consumers whose share usage is above their share usage quota",
    formula: "usage > share usage quota",
    source: "ego.md 8.1; IBM, Resource reclaim for multidimensional scheduling",
    differs: "assumption (OC-17): the most over-used consumer first, then the host with the least usage lost, then the newest unit",
});

/// Reclaim does not invert the ranking.
pub const NO_INVERSION: Rule = Rule(&RuleRecord {
    key: "ego/no-inversion",
    says: "no reclaim leaves the losing side with less usage for its share ratio than the winning side",
    formula: "usage(a) / ratio(a) ≤ usage(b) / ratio(b) afterwards",
    source: "ego.md 8.1; IBM, Resource reclaim for multidimensional scheduling",
    differs: "",
});

/// A consumer does not exceed its share limit.
pub const SHARE_LIMIT: Rule = Rule(&RuleRecord {
    key: "ego/share-limit",
    says: "no consumer uses more of a share pool than its share limit; units above it are reclaimed first",
    formula: "drawn ≤ share limit",
    source: "ego.md 4, 8.3; IBM, MDPlan.xml reference",
    differs: "assumption (OC-7, OC-11): own hosts do not count, and the newest units are reclaimed at once",
});

/// Order of the hosts.
pub const HOST_ORDER: Rule = Rule(&RuleRecord {
    key: "ego/host-order",
    says: "a unit goes to the first host in order on which it fits; with placement balanced, to the one with room for the most \
           units of its size",
    formula: "place(host) < place(next); balanced: units that fit(host) ≥ units that fit(other), then place(host) < place(other)",
    source: "ego.md 7.4; IBM, Resource plans",
    differs: "assumption (OC-15): the most free slots are read as the most units of the requested size",
});

/// A unit needs one host.
pub const HOST_SIZE: Rule = Rule(&RuleRecord {
    key: "ego/host-size",
    says: "every unit runs on one host, so it needs a host with as much of each resource",
    formula: "unit ≤ capacity of the largest host",
    source: "ego.md 4",
    differs: "assumption (OC-5): a unit that fits no host is never tried",
});

/// An owner calls its host back.
pub const CALL_BACK: Rule = Rule(&RuleRecord {
    key: "ego/call-back",
    says: "an owner with pending work reclaims the hosts it lent",
    formula: "",
    source: "ego.md 3.3; IBM, Ownership in a multidimensional resource plan",
    differs: "assumption (OC-29): a host is lent and reclaimed as a whole",
});

/// A host offers more than its physical capacity.
pub const OVER_COMMIT: Rule = Rule(&RuleRecord {
    key: "ego/over-commit",
    says: "a host offers its capacity multiplied by the over-commit ratio of the resource",
    formula: "allocated ≤ capacity of the host · over-commit ratio",
    source: "ego.md 2; IBM, MDPlan.xml reference",
    differs: "assumption (OC-34): ratios from 1 to 100; GPUs are offered whole",
});

/// A long reclaim grace excludes a leaf from a pool.
pub const GRACE: Rule = Rule(&RuleRecord {
    key: "ego/grace",
    says: "a consumer that requires a longer grace period than a pool grants cannot use that pool",
    formula: "reclaim grace ≤ grace of the pool",
    source: "ego.md 8.5; IBM, Grace periods for multidimensional scheduling",
    differs: "assumption (OC-21): the grace period of the consumer counts, else that of the pool",
});

/// The dynamic share quota, for orientation.
pub const DYNAMIC_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/dynamic-quota",
    says: "the amount of one resource that a consumer with pending work would get by ratio and priority, at most its demand",
    formula: "quota = min(demand, rest · ratio / Σ ratios), highest priority first",
    source: "ego.md 5; IBM, Share policies for multidimensional scheduling",
    differs: "assumption (OC-9): for reference only; placement decides",
});

/// Order of the jobs of a leaf.
pub const JOB_ORDER: Rule = Rule(&RuleRecord {
    key: "ego/job-order",
    says: "in a consumer the job of the higher priority is served first, then the one submitted earlier",
    formula: "priority(a) > priority(b), or equal and submit(a) ≤ submit(b)",
    source: "ego.md 7.2",
    differs: "our choice: EGO orders the requests of its clients, not jobs",
});

/// Free slots go to the smallest ratio of slots held over share ratio.
pub const SLOT_RATIO: Rule = Rule(&RuleRecord {
    key: "ego/slot-ratio",
    says: "a free slot goes to the consumer with the fewest slots for its share ratio; on a tie to the one higher in the tree",
    formula: "slots(a) / ratio(a) ≤ slots(b) / ratio(b)",
    source: "ego.md 10; IBM, Slot-based scheduling",
    differs: "our choice (OC-31): share priority has no effect",
});

/// Quota in slots.
pub const SLOT_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/slot-quota",
    says: "the slots of the pool are divided by share ratio in whole numbers: static, or only among consumers with pending work and at most their demand (dynamic)",
    formula: "quota = ⌊rest · ratio / Σ ratios⌋, and one slot each to the largest remainders",
    source: "ego.md 10; IBM, Adjustable share to workload",
    differs: "our choice (OC-24): largest remainder first, then tree order",
});

/// The reclaimer holds fewer slots than its quota.
pub const BELOW_SLOT_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/below-slot-quota",
    says: "a consumer can reclaim while it holds fewer slots than its share quota; with enforcement at the parent, its side must be below as well where the paths split",
    formula: "slots < share quota",
    source: "ego.md 10; IBM, How resource reclaim works based on share ratio",
    differs: "our choice (OC-32)",
});

/// The victim holds more slots than its quota.
pub const ABOVE_SLOT_QUOTA: Rule = Rule(&RuleRecord {
    key: "ego/above-slot-quota",
    says: "slots are reclaimed from consumers that hold more than their share quota, the one furthest above it first",
    formula: "slots > share quota",
    source: "ego.md 10; IBM, How resource reclaim works based on share ratio",
    differs: "our choice (OC-30): the excess is a number of slots, not a ratio",
});

/// Every rule of the policy.
pub const RULES: [Rule; 20] = [
    OWN_HOSTS,
    SHARE_PRIORITY,
    SHARE_RATIO,
    RATIO_ZERO,
    EARMARK,
    UNDER_QUOTA,
    OVER_QUOTA,
    NO_INVERSION,
    SHARE_LIMIT,
    CALL_BACK,
    HOST_ORDER,
    HOST_SIZE,
    OVER_COMMIT,
    GRACE,
    DYNAMIC_QUOTA,
    JOB_ORDER,
    SLOT_RATIO,
    SLOT_QUOTA,
    BELOW_SLOT_QUOTA,
    ABOVE_SLOT_QUOTA,
];

/// A share priority, or the priority of a job.
pub fn priority(priority: impl Into<i64>) -> Term {
    term(Quantity::Priority, Value::Count(priority.into()))
}

/// Usage as a fraction of the pool.
pub fn part(quantity: Quantity, n: &Nat, whole: &Nat) -> Term {
    term(quantity, Value::Real(Fraction { n: n.clone(), d: whole.clone() }.as_real()))
}

/// Usage over share ratio; infinite for a ratio of 0.
pub fn per_ratio(n: &Nat, whole: &Nat, ratio: u64) -> Term {
    let part = Fraction { n: n.clone(), d: whole.clone() }.as_real();
    term(Quantity::Saturation, Value::Real(if ratio == 0 { f64::INFINITY } else { part / ratio as f64 }))
}

/// Quota as a fraction of the pool.
pub fn quota(quota: &Fraction, whole: &Nat) -> Term {
    let d = quota.d.times(whole);
    term(Quantity::FairShare, Value::Real(Fraction { n: quota.n.clone(), d }.as_real()))
}

/// Subject with two queues.
pub fn between(queue: Option<QueueId>, other_queue: Option<QueueId>) -> Subject {
    Subject { queue, other_queue, ..Subject::default() }
}
