//! The words of Run:ai.
//!
//! # Source
//! runai.md 4.2, 7, 9

use crate::policy::vocabulary::{Terms, Unset};

/// What a person reads.
pub const TERMS: Terms = Terms {
    pairs: &[
        ("within quota", "in quota"),
        ("beyond fair share", "over fairshare"),
        ("fair shares", "fairshares"),
        ("fair share", "fairshare"),
        ("top queues", "departments"),
        ("queues", "projects"),
        ("queue", "project"),
        ("priority of the queue", "rank"),
        ("weights", "over-quota weights"),
        ("weight", "over-quota weight"),
        ("jobs", "workloads"),
        ("job", "workload"),
    ],
    columns: [
        ("project", "A department, or a project in one"),
        ("quota", "Deserved: guaranteed, and lent to others while it is not used"),
        ("weight", "Over-quota weight: part in what nobody's quota uses"),
        ("limit", "Never exceeded"),
        ("rank", "Larger first"),
    ],
    marks: &[],
    unset: Unset { quota: ["∞", "∞", "0"], limit: "∞", weight: "2", priority: "100" },
};
