//! One share pool: its hosts, the capacity for each unit size, and what everybody draws from it.
//!
//! # Rule
//! `capacity(P,u) = Σ_h floor(min_d C_h[d] / u[d])`, the pool imagined empty; `usage(s) = units / capacity`;
//! `demand(s) = min(1, (projected + outstanding) / capacity)`; sums go up the tree and are not capped again. Only units
//! drawn from this pool count, on hosts that are in it now. Projected usage leaves out units in their grace and
//! counts promised ones (OC-13, OC-16).
//!
//! # Source
//! ego.md 3.4, 4, 8.2
//!
//! # Differs
//! OC-4 to OC-7, OC-13, OC-25. OC-33: a share limit given as a part is of what the pool had to offer in this cycle, lent hosts that
//! were passed on unused included; otherwise the limit would shrink behind a unit that was just started.

use super::ids::{ConsumerId, Consumers, HostId, InPool, SizeId, SubId, consumers};
use super::number::{Nat, gcd};
use super::plan::{Dims, ShareLimit, units_in};
use super::pool_state::{PoolState, Source, State};
use crate::id::Arena;
use crate::time::Span;
use crate::units::RESOURCES_MAX;

/// A pool of hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// The consumer that has it; the root has the public one.
    pub root: ConsumerId,
    /// Its hosts: base ones, then lent ones, each in plan order.
    pub hosts: Vec<PoolHost>,
    /// Lent hosts that nobody here used and that were passed on: share limits given as parts count them (OC-33).
    pub passed_on: Vec<HostId>,
    /// The grace of its base hosts.
    pub grace: Span,
}

/// A host of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolHost {
    /// The host.
    pub host: HostId,
    /// The longest grace a borrower may have, if an owner lent it.
    pub lent_grace: Option<Span>,
}

/// Why a leaf has nothing outstanding in a pool although it wants units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    /// The ratio of this consumer is 0.
    RatioZero(ConsumerId),
    /// Its own grace is longer than the pool's.
    GraceTooLong,
    /// No host of the pool could take a unit even when empty.
    NoCapacity,
    /// One more unit would pass the share limit of this consumer in this dimension.
    AtShareLimit(ConsumerId, usize),
}

/// What a sub-allocation draws from the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Units that exist.
    pub units: u32,
    /// Without those in their grace, with promised ones.
    pub projected: u32,
}

/// A pool's numbers, kept while units come and go.
#[derive(Clone, Debug)]
pub struct PoolBook<'p> {
    /// The pool.
    pub pool: &'p Pool,
    /// One past the last consumer that may use it.
    end: ConsumerId,
    /// Capacity of the pool in each dimension, without packing.
    pub totals: Dims,
    /// The same with lent hosts that were passed on.
    pub offered: Dims,
    /// For each unit size how many the empty pool holds.
    pub capacity: Arena<SizeId, u64>,
    /// The whole pool, 1, in the smallest shares that occur.
    pub whole: Nat,
    /// For each unit size the share of one unit.
    pub step: Arena<SizeId, Nat>,
    /// Whether a host is in the pool.
    pub is_in: Arena<HostId, bool>,
    /// Whether any consumer of the pool has a share limit.
    has_limits: bool,
    /// Whether one that is no leaf has.
    pub(super) has_middle_limits: bool,
    /// For each consumer of the pool, from its root on, the projected usage.
    projected: InPool<Nat>,
    /// The same per dimension, unpacked.
    amounts: InPool<Dims>,
    /// Per sub-allocation.
    pub(super) drawn: Arena<SubId, Drawn>,
}

