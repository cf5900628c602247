//! Common part of the descriptions of max-min fairness and dominant resource fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::description::{Description, Features, QueueValue, QueueValues};
use crate::policy::vocabulary::{NONE, Terms};

/// Base description; each policy adds its names.
pub const DESCRIPTION: Description = Description {
    terms: &TERMS,
    queue: QueueValues {
        limit: Some(QueueValue::new("limit", "unlimited")),
        weight: Some(QueueValue::new("weight", "1")),
        ..QueueValues::NONE
    },
    supports: Features { lists_order: true, ..Features::BASELINE },
    ..Description::BASELINE
};

/// Terms on screen.
const TERMS: Terms = Terms {
    columns: [
        ("queue", ""),
        NONE,
        ("weight", "Weight: relative share of the cluster"),
        ("limit", "Limit: most that the queue can use"),
        NONE,
    ],
    ..Terms::PLAIN
};
