//! Earlier states of the document, and their stored form.

use std::sync::Arc;

use fairground::scenario::Scenario;
use serde::{Deserialize, Serialize};

/// Largest number of earlier states.
pub const STATES_MAX: usize = 30;

#[derive(Clone, Debug, PartialEq)]
pub struct EarlierState {
    /// Time of the edit, milliseconds since 1970; 0: the opened document.
    pub made_ms: u64,
    /// The edit that made it, such as *quota of team-a 2 → 4*.
    pub name: String,
    pub scenario: Arc<Scenario>,
}

/// A stored earlier state, without its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptState {
    /// Time of the edit, also the id in the storage.
    pub made_ms: u64,
    /// The edit that made it.
    pub name: String,
    pub place: HistoryPosition,
}

/// Position of a state in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryPosition {
    /// Before all undo steps.
    Base,
    /// Reached by undo, except the last, which is the current one.
    Done,
    /// Reached by redo, the nearest first.
    Undone,
    /// Undone before another change.
    Aside,
}
