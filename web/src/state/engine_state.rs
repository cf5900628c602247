//! State of the engine.

use std::sync::Arc;

/// State of the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not started yet.
    #[default]
    Starting,
    Idle,
    /// Computing; with the progress, once it is known.
    Working(Option<Progress>),
    /// The scenario cannot run, with its errors.
    Refused(Arc<Vec<String>>),
    /// Stopped working at this cycle; another engine is started.
    Died(u32),
    /// Stopped working twice in a row, at this cycle.
    Dead(u32),
}

/// Progress of a long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub cycle: u32,
    pub time_ms: i64,
    /// Fraction of the whole, 0 to 1.
    pub part: Option<f64>,
    /// Start time, on the model's clock.
    pub since_ms: u64,
}
