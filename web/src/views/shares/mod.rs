//! Shares: one row per queue.

pub mod component;
pub mod drag;
pub mod draggable_marks;
pub mod draw;
mod serving;
pub mod view;
