//! Vocabulary of Run:ai.
//!
//! # Source
//! runai.md 4.2, 7, 9

use crate::policy::vocabulary::Terms;

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        ("within quota", "in quota"),
        ("beyond fair share", "over fairshare"),
        ("how the fair share is computed", "how the fairshare is computed"),
        ("how its fair share is computed", "how its fairshare is computed"),
        ("fair shares", "fairshares"),
        ("fair share", "fairshare"),
        ("top-level queues", "departments"),
        ("queue state", "project state"),
        ("queues", "projects"),
        ("queue", "project"),
        ("priority of the queue", "rank"),
        ("weights", "over-quota weights"),
        ("weight", "over-quota weight"),
        ("a job", "a workload"),
        ("jobs", "workloads"),
        ("job", "workload"),
    ],
    columns: [
        ("project", "Department, or project of a department"),
        ("quota", "Quota: guaranteed, lent to others while unused"),
        ("weight", "Over-quota weight: relative share of unused resources"),
        ("limit", "Limit: most that the project can use"),
        ("rank", "Rank: higher values are served first"),
    ],
    marks: &[],
};
