//! Rule records of max-min fairness.
//!
//! # Rule
//! `s = u / w`
//!
//! # Source
//! Bertsekas, Gallager, *Data Networks*, 6.5.2
//!
//! # Differs
//! nothing

use crate::policy::filling;
use crate::trace::{Rule, RuleRecord};

const SOURCE: &str = "Bertsekas, Gallager, Data Networks, 6.5.2";

/// The queue with the smallest share is served first.
pub const SMALLEST_SHARE: Rule = Rule(&RuleRecord {
    key: "max-min/smallest-share",
    says: "the queue with the least allocated per weight gets the next pods",
    formula: "held / weight ≤ held / weight of the next queue",
    source: SOURCE,
    differs: "",
});

/// Order of the jobs of a queue.
pub const SUBMIT_ORDER: Rule = Rule(&filling::submit_order("max-min/submit-order"));

/// A queue does not exceed its limit.
pub const LIMIT: Rule = Rule(&RuleRecord {
    key: "max-min/limit",
    says: "a queue cannot exceed its limit",
    formula: "held with the pods ≤ limit",
    source: SOURCE,
    differs: "a limit is treated as a cap on demand",
});

/// Choice of a node for a pod.
pub const BEST_FIT: Rule = Rule(&filling::best_fit("max-min/best-fit"));

/// Division that gives the fair share.
pub const DIVISION: Rule = Rule(&RuleRecord {
    key: "max-min/filling",
    says: "all queues get the same amount per weight, except those that request less",
    formula: "min(wanted, rest × weight / weights)",
    source: SOURCE,
    differs: "",
});
