//! Earlier states of the document, and how they are kept on the device.

use std::sync::Arc;

use fairground::scenario::Scenario;
use serde::{Deserialize, Serialize};

/// Most earlier states of a document.
pub const STATES_MAX: usize = 30;

/// A state that the document had.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// When it came about, milliseconds since 1970; 0: with the document.
    pub made_ms: u64,
    /// The edit that made it: *quota of team-a 2 → 4*.
    pub name: String,
    /// The scenario.
    pub scenario: Arc<Scenario>,
}

/// A line of the list of states that are kept of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptState {
    /// When it came about: its name in the storage.
    pub made_ms: u64,
    /// The edit that made it.
    pub name: String,
    /// Its place in the history.
    pub place: Place,
}

/// Where a state stands in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Before all that can be undone.
    Base,
    /// Reached by undo, except the last, which is the present one.
    Done,
    /// Reached by redo, the nearest first.
    Undone,
    /// Neither.
    Aside,
}
