//! The slot policy: one dimension, whole slots.
//!
//! # Rule
//! The quota is a whole number of slots. The *static* one distributes the pool's slots down the tree by share ratio,
//! the *dynamic* one only among consumers with demand and at most their demand. Fractions are rounded down; the
//! remaining slots go one each to the largest remainders, the earlier in tree order on a tie. Free slots go, one at a
//! time, to the smallest `held / ratio`. A leaf below its quota takes slots from leaves above theirs, the most
//! over-allocated first, then the later in tree order: from any leaf, or at *parent level* only if the paths split
//! between a side below and a side above its quota.
//! # Source
//! ego.md 10; IBM, *Slot-based scheduling*, *How resource reclaim works based on share ratio*
//!
//! # Differs
//! OC-24, OC-30, OC-31, OC-32

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::ids::{ConsumerId, InPool};
use super::plan::Plan;
pub use super::plan::{EnforceAt, ShareQuota};

/// Offer of a part of the remaining slots to one consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotOffer {
    /// The consumer that receives it.
    pub consumer: ConsumerId,
    /// Round, from 1; another round follows if an offer met the whole demand.
    pub round: u32,
    /// The slots that are divided.
    pub rest: u64,
    /// Sum of the share ratios of all participants.
    pub ratios: u64,
    /// Resulting quota.
    pub quota: u64,
}

/// The slots of one pool.
#[derive(Clone, Debug)]
pub struct Slots<'a> {
    /// The plan; share priorities are ignored (OC-31).
    pub plan: &'a Plan,
    /// Number of slots.
    pub slots: u64,
    /// Maximum number of slots per consumer.
    pub limits: &'a InPool<Option<u64>>,
    /// Slots wanted per leaf, held ones included.
    pub want: InPool<u64>,
    /// Slots held per leaf.
    pub held: InPool<u64>,
    /// Quota that reclaim uses.
    pub share_quota: ShareQuota,
    /// Level at which shares are enforced.
    pub enforce_at: EnforceAt,
}

