//! A moment of a run as serialisable data: every queue, node and job after a cycle, its events, and their decisive
//! checks.
//!
//! [`frame()`] builds it from a simulation. Pictures, tables and sentences derive from it alone.

mod amounts;
mod build;
pub mod csv;
mod event;
mod frame;
pub mod ladders;
mod names;
pub mod orders;
pub mod rulebook;
pub mod states;

pub use amounts::Amounts;
pub use build::{amounts, bounds, capacity, frame, sums, triple};
pub use event::{EventKind, EventWord, What};
pub use frame::*;
pub use names::Names;
pub use orders::PriorityRow;
pub use rulebook::{RuleRow, RuleUse, Rulebook};
