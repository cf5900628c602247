//! Runs side by side: the same scenario under several policies or versions, or kept runs.

pub mod component;
pub mod course;
pub mod view;
