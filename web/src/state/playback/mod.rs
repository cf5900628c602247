//! Movement in time: runs, cycles, decisions.

pub mod arrival;
pub mod commands;
pub mod decision_step;
pub mod engine;
pub mod step;

use fairground::scenario::Scalar;

use crate::engine::protocol::Stop;
use crate::state::engine_state::EngineState;

/// The position in time, and movement.
#[derive(Clone, Debug, Default)]
pub struct Playback {
    /// The requested cycle.
    pub cursor: u32,
    /// Number of decisions of the cycle that are shown; `None`: all.
    pub decision: Option<u32>,
    /// Show the frame in flight after its first action.
    pub then_first_action: bool,
    /// The frame in flight was requested by its time.
    pub keeps_time: bool,
    /// Policy and interval of the current run, which determine the times of its cycles.
    pub pace: Option<(String, Option<Scalar>)>,
    /// The stop condition of the current run.
    pub stop: Option<Stop>,
    pub playing: bool,
    /// Index into [`SPEEDS`].
    pub speed: usize,
}

/// What is known of the engine.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    pub state: EngineState,
    pub has_started: bool,
    /// Number of its deaths since its last reply.
    pub deaths: u32,
}

/// Cycles per second during playback.
pub const SPEEDS: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
