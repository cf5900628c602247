//! What the policies that fill queues from below say of themselves.
//!
//! # Source
//! none: this is our own

use crate::policy::description::{Description, Knows, QueueValue, QueueValues};

/// What they have in common; the names are to be filled in.
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
