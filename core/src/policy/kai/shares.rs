//! What every queue holds, requests and is entitled to.
//!
//! # Rule
//! A queue whose parent does not exist is left out with all below it. Every task counts in its queue and all above:
//! allocated ones in *allocated* (and *not preemptible*) and *request*, pending ones in *request*; limits of children do
//! not cap what their parent requests. The total is divided among the top queues, each part among the children, for
//! each resource on its own.
//!
//! # Source
//! kai.md 1.1, 2.1, 2.2
//!
//! # Differs
//! nothing

use crate::kit::sort;
use std::sync::Arc;

use super::division::{self, Manner, Sibling};
use super::snapshot::{Quantities, SnapshotQueue};
use super::task::QueueRef;
use crate::id::QueueId;
use crate::trace::DivisionStep;

/// A queue's numbers.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub id: QueueId,
    pub name: Arc<str>,
    pub parent: Option<QueueRef>,
    pub children: Vec<QueueRef>,
    pub priority: i64,
    pub created_s: f64,
    pub deserved: Quantities,
    pub limit: Quantities,
    pub weight: Quantities,
    pub usage: Quantities,
    pub fair_share: Quantities,
    /// The larger of quota and fair share, within the limit; may be unlimited.
    pub allocatable: Quantities,
    pub request: Quantities,
    pub allocated: Quantities,
    pub allocated_np: Quantities,
    pub preempt_min_runtime_s: Option<f64>,
    pub reclaim_min_runtime_s: Option<f64>,
}

/// Counts a task in its queue and all above; `held` says whether it is allocated, and if so, preemptible.
pub(super) fn add(queues: &mut [Queue], leaf: QueueRef, amount: Quantities, held: Option<bool>) {
    let mut at = Some(leaf);
    while let Some(q) = at {
        let queue = &mut queues[q.ix()];
        queue.request += amount;
        if let Some(preemptible) = held {
            queue.allocated += amount;
            if !preemptible {
                queue.allocated_np += amount;
            }
        }
        at = queue.parent;
    }
}

/// 2.2: divides the total down the tree.
pub(super) fn divide(queues: &mut [Queue], total: Quantities, manner: Manner) {
    let top = children_of(queues, None);
    divide_among(queues, total, &top, manner);
    for queue in queues {
        queue.allocatable = queue.allocatable_now();
    }
}

fn divide_among(queues: &mut [Queue], total: Quantities, siblings: &[QueueRef], manner: Manner) {
    for resource in 0..3 {
        let mut level = level_of(queues, siblings, resource);
        division::divide(total.to_array()[resource], manner, &mut level);
        let shares: Vec<f64> = level.iter().map(|s| s.fair_share).collect();
        for (&q, share) in siblings.iter().zip(shares) {
            let fair_share = &mut queues[q.ix()].fair_share;
            let mut of = fair_share.to_array();
            of[resource] = share;
            *fair_share = Quantities::from_array(of);
        }
    }
    for &q in siblings {
        let children = queues[q.ix()].children.clone();
        if !children.is_empty() {
            divide_among(queues, queues[q.ix()].fair_share, &children, manner);
        }
    }
}

/// Whether the queue order is a total one among the children of every queue, whatever they hold: nobody is as old as
/// another, and of any two one may hold at most what the other may.
pub(super) fn siblings_are_ordered(queues: &[Queue]) -> bool {
    let is_below = |l: &Queue, r: &Queue| l.allocatable.less_equal(&r.allocatable);
    queues.iter().enumerate().all(|(i, l)| {
        let fits = |r: &Queue| l.created_s != r.created_s && (is_below(l, r) || is_below(r, l));
        queues[..i].iter().filter(|r| r.parent == l.parent).all(fits)
    })
}

