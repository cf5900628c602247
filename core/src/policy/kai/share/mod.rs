//! Entitlement, allocation and past usage of queues.

pub(super) mod capacity;
pub mod division;
pub(super) mod published;
pub(super) mod shares;
pub mod usage;
pub(super) mod usage_tracker;
