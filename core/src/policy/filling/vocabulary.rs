//! The words of max-min fairness and plain dominant resource fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::vocabulary::{NONE, Terms, Unset};

/// What a person reads.
pub const TERMS: Terms = Terms {
    columns: [
        ("queue", ""),
        NONE,
        ("weight", "Part in what is divided"),
        ("limit", "The most it is given"),
        NONE,
    ],
    marks: &[],
    unset: Unset { quota: ["", "", ""], limit: "∞", weight: "1", priority: "" },
    pairs: &[],
};
