//! Indices of queues, applications, asks and nodes inside the core.
//!
//! # Source
//! none: this is our own

/// Index of a queue.
pub type QueueIx = usize;
/// Index of an application.
pub type AppIx = usize;
/// Index of an ask.
pub type AskIx = usize;
/// Index of a node.
pub type NodeIx = usize;

/// The root queue.
pub const ROOT: QueueIx = 0;
