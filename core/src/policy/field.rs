//! Values of a queue for each resource.

use crate::format::{ResourceEntry, Scalar};

/// A value of a queue for each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Guaranteed amount.
    Quota,
    /// Maximum amount.
    Limit,
    /// Share of the surplus.
    Weight,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 3] = [Field::Quota, Field::Limit, Field::Weight];

    /// Name in scenario files.
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

    /// The value in an entry, mutable.
    pub fn of_mut(self, entry: &mut ResourceEntry) -> &mut Option<Scalar> {
        match self {
            Field::Quota => &mut entry.quota,
            Field::Limit => &mut entry.limit,
            Field::Weight => &mut entry.weight,
        }
    }
}
