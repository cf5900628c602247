//! The meaning of a scenario file: `check` reports *all* errors at once and turns a [`Scenario`] into a [`Plan`] that a
//! simulation can run.
//!
//! Text → [`read`] → [`Scenario`] → [`check`] → [`Plan`]. The file format is [`crate::format`], re-exported here.

mod at_moment;
mod check;
mod load;
mod plan;

pub use crate::format::*;
pub(crate) use crate::format::{
    ORDER_LABELS, Ref, Rows, SECTIONS, Shape, SlotMut, finding, orders_pods, position, quoted, unlimited_queue,
};
pub use at_moment::at_moment;
pub use check::{Checked, check, reads_of_jobs, reads_of_nodes};
pub use load::{Loaded, load};
pub use plan::{Plan, PlanChange, Planned};
