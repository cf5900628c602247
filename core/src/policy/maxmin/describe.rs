//! Description of max-min fairness.
//!
//! # Source
//! none: this is our own

use crate::policy::description::Description;
use crate::policy::filling;

/// Max-min fairness.
pub const DESCRIPTION: Description = Description {
    key: "max-min",
    name: "max-min fairness",
    title: "Max-min fairness",
    short: "Max-min",
    about: "Max-min fairness raises the smallest share first; it is a textbook rule for comparison.",
    ..filling::DESCRIPTION
};
