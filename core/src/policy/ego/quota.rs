//! Share usage quota, and the two reference quotas displayed with it.
//!
//! # Rule
//! Without outstanding units in the pool, each quota is the usage, or what the share limit allows. Otherwise the pool's
//! *current total usage* `T` is distributed down the tree: at each node the children of the highest share priority with
//! demand divide the node's amount by share ratio, each at most its demand; the rest goes to the next
//! priority. The static quota distributes the capacity of one dimension by ratio alone; the dynamic one
//! as above, by demand in that dimension. Both are for orientation, since packing decides.
//! # Source
//! ego.md 5, 6; IBM, *Share policies for multidimensional scheduling*
//!
//! # Differs
//! OC-8 to OC-11. Children are capped one by one, in ascending order of demand over ratio, instead of all at once: the
//! same fixed point with one sort.

use super::ids::{ConsumerId, InPool, SubId};
use super::limits::limit_victims;
use super::number::{Fraction, Nat};
use super::plan::{Plan, ShareLimit};
use super::pool::PoolBook;
use super::pool_state::PoolState;
use super::ranking::{self, compare_per_ratio};

/// Numbers of one pool by consumer, as parts of the pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The whole pool, in the unit of the others.
    pub whole: Nat,
    /// Usage, units in their grace period included.
    pub usage: InPool<Nat>,
    /// Usage without units in their grace period, with earmarked ones.
    pub projected: InPool<Nat>,
    pub demand: InPool<Nat>,
    /// Share usage quota, which reclaim uses.
    pub quota: InPool<Fraction>,
}

impl Table {
    /// Computes the table of a pool.
    pub fn new(state: &PoolState<'_>, book: &PoolBook<'_>) -> Table {
        let mut usage = InPool::new(book.consumers(), |_| Nat::ZERO);
        for sub in state.subs.ids() {
            if book.drawn[sub].units > 0 {
                let share = book.share(state, sub, book.drawn[sub].units);
                add_up(state.plan, &mut usage, state.subs[sub].leaf, &share);
            }
        }
        let demands = Demands::new(state, book);
        let quota = quotas(state, book, &demands);
        let projected = InPool::new(book.consumers(), |c| book.projected(c).clone());
        Table { whole: book.whole.clone(), usage, projected, demand: demands.of, quota }
    }

    /// A number of the table as a fraction of the pool.
    pub fn part(&self, number: &Nat) -> Fraction {
        Fraction { n: number.clone(), d: self.whole.clone() }
    }
    /// A quota of the table as a fraction of the pool.
    pub fn quota_part(&self, consumer: ConsumerId) -> Fraction {
        let quota = &self.quota[consumer];
        Fraction { n: quota.n.clone(), d: quota.d.times(&self.whole) }
    }
}

/// Adds a share to a consumer and its ancestors in the pool.
fn add_up(plan: &Plan, amounts: &mut InPool<Nat>, consumer: ConsumerId, share: &Nat) {
    let root = amounts.root();
    for consumer in plan.path(consumer).take_while(|&c| c >= root) {
        amounts[consumer] = amounts[consumer].plus(share);
    }
}

/// Demand by consumer.
#[derive(Clone, Debug)]
pub(super) struct Demands {
    /// Demand of the subtree.
    pub of: InPool<Nat>,
    /// Whether the subtree has outstanding units.
    pub waits: InPool<bool>,
    /// Demand of each leaf, and whether it has outstanding units.
    alone: InPool<(Nat, bool)>,
}

impl Demands {
    pub fn new(state: &PoolState<'_>, book: &PoolBook<'_>) -> Demands {
        let alone = |c: ConsumerId| if state.plan.is_leaf(c) { of_leaf(state, book, c) } else { (Nat::ZERO, false) };
        let alone = InPool::new(book.consumers(), alone);
        let mut demands = Demands { of: InPool::default(), waits: InPool::default(), alone };
        demands.add_up(state.plan);
        demands
    }

    /// Updates the demand after only these leaves gained, lost or were promised units. The limit of an inner consumer
    /// may exclude other leaves as well.
    pub fn renew(&mut self, state: &PoolState<'_>, book: &PoolBook<'_>, leaves: &[ConsumerId]) {
        if book.has_middle_limits {
            *self = Demands::new(state, book);
            return;
        }
        for &leaf in leaves {
            self.alone[leaf] = of_leaf(state, book, leaf);
        }
        self.add_up(state.plan);
    }

    fn add_up(&mut self, plan: &Plan) {
        let root = self.alone.root();
        self.of = InPool::new(self.alone.ids(), |_| Nat::ZERO);
        self.waits = InPool::new(self.alone.ids(), |_| false);
        // Children follow their parents.
        for node in self.alone.ids().rev() {
            let (demand, waits) = &self.alone[node];
            self.of[node] = self.of[node].plus(demand);
            self.waits[node] |= waits;
            if let Some(parent) = plan.consumers[node].parent.filter(|_| node > root) {
                self.of[parent] = self.of[parent].plus(&self.of[node]);
                self.waits[parent] |= self.waits[node];
            }
        }
    }
}

