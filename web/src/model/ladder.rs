//! The ladder of a fair share, with what it belongs to.

use crate::engine::protocol::LadderLevel;

/// How a fair share came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// At this cycle.
    pub cycle: u32,
    /// Of this queue.
    pub queue: String,
    /// Of this resource.
    pub resource: u8,
    /// From the root down.
    pub levels: Vec<LadderLevel>,
}
