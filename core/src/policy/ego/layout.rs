//! Static layout of a plan: owners of hosts, and pools.
//!
//! # Rule
//! A leaf owns hosts, an inner consumer with hosts has a private pool, the root has the public pool.
//!
//! # Source
//! ego.md 8.6
//!
//! # Differs
//! nothing

use super::grace::pool_grace;
use super::ids::{ConsumerId, HostId};
use super::ownership::{lent_to, passed_on, split_hosts};
use super::plan::Plan;
use super::pool::{PoolHost, PoolLayout};
use super::pool_state::PoolState;
use crate::id::Arena;

/// Owners of hosts, and pools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Per consumer, a leaf's own hosts, or the base hosts of a pool.
    pub holdings: Arena<ConsumerId, Vec<HostId>>,
    /// Owner per host.
    pub holders: Arena<HostId, ConsumerId>,
    /// Consumers with a pool, deepest first, the root last.
    pub pools: Vec<ConsumerId>,
    /// Leaves by rank, then in tree order.
    pub leaves: Vec<ConsumerId>,
}

impl Layout {
    /// Distributes the hosts of a plan.
    pub fn new(plan: &Plan) -> Layout {
        let holdings = split_hosts(plan);
        let consumers = &plan.consumers;
        let has_pool = |&c: &ConsumerId| c == ConsumerId::ROOT || !(plan.is_leaf(c) || consumers[c].own.is_empty());
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

    /// Present hosts of a pool: base hosts, then lent ones.
    pub fn pool(&self, state: &PoolState<'_>, root: ConsumerId) -> PoolLayout {
        let base = self.holdings[root].iter().map(|&host| PoolHost { host, lent_grace: None });
        let lent = lent_to(state, &self.holdings, root);
        let passed_on = passed_on(state, &self.holdings, root);
        PoolLayout { root, hosts: base.chain(lent).collect(), passed_on, grace: pool_grace(state.plan, root) }
    }
}
