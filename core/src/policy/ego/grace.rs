//! Grace periods: how long a reclaimed unit keeps running.
//!
//! # Rule
//! `grace(unit)` is the reclaim grace of the consumer that loses the unit, if set; otherwise the value of its source:
//! the owner's effective lend-out grace on a lent host, the private pool's grace, or the plan's default.
//! A consumer whose reclaim grace exceeds a source's value may not use that source: the source's value is a
//! guarantee for the reclaiming side, the consumer's value the requirement of the losing side.
//!
//! # Source
//! ego.md 8.5; IBM, *Grace periods for multidimensional scheduling*
//!
//! # Differs
//! OC-21, OC-22; blank graces are 0 seconds, as in Symphony 7.3

use super::ids::{ConsumerId, UnitId};
use super::plan::Plan;
use super::pool::PoolLayout;
use super::pool_state::{PoolState, Source};
use crate::time::Span;

/// Grace period of a unit drawn from a pool.
pub fn grace_in_pool(state: &PoolState<'_>, pool: &PoolLayout, unit: UnitId) -> Span {
    let unit = &state.units[unit];
    let own_grace = state.plan.consumers[state.subs[unit.sub].leaf].reclaim_grace;
    let lent = pool.hosts.iter().find(|h| h.host == unit.host).and_then(|h| h.lent_grace);
    own_grace.unwrap_or(lent.unwrap_or(pool.grace))
}

/// Grace period of a consumer's pool.
pub fn pool_grace(plan: &Plan, consumer: ConsumerId) -> Span {
    let own_grace = plan.consumers[consumer].private_pool_grace.filter(|_| consumer != ConsumerId::ROOT);
    own_grace.unwrap_or(plan.default_grace)
}

/// Longest grace period allowed to a borrower: the least lend-out grace from the owner up to, but excluding, the
/// consumer whose pool offers the host.
pub fn effective_lendout_grace(plan: &Plan, owner: ConsumerId, pool: ConsumerId) -> Span {
    let path = plan.path(owner).take_while(|&c| c != pool);
    path.map(|c| plan.consumers[c].lendout_grace).min().unwrap_or(Span::ZERO)
}

/// Grace period of a unit on a lent host that its owner calls back.
pub fn borrower_grace(state: &PoolState<'_>, owner: ConsumerId, unit: UnitId) -> Span {
    let unit = &state.units[unit];
    let own_grace = state.plan.consumers[state.subs[unit.sub].leaf].reclaim_grace;
    own_grace.unwrap_or_else(|| match unit.source {
        Source::Pool(pool) => effective_lendout_grace(state.plan, owner, pool),
        Source::Owned => Span::ZERO,
    })
}
