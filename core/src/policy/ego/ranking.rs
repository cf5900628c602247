//! Ranking of siblings.
//!
//! # Rule
//! The higher share priority first; at equal priority the smaller `projected usage / share ratio`; on a tie the earlier
//! in tree order.
//!
//! # Source
//! ego.md 7.2; IBM, *Share policies for multidimensional scheduling*
//!
//! # Differs
//! OC-13

use std::cmp::Ordering;

use super::ids::ConsumerId;
use super::number::Nat;
use super::plan::Plan;
use super::pool::PoolBook;
use super::pool_state::PoolState;

/// Compares `a / ratio(a)` with `b / ratio(b)`; infinite for ratio 0.
pub(super) fn compare_per_ratio(a: &Nat, ratio_a: u64, b: &Nat, ratio_b: u64) -> Ordering {
    match (ratio_a, ratio_b) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        _ => a.scaled(ratio_b).cmp(&b.scaled(ratio_a)),
    }
}

/// The best sibling and the next best: by priority, projected usage over ratio, tree order.
pub(super) fn best_two(
    state: &PoolState<'_>,
    book: &PoolBook<'_>,
    open: &[ConsumerId],
) -> Option<(ConsumerId, Option<ConsumerId>)> {
    let is_better = |a: ConsumerId, b: ConsumerId| compare(state, book, a, b).is_lt();
    let (&first, others) = open.split_first()?;
    let (mut best, mut next) = (first, None);
    for &c in others {
        if is_better(c, best) {
            next = Some(best);
            best = c;
        } else if next.is_none_or(|n| is_better(c, n)) {
            next = Some(c);
        }
    }
    Some((best, next))
}

/// Compares two siblings, tree order excluded.
pub(super) fn compare(state: &PoolState<'_>, book: &PoolBook<'_>, a: ConsumerId, b: ConsumerId) -> Ordering {
    let (of_a, of_b) = (&state.plan.consumers[a], &state.plan.consumers[b]);
    let by_ratio = || compare_per_ratio(book.projected(a), of_a.ratio, book.projected(b), of_b.ratio);
    of_b.priority.cmp(&of_a.priority).then_with(by_ratio)
}

/// Fraction of each sibling, as numerator and denominator: those of the best priority divide everything by ratio. For
/// display (ego.md 7.1).
pub(super) fn parts(plan: &Plan, siblings: &[ConsumerId]) -> impl Iterator<Item = (u64, u64)> {
    let consumer = |&c: &ConsumerId| &plan.consumers[c];
    let best = siblings.iter().map(|c| consumer(c).priority).max();
    let ratio = move |c: &ConsumerId| if Some(consumer(c).priority) == best { consumer(c).ratio } else { 0 };
    let sum: u64 = siblings.iter().map(ratio).sum();
    siblings.iter().map(move |c| (ratio(c), sum))
}
