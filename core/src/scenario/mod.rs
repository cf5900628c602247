//! The meaning of a scenario file: `check` finds *all* mistakes at once and turns a [`Scenario`] into a [`Plan`] that a
//! simulation can run.
//!
//! [`read`] text → [`Scenario`] → [`check`] → [`Plan`]. The file itself is [`crate::format`], which this module passes on.

mod at_moment;
mod check;
mod load;
mod plan;

pub use crate::format::*;
pub(crate) use crate::format::{Ref, Rows, SECTIONS, Shape, SlotMut, finding, position, quoted};
pub use at_moment::at_moment;
pub use check::{Checked, check};
pub use load::{Loaded, load};
pub use plan::{Plan, PlanChange, Planned};