fn of_leaf(state: &PoolState<'_>, book: &PoolBook<'_>, leaf: ConsumerId) -> (Nat, bool) {
    let (mut demand, mut waits) = (Nat::ZERO, false);
    if book.excluded(state, leaf).is_some() {
        return (demand, waits);
    }
    for &sub in &state.subs_of[leaf] {
        let outstanding = book.outstanding(state, sub);
        waits |= outstanding > 0;
        demand = demand.plus(&of_sub(state, book, sub, outstanding));
    }
    (demand, waits)
}

/// Demand of a sub-allocation of an admitted leaf with the given outstanding units.
fn of_sub(state: &PoolState<'_>, book: &PoolBook<'_>, sub: SubId, outstanding: u32) -> Nat {
    if book.capacity[state.subs[sub].shape] == 0 {
        return Nat::ZERO;
    }
    book.share(state, sub, book.drawn[sub].projected + outstanding).min(book.whole.clone())
}

/// Demand of a sub-allocation.
pub(super) fn demand_of(state: &PoolState<'_>, book: &PoolBook<'_>, sub: SubId) -> Nat {
    match book.excluded(state, state.subs[sub].leaf) {
        Some(_) => Nat::ZERO,
        None => of_sub(state, book, sub, book.outstanding(state, sub)),
    }
}

/// Share usage quota of every consumer of a pool.
pub(super) fn quotas(state: &PoolState<'_>, book: &PoolBook<'_>, demands: &Demands) -> InPool<Fraction> {
    if demands.waits[book.pool.root] {
        return fill_total(state, book, demands, &mut |_, _, _| {});
    }
    let mut quota = InPool::new(book.consumers(), |_| Nat::ZERO);
    for leaf in book.consumers().filter(|&c| state.plan.is_leaf(c)) {
        let mut remaining = book.projected(leaf).clone();
        for id in limit_victims(state, book, leaf) {
            remaining = remaining.minus(&book.share(state, state.units[id].sub, 1));
        }
        add_up(state.plan, &mut quota, leaf, &remaining);
    }
    InPool::new(quota.ids(), |c| Fraction::whole(quota[c].clone()))
}

/// Offer in a division: consumer, remaining amount, and the sum of ratios by which it is divided.
pub(super) type Offer = (ConsumerId, Fraction, u64);

/// Called for each offer.
type Note<'n> = &'n mut dyn FnMut(ConsumerId, &Fraction, u64);

/// Division of a pool's quotas, step by step; `None` without outstanding units, since nothing is divided then.
pub(super) fn offers(state: &PoolState<'_>, book: &PoolBook<'_>) -> Option<Vec<Offer>> {
    let demands = Demands::new(state, book);
    let mut offers = Vec::new();
    let note = &mut |consumer: ConsumerId, rest: &Fraction, ratios| offers.push((consumer, rest.clone(), ratios));
    demands.waits[book.pool.root].then(|| fill_total(state, book, &demands, note))?;
    Some(offers)
}

/// Distributes the total usage of a pool.
fn fill_total(state: &PoolState<'_>, book: &PoolBook<'_>, demands: &Demands, note: Note<'_>) -> InPool<Fraction> {
    let total = Fraction::whole(book.projected(book.pool.root).clone());
    fill(state.plan, total, &demands.of, note)
}

/// Distributes an amount in a subtree by priority, ratio and demand. `note` is called for each offer.
fn fill(plan: &Plan, total: Fraction, demand: &InPool<Nat>, note: Note<'_>) -> InPool<Fraction> {
    let mut quota = InPool::new(demand.ids(), |_| Fraction::ZERO);
    quota[demand.root()] = total;
    for node in demand.ids() {
        let children = &plan.consumers[node].children;
        if children.is_empty() || quota[node].n.is_zero() {
            continue;
        }
        let mut rest = quota[node].clone();
        let takes_part = |&c: &ConsumerId| plan.consumers[c].ratio > 0 && !demand[c].is_zero();
        let mut open: Vec<ConsumerId> = children.iter().copied().filter(takes_part).collect();
        open.sort_by(|&a, &b| {
            let (a, b) = (&plan.consumers[a], &plan.consumers[b]);
            b.priority.cmp(&a.priority)
        });
        for group in open.chunk_by_mut(|&a, &b| plan.consumers[a].priority == plan.consumers[b].priority) {
            divide(plan, &mut rest, group, demand, &mut quota, note);
        }
    }
    quota
}

/// Divides the remaining amount among siblings of one priority.
fn divide(
    plan: &Plan,
    rest: &mut Fraction,
    group: &mut [ConsumerId],
    demand: &InPool<Nat>,
    quota: &mut InPool<Fraction>,
    note: Note<'_>,
) {
    let ratio = |c: ConsumerId| plan.consumers[c].ratio;
    if group.len() > 1 {
        group.sort_by(|&a, &b| compare_per_ratio(&demand[a], ratio(a), &demand[b], ratio(b)));
    }
    let mut sum: u64 = group.iter().map(|&c| ratio(c)).sum();
    for (i, &c) in group.iter().enumerate() {
        let needed = &demand[c];
        // rest · ratio / sum >= demand, without division.
        if rest.n.scaled(ratio(c)) < needed.times(&rest.d).scaled(sum) {
            for &c in &group[i..] {
                note(c, rest, sum);
                quota[c] = rest.portion(ratio(c), sum);
            }
            *rest = Fraction::ZERO;
            return;
        }
        note(c, rest, sum);
        quota[c] = Fraction::whole(needed.clone());
        *rest = rest.less(needed);
        sum -= ratio(c);
    }
}

