//! Trends: one small timeline per queue.

pub mod component;
pub mod draw;
pub mod view;
