//! The window of the Gantt chart.

use crate::engine::report::GanttBy;

/// Rows per window.
pub const GANTT_ROWS: u32 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GanttLook {
    /// What a row represents.
    pub by: GanttBy,
    /// Index of the first row.
    pub first: u32,
}

/// A move of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GanttMove {
    /// Changes what rows represent.
    By(GanttBy),
    /// Moves to a row.
    To(u32),
    /// Moves to the selection.
    ToSelection,
}
