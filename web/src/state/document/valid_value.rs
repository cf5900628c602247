//! A value that was checked in its field.

use std::sync::Arc;

use fairground::scenario::{Path, Scenario};

use super::Checked;

/// A value of a field that causes no error, with the checked scenario, so that it is not checked again when it is set.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidValue {
    pub at: Path,
    /// The text; empty: unset.
    pub value: String,
    /// The scenario for which it was checked, and the cycle and time from which on edits applied then.
    pub(crate) before: (Arc<Scenario>, Option<(u32, i64)>),
    pub(crate) after: Checked,
    /// Cycle and time from which on it applies; `None`: from the start.
    pub(crate) from: Option<(u32, i64)>,
}
