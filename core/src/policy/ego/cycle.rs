//! One cycle of a plan: owned hosts, private pools, the public pool; first all free resources, then reclaim.
//!
//! # Rule
//! Units whose grace period is over stop and earmarks are redeemed; hosts are lent or called back; free resources go to
//! the owners, then to the consumers of private pools, deepest pool first, then to all consumers in the public pool;
//! reclaim follows in the same order.
//!
//! # Source
//! ego.md 8.6, 9
//!
//! # Differs
//! OC-2, OC-23

use super::assign::{Turn, assign, assign_owned};
use super::ids::{ConsumerId, UnitId};
use super::layout::Layout;
use super::ownership::{TakenBack, lend, pass_on, take_back};
use super::pool::PoolBook;
use super::pool_state::PoolState;
use super::reclaim::{Pass, Reclaim, reclaim};
use super::slot_cycle::{self, SlotMove};
use crate::trace::Level;

/// Results of a cycle, by source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cycle {
    /// Units stopped by their deadline.
    pub expired: Vec<UnitId>,
    /// Units started on hosts of their own leaf.
    pub owned: Vec<UnitId>,
    /// Turns of the free passes, by pool.
    pub turns: Vec<(ConsumerId, Vec<Turn>)>,
    /// Reclaims by owners: for their own units, and of the remaining units on hosts called back.
    pub by_owners: Vec<Reclaim>,
    /// Reclaim passes, by pool.
    pub passes: Vec<(ConsumerId, Pass)>,
    /// Slots that moved to another leaf; slot plans only.
    pub slot_moves: Vec<SlotMove>,
}

/// Runs one cycle. `level`: how much of the choices of the free passes is recorded.
pub fn run(state: &mut PoolState<'_>, layout: &Layout, level: Level) -> Cycle {
    let mut cycle = Cycle::default();
    state.records = level >= Level::Refusals;
    if !state.ends_later {
        cycle.expired = state.expire();
    }
    state.redeem();
    if let Some(rules) = state.plan.slots {
        let (turns, moves) = slot_cycle::run(state, layout, rules, level);
        cycle.turns.push((ConsumerId::ROOT, turns));
        cycle.slot_moves = moves;
        return cycle;
    }
    let lending = lend(state, &layout.holdings);
    for &leaf in &layout.leaves {
        cycle.owned.extend(assign_owned(state, leaf, &lending.own[leaf]));
    }
    for &root in &layout.pools {
        let pool = layout.pool(state, root);
        if !pool.hosts.is_empty() {
            let mut book = PoolBook::open(state, &pool);
            cycle.turns.push((root, assign(state, &mut book, level)));
        }
        pass_on(state, root);
    }
    for &leaf in &layout.leaves {
        let TakenBack { started, owned, others } = take_back(state, leaf, &lending.called_back[leaf]);
        cycle.owned.extend(started);
        cycle.by_owners.extend(owned.into_iter().chain(others));
    }
    for &root in &layout.pools {
        let pool = layout.pool(state, root);
        if !pool.hosts.is_empty() {
            let mut book = PoolBook::open(state, &pool);
            cycle.passes.push((root, reclaim(state, &mut book, level)));
        }
    }
    cycle
}
