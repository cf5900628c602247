//! What dominant resource fairness says of itself.

use crate::policy::description::Description;
use crate::policy::filling;

/// Dominant resource fairness.
pub const DESCRIPTION: Description = Description {
    key: "drf",
    name: "plain DRF",
    title: "Dominant resource fairness (plain)",
    short: "DRF",
    ..filling::DESCRIPTION
};