/// Share limit as an amount of one dimension.
fn limit_in(limit: Option<ShareLimit>, total: i64) -> Option<Fraction> {
    let natural = |n: i64| Nat::from(n.max(0) as u64);
    Some(match limit? {
        ShareLimit::At(amount) => Fraction::whole(natural(amount)),
        ShareLimit::Part(millionths) => {
            Fraction { n: natural(total).times(&natural(millionths)), d: Nat::from(1_000_000) }
        }
    })
}

/// Static share quota in one dimension: by ratio alone, capped by share limits (OC-8).
pub fn static_quota(plan: &Plan, book: &PoolBook<'_>, dim: usize) -> InPool<Fraction> {
    let mut quota = InPool::new(book.consumers(), |_| Fraction::ZERO);
    quota[book.pool.root] = Fraction::whole(Nat::from(book.totals[dim].max(0) as u64));
    for node in book.consumers() {
        let children = &plan.consumers[node].children;
        let sum: u64 = children.iter().map(|&c| plan.consumers[c].ratio).sum();
        for &c in children.iter().filter(|_| sum > 0) {
            let part = quota[node].portion(plan.consumers[c].ratio, sum);
            let limit = limit_in(plan.consumers[c].share_limit[dim], book.offered[dim]);
            quota[c] = limit.map_or(part.clone(), |limit| part.min(limit));
        }
    }
    quota
}

/// Dynamic share quota in one dimension: only consumers with demand participate, each at most its demand (OC-9).
pub fn dynamic_quota(state: &PoolState<'_>, book: &PoolBook<'_>, dim: usize) -> InPool<Fraction> {
    let demand = dynamic_demand(state, book, dim);
    let total = Nat::from(book.totals[dim].max(0) as u64).scaled(MILLION);
    let quota = fill(state.plan, Fraction::whole(total), &demand, &mut |_, _, _| {});
    InPool::new(quota.ids(), |c| Fraction { n: quota[c].n.clone(), d: quota[c].d.scaled(MILLION) })
}

/// Amounts in one dimension are in millionths, so that relative limits stay whole.
pub(super) const MILLION: u64 = 1_000_000;

/// Demand of every consumer in one dimension, in millionths.
pub(super) fn dynamic_demand(state: &PoolState<'_>, book: &PoolBook<'_>, dim: usize) -> InPool<Nat> {
    let (plan, root) = (state.plan, book.pool.root);
    let natural = |n: i64| Nat::from(n.max(0) as u64);
    let mut demand = InPool::new(book.consumers(), |_| Nat::ZERO);
    for node in book.consumers().rev() {
        let consumer = &plan.consumers[node];
        let mut total = if consumer.children.is_empty() { leaf_wants(state, book, node, dim) } else { Nat::ZERO };
        for &c in &consumer.children {
            total = total.plus(&demand[c]);
        }
        if node > root && consumer.ratio == 0 {
            total = Nat::ZERO;
        }
        if let Some(limit) = consumer.share_limit[dim].filter(|_| node > root) {
            let limit_amount = match limit {
                ShareLimit::At(amount) => natural(amount).scaled(MILLION),
                ShareLimit::Part(millionths) => natural(book.offered[dim]).times(&natural(millionths)),
            };
            total = total.min(limit_amount);
        }
        demand[node] = total;
    }
    demand
}

/// Demand of a leaf in one dimension, in millionths: all that is not covered by other sources.
fn leaf_wants(state: &PoolState<'_>, book: &PoolBook<'_>, leaf: ConsumerId, dim: usize) -> Nat {
    let mut total = Nat::ZERO;
    for &id in &state.subs_of[leaf] {
        let sub = &state.subs[id];
        let elsewhere = sub.covered() - book.drawn[id].projected;
        let n = u64::from(sub.want.saturating_sub(elsewhere));
        total = total.plus(&Nat::from(sub.unit[dim].max(0) as u64).scaled(n).scaled(MILLION));
    }
    total
}

/// Fraction of each consumer among its siblings, as numerator and denominator: the best priority with outstanding units
/// divides everything by ratio. For display (ego.md 7.1).
pub fn percentages(state: &PoolState<'_>, book: &PoolBook<'_>) -> InPool<(u64, u64)> {
    let plan = state.plan;
    let demands = Demands::new(state, book);
    let mut parts = InPool::new(book.consumers(), |_| (0, 1));
    parts[book.pool.root] = (1, 1);
    for node in book.consumers() {
        let children = plan.consumers[node].children.iter().copied();
        let open: Vec<ConsumerId> = children.filter(|&c| demands.waits[c]).collect();
        for (&c, part) in open.iter().zip(ranking::parts(plan, &open)) {
            parts[c] = part;
        }
    }
    parts
}
