//! The words of KAI.
//!
//! # Source
//! kai.md 4.1

use crate::policy::vocabulary::{Terms, Unset};

/// What a person reads.
pub const TERMS: Terms = Terms {
    pairs: &[],
    columns: [
        ("queue", ""),
        ("quota", "Guaranteed part"),
        ("weight", "Part in the surplus"),
        ("limit", "Hard ceiling"),
        ("prio", "Larger first"),
    ],
    marks: &[
        ("cannot be taken", "non-preemptible"),
        ("claimed", "pipelined"),
        ("leaving", "releasing"),
        ("quota", "deserved"),
        ("limit", "max allowed"),
        ("wants", "requested"),
        ("down", "not ready"),
    ],
    unset: Unset { quota: ["0", "0", "0"], limit: "0", weight: "0", priority: "100" },
};
