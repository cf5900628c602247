//! Shares of queues and applications, and scores of nodes.
//!
//! # Rule
//! A queue's share is its largest `allocated / d` over the types it has allocated, with `d` its own guarantee for the
//! type, else its fair maximum. An application's is the list of `allocated / guarantee of the leaf`, or raw quantities
//! without a guarantee, compared from the largest down. A node's score is the weighted mean of its utilisation.
//!
//! # Source
//! yunikorn.md 3.7, 4.1, 4.3, 6

use std::cmp::Ordering;

use super::amounts::{self, Amounts, TYPES_MAX};
use super::stable::{self, At};

/// Share of a queue, with the ratio that decides it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Largest ratio; 0 without allocations.
    pub share: f64,
    /// Type with the largest ratio.
    pub of: Option<usize>,
    /// Allocated quantity of this type.
    pub allocated: i64,
    /// Denominator of the ratio.
    pub denominator: i64,
    /// Whether the denominator is the guarantee rather than the fair maximum.
    pub guaranteed: bool,
}

/// `max over types with v >= 0 of v / d`; with `d <= 0` the ratio is 1 if anything is allocated.
pub fn fair_share(allocated: &Amounts, guaranteed: &Amounts, fair_max: &Amounts) -> Share {
    let mut largest = Share::default();
    for (type_ix, v) in allocated.iter().filter(|&(_, v)| v >= 0) {
        let d = if guaranteed.has(type_ix) {
            guaranteed.get(type_ix)
        } else if fair_max.has(type_ix) {
            fair_max.get(type_ix)
        } else {
            continue;
        };
        let share = if d > 0 { v as f64 / d as f64 } else { f64::from(v > 0) };
        if share > largest.share || largest.of.is_none() {
            let guaranteed = guaranteed.has(type_ix);
            largest = Share { share, of: Some(type_ix), allocated: v, denominator: d, guaranteed };
        }
    }
    largest
}

/// Shares of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsageShares {
    values: [f64; TYPES_MAX],
    n: usize,
}

impl UsageShares {
    /// The shares, ascending.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.n]
    }
}

/// `v / total`, or `v` itself if the total does not name the type or is 0.
pub fn usage_shares(allocated: &Amounts, total: &Amounts) -> UsageShares {
    let mut shares = UsageShares { values: [0.0; TYPES_MAX], n: 0 };
    for (type_ix, v) in allocated.iter() {
        let share = match total.get(type_ix) {
            _ if v == 0 => 0.0,
            0 => v as f64,
            total => v as f64 / total as f64,
        };
        let position = shares.as_slice().partition_point(|&s| s <= share);
        shares.values.copy_within(position..shares.n, position + 1);
        shares.values[position] = share;
        shares.n += 1;
    }
    shares
}

/// Compares from the largest share down; a shorter list is padded with zeros.
pub fn compare_usage(l: &UsageShares, r: &UsageShares) -> Ordering {
    let from_top = |shares: &UsageShares, i: usize| if i < shares.n { shares.values[shares.n - 1 - i] } else { 0.0 };
    for i in 0..l.n.max(r.n) {
        match from_top(l, i).partial_cmp(&from_top(r, i)) {
            Some(Ordering::Equal) | None => {}
            Some(different) => return different,
        }
    }
    Ordering::Equal
}

/// Sort keys of a queue.
#[derive(Clone, Copy, Debug)]
pub struct ComparedQueue {
    /// Effective priority.
    pub effective: i32,
    /// Allocated resources.
    pub allocated: Amounts,
    /// Own guarantee.
    pub guaranteed: Amounts,
    /// Pending resources.
    pub pending: Amounts,
    /// Fair maximum from its own maximum and those of its ancestors.
    pub fair_max: Amounts,
}

