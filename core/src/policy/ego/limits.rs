//! Reclaim above share limits.
//!
//! # Rule
//! A leaf that exceeds its share limit in a pool loses its newest units that use an exceeded dimension, until it is
//! within the limit.
//!
//! # Source
//! ego.md 8.3
//!
//! # Differs
//! OC-11

use super::ids::{ConsumerId, UnitId};
use super::plan::{Dims, ShareLimit, add};
use super::pool::PoolBook;
use super::pool_state::PoolState;
use crate::units::RESOURCES_MAX;

/// Dimensions in which a leaf exceeds its share limit in the pool.
fn over_limit(state: &PoolState<'_>, book: &PoolBook<'_>, leaf: ConsumerId, taken: &Dims) -> Vec<usize> {
    let limits: &[Option<ShareLimit>; RESOURCES_MAX] = &state.plan.consumers[leaf].share_limit;
    let is_over = |&dim: &usize| limits[dim].is_some_and(|limit| book.exceeds(limit, leaf, dim, -taken[dim]));
    (0..RESOURCES_MAX).filter(is_over).collect()
}

/// An amount above a share limit, in base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverLimit {
    /// The dimension.
    pub dim: usize,
    /// Amount that the leaf uses of the pool.
    pub used: i64,
    /// Its share limit.
    pub limit: i64,
}

/// The first exceeded limit for which a unit of the leaf is reclaimed.
pub(super) fn first_over_limit(
    state: &PoolState<'_>,
    book: &PoolBook<'_>,
    leaf: ConsumerId,
    id: UnitId,
) -> Option<OverLimit> {
    let unit = &state.subs[state.units[id].sub].unit;
    let dim = over_limit(state, book, leaf, &Dims::default()).into_iter().find(|&dim| unit[dim] > 0)?;
    let limit = state.plan.consumers[leaf].share_limit[dim]?;
    Some(OverLimit { dim, used: book.amount(leaf, dim), limit: book.limit_in(limit, dim) })
}

/// Units that the limit pass takes from a leaf: the newest that use an exceeded dimension.
pub(super) fn limit_victims(state: &PoolState<'_>, book: &PoolBook<'_>, leaf: ConsumerId) -> Vec<UnitId> {
    let mut taken = Dims::default();
    let mut over = over_limit(state, book, leaf, &taken);
    let mut victims = Vec::new();
    if over.is_empty() {
        return victims;
    }
    for id in newest_first(state, book, leaf) {
        let unit = &state.subs[state.units[id].sub].unit;
        if helps(unit, &over) {
            add(&mut taken, unit, 1);
            victims.push(id);
            over = over_limit(state, book, leaf, &taken);
            if over.is_empty() {
                break;
            }
        }
    }
    victims
}

/// Running units of a leaf in a pool, the newest first.
fn newest_first(state: &PoolState<'_>, book: &PoolBook<'_>, leaf: ConsumerId) -> Vec<UnitId> {
    let source = book.source();
    let is_ours = |&id: &UnitId| {
        let unit = &state.units[id];
        state.is_reclaimable(id) && unit.source == source && book.is_in[unit.host] && state.subs[unit.sub].leaf == leaf
    };
    state.units.ids().rev().filter(is_ours).collect()
}

/// Whether the unit uses one of the dimensions.
fn helps(unit: &Dims, short: &[usize]) -> bool {
    short.iter().any(|&dim| unit[dim] > 0)
}
