//! The window of Gantt.

use crate::engine::report::GanttBy;

/// Rows of a window of Gantt.
pub const GANTT_ROWS: u32 = 100;

/// What Gantt shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GanttLook {
    /// What a row is.
    pub by: GanttBy,
    /// The first row.
    pub first: u32,
}

/// How the window of Gantt is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GanttMove {
    /// Rows of another kind.
    By(GanttBy),
    /// To that row.
    To(u32),
    /// To what is selected.
    ToSelection,
}
