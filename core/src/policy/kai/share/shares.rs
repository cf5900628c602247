//! Allocation, request and fair share of every queue.
//!
//! # Rule
//! A queue whose parent does not exist is excluded with all its descendants. Every task counts in its queue and all its
//! ancestors: allocated ones in *allocated* (and *not preemptible*) and *request*, pending ones in *request*; limits of
//! children do not cap their parent's request. The total is divided among the top queues, each part among the children,
//! for each resource independently.
//!
//! # Source
//! kai.md 1.1, 2.1, 2.2
//!
//! # Differs
//! nothing

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::id::QueueId;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::queues::QueueSpec;
use crate::policy::kai::share::division::{self, DivisionParams, Sibling};
use crate::policy::kai::share::published::{self, Reading};
use crate::policy::kai::task::QueueRef;
use crate::trace::DivisionStep;

/// Amounts of a queue.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) struct Queue {
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
    /// `min(max(quota, fair share), limit)`; may be unlimited.
    pub allocatable: Quantities,
    pub request: Quantities,
    pub allocated: Quantities,
    pub allocated_np: Quantities,
    pub preempt_min_runtime_s: Option<f64>,
    pub reclaim_min_runtime_s: Option<f64>,
}

/// Counts a task in its queue and all its ancestors; `preemptible` is `None` for a pending task.
pub(in crate::policy::kai) fn add(queues: &mut [Queue], leaf: QueueRef, amount: Quantities, preemptible: Option<bool>) {
    let mut next = Some(leaf);
    while let Some(q) = next {
        let queue = &mut queues[q.ix()];
        queue.request += amount;
        if let Some(preemptible) = preemptible {
            queue.allocated += amount;
            if !preemptible {
                queue.allocated_np += amount;
            }
        }
        next = queue.parent;
    }
}

/// 2.2: divides the total down the tree.
pub(in crate::policy::kai) fn divide(queues: &mut [Queue], total: Quantities, params: DivisionParams) {
    let top = children_of(queues, None);
    divide_among(queues, total, &top, params);
    for queue in queues {
        queue.allocatable = queue.allocatable_now();
    }
}

fn divide_among(queues: &mut [Queue], total: Quantities, siblings: &[QueueRef], params: DivisionParams) {
    for resource in 0..3 {
        let mut level = level_of(queues, siblings, resource);
        division::divide(total.to_array()[resource], params, &mut level);
        let shares: Vec<f64> = level.iter().map(|s| s.fair_share).collect();
        for (&q, share) in siblings.iter().zip(shares) {
            let fair_share = &mut queues[q.ix()].fair_share;
            let mut amounts = fair_share.to_array();
            amounts[resource] = share;
            *fair_share = Quantities::from_array(amounts);
        }
    }
    for &q in siblings {
        let children = queues[q.ix()].children.clone();
        if !children.is_empty() {
            divide_among(queues, queues[q.ix()].fair_share, &children, params);
        }
    }
}

/// Whether the queue order is total among the children of every queue for any allocation. Its first six rules compare
/// numbers, so only the last ones matter: the queue with the smaller allocatable share comes first, else the older one.
/// The order is total if no two queues of equal age are tied in allocatable share and no three form a cycle:
/// then each queue precedes a different number of others.
pub(in crate::policy::kai) fn siblings_are_ordered(queues: &[Queue]) -> bool {
    let is_below = |l: &Queue, r: &Queue| {
        l.allocatable.less_equal(&r.allocatable) && l.allocatable.less_in_at_least_one(&r.allocatable)
    };
    let goes_first = |l: &Queue, r: &Queue| is_below(l, r) || !is_below(r, l) && l.created_s < r.created_s;
    let mut n_after = vec![0u32; queues.len()];
    for (i, l) in queues.iter().enumerate() {
        for (j, r) in queues.iter().enumerate().skip(i + 1).filter(|(_, r)| r.parent == l.parent) {
            match (goes_first(l, r), goes_first(r, l)) {
                (true, false) => n_after[i] += 1,
                (false, true) => n_after[j] += 1,
                _ => return false,
            }
        }
    }
    let is_alone = |i: usize| (0..i).all(|j| queues[j].parent != queues[i].parent || n_after[j] != n_after[i]);
    (0..queues.len()).all(is_alone)
}

/// Levels of the division of one resource from the root down to a queue, after the whole division.
pub(in crate::policy::kai) fn ladder(
    queues: &[Queue],
    total: Quantities,
    params: DivisionParams,
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
        let mut steps = division::ladder(parent.map(|p| p.id), amount, params, &mut level, &ids);
        let id = queues[q.ix()].id;
        steps.retain(|step| !matches!(step, DivisionStep::Result { queue, .. } if *queue != id));
        lines.append(&mut steps);
    }
    lines
}

/// Fair share of a queue by the published pseudo-code, after the whole division.
pub(in crate::policy::kai) fn published(
    queues: &[Queue],
    total: Quantities,
    queue: QueueRef,
    resource: usize,
    reading: Reading,
) -> f64 {
    let parent = queues[queue.ix()].parent;
    let amount = parent.map_or(total.to_array()[resource], |p| published(queues, total, p, resource, reading));
    let siblings = children_of(queues, parent);
    let shares = published::divide(amount, &level_of(queues, &siblings, resource), reading);
    siblings.iter().zip(shares).find(|(s, _)| **s == queue).map_or(0.0, |(_, share)| share)
}

