//! One cycle of a plan: ownership, private pools, the public pool; first everything that is free, then reclaim.
//!
//! # Rule
//! Units whose grace is over stop and earmarks are redeemed; hosts are lent or called back; free resources go to the
//! owners, then to the private pools' consumers, deepest pool first, then to everybody in the public pool; reclaim
//! follows in the same order.
//!
//! # Source
//! ego.md 8.6, 9
//!
//! # Differs
//! OC-2, OC-23

use super::assign::{Turn, assign, assign_owned};
use super::grace::pool_grace;
use super::ids::{ConsumerId, HostId, UnitId};
use super::ownership::{TakenBack, lend, lent_to, pass_on, passed_on, split_hosts, take_back};
use super::plan::Plan;
use super::pool::{Pool, PoolBook, PoolHost};
use super::pool_state::PoolState;
use super::reclaim::{Pass, Reclaim, reclaim};
use super::slot_cycle::{self, SlotMove};
use crate::id::Arena;
use crate::trace::Level;

/// What a plan says before anything runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Per consumer: a leaf's own hosts, or the base hosts of a pool.
    pub holdings: Arena<ConsumerId, Vec<HostId>>,
    /// Per host the consumer that holds it.
    pub holders: Arena<HostId, ConsumerId>,
    /// Consumers that have a pool, deepest first, the root last.
    pub pools: Vec<ConsumerId>,
    /// Leaves by rank, then in tree order.
    pub leaves: Vec<ConsumerId>,
}

impl Layout {
    /// Splits the hosts of a plan.
    pub fn new(plan: &Plan) -> Layout {
        let holdings = split_hosts(plan);
        let consumers = &plan.consumers;
        let has_pool =
            |&c: &ConsumerId| c == ConsumerId::ROOT || !(plan.is_leaf(c) || consumers[c].own.is_empty());
        let mut pools: Vec<ConsumerId> = consumers.ids().filter(has_pool).collect();
        pools.sort_by(|&a, &b| consumers[b].depth.cmp(&consumers[a].depth));
        let mut leaves: Vec<ConsumerId> = consumers.ids().filter(|&c| plan.is_leaf(c)).collect();
        leaves.sort_by_key(|&c| consumers[c].rank);
        let mut holders: Arena<HostId, ConsumerId> = plan.hosts.ids().map(|_| ConsumerId::ROOT).collect();
        for (consumer, hosts) in holdings.iter() {
            hosts.iter().for_each(|&host| holders[host] = consumer);
        }
        Layout { holdings, holders, pools, leaves }
    }

    /// A pool as it is now: base hosts, then lent ones.
    pub fn pool(&self, state: &PoolState<'_>, root: ConsumerId) -> Pool {
        let base = self.holdings[root].iter().map(|&host| PoolHost { host, lent_grace: None });
        let lent = lent_to(state, &self.holdings, root);
        let passed_on = passed_on(state, &self.holdings, root);
        Pool { root, hosts: base.chain(lent).collect(), passed_on, grace: pool_grace(state.plan, root) }
    }
}

/// What one cycle did, source by source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cycle {
    /// Units stopped by their deadline.
    pub expired: Vec<UnitId>,
    /// Units started on their leaf's own hosts.
    pub owned: Vec<UnitId>,
    /// Turns of the free passes, by pool.
    pub turns: Vec<(ConsumerId, Vec<Turn>)>,
    /// Reclaims by owners for their own units, and of the rest of hosts called back.
    pub by_owners: Vec<Reclaim>,
    /// Reclaim passes, by pool.
    pub passes: Vec<(ConsumerId, Pass)>,
    /// Slots that changed their leaf, in a slot plan.
    pub slot_moves: Vec<SlotMove>,
}

/// Runs one cycle. `level`: how much of the choices of the free passes is recorded.
pub fn run(state: &mut PoolState<'_>, layout: &Layout, level: Level) -> Cycle {
    let mut cycle = Cycle::default();
    if !state.ends_later {
        cycle.expired = state.expire();
    }
    state.redeem();
    if let Some(rules) = state.plan.slots {
        slot_cycle::run(state, layout, rules, &mut cycle, level);
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
            cycle.passes.push((root, reclaim(state, &mut book)));
        }
    }
    cycle
}