impl<'p> PoolBook<'p> {
    /// Counts what is drawn from the pool now.
    pub fn open(state: &PoolState<'_>, pool: &'p Pool) -> PoolBook<'p> {
        let plan = state.plan;
        let mut is_in: Arena<HostId, bool> = plan.hosts.ids().map(|_| false).collect();
        let mut totals = Dims::default();
        for &PoolHost { host, .. } in &pool.hosts {
            is_in[host] = true;
            super::plan::add(&mut totals, &plan.hosts[host], 1);
        }
        let mut offered = totals;
        for &host in &pool.passed_on {
            super::plan::add(&mut offered, &plan.hosts[host], 1);
        }
        // Hosts come in few kinds: the same size, taken or refused by the same masks.
        let mut kinds: Vec<(HostId, u64)> = Vec::new();
        for &PoolHost { host, .. } in &pool.hosts {
            let is_like = |other: HostId| {
                plan.hosts[other] == plan.hosts[host] && state.masks.iter().all(|m| m[other] == m[host])
            };
            match kinds.iter_mut().find(|(kind, _)| is_like(*kind)) {
                Some((_, n)) => *n += 1,
                None => kinds.push((host, 1)),
            }
        }
        let of = |shape: SizeId| {
            let parts = kinds.iter().map(|(kind, n)| units_on(state, shape, *kind).saturating_mul(*n));
            parts.fold(0, u64::saturating_add)
        };
        let capacity: Arena<SizeId, u64> = state.shapes.ids().map(of).collect();
        // Sizes nobody in this pool asks for would only make the numbers longer.
        let mut occurs: Arena<SizeId, bool> = capacity.ids().map(|_| false).collect();
        for sub in state.subs.values().filter(|sub| plan.is_below(sub.leaf, pool.root)) {
            occurs[sub.shape] |= sub.want > 0 || sub.earmarked > 0;
        }
        for &id in pool.hosts.iter().flat_map(|h| &state.on_host[h.host]) {
            occurs[state.subs[state.units[id].sub].shape] = true;
        }
        let is_limited = |&c: &ConsumerId| plan.consumers[c].share_limit.iter().any(Option::is_some);
        let mut book = PoolBook {
            has_limits: plan.subtree(pool.root).any(|c| is_limited(&c)),
            has_middle_limits: plan.subtree(pool.root).any(|c| is_limited(&c) && !plan.is_leaf(c)),
            pool,
            end: plan.consumers[pool.root].end,
            totals,
            offered,
            whole: common_multiple(&capacity, &occurs),
            capacity,
            step: Arena::new(),
            is_in,
            projected: InPool::new(plan.subtree(pool.root), |_| Nat::ZERO),
            amounts: InPool::new(plan.subtree(pool.root), |_| Dims::default()),
            drawn: state.subs.ids().map(|_| Drawn::default()).collect(),
        };
        book.step = book
            .capacity
            .ids()
            .map(|shape| match book.capacity[shape] {
                n if n == 0 || n == u64::MAX || !occurs[shape] => Nat::ZERO,
                n => book.whole.divided(n).0,
            })
            .collect();
        book.count(state);
        book
    }

    fn count(&mut self, state: &PoolState<'_>) {
        let source = self.source();
        for host in self.pool.hosts.iter().map(|h| h.host) {
            for &id in &state.on_host[host] {
                let unit = &state.units[id];
                if unit.source == source {
                    self.drawn[unit.sub].units += 1;
                    self.drawn[unit.sub].projected += u32::from(unit.state == State::Run);
                }
            }
        }
        for earmark in state.earmarks.iter().filter(|e| e.source == source && self.is_in[e.host]) {
            self.drawn[earmark.sub].projected += 1;
        }
        for sub in state.subs.ids() {
            let n = self.drawn[sub].projected;
            if n > 0 {
                let share = self.share(state, sub, n);
                self.charge(state, sub, i64::from(n), &share);
            }
        }
    }

    fn charge(&mut self, state: &PoolState<'_>, sub: SubId, n: i64, share: &Nat) {
        for consumer in state.plan.path(state.subs[sub].leaf).take_while(|&c| c >= self.pool.root) {
            let usage = &mut self.projected[consumer];
            *usage = if n < 0 { usage.minus(share) } else { usage.plus(share) };
            super::plan::add(&mut self.amounts[consumer], &state.subs[sub].unit, n);
        }
    }

    /// The consumers that may use the pool, its root first.
    pub fn consumers(&self) -> Consumers {
        consumers(self.pool.root, self.end)
    }
    /// Where units of this pool were drawn from.
    pub fn source(&self) -> Source {
        Source::Pool(self.pool.root)
    }
    /// Projected usage of a consumer.
    pub fn projected(&self, consumer: ConsumerId) -> &Nat {
        &self.projected[consumer]
    }
    /// What a consumer draws in one dimension, projected and unpacked.
    pub fn amount(&self, consumer: ConsumerId, dim: usize) -> i64 {
        self.amounts[consumer][dim]
    }
    /// The share of so many units of a sub-allocation; where none fits an empty pool, any count as all of it (OC-5).
    pub(super) fn share(&self, state: &PoolState<'_>, sub: SubId, n: u32) -> Nat {
        let shape = state.subs[sub].shape;
        if self.capacity[shape] == 0 {
            return if n > 0 { self.whole.clone() } else { Nat::ZERO };
        }
        self.step[shape].scaled(u64::from(n))
    }

    /// One projected unit more, or fewer.
    pub fn project(&mut self, state: &PoolState<'_>, sub: SubId, more: bool) {
        let before = self.drawn[sub].projected;
        let after = if more { before + 1 } else { before.saturating_sub(1) };
        self.drawn[sub].projected = after;
        let larger = self.share(state, sub, before.max(after));
        let share = larger.minus(&self.share(state, sub, before.min(after)));
        self.charge(state, sub, if more { 1 } else { -1 }, &share);
    }

    /// Whether the pool has something in this dimension above a limit, with so much more.
    pub fn exceeds(&self, limit: ShareLimit, consumer: ConsumerId, dim: usize, more: i64) -> bool {
        let amount = i128::from(self.amount(consumer, dim)) + i128::from(more);
        match limit {
            ShareLimit::At(most) => amount > i128::from(most),
            ShareLimit::Part(millionths) => {
                amount * 1_000_000 > i128::from(self.offered[dim]) * i128::from(millionths)
            }
        }
    }

    /// The first consumer from the leaf up whose share limit one more unit would pass, and in which dimension.
    pub fn at_limit(&self, state: &PoolState<'_>, sub: SubId) -> Option<(ConsumerId, usize)> {
        let PoolState { plan, subs, .. } = state;
        if !self.has_limits {
            return None;
        }
        for consumer in plan.path(subs[sub].leaf).take_while(|&c| c >= self.pool.root) {
            for dim in 0..RESOURCES_MAX {
                let unit = subs[sub].unit[dim];
                let limit = plan.consumers[consumer].share_limit[dim].filter(|_| unit > 0);
                if limit.is_some_and(|limit| self.exceeds(limit, consumer, dim, unit)) {
                    return Some((consumer, dim));
                }
            }
        }
        None
    }

    /// Why a leaf takes no part in this pool at all.
    pub fn excluded(&self, state: &PoolState<'_>, leaf: ConsumerId) -> Option<Barred> {
        let consumers = &state.plan.consumers;
        let mut path = state.plan.path(leaf).take_while(|&c| c > self.pool.root);
        if let Some(zero) = path.find(|&c| consumers[c].ratio == 0) {
            return Some(Barred::RatioZero(zero));
        }
        (consumers[leaf].reclaim_grace > Some(self.pool.grace)).then_some(Barred::GraceTooLong)
    }

    /// Why a sub-allocation of a leaf that takes part gets no further unit here, whatever is free.
    pub fn barred(&self, state: &PoolState<'_>, sub: SubId) -> Option<Barred> {
        if self.capacity[state.subs[sub].shape] == 0 {
            return Some(Barred::NoCapacity);
        }
        self.at_limit(state, sub).map(|(consumer, dim)| Barred::AtShareLimit(consumer, dim))
    }

    /// Units of a sub-allocation that wait for this pool.
    pub fn outstanding(&self, state: &PoolState<'_>, sub: SubId) -> u32 {
        match state.subs[sub].outstanding() {
            0 => 0,
            _ if self.barred(state, sub).is_some() => 0,
            n => n,
        }
    }

    /// How many hosts hold how many units of a size when they are empty: what makes up its capacity.
    pub fn packing(&self, state: &PoolState<'_>, shape: SizeId) -> Vec<(u32, u64)> {
        let mut packing: Vec<(u32, u64)> = Vec::new();
        for host in &self.pool.hosts {
            let units = units_on(state, shape, host.host);
            match packing.iter_mut().find(|(_, each)| *each == units) {
                Some((hosts, _)) => *hosts += 1,
                None => packing.push((1, units)),
            }
        }
        packing
    }

    /// Whether a leaf may use a host: the owner's promise must hold.
    pub fn admits(&self, state: &PoolState<'_>, leaf: ConsumerId, host: PoolHost) -> bool {
        host.lent_grace.is_none_or(|most| state.plan.consumers[leaf].reclaim_grace <= Some(most))
    }
}

/// How many units of a size an empty host holds.
fn units_on(state: &PoolState<'_>, shape: SizeId, host: HostId) -> u64 {
    let (unit, mask) = &state.shapes[shape];
    let is_open = mask.is_none_or(|mask| state.masks[mask][host]);
    if is_open { units_in(&state.plan.hosts[host], unit) } else { 0 }
}

/// The least common multiple of the capacities that occur.
fn common_multiple(capacity: &Arena<SizeId, u64>, occurs: &Arena<SizeId, bool>) -> Nat {
    let mut whole = Nat::ONE;
    for (&n, _) in
        capacity.values().zip(occurs.values()).filter(|&(&n, &occurs)| occurs && n != 0 && n != u64::MAX)
    {
        whole = whole.scaled(n / gcd(whole.divided(n).1, n));
    }
    whole
}
