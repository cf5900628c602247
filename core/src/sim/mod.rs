//! What moves time: one cycle after the other, forwards, and backwards by running again.

mod agenda;
mod checkpoint;
mod compare;
mod drive;
mod explain;
mod happen;
mod history;
mod looks;
mod losses;
mod meter;
mod partitions;
mod record;
mod simulation;
mod summary;
mod view;

pub use checkpoint::Checkpoint;
pub use compare::{Column, Comparing, Moves, Ran, compare, first_difference};
pub use drive::{CYCLES_MAX, Stopped, Stops, drive};
pub use explain::{Explanation, explain};
pub use history::{BUDGET, History};
pub use meter::{Integrals, Meter};
pub use record::CycleRecord;
pub use simulation::Simulation;
pub use summary::{PoolTotals, Summary, Totals, Waits};
pub use view::{ClaimView, Holder, NodeTable, PodCounts};
