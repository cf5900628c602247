//! Quota preemption: evictions after the maximum of a queue was lowered below its usage.
//!
//! # Rule
//! After a delay, a poll walks down from the root. A queue whose delay is over and that still exceeds its maximum frees
//! the difference, but nothing of its own guarantee. A parent distributes the amount among the children that exceed
//! their guarantee, in proportion; a leaf marks tasks that fit in its part, originators and opted-out tasks first
//!
//!
//! # Source
//! yunikorn.md 5.8

use std::cmp::Ordering;

use super::amounts::{self, Amounts};
use super::model::{AskIx, Core, QueueIx, ROOT};
use super::shares::{compare_usage, usage_shares};
use super::stable;

/// One hour in milliseconds: ages are compared in whole clock hours.
const HOUR: i64 = 3_600_000;
const ORIGINATOR: i64 = 1 << 33;
const NOT_ALLOWED: i64 = 1 << 34;

impl Core {
    /// Polls all queues from the root if quota preemption is on.
    pub fn poll_quotas(&mut self) {
        self.marked.clear();
        self.marked_for.clear();
        if self.quota_preemption {
            self.poll_quota(ROOT);
        }
    }

    fn poll_quota(&mut self, ix: QueueIx) {
        let queue = &self.queues[ix];
        let due = queue.quota_start.is_some_and(|start| start <= self.now);
        if queue.managed && due && !amounts::ge_existing(&queue.max, &queue.allocated) {
            let amount = self.excess(ix);
            self.queues[ix].quota_start = None;
            self.give_back(ix, &amount);
            return;
        }
        for child in self.queues[ix].children.clone() {
            self.poll_quota(child);
        }
    }

    /// Usage of a queue above its maximum, without what its guarantee protects.
    fn excess(&self, ix: QueueIx) -> Amounts {
        let queue = &self.queues[ix];
        let remaining = amounts::difference(&queue.allocated, &queue.preempting);
        let over_max = negatives(&amounts::sub_existing(&queue.max, &remaining));
        amounts::min_left(&over_max, &negatives(&self.beyond_guarantee(ix)))
    }

    fn beyond_guarantee(&self, ix: QueueIx) -> Amounts {
        let queue = &self.queues[ix];
        let own_excess = if queue.guaranteed.is_none() {
            queue.allocated
        } else {
            amounts::sub_existing(&queue.guaranteed, &queue.allocated)
        };
        let parent_excess = queue.parent.map_or(Amounts::EMPTY, |parent| self.beyond_guarantee(parent));
        amounts::min_union(&own_excess, &parent_excess)
    }

    fn give_back(&mut self, ix: QueueIx, amount: &Amounts) {
        if amount.is_zero() {
            return;
        }
        if self.queues[ix].is_leaf {
            self.mark_in_leaf(ix, amount);
            return;
        }
        let children = self.queues[ix].children.clone();
        let using: Vec<(QueueIx, Amounts)> =
            children.into_iter().filter_map(|child| Some((child, self.beyond_own(child)?))).collect();
        let mut total = Amounts::EMPTY;
        for (_, beyond) in &using {
            total.add(beyond);
        }
        for (child, beyond) in using {
            let mut part = Amounts::EMPTY;
            for (type_ix, amount) in
                amount.iter().filter(|&(type_ix, _)| beyond.has(type_ix) && total.get(type_ix) != 0)
            {
                let share = beyond.get(type_ix) as f64 / total.get(type_ix) as f64;
                part.set(type_ix, (share * amount as f64).floor() as i64);
            }
            self.give_back(child, &part);
        }
    }

    /// Usage of a child beyond its own guarantee; `None` if it is within.
    fn beyond_own(&self, child: QueueIx) -> Option<Amounts> {
        let queue = &self.queues[child];
        if queue.guaranteed.is_none() {
            return (!queue.allocated.is_zero()).then_some(queue.allocated);
        }
        let difference = amounts::sub_existing(&queue.guaranteed, &queue.allocated);
        let mut beyond = Amounts::EMPTY;
        for (type_ix, value) in difference.iter() {
            beyond.set(type_ix, value.saturating_abs());
        }
        difference.has_negative().then_some(beyond)
    }

    fn mark_in_leaf(&mut self, leaf: QueueIx, amount: &Amounts) {
        let apps = &self.queues[leaf].apps;
        let all = apps.iter().flat_map(|&app| self.apps[app].allocations.iter().copied());
        let is_candidate = |&victim: &AskIx| {
            let v = &self.asks[victim];
            let free = v.required_node.is_empty() && !v.released && !v.preempted;
            free && amounts::overlap(amount, &v.resource)
        };
        let candidates: Vec<AskIx> = all.filter(is_candidate).collect();
        let order = stable::order(candidates.len(), &mut |l, r| {
            self.goes_before(candidates[l.item], candidates[r.item], leaf, amount)
        });
        let mut total = Amounts::EMPTY;
        for i in order {
            let victim = candidates[i];
            let resource = self.asks[victim].resource;
            let with_victim = amounts::sum(&total, &resource);
            if amounts::fits_undef(amount, &resource) && amounts::fits_undef(amount, &with_victim) {
                total = with_victim;
                self.mark(victim, None);
            }
        }
    }

    /// On a full tie, each precedes the other.
    fn goes_before(&self, l: AskIx, r: AskIx, leaf: QueueIx, amount: &Amounts) -> bool {
        let (a, b) = (&self.asks[l], &self.asks[r]);
        let score = |ask: AskIx| self.quota_score(ask, amount);
        let first = score(r).cmp(&score(l)).then(a.priority.cmp(&b.priority));
        match first.then(b.created.div_euclid(HOUR).cmp(&a.created.div_euclid(HOUR))) {
            Ordering::Equal => {
                let max = &self.queues[leaf].max;
                let of_amount = |resource: &Amounts| {
                    let mut out = Amounts::EMPTY;
                    for (type_ix, value) in resource.iter().filter(|&(type_ix, _)| amount.has(type_ix)) {
                        out.set(type_ix, value);
                    }
                    usage_shares(&out, max)
                };
                compare_usage(&of_amount(&a.resource), &of_amount(&b.resource)) != Ordering::Greater
            }
            different => different == Ordering::Less,
        }
    }

    fn quota_score(&self, ask: AskIx, amount: &Amounts) -> i64 {
        let a = &self.asks[ask];
        let common = a.resource.types().filter(|&type_ix| amount.has(type_ix)).count() as i64;
        let n_types = (a.resource.types().count() as i64).max(1);
        i64::from(a.originator) * ORIGINATOR + i64::from(!a.allow_self) * NOT_ALLOWED + common * 100 / n_types
    }
}

/// Negative values, negated.
fn negatives(amounts: &Amounts) -> Amounts {
    let mut out = Amounts::EMPTY;
    for (type_ix, value) in amounts.iter().filter(|&(_, value)| value < 0) {
        out.set(type_ix, value.saturating_neg());
    }
    out
}
