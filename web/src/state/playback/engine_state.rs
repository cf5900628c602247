//! Whether and how the engine works.

use std::sync::Arc;

/// Whether and how the engine works.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not there yet.
    #[default]
    Starting,
    /// Waits for questions.
    Idle,
    /// Computes; how far it came, once that is known.
    Working(Option<Progress>),
    /// The scenario cannot run.
    Refused(Arc<Vec<String>>),
    /// It stopped working and a fresh one takes over; at which cycle.
    Died(u32),
    /// It stopped working twice in a row.
    Dead(u32),
}

/// How far a long run came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Cycle reached.
    pub cycle: u32,
    /// Time reached.
    pub time_ms: i64,
    /// Part of the whole, 0 to 1.
    pub part: Option<f64>,
    /// Since when, on the model's clock.
    pub since_ms: u64,
}
