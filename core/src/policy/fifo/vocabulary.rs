//! Vocabulary of first in, first out.
//!
//! # Source
//! none: this is our own

use crate::policy::vocabulary::{NONE, Terms, Unset};

/// Terms on screen.
pub const TERMS: Terms = Terms {
    columns: [("queue", ""), ("quota", "Quota: reserved for the queue, never lent"), NONE, NONE, NONE],
    marks: &[],
    unset: Unset { quota: ["0", "0", "0"], limit: "", weight: "", priority: "" },
    pairs: &[],
};
