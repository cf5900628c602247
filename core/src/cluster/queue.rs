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

/// Time of creation of the first queue without a given one, in milliseconds, far before everything else; later queues
/// follow one millisecond apart.
const CREATED_FIRST_MS: i64 = -1_000_000_000_000;

/// More queues than any file has.
const IN_FILE_ORDER_MAX: i64 = 1_000_000;

impl Queue {
    /// The time of creation of the nth queue of a file, counted from 0, that gives none.
    pub fn created_in_file_order(n: usize) -> Time {
        Time::from_millis(CREATED_FIRST_MS.saturating_add(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    /// Whether a time of creation, in seconds, only stands for the order in the file.
    pub fn is_file_order(created_s: f64) -> bool {
        let [first, end] = [0, IN_FILE_ORDER_MAX].map(|n| (CREATED_FIRST_MS + n) as f64 / 1000.0);
        (first..end).contains(&created_s)
    }
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
