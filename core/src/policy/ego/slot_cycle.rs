//! One cycle of a slot plan: free slots, then reclaim, in the same state as the multidimensional policy.
//!
//! # Rule
//! A slot is one GPU of a host, and every pod takes one: its job has to request one GPU. All hosts are in the public
//! pool. The slots held by a leaf include earmarked ones and exclude those in their grace period. A free slot is on the
//! host that the placement of the plan chooses; it does not bind reclaim. The losing leaf's newest unit is reclaimed if
//! the pending unit can run on its host.
//!
//! # Source
//! ego.md 10
//!
//! # Differs
//! Ownership, lending and ranks of slot plans are not modelled

use super::assign::{SiblingGroup, Turn, choose_host, is_open};
use super::grace::grace_in_pool;
use super::host_choice::Hosts;
use super::ids::{ConsumerId, HostId, InPool, SubId, UnitId};
use super::layout::Layout;
use super::number::Nat;
use super::plan::{Dims, EnforceAt, ShareLimit, SlotRules, fits};
use super::pool::PoolLayout;
use super::pool_state::{PoolState, Source};
use super::reclaim::Reclaim;
use super::slot::Slots;
use crate::id::{Arena, Id};
use crate::trace::Level;
use crate::units::Resource;

/// Source of all slots: the public pool.
const PUBLIC: Source = Source::Pool(ConsumerId::ROOT);

/// Base units per slot.
const SLOT: i64 = 1000;

/// A slot that moved to another leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotMove {
    pub reclaim: Reclaim,
    /// Consumers that had to be below their quota; `above` those above it.
    pub(super) below: Vec<SlotStatus>,
    pub(super) above: Vec<SlotStatus>,
}

/// Consumer, slots held, and quota.
pub(super) type SlotStatus = (ConsumerId, u64, u64);

/// Maximum number of slots per consumer.
pub(super) fn limits(state: &PoolState<'_>) -> InPool<Option<u64>> {
    let limit = |c: ConsumerId| match state.plan.consumers[c].share_limit[Resource::GPU.index()] {
        Some(ShareLimit::At(most)) => Some((most.max(0) / SLOT) as u64),
        _ => None,
    };
    InPool::new(state.plan.subtree(ConsumerId::ROOT), limit)
}

/// Builds the slot numbers of a state.
pub(super) fn slots<'s>(state: &PoolState<'s>, rules: SlotRules, limits: &'s InPool<Option<u64>>) -> Slots<'s> {
    let leaves = state.plan.subtree(ConsumerId::ROOT);
    let mut want = InPool::new(leaves.clone(), |_| 0);
    let mut held_slots = InPool::new(leaves, |_| 0);
    for sub in state.subs.values() {
        want[sub.leaf] += u64::from(sub.want);
        held_slots[sub.leaf] += u64::from(sub.covered());
    }
    let slots = slots_in(&state.plan.hosts);
    let SlotRules { share_quota, enforce_at } = rules;
    Slots { plan: state.plan, slots, limits, want, held: held_slots, share_quota, enforce_at }
}

/// Number of whole slots in the resources of every host.
pub(super) fn slots_in(hosts: &Arena<HostId, Dims>) -> u64 {
    hosts.values().map(|host| (host[Resource::GPU.index()].max(0) / SLOT) as u64).sum()
}

/// Runs the passes of a slot plan; returns the turns of the free pass and the slots that moved. `level`: how much of
/// the choices is recorded.
pub(super) fn run(
    state: &mut PoolState<'_>,
    layout: &Layout,
    rules: SlotRules,
    level: Level,
) -> (Vec<Turn>, Vec<SlotMove>) {
    let limits = limits(state);
    let plan = state.plan;
    let mut slots = slots(state, rules, &limits);
    let mut turns = Vec::new();
    slots.assign_where(&mut |slots, leaf, open| {
        let path = if level >= Level::Refusals { path_to(slots, leaf, open) } else { Vec::new() };
        let unit = start(state, leaf);
        let whole = Nat::from(slots.slots.max(1));
        turns.push(Turn { leaf, units: unit.into_iter().collect(), choices: Vec::new(), whole, path });
        unit.is_some()
    });
    let mut moves = Vec::new();
    let pool = layout.pool(state, ConsumerId::ROOT);
    slots.reclaim_where(|slots: &Slots<'_>, leaf, victim, quota: &InPool<u64>| {
        let Some((sub, unit)) = exchange(state, leaf, victim) else { return false };
        let reclaim = take(state, &pool, (leaf, sub), unit);
        let status = |c: ConsumerId| (c, slots.held_below(c), quota[c]);
        let sides = plan.split(leaf, victim).filter(|_| slots.enforce_at == EnforceAt::Parent);
        let with = |first: ConsumerId, side: Option<ConsumerId>| {
            let side = side.filter(|&side| side != first);
            std::iter::once(first).chain(side).map(status).collect()
        };
        let side_below = with(leaf, sides.map(|(below, _)| below));
        let side_above = with(victim, sides.map(|(_, above)| above));
        moves.push(SlotMove { reclaim, below: side_below, above: side_above });
        true
    });
    (turns, moves)
}

