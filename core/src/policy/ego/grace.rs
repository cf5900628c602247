//! How long a unit keeps running after it was evicted.
//!
//! # Rule
//! `grace(unit)` is the reclaim grace of the consumer that loses it, if it has one; otherwise the value of the place it
//! runs at: the owner's effective lend-out grace on a lent host, the private pool's grace, the plan's default.
//! A consumer whose reclaim grace is longer than a source's value may not use that source: the source's value is a
//! promise to the waiting side, the consumer's value is what the losing side needs.
//!
//! # Source
//! ego.md 8.5; IBM, *Grace periods for multidimensional scheduling*
//!
//! # Differs
//! OC-21, OC-22; blank graces are 0 seconds, as in Symphony 7.3

use super::ids::{ConsumerId, UnitId};
use super::plan::Plan;
use super::pool::Pool;
use super::pool_state::{PoolState, Source};
use crate::time::Span;

/// The grace of a unit that was drawn from a pool.
pub fn grace_in_pool(state: &PoolState<'_>, pool: &Pool, unit: UnitId) -> Span {
    let unit = &state.units[unit];
    let own = state.plan.consumers[state.subs[unit.sub].leaf].reclaim_grace;
    let lent = pool.hosts.iter().find(|h| h.host == unit.host).and_then(|h| h.lent_grace);
    own.unwrap_or(lent.unwrap_or(pool.grace))
}

/// The value of a consumer's pool.
pub fn pool_grace(plan: &Plan, consumer: ConsumerId) -> Span {
    let own = plan.consumers[consumer].private_pool_grace.filter(|_| consumer != ConsumerId::ROOT);
    own.unwrap_or(plan.default_grace)
}

/// The longest grace a borrower may have: the least lend-out grace from the owner up to, but not including, the consumer whose
/// pool hands the host out.
pub fn effective_lendout_grace(plan: &Plan, owner: ConsumerId, pool: ConsumerId) -> Span {
    let path = plan.path(owner).take_while(|&c| c != pool);
    path.map(|c| plan.consumers[c].lendout_grace).min().unwrap_or(Span::ZERO)
}

/// The grace of a borrowed unit on a host that its owner calls back.
pub fn borrower_grace(state: &PoolState<'_>, owner: ConsumerId, unit: UnitId) -> Span {
    let unit = &state.units[unit];
    let own = state.plan.consumers[state.subs[unit.sub].leaf].reclaim_grace;
    own.unwrap_or_else(|| match unit.source {
        Source::Pool(pool) => effective_lendout_grace(state.plan, owner, pool),
        Source::Owned => Span::ZERO,
    })
}
