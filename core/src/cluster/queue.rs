//! Queues and the values they have in a partition.

use std::sync::Arc;

use crate::id::QueueId;
use crate::time::Time;
use crate::units::{Bound, PerResource, Weight};

/// A node of the queue tree: a department, project or team.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Unique name; also the final tie-break of some policies.
    pub name: Arc<str>,
    /// Name shown to users; empty: the unique name.
    pub display_name: Arc<str>,
    /// `None` for a root.
    pub parent: Option<QueueId>,
    /// Child queues in file order; empty for a leaf.
    pub children: Vec<QueueId>,
    /// Priority of the queue; larger first where a policy uses it.
    pub priority: Option<i32>,
    /// Time of creation, a tie-break of some policies.
    pub created: Time,
    /// Quota, limit and weight of each accounted resource.
    pub resources: PerResource<QueueResource>,
    /// Past usage as a share of the cluster's capacity, in millionths.
    pub usage: PerResource<Weight>,
    /// Minimum runtime before a job here may be preempted by its own queue.
    pub preempt_min_runtime: Option<crate::time::Span>,
    /// Minimum runtime before a job here may be reclaimed by another queue.
    pub reclaim_min_runtime: Option<crate::time::Span>,
}

/// Quota, limit and weight of a queue for one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueResource {
    /// Guaranteed amount.
    pub quota: Bound,
    /// Largest permitted amount.
    pub limit: Bound,
    /// Relative share of the surplus; `None` if the scenario sets none.
    pub weight: Option<Weight>,
}
