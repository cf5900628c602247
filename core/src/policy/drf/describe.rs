//! Description of dominant resource fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::description::Description;
use crate::policy::filling;

/// Dominant resource fairness.
pub const DESCRIPTION: Description = Description {
    key: "drf",
    name: "plain DRF",
    title: "Dominant resource fairness (plain)",
    short: "DRF",
    about: "Dominant resource fairness compares queues by the resource of which each uses most; it is a textbook rule for comparison.",
    ..filling::DESCRIPTION
};
