//! Vocabulary of max-min fairness and plain dominant resource fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::vocabulary::{NONE, Terms, Unset};

/// Terms on screen.
pub const TERMS: Terms = Terms {
    columns: [
        ("queue", ""),
        NONE,
        ("weight", "Weight: relative share of the cluster"),
        ("limit", "Limit: most that the queue can use"),
        NONE,
    ],
    marks: &[],
    unset: Unset { quota: ["", "", ""], limit: "∞", weight: "1", priority: "" },
    pairs: &[],
};
