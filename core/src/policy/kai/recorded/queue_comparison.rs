//! Comparison of queues by given numbers, without a session.
//!
//! # Source
//! kai.md 3.1
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::sync::Arc;

use crate::id::{Id, QueueId};
use crate::policy::kai::config::Dialect;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::order::queue_order::{OrderSwitches, Side, decide};
use crate::policy::kai::share::shares::Queue;
use crate::trace::Rule;

/// Inputs of the comparison for one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedQueue {
    /// Unique name.
    pub name: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Creation time in seconds; older first.
    pub created_s: f64,
    /// Quota; -1 for unlimited.
    pub quota: Quantities,
    /// Limit; -1 for unlimited.
    pub limit: Quantities,
    /// Fair share, in the units of the quota.
    pub fair_share: Quantities,
    /// Current allocation.
    pub allocated: Quantities,
    /// Request of the next job.
    pub next: Quantities,
}

impl ComparedQueue {
    fn queue(&self) -> Queue {
        let mut queue = Queue {
            id: QueueId::from_index(0),
            name: self.name.clone(),
            parent: None,
            children: Vec::new(),
            priority: self.priority,
            created_s: self.created_s,
            deserved: self.quota,
            limit: self.limit,
            weight: Quantities::default(),
            usage: Quantities::default(),
            fair_share: self.fair_share,
            allocatable: Quantities::default(),
            request: Quantities::default(),
            allocated: self.allocated,
            allocated_np: Quantities::default(),
            preempt_min_runtime_s: None,
            reclaim_min_runtime_s: None,
        };
        queue.allocatable = queue.allocatable_now();
        queue
    }
}

/// Which of two queues is served first, and the rule that decides.
pub fn compare(l: &ComparedQueue, r: &ComparedQueue, total: Quantities, dialect: Dialect) -> (Ordering, Rule) {
    let (left, right) = (l.queue(), r.queue());
    let side = |queue, allocated| Side { queue, allocated, victims: Quantities::default() };
    let (l, r) = (side(&left, l.allocated + l.next), side(&right, r.allocated + r.next));
    let switches = OrderSwitches { dialect, ..OrderSwitches::default() };
    let (rule, left, right) = decide(&l, &r, total, switches);
    (left.partial_cmp(&right).unwrap_or(Ordering::Equal), rule)
}
