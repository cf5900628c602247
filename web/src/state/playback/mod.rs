//! Movement in time: runs, cycles, decisions.

pub mod arrival;
pub mod commands;
pub mod decision_step;
pub mod engine;
pub mod engine_state;
pub mod run;
pub mod step;

/// Cycles per second during playback.
pub const SPEEDS: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
