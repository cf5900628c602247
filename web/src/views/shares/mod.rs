//! Shares: one row per queue.

mod answer_mark;
pub mod component;
pub mod drag;
pub mod draggable_marks;
pub mod draw;
pub mod view;