/// The levels of the division of one resource from the root down to a queue, when all is divided.
pub(super) fn ladder(
    queues: &[Queue],
    total: Quantities,
    manner: Manner,
    queue: QueueRef,
    resource: usize,
) -> Vec<DivisionStep> {
    let up = std::iter::successors(Some(queue), |q| queues[q.ix()].parent);
    let mut path: Vec<QueueRef> = up.collect();
    path.reverse();
    let mut lines = Vec::new();
    for q in path {
        let parent = queues[q.ix()].parent.map(|p| &queues[p.ix()]);
        let amount = parent.map_or(total, |p| p.fair_share).to_array()[resource];
        let siblings = children_of(queues, queues[q.ix()].parent);
        let ids: Vec<QueueId> = siblings.iter().map(|s| queues[s.ix()].id).collect();
        let mut level = level_of(queues, &siblings, resource);
        let mut steps = division::ladder(parent.map(|p| p.id), amount, manner, &mut level, &ids);
        let id = queues[q.ix()].id;
        steps.retain(|step| !matches!(step, DivisionStep::Result { queue, .. } if *queue != id));
        lines.append(&mut steps);
    }
    lines
}

fn level_of<'q>(queues: &'q [Queue], siblings: &[QueueRef], resource: usize) -> Vec<Sibling<'q>> {
    let of = |quantities: Quantities| quantities.to_array()[resource];
    let sibling = |q: &QueueRef| {
        let q = &queues[q.ix()];
        Sibling {
            name: &q.name,
            priority: q.priority,
            created_s: q.created_s,
            deserved: of(q.deserved),
            limit: of(q.limit),
            weight: of(q.weight),
            request: of(q.request),
            usage: of(q.usage),
            fair_share: 0.0,
        }
    };
    siblings.iter().map(sibling).collect()
}

fn children_of(queues: &[Queue], parent: Option<QueueRef>) -> Vec<QueueRef> {
    let all = (0..queues.len()).map(QueueRef::of);
    all.filter(|q| queues[q.ix()].parent == parent).collect()
}

/// The queues of whole trees, in order of (age, name).
pub(super) fn open_queues(from: &[SnapshotQueue], ids: &[QueueId]) -> Vec<Queue> {
    let mut kept: Vec<(&SnapshotQueue, QueueId)> = from.iter().zip(ids.iter().copied()).collect();
    loop {
        let names: Vec<&str> = kept.iter().map(|q| &*q.0.name).collect();
        let whole = |q: &(&SnapshotQueue, QueueId)| q.0.parent.is_empty() || names.contains(&&*q.0.parent);
        let next: Vec<(&SnapshotQueue, QueueId)> = kept.iter().copied().filter(whole).collect();
        if next.len() == kept.len() {
            break;
        }
        kept = next;
    }
    let age = |l: &(&SnapshotQueue, QueueId), r: &(&SnapshotQueue, QueueId)| {
        let (l, r) = (l.0, r.0);
        l.created_s
            .partial_cmp(&r.created_s)
            .expect("moments are never NaN")
            .then_with(|| l.name.cmp(&r.name))
    };
    sort::sort_by(&mut kept, age);
    let find = |name: &str| kept.iter().position(|q| &*q.0.name == name).map(QueueRef::of);
    let open = |&(q, id): &(&SnapshotQueue, QueueId)| Queue {
        id,
        name: q.name.clone(),
        parent: find(&q.parent),
        children: (0..kept.len()).filter(|&i| kept[i].0.parent == q.name).map(QueueRef::of).collect(),
        priority: q.priority,
        created_s: q.created_s,
        deserved: q.quota,
        limit: q.limit,
        weight: q.weight,
        usage: q.usage,
        fair_share: Quantities::default(),
        allocatable: Quantities::default(),
        request: Quantities::default(),
        allocated: Quantities::default(),
        allocated_np: Quantities::default(),
        preempt_min_runtime_s: q.preempt_min_runtime_s,
        reclaim_min_runtime_s: q.reclaim_min_runtime_s,
    };
    kept.iter().map(open).collect()
}
