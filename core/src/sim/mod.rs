//! The simulation: advances time cycle by cycle; earlier cycles are reached by replay from a checkpoint.

mod agenda;
mod compare;
mod drive;
mod explain;
mod external_events;
mod lost_claims;
mod meter;
mod partition_state;
mod partitions;
mod policy_timers;
mod record;
mod simulation;
mod summary;
mod timeline;
mod unreplaced;
mod view;

pub use compare::{Column, Comparing, Difference, Move, Moves, Ran, Runs, first_difference, move_of, under};
pub use drive::{CYCLES_MAX, Stopped, Stops, drive};
pub use explain::{Explanation, explain};
pub use meter::{Integrals, Meter};
pub use record::CycleRecord;
pub use simulation::Simulation;
pub use summary::{PoolTotals, Summary, Totals, Waits};
pub use timeline::Timeline;
pub use view::{ClaimView, PodCounts};
