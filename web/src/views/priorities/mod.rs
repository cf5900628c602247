//! Priorities: changes of queue priorities by each placed pod.

pub mod view;
