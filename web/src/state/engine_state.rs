//! State of the engine.

use std::sync::Arc;

/// State of the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not started yet.
    #[default]
    Starting,
    Idle,
    Working(Work),
    /// The scenario cannot run, with its errors.
    Refused(Arc<Vec<String>>),
    /// Stopped working at this cycle; another engine is started.
    Died(u32),
    /// Stopped working twice in a row, at this cycle.
    Dead(u32),
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// A cycle, or a run of which nothing is known yet; with the fraction of the cycle that is done, once it is known.
    Cycle(Option<f64>),
    Run(Progress),
}

impl Work {
    /// Fraction of it that is done, 0 to 1; `None`: unknown.
    pub fn part(self) -> Option<f64> {
        match self {
            Work::Cycle(part) => part,
            Work::Run(progress) => progress.part,
        }
    }
}

/// Progress of a long run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub cycle: u32,
    pub time_ms: i64,
    /// Fraction of the whole, 0 to 1.
    pub part: Option<f64>,
    /// Start time, on the model's clock.
    pub since_ms: u64,
}
