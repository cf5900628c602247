//! What max-min fairness says of itself.

use crate::policy::description::Description;
use crate::policy::filling;

/// Max-min fairness.
pub const DESCRIPTION: Description = Description {
    key: "max-min",
    name: "max-min fairness",
    title: "Max-min fairness",
    short: "Max-min",
    ..filling::DESCRIPTION
};
