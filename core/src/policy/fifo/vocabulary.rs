//! The words of first in, first out: a queue owns its quota and nothing else.
//!
//! # Source
//! none: this is our own

use crate::policy::vocabulary::{NONE, Terms, Unset};

/// What a person reads.
pub const TERMS: Terms = Terms {
    columns: [("queue", ""), ("quota", "Quota: reserved for the queue, never lent"), NONE, NONE, NONE],
    marks: &[],
    unset: Unset { quota: ["0", "0", "0"], limit: "", weight: "", priority: "" },
    pairs: &[],
};
