//! Queues as the scheduler reads them.
//!
//! # Rule
//! An omitted limit is 0 (nothing is allowed), as is an omitted quota or weight; an omitted priority is 100. Without
//! full hierarchy, one synthetic queue without bounds has all queues that had a parent as its children.
//!
//! # Source
//! kai.md 1.1
//!
//! # Differs
//! the synthetic queue has the identity of the first top queue, in whose row its numbers are shown; a queue below it
//! named `default` is also excluded

use std::sync::Arc;

use super::number::{Quantities, UNLIMITED};
use crate::id::QueueId;
use crate::policy::PartitionView;
use crate::units::{Bound, Resource};

/// A queue of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueSpec {
    /// Unique name, also its UID.
    pub name: Arc<str>,
    /// Name of the parent; empty for a top queue.
    pub parent: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Creation time in seconds; tie-break, older first.
    pub created_s: f64,
    /// Deserved quota; -1 for unlimited.
    pub quota: Quantities,
    /// Limit; -1 for unlimited.
    pub limit: Quantities,
    /// Over-quota weight.
    pub weight: Quantities,
    /// Past usage, shares of cluster capacity.
    pub usage: Quantities,
    /// Minimum runtime against preemption, seconds.
    pub preempt_min_runtime_s: Option<f64>,
    /// Minimum runtime against reclaim, seconds.
    pub reclaim_min_runtime_s: Option<f64>,
}

/// The only place that interprets omitted bounds.
pub(in crate::policy) fn snapshot_queues(world: PartitionView<'_>) -> Vec<QueueSpec> {
    let bound = |bound: Bound, r: Resource| match bound {
        Bound::Unset => 0.0,
        Bound::Unlimited => UNLIMITED,
        Bound::At(amount) => amount.in_policy_units(r),
    };
    let queues = world.queues();
    let spec = |q: &crate::cluster::Queue| {
        let per_resource = |value: &dyn Fn(Resource) -> f64| Quantities::from_array(Resource::ACCOUNTED.map(value));
        QueueSpec {
            name: q.name.clone(),
            parent: q.parent.map_or_else(|| Arc::from(""), |p| queues[p].name.clone()),
            priority: q.priority.map_or(100, i64::from),
            created_s: q.created.as_seconds(),
            quota: per_resource(&|r| bound(q.resources.get(r).quota, r)),
            limit: per_resource(&|r| bound(q.resources.get(r).limit, r)),
            weight: per_resource(&|r| q.resources.get(r).weight.map_or(0.0, |w| w.as_real())),
            usage: per_resource(&|r| q.usage.get(r).as_real()),
            preempt_min_runtime_s: q.preempt_min_runtime.map(|s| s.as_seconds()),
            reclaim_min_runtime_s: q.reclaim_min_runtime.map(|s| s.as_seconds()),
        }
    };
    queues.values().map(spec).collect()
}

/// 1.1, without full hierarchy: every queue that had a parent becomes a child of one synthetic queue; the others are
/// removed.
pub(super) fn without_departments(queues: Vec<QueueSpec>, ids: &mut Vec<QueueId>) -> Vec<QueueSpec> {
    let uniform = |each: f64| Quantities { cpu: each, memory: each, gpu: each };
    let name: Arc<str> = Arc::from("default");
    let mut children = Vec::with_capacity(queues.len());
    let mut top = None;
    let mut child_ids = Vec::with_capacity(ids.len());
    for (queue, &id) in queues.into_iter().zip(ids.iter()) {
        if queue.parent.is_empty() {
            top = top.or(Some(id));
        } else if queue.name != name {
            children.push(QueueSpec { parent: name.clone(), ..queue });
            child_ids.push(id);
        }
    }
    if let Some(id) = top.filter(|_| !children.is_empty()) {
        children.push(QueueSpec {
            name,
            priority: 100,
            quota: uniform(UNLIMITED),
            limit: uniform(UNLIMITED),
            weight: uniform(1.0),
            ..QueueSpec::default()
        });
        child_ids.push(id);
    }
    *ids = child_ids;
    children
}
