//! Common part of the descriptions of max-min fairness and dominant resource fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::description::{Description, Knows, QueueValue, QueueValues};

/// Base description; each policy adds its names.
pub const DESCRIPTION: Description = Description {
    terms: &super::vocabulary::TERMS,
    queue: QueueValues {
        limit: Some(QueueValue::new("limit", "unlimited")),
        weight: Some(QueueValue::new("weight", "1")),
        ..QueueValues::NONE
    },
    knows: Knows { lists_order: true, ..Knows::BASELINE },
    ..Description::BASELINE
};
