//! What moves time: one cycle after the other, forwards, and backwards by running again.

mod agenda;
mod explain;
mod history;
mod meter;
mod policies;
mod simulation;
mod summary;
mod view;

pub use explain::{Explanation, explain};
pub use history::{BUDGET, History};
pub use meter::{Integrals, Meter};
pub use simulation::{Checkpoint, CycleRecord, Simulation};
pub use summary::{Summary, Totals, Waits};
pub use view::{ClaimView, Holder, NodeTable, PodCounts};
