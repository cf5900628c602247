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

use crate::policy::filling::{self, Rules};
use crate::trace::{Rule, RuleRecord};

const SOURCE: &str = "Bertsekas, Gallager, Data Networks, 6.5.2";

/// Rules of max-min fairness.
pub const RULES: Rules = Rules {
    smallest_share: Rule(&RuleRecord {
        key: "max-min/smallest-share",
        says: "the queue with the least allocated per weight gets the next pods",
        formula: "held / weight ≤ held / weight of the next queue",
        source: SOURCE,
        differs: "",
    }),
    submit_order: Rule(&filling::submit_order("max-min/submit-order")),
    limit: Rule(&RuleRecord {
        key: "max-min/limit",
        says: "a queue cannot exceed its limit",
        formula: "held with the pods ≤ limit",
        source: SOURCE,
        differs: "a limit is treated as a cap on demand",
    }),
    best_fit: Rule(&filling::best_fit("max-min/best-fit")),
    node_order: Rule(&filling::node_order("max-min/node-order")),
    division: Rule(&RuleRecord {
        key: "max-min/filling",
        says: "all queues get the same amount per weight, except those that request less",
        formula: "min(wanted, rest × weight / weights)",
        source: SOURCE,
        differs: "",
    }),
};
