//! Priorities: what each placed pod changed in the priorities of queues.

pub mod view;
