//! Queues compared on given numbers, outside of a session.
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
use crate::policy::kai::order::queue_order::{Standing, decide};
use crate::policy::kai::share::shares::Queue;
use crate::policy::kai::snapshot::Quantities;
use crate::trace::Rule;

/// What a queue is compared by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedQueue {
    /// Unique.
    pub name: Arc<str>,
    /// Larger first.
    pub priority: i64,
    /// Age.
    pub created_s: f64,
    /// Quota; -1 is unlimited.
    pub quota: Quantities,
    /// Limit; -1 is unlimited.
    pub limit: Quantities,
    /// Fair share.
    pub fair_share: Quantities,
    /// What it holds.
    pub allocated: Quantities,
    /// What its next job asks for.
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
pub fn compare(
    l: &ComparedQueue,
    r: &ComparedQueue,
    total: Quantities,
    dialect: Dialect,
) -> (Ordering, Rule) {
    let (left, right) = (l.queue(), r.queue());
    let of = |queue, held| Standing { queue, held, victims: Quantities::default() };
    let (l, r) = (of(&left, l.allocated + l.next), of(&right, r.allocated + r.next));
    let (rule, left, right) = decide(&l, &r, total, dialect);
    (left.partial_cmp(&right).unwrap_or(Ordering::Equal), rule)
}
