//! The values that a queue has for each resource.

use crate::format::{ResourceEntry, Scalar};

/// A value of a queue that is given per resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// What is promised.
    Quota,
    /// The most that is allowed.
    Limit,
    /// The part in the surplus.
    Weight,
}

impl Field {
    /// All.
    pub const ALL: [Field; 3] = [Field::Quota, Field::Limit, Field::Weight];

    /// The name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Field::Quota => "quota",
            Field::Limit => "limit",
            Field::Weight => "weight",
        }
    }

    /// The value in an entry.
    pub fn of(self, entry: &ResourceEntry) -> &Option<Scalar> {
        match self {
            Field::Quota => &entry.quota,
            Field::Limit => &entry.limit,
            Field::Weight => &entry.weight,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(self, entry: &mut ResourceEntry) -> &mut Option<Scalar> {
        match self {
            Field::Quota => &mut entry.quota,
            Field::Limit => &mut entry.limit,
            Field::Weight => &mut entry.weight,
        }
    }
}