fn level_of<'q>(queues: &'q [Queue], siblings: &[QueueRef], resource: usize) -> Vec<Sibling<'q>> {
    let amount = |quantities: Quantities| quantities.to_array()[resource];
    let sibling = |q: &QueueRef| {
        let q = &queues[q.ix()];
        Sibling {
            name: &q.name,
            priority: q.priority,
            created_s: q.created_s,
            deserved: amount(q.deserved),
            limit: amount(q.limit),
            weight: amount(q.weight),
            request: amount(q.request),
            usage: amount(q.usage),
            fair_share: 0.0,
        }
    };
    siblings.iter().map(sibling).collect()
}

fn children_of(queues: &[Queue], parent: Option<QueueRef>) -> Vec<QueueRef> {
    (0..queues.len()).map(QueueRef::of).filter(|q| queues[q.ix()].parent == parent).collect()
}

/// Index of queues by name.
pub(in crate::policy::kai) struct QueueNames(Vec<(Arc<str>, QueueRef)>);

impl QueueNames {
    pub fn of(queues: &[Queue]) -> QueueNames {
        let mut names: Vec<_> = (0..).map(QueueRef::of).zip(queues).map(|(q, queue)| (queue.name.clone(), q)).collect();
        names.sort();
        QueueNames(names)
    }

    pub fn find(&self, name: &str) -> Option<QueueRef> {
        self.0.binary_search_by(|(queue, _)| (**queue).cmp(name)).ok().map(|i| self.0[i].1)
    }
}

/// Whether a queue has no children.
pub(in crate::policy::kai) fn is_leaf(queues: &[Queue], queue: QueueRef) -> bool {
    queues[queue.ix()].children.is_empty()
}

/// Queues of complete trees, sorted by (creation, name).
pub(in crate::policy::kai) fn open_queues(specs: &[QueueSpec], ids: &[QueueId]) -> Vec<Queue> {
    let mut sorted = of_whole_trees(specs, ids);
    sorted.sort_by(|(l, _), (r, _)| {
        let by_age = l.created_s.partial_cmp(&r.created_s).expect("moments are never NaN");
        by_age.then_with(|| l.name.cmp(&r.name))
    });
    let mut queues: Vec<Queue> = sorted.iter().map(|&(queue, id)| Queue::open(queue, id)).collect();
    let names = QueueNames::of(&queues);
    for (i, (queue, _)) in sorted.iter().enumerate() {
        let parent = names.find(&queue.parent);
        queues[i].parent = parent;
        if let Some(parent) = parent {
            queues[parent.ix()].children.push(QueueRef::of(i));
        }
    }
    queues
}

/// Queues all of whose ancestors exist.
fn of_whole_trees<'q>(specs: &'q [QueueSpec], ids: &[QueueId]) -> Vec<(&'q QueueSpec, QueueId)> {
    let mut connected: Vec<(&QueueSpec, QueueId)> = specs.iter().zip(ids.iter().copied()).collect();
    loop {
        let names: BTreeSet<&str> = connected.iter().map(|q| &*q.0.name).collect();
        let n_before = connected.len();
        connected.retain(|(queue, _)| queue.parent.is_empty() || names.contains(&*queue.parent));
        if connected.len() == n_before {
            return connected;
        }
    }
}

impl Queue {
    /// A queue without parent, children and amounts.
    fn open(spec: &QueueSpec, id: QueueId) -> Queue {
        Queue {
            id,
            name: spec.name.clone(),
            parent: None,
            children: Vec::new(),
            priority: spec.priority,
            created_s: spec.created_s,
            deserved: spec.quota,
            limit: spec.limit,
            weight: spec.weight,
            usage: spec.usage,
            fair_share: Quantities::default(),
            allocatable: Quantities::default(),
            request: Quantities::default(),
            allocated: Quantities::default(),
            allocated_np: Quantities::default(),
            preempt_min_runtime_s: spec.preempt_min_runtime_s,
            reclaim_min_runtime_s: spec.reclaim_min_runtime_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    /// Top queues with these bounds of CPU and GPU, and ages.
    fn queues(bounds: &[(f64, f64, f64)]) -> Vec<Queue> {
        let specs = bounds.iter().enumerate().map(|(i, &(_, _, created_s))| QueueSpec {
            name: Arc::from(format!("q{i}")),
            created_s,
            ..QueueSpec::default()
        });
        let specs: Vec<QueueSpec> = specs.collect();
        let ids: Vec<QueueId> = (0..bounds.len()).map(QueueId::from_index).collect();
        let mut queues = open_queues(&specs, &ids);
        for queue in &mut queues {
            let i: usize = queue.name[1..].parse().expect("named above");
            queue.allocatable = Quantities { cpu: bounds[i].0, memory: 0.0, gpu: bounds[i].1 };
        }
        queues
    }

    #[test]
    fn siblings_are_ordered_unless_they_tie_or_go_in_a_circle() {
        let ordered = |bounds: &[(f64, f64, f64)]| siblings_are_ordered(&queues(bounds));
        assert!(ordered(&[(1.0, 1.0, 0.0), (2.0, 2.0, 0.0)]));
        assert!(!ordered(&[(1.0, 1.0, 0.0), (1.0, 1.0, 0.0)]));
        assert!(ordered(&[(1.0, 1.0, 0.0), (1.0, 1.0, 1.0)]));
        assert!(ordered(&[(1.0, 2.0, 0.0), (2.0, 1.0, 1.0)]));
        assert!(!ordered(&[(1.0, 2.0, 0.0), (2.0, 1.0, 0.0)]));
        // The first is older than the second, the second than the third, which has a smaller allocatable share than the
        // first.
        assert!(!ordered(&[(2.0, 5.0, 0.0), (9.0, 1.0, 1.0), (1.0, 4.0, 2.0)]));
        assert!(ordered(&[(2.0, 5.0, 2.0), (9.0, 1.0, 1.0), (1.0, 4.0, 0.0)]));
    }
}
