//! What is not built yet, decided by what a case contains, never by its name.

use super::format::Case;

/// A part of the scheduler that cases may need.
struct Feature {
    name: &'static str,
    needed: fn(&Case) -> bool,
}

/// The parts that are missing, the most fundamental first. An entry goes when its part is built.
const UNBUILT: &[Feature] = &[];

/// The first missing part that the case needs.
pub fn unbuilt(case: &Case) -> Option<&'static str> {
    UNBUILT.iter().find(|f| (f.needed)(case)).map(|f| f.name)
}
