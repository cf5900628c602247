//! The rules of dominant resource fairness, and how it measures shares.
//!
//! # Rule
//! `s = max over r of u(r) / (w(r) × R(r))`
//!
//! # Source
//! Ghodsi et al., NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! nothing

use super::division::divide;
use crate::policy::filling::{self, Measure, Rules, Share};
use crate::trace::{Quantity, Rule, RuleRecord};

const SOURCE: &str = "Ghodsi et al., Dominant Resource Fairness, NSDI 2011, Algorithm 1";

/// The smallest dominant share is served first.
pub const SMALLEST_SHARE: Rule = Rule(&RuleRecord {
    key: "drf/smallest-dominant-share",
    says: "the queue with the smallest dominant share gets the next pods",
    formula: "max over r of held(r) / (weight(r) × capacity(r)) ≤ that of the next queue",
    source: SOURCE,
    differs: "",
});

/// The order inside a queue.
pub const SUBMIT_ORDER: Rule = Rule(&filling::submit_order("drf/submit-order"));

/// The ceiling of a queue.
pub const LIMIT: Rule = Rule(&RuleRecord {
    key: "drf/limit",
    says: "a queue cannot exceed its limit",
    formula: "held with the pods ≤ limit",
    source: "a choice of the simulator; the paper has no limits",
    differs: "",
});

/// Where a pod goes.
pub const BEST_FIT: Rule = Rule(&filling::best_fit("drf/best-fit"));

/// How the fair share comes about.
pub const DIVISION: Rule = Rule(&RuleRecord {
    key: "drf/filling",
    says: "all dominant shares rise together until a resource is used up or a queue's request is met",
    formula: "dominant shares are equal, or the queue wants no more",
    source: "Ghodsi et al., NSDI 2011, 4.1",
    differs: "",
});

/// Every rule of the policy.
pub const RULES: [Rule; 5] = [SMALLEST_SHARE, SUBMIT_ORDER, LIMIT, BEST_FIT, DIVISION];

/// How the policy measures.
pub static MEASURE: Measure = Measure {
    rules: Rules {
        smallest_share: SMALLEST_SHARE,
        submit_order: SUBMIT_ORDER,
        limit: LIMIT,
        best_fit: BEST_FIT,
        division: DIVISION,
    },
    share,
    quantity: Quantity::DominantShare,
    divide,
};

/// One division of exact numbers per resource, so that equal shares are equal in spite of rounding.
fn share(of: Share<'_>) -> f64 {
    if of.weight.iter().all(|w| *w <= 0.0) {
        return f64::INFINITY;
    }
    let mut dominant = 0.0f64;
    for r in (0..3).filter(|&r| of.held[r] > 0 && of.total[r] > 0) {
        let w = of.weight[r];
        let s = if w > 0.0 { of.held[r] as f64 / (w * of.total[r] as f64) } else { f64::INFINITY };
        dominant = dominant.max(s);
    }
    dominant
}
