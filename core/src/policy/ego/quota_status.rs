//! Numbers of a pool between two changes of a reclaim pass: demand, quotas, potential reclaimers, and consumers above
//! quota.
//!
//! # Rule
//! A leaf that reclaims nothing changes no number, so the numbers hold until units are reclaimed or earmarked; only the
//! leaf itself is excluded from then on. The order of the leaves above their quota is the same for every reclaimer;
//! whether each of them qualifies is decided per reclaimer.
//!
//! # Source
//! ego.md 7.2, 8.3, 11.2
//!
//! # Differs
//! nothing

use std::cmp::Ordering;

use super::ids::{ConsumerId, InPool};
use super::number::Fraction;
use super::pool::PoolBook;
use super::pool_state::PoolState;
use super::quota::{Demands, quotas};
use super::ranking::{best_two, compare};

/// Numbers of a pool between two changes.
pub(super) struct QuotaStatus {
    /// Demand.
    pub demands: Demands,
    /// Quotas that follow from the demand.
    pub quota: InPool<Fraction>,
    /// Per consumer, the children with a leaf that may reclaim, in tree order.
    open: InPool<Vec<ConsumerId>>,
    /// Computed on first use.
    over: Option<OverQuota>,
}

/// Consumers above their quota.
struct OverQuota {
    /// Whether each consumer is above its quota.
    is_over: InPool<bool>,
    /// Leaves above their quota, the most over-used first.
    leaves: Vec<ConsumerId>,
}

impl QuotaStatus {
    /// Computes the numbers; `may_reclaim` tells which leaves may still reclaim.
    pub fn new(
        state: &PoolState<'_>,
        book: &PoolBook<'_>,
        demands: Demands,
        may_reclaim: impl Fn(ConsumerId) -> bool,
    ) -> QuotaStatus {
        let (root, plan) = (book.pool.root, state.plan);
        let quota = quotas(state, book, &demands);
        let mut is_open = InPool::new(book.consumers(), |_| false);
        for leaf in book.consumers().filter(|&c| plan.is_leaf(c)) {
            if demands.waits[leaf] && may_reclaim(leaf) && compare_to_quota(book, leaf, &quota).is_lt() {
                plan.path(leaf).take_while(|&c| c >= root).for_each(|c| is_open[c] = true);
            }
        }
        let children = |node: ConsumerId| -> Vec<ConsumerId> {
            plan.consumers[node].children.iter().copied().filter(|&c| is_open[c]).collect()
        };
        let mut open = InPool::new(book.consumers(), children);
        if plan.is_leaf(root) && is_open[root] {
            open[root].push(root);
        }
        QuotaStatus { demands, quota, open, over: None }
    }

    /// Next leaf to reclaim: ranked as in the free pass, among leaves with outstanding units below their quota.
    pub fn reclaimer(&self, state: &PoolState<'_>, book: &PoolBook<'_>) -> Option<ConsumerId> {
        let (root, plan) = (book.pool.root, state.plan);
        let mut node = root;
        loop {
            node = best_two(state, book, &self.open[node])?.0;
            if plan.is_leaf(node) {
                return Some(node);
            }
        }
    }

    /// Removes a leaf, and every ancestor left without a leaf that may reclaim.
    pub fn close(&mut self, state: &PoolState<'_>, root: ConsumerId, leaf: ConsumerId) {
        let mut node = leaf;
        loop {
            let parent = state.plan.consumers[node].parent.filter(|_| node != root).unwrap_or(root);
            let open = &mut self.open[parent];
            open.retain(|&c| c != node);
            if !open.is_empty() || parent == root {
                return;
            }
            node = parent;
        }
    }

    /// Leaves that qualify as victims of `leaf`, the most over-used first; `may_lose` tells which leaves may lose
    /// units.
    pub fn victims(
        &mut self,
        state: &PoolState<'_>,
        book: &PoolBook<'_>,
        leaf: ConsumerId,
        may_lose: impl Fn(ConsumerId) -> bool,
    ) -> Vec<ConsumerId> {
        let plan = state.plan;
        let over = self.over.get_or_insert_with(|| OverQuota::new(state, book, &self.quota));
        let is_victim = |&node: &ConsumerId| {
            may_lose(node)
                && plan
                    .split(leaf, node)
                    .is_some_and(|(a, b)| over.is_over[b] && plan.consumers[a].priority >= plan.consumers[b].priority)
        };
        over.leaves.iter().copied().filter(is_victim).collect()
    }
}

impl OverQuota {
    /// Ranks from the top down: siblings by priority, lowest first, then by usage over ratio, largest first, then the
    /// later.
    fn new(state: &PoolState<'_>, book: &PoolBook<'_>, quota: &InPool<Fraction>) -> OverQuota {
        let (root, plan) = (book.pool.root, state.plan);
        let is_over = InPool::new(book.consumers(), |c| compare_to_quota(book, c, quota).is_gt());
        let mut leaves = Vec::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if plan.is_leaf(node) {
                if is_over[node] {
                    leaves.push(node);
                }
                continue;
            }
            // The stack reverses the order, so the most over-used is pushed last.
            let mut children = plan.consumers[node].children.clone();
            children.sort_by(|&a, &b| compare(state, book, a, b));
            stack.extend(children);
        }
        OverQuota { is_over, leaves }
    }
}

/// Compares the projected usage of a consumer with its quota.
pub(super) fn compare_to_quota(book: &PoolBook<'_>, consumer: ConsumerId, quota: &InPool<Fraction>) -> Ordering {
    let quota = &quota[consumer];
    book.projected(consumer).times(&quota.d).cmp(&quota.n)
}
