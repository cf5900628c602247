//! What queues, applications, asks and nodes are called inside the core: their positions.
//!
//! # Source
//! none; bookkeeping

/// A queue by its number.
pub type QueueIx = usize;
/// An application by its number.
pub type AppIx = usize;
/// An ask by its number.
pub type AskIx = usize;
/// A node by its number.
pub type NodeIx = usize;

/// The root queue.
pub const ROOT: QueueIx = 0;
