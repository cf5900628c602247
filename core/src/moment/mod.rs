//! A moment of a run as serialisable data: every queue, node and job after a cycle, its events, and their decisive
//! checks.
//!
//! [`frame()`] builds it from a simulation. Pictures, tables and sentences derive from it alone.

mod amounts;
mod build;
pub mod csv;
mod event_kind;
mod event_word;
mod frame;
pub mod ladders;
mod names;
pub mod orders;
pub mod rule_use;
pub mod rulebook;
pub mod states;
mod what;

pub use amounts::Amounts;
pub use build::{amounts, bounds, capacity, frame, sums, triple};
pub use event_kind::EventKind;
pub use event_word::EventWord;
pub use frame::*;
pub use names::Names;
pub use orders::PriorityRow;
pub use rule_use::RuleUse;
pub use rulebook::{RuleRow, Rulebook};
pub use what::What;
