//! Why a chunk was not placed, as data.
//!
//! # Rule
//! None of its own.
//!
//! # Source
//! kai.md 5.2, 5.3
//!
//! # Differs
//! nothing

use crate::policy::kai::task::{NodeRef, QueueRef, TaskRef};
use crate::trace::{FreeGpus, NodeReason};
use crate::units::Resource;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) enum Failure {
    /// The chunk has no task: the subgroups that lack pods have none that could be placed.
    NoTask,
    /// The chunk as a whole exceeds a bound of a queue.
    Excess(Excess),
    /// No node could hold the task even when empty.
    TooLarge { task: TaskRef, resource: Resource },
    /// No node fits the task.
    NoNode { task: TaskRef, placed: u32, of: u32, reasons: Vec<(NodeReason, u32)>, free: Option<FreeGpus> },
}

/// First queue and resource (0 CPU, 1 memory, 2 GPU) at which a chunk exceeds a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::policy::kai) struct Excess {
    pub queue: QueueRef,
    pub resource: usize,
    /// Whether the bound is the quota of non-preemptible work, not the limit.
    pub of_quota: bool,
    pub allocated: f64,
    pub requested: f64,
    pub bound: f64,
}

/// Why a pod fits no node.
#[derive(Debug)]
pub(in crate::policy::kai) struct Misfits {
    pub reasons: Vec<(NodeReason, u32)>,
    /// Nodes that no selector, taint or state excludes.
    pub open: Vec<NodeRef>,
    /// GPUs on them.
    pub free: FreeGpus,
}
