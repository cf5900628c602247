//! Accounting of one share pool: its hosts, capacity per unit size, and usage per consumer.
//!
//! # Rule
//! `capacity(P,u) = Σ_h floor(min_d C_h[d] / u[d])` for the empty pool; `usage(s) = units / capacity`;
//! `demand(s) = min(1, (projected + outstanding) / capacity)`; sums up the tree are not capped again. Only units
//! drawn from this pool count, on hosts that are in it now. Projected usage excludes units in their grace period and
//! includes earmarked ones (OC-13, OC-16).
//!
//! # Source
//! ego.md 3.4, 4, 8.2
//!
//! # Differs
//! OC-4 to OC-7, OC-13, OC-25. OC-33: a relative share limit refers to the capacity that the pool offered in this
//! cycle, including lent hosts passed on unused; otherwise the limit would drop below a unit that has just started.

use super::ids::{ConsumerId, Consumers, HostId, InPool, SizeId, SubId, consumers};
use super::number::{Nat, gcd};
use super::plan::{Dims, ShareLimit, units_in};
use super::pool_state::{PoolState, Source, UnitState};
use crate::id::Arena;
use crate::time::Span;
use crate::units::RESOURCES_MAX;

/// A share pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolLayout {
    /// The consumer that owns it; the root owns the public pool.
    pub root: ConsumerId,
    /// Base hosts, then lent hosts, each in plan order.
    pub hosts: Vec<PoolHost>,
    /// Lent hosts passed on unused; relative share limits include them (OC-33).
    pub passed_on: Vec<HostId>,
    /// Grace period on base hosts.
    pub grace: Span,
}

/// A host of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolHost {
    pub host: HostId,
    /// Longest grace period allowed to borrowers, if the host is lent.
    pub lent_grace: Option<Span>,
}

/// Reason for which a leaf with demand has no outstanding units in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    /// The ratio of this consumer is 0.
    RatioZero(ConsumerId),
    /// Its reclaim grace is longer than the pool's grace period.
    GraceTooLong,
    /// No host of the pool can take a unit even when empty.
    NoCapacity,
    /// One more unit would exceed the share limit of this consumer in this dimension.
    AtShareLimit(ConsumerId, usize),
}

/// Units of a sub-allocation drawn from the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Running units, those in their grace period included.
    pub units: u32,
    /// Without units in their grace period, with earmarked ones.
    pub projected: u32,
}

/// Incrementally updated numbers of a pool.
#[derive(Clone, Debug)]
pub struct PoolBook<'p> {
    pub pool: &'p PoolLayout,
    /// One past the last consumer that may use the pool.
    end: ConsumerId,
    /// Total capacity per dimension, regardless of packing.
    pub totals: Dims,
    /// The same, including lent hosts passed on.
    pub offered: Dims,
    /// Capacity of the empty pool in units, per unit size.
    pub capacity: Arena<SizeId, u64>,
    /// Usage of the whole pool, in the smallest share that occurs.
    pub whole: Nat,
    /// Share of one unit, per unit size.
    pub step: Arena<SizeId, Nat>,
    /// Whether each host is in the pool.
    pub is_in: Arena<HostId, bool>,
    /// Whether any consumer of the pool has a share limit.
    has_limits: bool,
    /// Whether any inner consumer has one.
    pub(super) has_middle_limits: bool,
    /// Projected usage per consumer.
    projected: InPool<Nat>,
    /// Projected amounts per consumer and dimension, regardless of packing.
    amounts: InPool<Dims>,
    /// Units drawn per sub-allocation.
    pub(super) drawn: Arena<SubId, Drawn>,
}

impl<'p> PoolBook<'p> {
    /// Computes the numbers of a pool.
    pub fn open(state: &PoolState<'_>, pool: &'p PoolLayout) -> PoolBook<'p> {
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
        // Groups hosts by capacity and masks, of which there are few combinations.
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
        let units_of = |shape: SizeId| {
            let parts = kinds.iter().map(|(kind, n)| units_on(state, shape, *kind).saturating_mul(*n));
            parts.fold(0, u64::saturating_add)
        };
        let capacity: Arena<SizeId, u64> = state.shapes.ids().map(units_of).collect();
        // Unused sizes would only increase the common multiple.
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
                    self.drawn[unit.sub].projected += u32::from(unit.state == UnitState::Run);
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

