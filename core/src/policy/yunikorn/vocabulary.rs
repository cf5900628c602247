//! Vocabulary of YuniKorn.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use crate::policy::vocabulary::{FAIR_SHARE_APART, NONE, Terms};

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        // YuniKorn has no fair shares; a queue is entitled to its guarantee.
        ("beyond fair share", "beyond guarantee"),
        (FAIR_SHARE_APART, "guaranteed and wanted"),
        ("how the fair share is computed", "how the guarantee is computed"),
        ("how its fair share is computed", "how its guarantee is computed"),
        ("fair shares", "guarantees"),
        ("fair share", "guarantee"),
        ("within quota", "within guarantee"),
        ("over quota", "over guarantee"),
        ("a quota", "a guarantee"),
        ("quotas", "guarantees"),
        ("quota", "guarantee"),
        ("limits", "maxima"),
        ("limit", "maximum"),
        ("a job", "an application"),
        ("jobs", "applications"),
        ("job", "application"),
    ],
    columns: [
        ("queue", ""),
        ("guaranteed", "Guaranteed: below it, the queue can preempt others"),
        NONE,
        ("max", "Max: most that the queue and its children can use"),
        ("offset", "priority.offset: added to the priorities of all applications below"),
    ],
    marks: &[],
};
