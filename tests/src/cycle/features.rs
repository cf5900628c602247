//! Features that are not implemented, detected from the content of a case, never from its name.

use super::format::Case;

/// A feature of the scheduler that cases may need.
struct Feature {
    name: &'static str,
    needed: fn(&Case) -> bool,
}

/// Missing features, the most fundamental first. Entries are removed when implemented.
const UNBUILT: &[Feature] = &[];

/// First missing feature that the case needs.
pub fn unbuilt(case: &Case) -> Option<&'static str> {
    UNBUILT.iter().find(|f| (f.needed)(case)).map(|f| f.name)
}
