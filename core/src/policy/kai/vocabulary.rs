//! Vocabulary of KAI.
//!
//! # Source
//! kai.md 4.1

use crate::policy::vocabulary::Terms;

/// Terms shown to the user.
pub const TERMS: Terms = Terms {
    pairs: &[],
    columns: [
        ("queue", ""),
        ("quota", "Quota: guaranteed to the queue"),
        ("weight", "Over-quota weight: relative share of unused capacity"),
        ("limit", "Limit: most that the queue can use"),
        ("prio", "Priority: higher values are served first among siblings"),
    ],
    marks: &[
        ("claimed", "pipelined"),
        ("leaving", "releasing"),
        ("quota", "deserved"),
        ("limit", "max allowed"),
        ("down", "not ready"),
    ],
};
