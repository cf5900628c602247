//! The words of KAI.

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
    unset: Unset { quota: ["0", "0", "0"], limit: "0", weight: "0", priority: "100" },
};
