//! Where everybody in a pool stands between two changes of a reclaim pass: demands, quotas, whose turn it is, who is above its quota.
//!
//! # Rule
//! A leaf that gets nothing changes no number, so everything here holds until units are taken or promised; only the
//! leaf itself is left out from then on. The order of those above their quota is the same for every reclaimer; who of them
//! qualifies is looked up for each.
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

/// The numbers of a pool between two changes.
pub(super) struct Standing {
    /// What everybody could use.
    pub demands: Demands,
    /// The quotas that follow.
    pub quota: InPool<Fraction>,
    /// For each consumer from the pool's root on its children in which a leaf may reclaim, in tree order.
    open: InPool<Vec<ConsumerId>>,
    /// Worked out when first asked for.
    over: Option<Over>,
}

/// Who is above its quota.
struct Over {
    /// By consumer, from the pool's root on.
    is_over: InPool<bool>,
    /// The leaves among them, the most over-used first.
    leaves: Vec<ConsumerId>,
}

impl Standing {
    /// The numbers as of now. `may_reclaim`: by leaf, from the pool's root on.
    pub fn new(
        state: &PoolState<'_>,
        book: &PoolBook<'_>,
        demands: Demands,
        may_reclaim: impl Fn(ConsumerId) -> bool,
    ) -> Standing {
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
        Standing { demands, quota, open, over: None }
    }

    /// The walk of the free pass, over leaves that wait and are below their quota.
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
            let above = state.plan.consumers[node].parent.filter(|_| node != root).unwrap_or(root);
            let open = &mut self.open[above];
            open.retain(|&c| c != node);
            if !open.is_empty() || above == root {
                return;
            }
            node = above;
        }
    }

    /// The leaves that qualify as victims of this one, the most over-used first. `may_lose`: by leaf, from the pool's root on.
    pub fn victims(
        &mut self,
        state: &PoolState<'_>,
        book: &PoolBook<'_>,
        leaf: ConsumerId,
        may_lose: impl Fn(ConsumerId) -> bool,
    ) -> Vec<ConsumerId> {
        let plan = state.plan;
        let over = self.over.get_or_insert_with(|| Over::new(state, book, &self.quota));
        let is_victim = |&node: &ConsumerId| {
            may_lose(node)
                && plan.split(leaf, node).is_some_and(|(a, b)| {
                    over.is_over[b] && plan.consumers[a].priority >= plan.consumers[b].priority
                })
        };
        over.leaves.iter().copied().filter(is_victim).collect()
    }
}

impl Over {
    /// Top-down: siblings by priority, the lowest first, then the most used for the ratio, then the later.
    fn new(state: &PoolState<'_>, book: &PoolBook<'_>, quota: &InPool<Fraction>) -> Over {
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
            // The stack turns the order round: the most over-used must be pushed last.
            let mut children = plan.consumers[node].children.clone();
            children.sort_by(|&a, &b| compare(state, book, a, b));
            stack.extend(children);
        }
        Over { is_over, leaves }
    }
}

/// Projected usage of a consumer against its quota.
pub(super) fn compare_to_quota(
    book: &PoolBook<'_>,
    consumer: ConsumerId,
    quota: &InPool<Fraction>,
) -> Ordering {
    let quota = &quota[consumer];
    book.projected(consumer).times(&quota.d).cmp(&quota.n)
}
