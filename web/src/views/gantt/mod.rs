//! Gantt: when jobs, pods and GPUs were busy.

pub mod component;
pub mod draw;
pub mod view;
