//! Gantt: allocations of jobs, pods and GPUs over time.

pub mod component;
pub mod draw;
pub mod view;
