//! Queues as the scheduler reads them.
//!
//! # Rule
//! An omitted limit is 0 (nothing is allowed), as is an omitted quota or weight; an omitted priority is 100. Without full
//! hierarchy, one synthetic queue without bounds has all queues that had a parent as its children.
//!
//! # Source
//! kai.md 1.1
//!
//! # Differs
//! the synthetic queue has the identity of the first top queue, in whose row its numbers are shown; a queue below it named
//! `default` is also excluded

use std::sync::Arc;

use super::number::UNLIMITED;
use super::snapshot::{Quantities, SnapshotQueue};
use crate::id::QueueId;
use crate::policy::PartitionView;
use crate::units::{Bound, Resource};

/// The only place that interprets omitted bounds.
pub(in crate::policy) fn snapshot_queues(world: PartitionView<'_>) -> Vec<SnapshotQueue> {
    let bound = |bound: Bound, r: Resource| match bound {
        Bound::Unset => 0.0,
        Bound::Unlimited => UNLIMITED,
        Bound::At(amount) => amount.in_policy_units(r),
    };
    let queues = world.queues();
    let of = |q: &crate::cluster::Queue| {
        let each = |value: &dyn Fn(Resource) -> f64| {
            let [cpu, memory, gpu] = Resource::ACCOUNTED.map(value);
            Quantities { cpu, memory, gpu }
        };
        SnapshotQueue {
            name: q.name.clone(),
            parent: q.parent.map_or_else(|| Arc::from(""), |p| queues[p].name.clone()),
            priority: q.priority.map_or(100, i64::from),
            created_s: q.created.as_seconds(),
            quota: each(&|r| bound(q.resources.get(r).quota, r)),
            limit: each(&|r| bound(q.resources.get(r).limit, r)),
            weight: each(&|r| q.resources.get(r).weight.map_or(0.0, |w| w.as_real())),
            usage: each(&|r| q.usage.get(r).as_real()),
            preempt_min_runtime_s: q.preempt_min_runtime.map(|s| s.as_seconds()),
            reclaim_min_runtime_s: q.reclaim_min_runtime.map(|s| s.as_seconds()),
        }
    };
    queues.values().map(of).collect()
}

/// 1.1, without full hierarchy: every queue that had a parent becomes a child of one synthetic queue; the others are removed.
pub(super) fn without_departments(queues: Vec<SnapshotQueue>, ids: &mut Vec<QueueId>) -> Vec<SnapshotQueue> {
    let all = |each: f64| Quantities { cpu: each, memory: each, gpu: each };
    let name: Arc<str> = Arc::from("default");
    let mut kept = Vec::with_capacity(queues.len());
    let mut top = None;
    let mut kept_ids = Vec::with_capacity(ids.len());
    for (queue, &id) in queues.into_iter().zip(ids.iter()) {
        if queue.parent.is_empty() {
            top = top.or(Some(id));
        } else if queue.name != name {
            kept.push(SnapshotQueue { parent: name.clone(), ..queue });
            kept_ids.push(id);
        }
    }
    if let Some(id) = top.filter(|_| !kept.is_empty()) {
        kept.push(SnapshotQueue {
            name,
            priority: 100,
            quota: all(UNLIMITED),
            limit: all(UNLIMITED),
            weight: all(1.0),
            ..SnapshotQueue::default()
        });
        kept_ids.push(id);
    }
    *ids = kept_ids;
    kept
}
