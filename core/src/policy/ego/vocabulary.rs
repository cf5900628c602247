//! Vocabulary of EGO.
//!
//! # Source
//! ego.md 2, 8.5

use crate::policy::vocabulary::Terms;

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        ("how the fair share is computed", "how the dynamic share quota is computed, for reference only"),
        ("how its fair share is computed", "how its dynamic share quota is computed"),
        ("on owned nodes", "on owned hosts"),
        ("a quota", "an ownership"),
        ("within quota", "within ownership"),
        ("over quota", "beyond ownership"),
        ("beyond fair share", "beyond share quota"),
        ("fair shares", "share quotas"),
        ("fair share", "share quota"),
        ("quotas", "ownerships"),
        ("quota", "ownership"),
        ("limits", "share limits"),
        ("limit", "share limit"),
        ("weights", "share ratios"),
        ("weight", "share ratio"),
        ("top-level queues", "top-level consumers"),
        ("priority of the queue", "priority of the consumer"),
        ("queue state", "consumer state"),
        ("queues", "consumers"),
        ("queue", "consumer"),
        ("a job", "an allocation"),
        ("jobs", "allocations"),
        ("job", "allocation"),
        ("pods", "units"),
        ("pod", "unit"),
        ("nodes", "hosts"),
        ("node", "host"),
        ("claimed", "earmarked"),
        ("evictions", "reclaims"),
        ("eviction", "reclaim"),
        ("evicted", "reclaimed"),
    ],
    columns: [
        ("consumer", ""),
        ("owned", "Ownership: as many whole hosts as fit into it"),
        ("ratio", "Share ratio: relative share of share pools at equal priority"),
        ("limit", "Share limit: most that the consumer can use of share pools"),
        ("prio", "Share priority: higher values are served first among siblings"),
    ],
    marks: &[],
};
