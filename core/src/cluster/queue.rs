//! The organisation tree.

use std::sync::Arc;

use crate::id::QueueId;
use crate::time::Time;
use crate::units::{Bound, PerResource, Weight};

/// A node of the organisation tree: a department, project, team.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Unique name; also the last tie-break of policies that say so.
    pub name: Arc<str>,
    /// What people call it; empty: its name.
    pub display_name: Arc<str>,
    /// `None` for a root.
    pub parent: Option<QueueId>,
    /// In file order; empty for a leaf.
    pub children: Vec<QueueId>,
    /// Larger first where a policy uses it.
    pub priority: Option<i32>,
    /// Tie-break by age.
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

/// What a queue is promised and allowed of one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueResource {
    /// Guaranteed part.
    pub quota: Bound,
    /// Hard ceiling.
    pub limit: Bound,
    /// Part in the surplus; `None` when the scenario does not say.
    pub weight: Option<Weight>,
}
