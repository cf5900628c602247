//! Tree: queues inside queues.

pub mod component;
pub mod draw;
pub mod view;
