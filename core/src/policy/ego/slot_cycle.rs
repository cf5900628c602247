//! One cycle of a slot plan: free slots, then reclaim, in the state that both policies share.
//!
//! # Rule
//! A slot is one GPU of a host, and every pod takes one: its job has to ask for one GPU. All hosts are in the public pool. What a leaf
//! holds counts promised slots and not those in their grace. The newest unit of the leaf that loses goes, if the unit that waits
//! can run where it is.
//!
//! # Source
//! ego.md 10
//!
//! # Differs
//! Ownership, lending and ranks of slot plans are not modelled; the plan has none

use super::assign::{Junction, Turn};
use super::grace::grace_in_pool;
use super::ids::{ConsumerId, InPool, SubId, UnitId};
use super::layout::Layout;
use super::number::Nat;
use super::plan::{EnforceAt, ShareLimit, SlotRules, fits};
use super::pool::Pool;
use super::pool_state::{PoolState, Source};
use super::reclaim::Reclaim;
use super::slot::Slots;
use crate::trace::Level;
use crate::units::Resource;

/// The public pool, from which all slots come.
const PUBLIC: Source = Source::Pool(ConsumerId::ROOT);

/// Base units of one slot.
const SLOT: i64 = 1000;

/// A slot that changed its leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotMove {
    /// Who took it, from where.
    pub reclaim: Reclaim,
    /// Consumers that had to be below their quota, then those that had to be above it: each with slots held and quota.
    pub(super) below: Vec<Standing>,
    pub(super) above: Vec<Standing>,
}

/// A consumer, the slots it holds and its quota.
pub(super) type Standing = (ConsumerId, u64, u64);

/// Per consumer the most slots it may hold.
pub(super) fn limits(state: &PoolState<'_>) -> InPool<Option<u64>> {
    let limit = |c: ConsumerId| match state.plan.consumers[c].share_limit[Resource::GPU.index()] {
        Some(ShareLimit::At(most)) => Some((most.max(0) / SLOT) as u64),
        _ => None,
    };
    InPool::new(state.plan.subtree(ConsumerId::ROOT), limit)
}

/// The slots of a state.
pub(super) fn slots<'s>(
    state: &PoolState<'s>,
    rules: SlotRules,
    limits: &'s InPool<Option<u64>>,
) -> Slots<'s> {
    let leaves = state.plan.subtree(ConsumerId::ROOT);
    let mut want = InPool::new(leaves.clone(), |_| 0);
    let mut held = InPool::new(leaves, |_| 0);
    for sub in state.subs.values() {
        want[sub.leaf] += u64::from(sub.want);
        held[sub.leaf] += u64::from(sub.covered());
    }
    let slots =
        state.plan.hosts.values().map(|host| (host[Resource::GPU.index()].max(0) / SLOT) as u64).sum();
    let SlotRules { share_quota, enforce_at } = rules;
    Slots { plan: state.plan, slots, limits, want, held, share_quota, enforce_at }
}

/// Runs the passes of a slot plan: the turns of the free pass, and the slots that changed their leaf. `level`: how much of the
/// choices is recorded.
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
        let way = if level >= Level::Decisive { way(slots, leaf, open) } else { Vec::new() };
        let unit = start(state, leaf);
        let whole = Nat::from(slots.slots.max(1));
        turns.push(Turn { leaf, units: unit.into_iter().collect(), choices: Vec::new(), whole, way });
        unit.is_some()
    });
    let mut moves = Vec::new();
    let pool = layout.pool(state, ConsumerId::ROOT);
    slots.reclaim_where(|slots: &Slots<'_>, leaf, victim, quota: &InPool<u64>| {
        let Some((sub, unit)) = exchange(state, leaf, victim) else { return false };
        let reclaim = take(state, &pool, (leaf, sub), unit);
        let standing = |c: ConsumerId| (c, slots.held_below(c), quota[c]);
        let sides = plan.split(leaf, victim).filter(|_| slots.enforce_at == EnforceAt::Parent);
        let with = |first: ConsumerId, side: Option<ConsumerId>| {
            let side = side.filter(|&side| side != first);
            std::iter::once(first).chain(side).map(standing).collect()
        };
        let below = with(leaf, sides.map(|(below, _)| below));
        let above = with(victim, sides.map(|(_, above)| above));
        moves.push(SlotMove { reclaim, below, above });
        true
    });
    (turns, moves)
}

/// Every node on the way to a leaf, with all who could have been chosen.
fn way(slots: &Slots<'_>, leaf: ConsumerId, open: &InPool<bool>) -> Vec<Junction> {
    let plan = slots.plan;
    let path = plan.path(leaf).filter_map(|chosen| Some((plan.consumers[chosen].parent?, chosen)));
    let mut way: Vec<Junction> = path
        .map(|(node, chosen)| {
            let among: Vec<ConsumerId> =
                plan.consumers[node].children.iter().copied().filter(|&c| open[c]).collect();
            let is_as_good = |&c: &ConsumerId| c != chosen && slots.compare_per_ratio(c, chosen).is_eq();
            Junction {
                node,
                chosen,
                is_tie: among.iter().any(is_as_good),
                open: among.iter().map(|&c| (c, Nat::from(slots.held_below(c)))).collect(),
                after: Nat::from(slots.held_below(chosen) + 1),
            }
        })
        .collect();
    way.reverse();
    way
}

/// Starts the first unit of a leaf that fits on a host.
fn start(state: &mut PoolState<'_>, leaf: ConsumerId) -> Option<UnitId> {
    let subs = state.subs_of[leaf].iter().copied().filter(|&sub| state.subs[sub].startable() > 0);
    let place = |sub: SubId| Some((sub, state.plan.hosts.ids().find(|&host| state.fits_now(sub, host))?));
    let (sub, host) = subs.filter_map(place).next()?;
    Some(state.start(sub, host, PUBLIC))
}

/// The first sub-allocation of one leaf that can use the room of a unit of the other, and the newest such unit.
fn exchange(state: &PoolState<'_>, leaf: ConsumerId, victim: ConsumerId) -> Option<(SubId, UnitId)> {
    let is_of_victim = |id: &UnitId| state.subs[state.units[*id].sub].leaf == victim && state.may_go(*id);
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

/// Evicts a unit and promises its room.
fn take(state: &mut PoolState<'_>, pool: &Pool, by: (ConsumerId, SubId), unit: UnitId) -> Reclaim {
    let host = state.units[unit].host;
    let deadline = state.now + grace_in_pool(state, pool, unit);
    state.reclaim(unit, deadline);
    state.earmark(by.1, host, PUBLIC, &[unit]);
    Reclaim { by: Some((by.0, Some(by.1))), host, victims: vec![unit], deadline, why: None }
}
