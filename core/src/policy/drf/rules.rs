//! Rule records of dominant resource fairness.
//!
//! # Rule
//! `s = max over r of u(r) / (w(r) × R(r))`
//!
//! # Source
//! Ghodsi et al., NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! nothing

use crate::policy::filling::{self, Rules};
use crate::trace::{Rule, RuleRecord};

const SOURCE: &str = "Ghodsi et al., Dominant Resource Fairness, NSDI 2011, Algorithm 1";

/// Rules of dominant resource fairness.
pub const RULES: Rules = Rules {
    smallest_share: Rule(&RuleRecord {
        key: "drf/smallest-dominant-share",
        says: "the queue with the smallest dominant share gets the next pods",
        formula: "max over r of held(r) / (weight(r) × capacity(r)) ≤ that of the next queue",
        source: SOURCE,
        differs: "",
    }),
    submit_order: Rule(&filling::submit_order("drf/submit-order")),
    limit: Rule(&RuleRecord {
        key: "drf/limit",
        says: "a queue cannot exceed its limit",
        formula: "held with the pods ≤ limit",
        source: "a choice of the simulator; the paper has no limits",
        differs: "",
    }),
    best_fit: Rule(&filling::best_fit("drf/best-fit")),
    node_order: Rule(&filling::node_order("drf/node-order")),
    division: Rule(&RuleRecord {
        key: "drf/filling",
        says: "all dominant shares rise together until a resource is used up or a queue's request is met",
        formula: "dominant shares are equal, or the queue wants no more",
        source: "Ghodsi et al., NSDI 2011, 4.1",
        differs: "",
    }),
};
