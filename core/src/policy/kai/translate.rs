//! Settings of KAI with equivalents in other policies.
//!
//! # Source
//! kai.md 4.1, 5

use crate::policy::translation::{Evictions, Packing, Translation};

/// Settings with equivalents in other policies.
pub const TRANSLATION: Translation = Translation {
    packing: Some(Packing { setting: "gpu-placement", pack: "binpack", spread: "spread", packs_by_default: true }),
    evictions: Some(Evictions {
        setting: "actions",
        is_off: |actions| !["reclaim", "preempt"].iter().any(|action| actions.contains(action)),
        off: "allocate, stalegangeviction",
        says_off: "without preemption KAI runs only allocate and stalegangeviction",
        says_on: Some("KAI reclaims and preempts by default"),
    }),
    default_priority: Some("default-job-priority"),
    ..Translation::PLAIN
};