impl Slots<'_> {
    fn capped(&self, consumer: ConsumerId, n: u64) -> u64 {
        self.limits[consumer].map_or(n, |limit| n.min(limit))
    }

    /// Whether the consumer or an ancestor has ratio 0 and may only borrow.
    fn only_borrows(&self, consumer: ConsumerId) -> bool {
        self.plan.path(consumer).any(|c| c != ConsumerId::ROOT && self.plan.consumers[c].ratio == 0)
    }

    /// Slots held in a subtree.
    pub fn held_below(&self, consumer: ConsumerId) -> u64 {
        self.plan.subtree(consumer).map(|c| self.held[c]).sum()
    }

    /// Demand of every consumer.
    pub fn demand(&self) -> InPool<u64> {
        let mut demand = self.want.clone();
        for c in demand.ids().rev() {
            let children = &self.plan.consumers[c].children;
            let below: u64 = children.iter().map(|&child| demand[child]).sum();
            let all = if children.is_empty() { demand[c] } else { below };
            let takes_part = c == ConsumerId::ROOT || self.plan.consumers[c].ratio > 0;
            demand[c] = if takes_part { self.capped(c, all) } else { 0 };
        }
        demand
    }

    /// Quota of every consumer.
    pub fn quota(&self, kind: ShareQuota) -> InPool<u64> {
        self.divided(kind).0
    }

    /// Quota of every consumer, with the offers that led to it.
    pub(super) fn divided(&self, kind: ShareQuota) -> (InPool<u64>, Vec<SlotOffer>) {
        let mut offers = Vec::new();
        let mut quota = InPool::new(self.held.ids(), |_| 0);
        quota[ConsumerId::ROOT] = self.slots;
        let demand = self.demand();
        for node in self.held.ids() {
            let children = &self.plan.consumers[node].children;
            match kind {
                ShareQuota::Static => {
                    let sharing: Vec<ConsumerId> =
                        children.iter().copied().filter(|&c| self.plan.consumers[c].ratio > 0).collect();
                    self.offer(&sharing, 1, quota[node], &mut offers);
                    divide(self.plan, children, quota[node], &mut quota, |c| self.capped(c, u64::MAX));
                }
                ShareQuota::Dynamic => {
                    self.divide_dynamic(children, quota[node], &demand, &mut quota, &mut offers);
                }
            }
        }
        for offer in &mut offers {
            offer.quota = quota[offer.consumer];
        }
        (quota, offers)
    }

    /// Records the offers to siblings.
    fn offer(&self, consumers: &[ConsumerId], round: u32, rest: u64, offers: &mut Vec<SlotOffer>) {
        let ratios = consumers.iter().map(|&c| self.plan.consumers[c].ratio).sum();
        offers.extend(consumers.iter().map(|&consumer| SlotOffer { consumer, round, rest, ratios, quota: 0 }));
    }

    /// Divides by demand: consumers whose offer covers their demand are served, and the rest is offered to the others.
    fn divide_dynamic(
        &self,
        children: &[ConsumerId],
        mut rest: u64,
        demand: &InPool<u64>,
        quota: &mut InPool<u64>,
        offers: &mut Vec<SlotOffer>,
    ) {
        let mut open: Vec<ConsumerId> =
            children.iter().copied().filter(|&c| self.plan.consumers[c].ratio > 0 && demand[c] > 0).collect();
        for round in 1.. {
            if open.is_empty() {
                return;
            }
            self.offer(&open, round, rest, offers);
            let sum: u128 = open.iter().map(|&c| u128::from(self.plan.consumers[c].ratio)).sum();
            let offered = |c: ConsumerId| u128::from(rest) * u128::from(self.plan.consumers[c].ratio);
            let capped: Vec<ConsumerId> =
                open.iter().copied().filter(|&c| offered(c) >= u128::from(demand[c]) * sum).collect();
            if capped.is_empty() {
                divide(self.plan, &open, rest, quota, |c| demand[c]);
                return;
            }
            for &c in &capped {
                quota[c] = demand[c];
                rest -= demand[c];
            }
            open.retain(|c| !capped.contains(c));
        }
    }

    /// Whether one more slot would exceed the limit of a leaf or of an ancestor.
    fn at_limit(&self, leaf: ConsumerId) -> bool {
        let is_full = |c: ConsumerId| self.limits[c].is_some_and(|limit| self.held_below(c) >= limit);
        self.plan.path(leaf).any(is_full)
    }

    /// Whether a leaf wants another slot and is within its limits.
    pub(super) fn waits(&self, leaf: ConsumerId) -> bool {
        self.want[leaf] > self.held[leaf] && !self.at_limit(leaf)
    }

    /// Marks the leaves that satisfy `predicate`, and their ancestors.
    fn open(&self, predicate: &dyn Fn(ConsumerId) -> bool) -> InPool<bool> {
        let mut open = InPool::new(self.held.ids(), |_| false);
        for leaf in self.held.ids().filter(|&c| self.plan.is_leaf(c) && predicate(c)) {
            self.plan.path(leaf).for_each(|c| open[c] = true);
        }
        open
    }

    /// Next leaf, by the smallest `held / ratio` at each level, consumers that only borrow last.
    fn next_leaf(&self, open: &InPool<bool>) -> Option<ConsumerId> {
        let mut node = Some(ConsumerId::ROOT).filter(|&root| open[root])?;
        while !self.plan.is_leaf(node) {
            let children = self.plan.consumers[node].children.iter().copied().filter(|&c| open[c]);
            node = children.min_by(|&a, &b| self.compare_per_ratio(a, b))?;
        }
        Some(node)
    }

    pub(super) fn compare_per_ratio(&self, a: ConsumerId, b: ConsumerId) -> Ordering {
        let ratio = |c: ConsumerId| u128::from(self.plan.consumers[c].ratio);
        let slots = |c: ConsumerId| u128::from(self.held_below(c));
        match (ratio(a), ratio(b)) {
            (0, 0) => slots(a).cmp(&slots(b)),
            (0, _) => Ordering::Greater,
            (_, 0) => Ordering::Less,
            _ => (slots(a) * ratio(b)).cmp(&(slots(b) * ratio(a))),
        }
    }

    /// Assigns free slots; returns the leaves in order.
    pub fn assign_free(&mut self) -> Vec<ConsumerId> {
        let mut order = Vec::new();
        self.assign_where(&mut |_, leaf, _| {
            order.push(leaf);
            true
        });
        order
    }

    /// Assigns free slots. `start` returns whether a leaf can use one, given the open consumers; a leaf that cannot is
    /// excluded from the pass.
    pub(super) fn assign_where(&mut self, start: &mut dyn FnMut(&Slots<'_>, ConsumerId, &InPool<bool>) -> bool) {
        let mut excluded = InPool::new(self.held.ids(), |_| false);
        while self.held_below(ConsumerId::ROOT) < self.slots {
            let open = self.open(&|leaf| !excluded[leaf] && self.waits(leaf));
            let Some(leaf) = self.next_leaf(&open) else { break };
            if start(self, leaf, &open) {
                self.held[leaf] += 1;
            } else {
                excluded[leaf] = true;
            }
        }
    }

    /// Reclaims slots; returns reclaimer and victim of each slot.
    pub fn reclaim(&mut self) -> Vec<(ConsumerId, ConsumerId)> {
        let mut moves = Vec::new();
        self.reclaim_where(|_, reclaimer, victim, _| {
            moves.push((reclaimer, victim));
            true
        });
        moves
    }

    /// Reclaims slots. `take` returns whether a slot of the second leaf can go to the first, given the quotas; a pair
    /// that cannot is not tried again.
    pub(super) fn reclaim_where(&mut self, mut take: impl FnMut(&Self, ConsumerId, ConsumerId, &InPool<u64>) -> bool) {
        let quota = self.quota(self.share_quota);
        let mut excluded = InPool::new(self.held.ids(), |_| false);
        let mut barred: BTreeSet<(ConsumerId, ConsumerId)> = BTreeSet::new();
        loop {
            let open = self.open(&|c| !excluded[c] && self.may_reclaim(c, &quota));
            let Some(leaf) = self.next_leaf(&open) else { break };
            match self.victim(leaf, &quota, &barred) {
                Some(victim) if take(self, leaf, victim, &quota) => {
                    self.held[victim] -= 1;
                    self.held[leaf] += 1;
                }
                Some(victim) => {
                    barred.insert((leaf, victim));
                }
                None => excluded[leaf] = true,
            }
        }
    }

    /// Whether a leaf is below its quota and wants another slot.
    pub(super) fn may_reclaim(&self, leaf: ConsumerId, quota: &InPool<u64>) -> bool {
        self.waits(leaf) && self.held[leaf] < quota[leaf] && !self.only_borrows(leaf)
    }

    fn over(&self, consumer: ConsumerId, quota: &InPool<u64>) -> i128 {
        i128::from(self.held_below(consumer)) - i128::from(quota[consumer])
    }

    /// Selects the victim: the most over-allocated, then the later in tree order; consumers that only borrow first.
    fn victim(
        &self,
        leaf: ConsumerId,
        quota: &InPool<u64>,
        barred: &BTreeSet<(ConsumerId, ConsumerId)>,
    ) -> Option<ConsumerId> {
        let plan = self.plan;
        let may_lose = |v: ConsumerId| {
            let splits = || {
                let (a, b) = plan.split(leaf, v)?;
                Some(self.over(a, quota) < 0 && self.over(b, quota) > 0)
            };
            plan.is_leaf(v)
                && !barred.contains(&(leaf, v))
                && self.over(v, quota) > 0
                && (self.enforce_at == EnforceAt::Leaf || splits() == Some(true))
        };
        let rank = |c: ConsumerId| (self.only_borrows(c), self.over(c, quota), c);
        if self.enforce_at == EnforceAt::Leaf {
            return self.held.ids().filter(|&v| may_lose(v)).max_by_key(|&v| rank(v));
        }
        let mut has_victim = InPool::new(self.held.ids(), |_| false);
        for v in self.held.ids().filter(|&v| may_lose(v)) {
            plan.path(v).for_each(|c| has_victim[c] = true);
        }
        let mut node = Some(ConsumerId::ROOT).filter(|&root| has_victim[root])?;
        while !plan.is_leaf(node) {
            let children = plan.consumers[node].children.iter().copied();
            node = children.filter(|&c| has_victim[c]).max_by_key(|&c| rank(c))?;
        }
        Some(node)
    }
}

/// Divides slots by ratio: rounded down, then one each to the largest remainders, ties in tree order (OC-24).
fn divide(plan: &Plan, children: &[ConsumerId], slots: u64, quota: &mut InPool<u64>, cap: impl Fn(ConsumerId) -> u64) {
    let ratio = |c: ConsumerId| u128::from(plan.consumers[c].ratio);
    let sum: u128 = children.iter().map(|&c| ratio(c)).sum();
    if sum == 0 {
        return;
    }
    let offer = |c: ConsumerId| u128::from(slots) * ratio(c);
    let granted: u128 = children.iter().map(|&c| offer(c) / sum).sum();
    let mut order: Vec<ConsumerId> = children.iter().copied().filter(|&c| ratio(c) > 0).collect();
    order.sort_by_key(|&a| std::cmp::Reverse(offer(a) % sum));
    let left_over = (u128::from(slots) - granted) as usize;
    for (i, &c) in order.iter().enumerate() {
        let slots = (offer(c) / sum) as u64 + u64::from(i < left_over);
        quota[c] = slots.min(cap(c));
    }
}
