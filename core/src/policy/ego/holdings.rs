//! Data of the cluster view: owners of hosts, the source of each unit, and units above a share limit.
//!
//! # Rule
//! Hosts are split among owners as in the cycle; a unit counts as private unless it was drawn from the public pool.
//! Units above a share limit are those that the next reclaim takes first.
//!
//! # Source
//! ego.md 3, 8.3; IBM, *Share policies for multidimensional scheduling*
//!
//! # Differs
//! nothing

use super::ids::{ConsumerId, UnitId};
use super::limits::limit_victims;
use super::model::{CycleState, Model};
use super::pool::PoolBook;
use super::pool_state::Source;
use crate::id::PodId;
use crate::trace::{Holdings, OwnedNode};

/// Owned hosts and the units running on ownership.
pub(super) fn holdings(model: &Model, current: &CycleState<'_>) -> Holdings {
    let state = &current.state;
    let owned = model.layout.holders.iter().filter_map(|(host, &holder)| {
        let owner = model.queues[holder]?;
        Some(OwnedNode { node: model.nodes[host], owner, is_lent: state.lent[host].is_some() })
    });
    let is_private = |unit: &UnitId| state.units[*unit].source != Source::Pool(ConsumerId::ROOT);
    let pod = |unit: &UnitId| current.pods[*unit];
    Holdings {
        nodes: owned.collect(),
        private: state.on_host.values().flatten().filter(|unit| is_private(unit)).map(pod).collect(),
        over_limit: over_limit(model, current),
    }
}

fn over_limit(model: &Model, current: &CycleState<'_>) -> Vec<PodId> {
    let plan = &model.plan;
    let is_limited = |&leaf: &ConsumerId| plan.consumers[leaf].share_limit.iter().any(Option::is_some);
    let limited: Vec<ConsumerId> = model.layout.leaves.iter().copied().filter(is_limited).collect();
    let mut over = Vec::new();
    for &root in model.layout.pools.iter().filter(|_| !limited.is_empty()) {
        let pool = model.layout.pool(&current.state, root);
        let book = PoolBook::open(&current.state, &pool);
        for &leaf in limited.iter().filter(|&&leaf| plan.is_below(leaf, root)) {
            over.extend(limit_victims(&current.state, &book, leaf).iter().map(|unit| current.pods[*unit]));
        }
    }
    over
}
