//! Priorities: changes of queue priorities by each placed pod.

pub mod draw;
pub mod view;