/// Sibling groups on the path to a leaf.
fn path_to(slots: &Slots<'_>, leaf: ConsumerId, open: &InPool<bool>) -> Vec<SiblingGroup> {
    let plan = slots.plan;
    let path = plan.path(leaf).filter_map(|chosen| Some((plan.consumers[chosen].parent?, chosen)));
    let mut path: Vec<SiblingGroup> = path
        .map(|(node, chosen)| {
            let among: Vec<ConsumerId> = plan.consumers[node].children.iter().copied().filter(|&c| open[c]).collect();
            let is_as_good = |&c: &ConsumerId| c != chosen && slots.compare_per_ratio(c, chosen).is_eq();
            SiblingGroup {
                node,
                chosen,
                is_tie: among.iter().any(is_as_good),
                open: among.iter().map(|&c| (c, Nat::from(slots.held_below(c)))).collect(),
                after: Nat::from(slots.held_below(chosen) + 1),
            }
        })
        .collect();
    path.reverse();
    path
}

/// Starts the first unit of a leaf that fits.
fn start(state: &mut PoolState<'_>, leaf: ConsumerId) -> Option<UnitId> {
    let subs = state.subs_of[leaf].iter().copied().filter(|&sub| state.subs[sub].startable() > 0);
    let place = |sub: SubId| {
        let hosts = Hosts {
            n_full: 0,
            len: state.plan.hosts.len(),
            at: HostId::from_index,
            is_open: |i: usize| is_open(state, sub, HostId::from_index(i)),
        };
        Some((sub, choose_host(state, &state.subs[sub].unit, &hosts)?))
    };
    let (sub, host) = subs.filter_map(place).next()?;
    Some(state.start_on(sub, host, PUBLIC))
}

/// First sub-allocation of `leaf` that can use the resources of a unit of `victim`, with the newest such unit.
fn exchange(state: &PoolState<'_>, leaf: ConsumerId, victim: ConsumerId) -> Option<(SubId, UnitId)> {
    let is_of_victim = |id: &UnitId| state.subs[state.units[*id].sub].leaf == victim && state.is_reclaimable(*id);
    let units: Vec<UnitId> = state.units.ids().rev().filter(is_of_victim).collect();
    let waiting = state.subs_of[leaf].iter().copied().filter(|&sub| state.subs[sub].outstanding() > 0);
    let for_sub = |sub: SubId| {
        let has_room = |id: &&UnitId| {
            let unit = state.units[**id];
            let mut room = state.unclaimed[unit.host];
            super::plan::add(&mut room, &state.subs[unit.sub].unit, 1);
            state.may_run(sub, unit.host) && fits(&room, &state.subs[sub].unit)
        };
        Some((sub, *units.iter().find(has_room)?))
    };
    waiting.filter_map(for_sub).next()
}

/// Reclaims a unit and earmarks its resources.
fn take(state: &mut PoolState<'_>, pool: &PoolLayout, claimant: (ConsumerId, SubId), unit: UnitId) -> Reclaim {
    let host = state.units[unit].host;
    let deadline = state.now + grace_in_pool(state, pool, unit);
    state.reclaim(unit, deadline);
    state.earmark(claimant.1, host, PUBLIC, &[unit]);
    Reclaim::new(Some((claimant.0, Some(claimant.1))), host, vec![unit], deadline)
}