/// Share of a sibling at a position: the list of maxima is not permuted together with the queues.
pub fn share_at(queues: &[ComparedQueue], at: At) -> Share {
    let ComparedQueue { allocated, guaranteed, .. } = &queues[at.item];
    fair_share(allocated, guaranteed, &queues[at.position].fair_max)
}

/// Whether the left sibling precedes the right one (3.2): by priority and share (by share and priority unless
/// `by_priority`), then by pending resources.
pub fn goes_before(queues: &[ComparedQueue], by_priority: bool, l: At, r: At) -> bool {
    let (a, b) = (&queues[l.item], &queues[r.item]);
    let priority = b.effective.cmp(&a.effective);
    let share = || {
        let share_of = |at: At| share_at(queues, at).share;
        share_of(l).partial_cmp(&share_of(r)).unwrap_or(Ordering::Equal)
    };
    let first = if by_priority { priority.then_with(share) } else { share().then(priority) };
    first == Ordering::Less || first == Ordering::Equal && has_more_pending(a, b)
}

/// Whether `a` has no less pending than `b` in any type, and more in at least one.
pub fn has_more_pending(a: &ComparedQueue, b: &ComparedQueue) -> bool {
    amounts::gt(&amounts::difference(&a.pending, &b.pending), &Amounts::EMPTY)
}

/// Sorts siblings; returns indices.
pub fn sort_queues(queues: &[ComparedQueue], by_priority: bool) -> Vec<usize> {
    stable::order(queues.len(), &mut |l, r| goes_before(queues, by_priority, l, r))
}

/// Sort keys of an application.
#[derive(Clone, Copy, Debug)]
pub struct ComparedApp {
    /// Largest priority of the outstanding asks.
    pub priority: i32,
    /// Submission time in milliseconds.
    pub submitted: i64,
    /// Usage relative to the leaf's guarantee.
    pub usage: UsageShares,
}

/// Sorts the applications of a leaf (3.4): by priority and submission (or usage), in that order if `by_priority`.
pub fn sort_apps(apps: &[ComparedApp], fair: bool, by_priority: bool) -> Vec<usize> {
    stable::order(apps.len(), &mut |l, r| {
        let (a, b) = (&apps[l.item], &apps[r.item]);
        let priority = b.priority.cmp(&a.priority);
        let other = if fair { compare_usage(&a.usage, &b.usage) } else { a.submitted.cmp(&b.submitted) };
        let first = if by_priority { priority.then(other) } else { other.then(priority) };
        first == Ordering::Less
    })
}

/// Score of a node for a reservation; smaller means less left over.
pub fn reservation_score(ask: &Amounts, available: &Amounts) -> f64 {
    if ask.is_none() {
        return available.iter().count() as f64;
    }
    let mut score = 0.0;
    for (type_ix, free) in available.iter().filter(|&(_, free)| free > 0) {
        let requested = ask.get(type_ix);
        score += match requested {
            _ if requested <= 0 => 1.0,
            _ if requested < free => (free - requested) as f64 / free as f64,
            _ => 0.0,
        };
    }
    score
}

/// Node sort policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeSort {
    /// The least used first.
    #[default]
    Fair,
    /// The most used first.
    BinPacking,
}

/// Weighted mean of `1 - available / capacity`; its complement under bin packing.
pub fn node_score(sort: NodeSort, weights: &[f64; TYPES_MAX], capacity: &Amounts, available: &Amounts) -> f64 {
    let (mut used, mut total) = (0.0, 0.0);
    for (type_ix, capacity) in capacity.iter().filter(|&(type_ix, capacity)| weights[type_ix] != 0.0 && capacity != 0) {
        let usage = 1.0 - available.get(type_ix) as f64 / capacity as f64;
        used += usage * weights[type_ix];
        total += weights[type_ix];
    }
    let usage = if total > 0.0 { used / total } else { 0.0 };
    match sort {
        NodeSort::Fair => usage,
        NodeSort::BinPacking => 1.0 - usage,
    }
}
