//! What moves time: one cycle after the other, forwards, and backwards by running again.

mod agenda;
mod meter;
mod policies;
mod simulation;

pub use meter::Integrals;
pub use simulation::{Checkpoint, CycleRecord, Simulation};