    /// Consumers that may use the pool, its root first.
    pub fn consumers(&self) -> Consumers {
        consumers(self.pool.root, self.end)
    }
    /// Source of units drawn from this pool.
    pub fn source(&self) -> Source {
        Source::Pool(self.pool.root)
    }
    /// Projected usage of a consumer.
    pub fn projected(&self, consumer: ConsumerId) -> &Nat {
        &self.projected[consumer]
    }
    /// Projected amount of a consumer in one dimension, regardless of packing.
    pub fn amount(&self, consumer: ConsumerId, dim: usize) -> i64 {
        self.amounts[consumer][dim]
    }
    /// Share of `n` units of a sub-allocation; the whole pool if no unit fits the empty pool (OC-5).
    pub(super) fn share(&self, state: &PoolState<'_>, sub: SubId, n: u32) -> Nat {
        let shape = state.subs[sub].shape;
        if self.capacity[shape] == 0 {
            return if n > 0 { self.whole.clone() } else { Nat::ZERO };
        }
        self.step[shape].scaled(u64::from(n))
    }

    /// Adds or removes one projected unit.
    pub fn project(&mut self, state: &PoolState<'_>, sub: SubId, more: bool) {
        let n_before = self.drawn[sub].projected;
        let n_after = if more { n_before + 1 } else { n_before.saturating_sub(1) };
        self.drawn[sub].projected = n_after;
        let larger = self.share(state, sub, n_before.max(n_after));
        let share = larger.minus(&self.share(state, sub, n_before.min(n_after)));
        self.charge(state, sub, if more { 1 } else { -1 }, &share);
    }

    /// Whether the projected amount of a consumer plus `more` exceeds the limit in this dimension.
    pub fn exceeds(&self, limit: ShareLimit, consumer: ConsumerId, dim: usize, more: i64) -> bool {
        let amount = i128::from(self.amount(consumer, dim)) + i128::from(more);
        match limit {
            ShareLimit::At(limit) => amount > i128::from(limit),
            ShareLimit::Part(millionths) => amount * 1_000_000 > i128::from(self.offered[dim]) * i128::from(millionths),
        }
    }

    /// A share limit of the pool in base units, rounded down.
    pub fn limit_in(&self, limit: ShareLimit, dim: usize) -> i64 {
        match limit {
            ShareLimit::At(limit) => limit,
            ShareLimit::Part(millionths) => {
                let limit = i128::from(self.offered[dim]) * i128::from(millionths) / 1_000_000;
                i64::try_from(limit).unwrap_or(i64::MAX)
            }
        }
    }

    /// First consumer from the leaf up whose share limit one more unit would exceed, with the dimension.
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

    /// Reason for which a leaf is excluded from the pool.
    pub fn excluded(&self, state: &PoolState<'_>, leaf: ConsumerId) -> Option<Barred> {
        let consumers = &state.plan.consumers;
        let mut path = state.plan.path(leaf).take_while(|&c| c > self.pool.root);
        if let Some(zero) = path.find(|&c| consumers[c].ratio == 0) {
            return Some(Barred::RatioZero(zero));
        }
        (consumers[leaf].reclaim_grace > Some(self.pool.grace)).then_some(Barred::GraceTooLong)
    }

    /// Reason for which a sub-allocation of an admitted leaf gets no further unit, regardless of free resources.
    pub fn barred(&self, state: &PoolState<'_>, sub: SubId) -> Option<Barred> {
        if self.capacity[state.subs[sub].shape] == 0 {
            return Some(Barred::NoCapacity);
        }
        self.at_limit(state, sub).map(|(consumer, dim)| Barred::AtShareLimit(consumer, dim))
    }

    /// Outstanding units of a sub-allocation in this pool.
    pub fn outstanding(&self, state: &PoolState<'_>, sub: SubId) -> u32 {
        match state.subs[sub].outstanding() {
            0 => 0,
            _ if self.barred(state, sub).is_some() => 0,
            n => n,
        }
    }

    /// Composition of the capacity for a unit size: numbers of hosts by units that an empty host holds.
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

    /// Whether a leaf may use a host: its reclaim grace must respect the owner's lend-out grace.
    pub fn admits(&self, state: &PoolState<'_>, leaf: ConsumerId, host: PoolHost) -> bool {
        host.lent_grace.is_none_or(|grace_max| state.plan.consumers[leaf].reclaim_grace <= Some(grace_max))
    }
}

/// Number of units of a size that an empty host holds.
fn units_on(state: &PoolState<'_>, shape: SizeId, host: HostId) -> u64 {
    let (unit, mask) = &state.shapes[shape];
    let is_open = mask.is_none_or(|mask| state.masks[mask][host]);
    if is_open { units_in(&state.plan.hosts[host], unit) } else { 0 }
}

/// Least common multiple of the capacities that occur.
fn common_multiple(capacity: &Arena<SizeId, u64>, occurs: &Arena<SizeId, bool>) -> Nat {
    let mut whole = Nat::ONE;
    for (&n, _) in capacity.values().zip(occurs.values()).filter(|&(&n, &occurs)| occurs && n != 0 && n != u64::MAX) {
        whole = whole.scaled(n / gcd(whole.divided(n).1, n));
    }
    whole
}
