//! Shares: how much of what it may use a queue, an application or a node uses.
//!
//! # Rule
//! A queue's share is its largest `allocated / d` over the types it has allocated, `d` its own guarantee for the type,
//! else its fair maximum. An application's is the list of `allocated / guarantee of the leaf`, in raw quantities where
//! nothing is guaranteed, compared from the largest down. A node's score is the weighted mean of what is in use.
//!
//! # Source
//! yunikorn.md 3.7, 4.1, 4.3, 6

use std::cmp::Ordering;

use super::amounts::{self, Amounts, TYPES_MAX};
use super::stable::{self, At};

/// What decides a queue's share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The largest ratio; 0 where nothing is allocated.
    pub share: f64,
    /// The type it belongs to.
    pub of: Option<usize>,
    /// What is allocated of it.
    pub allocated: i64,
    /// What it is compared with.
    pub denominator: i64,
    /// Whether that is the guarantee, and not the fair maximum.
    pub guaranteed: bool,
}

/// `max over types with v >= 0 of v / d`; with `d <= 0` the ratio is 1 if anything is allocated.
pub fn fair_share(allocated: &Amounts, guaranteed: &Amounts, fair_max: &Amounts) -> Share {
    let mut largest = Share::default();
    for (of, v) in allocated.iter().filter(|&(_, v)| v >= 0) {
        let d = if guaranteed.has(of) {
            guaranteed.get(of)
        } else if fair_max.has(of) {
            fair_max.get(of)
        } else {
            continue;
        };
        let share = match d > 0 {
            true => v as f64 / d as f64,
            false => f64::from(v > 0),
        };
        if share > largest.share || largest.of.is_none() {
            let guaranteed = guaranteed.has(of);
            largest = Share { share, of: Some(of), allocated: v, denominator: d, guaranteed };
        }
    }
    largest
}

/// An application's shares, ascending.
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

/// `v / total`, or `v` itself where the total does not name the type or is 0.
pub fn usage_shares(allocated: &Amounts, total: &Amounts) -> UsageShares {
    let mut shares = UsageShares { values: [0.0; TYPES_MAX], n: 0 };
    for (of, v) in allocated.iter() {
        let share = match total.get(of) {
            _ if v == 0 => 0.0,
            0 => v as f64,
            total => v as f64 / total as f64,
        };
        let at = shares.as_slice().partition_point(|&s| s <= share);
        shares.values.copy_within(at..shares.n, at + 1);
        shares.values[at] = share;
        shares.n += 1;
    }
    shares
}

/// From the largest shares down; an exhausted list is compared as zeros.
pub fn compare_usage(l: &UsageShares, r: &UsageShares) -> Ordering {
    let from_top =
        |shares: &UsageShares, i: usize| if i < shares.n { shares.values[shares.n - 1 - i] } else { 0.0 };
    for i in 0..l.n.max(r.n) {
        match from_top(l, i).partial_cmp(&from_top(r, i)) {
            Some(Ordering::Equal) | None => {}
            Some(different) => return different,
        }
    }
    Ordering::Equal
}

/// A queue among its siblings.
#[derive(Clone, Copy, Debug)]
pub struct ComparedQueue {
    /// Effective priority.
    pub effective: i32,
    /// Allocated.
    pub allocated: Amounts,
    /// Its own guarantee.
    pub guaranteed: Amounts,
    /// What is outstanding.
    pub pending: Amounts,
    /// What it may use, by itself and its ancestors.
    pub fair_max: Amounts,
}

/// The share of a sibling as it is seen at a place: the list of maxima is not moved together with the queues.
pub fn share_at(queues: &[ComparedQueue], at: At) -> Share {
    let ComparedQueue { allocated, guaranteed, .. } = &queues[at.item];
    fair_share(allocated, guaranteed, &queues[at.position].fair_max)
}

/// Whether the left sibling goes before the right one (3.2): priority and share, in that order if `by_priority`, then
/// who has more pending in every type.
pub fn goes_before(queues: &[ComparedQueue], by_priority: bool, l: At, r: At) -> bool {
    let (a, b) = (&queues[l.item], &queues[r.item]);
    let priority = b.effective.cmp(&a.effective);
    let share = || {
        let of = |at: At| share_at(queues, at).share;
        of(l).partial_cmp(&of(r)).unwrap_or(Ordering::Equal)
    };
    let first = if by_priority { priority.then_with(share) } else { share().then(priority) };
    first == Ordering::Less || first == Ordering::Equal && has_more_pending(a, b)
}

/// Whether the one has nowhere less pending than the other, and somewhere more.
pub fn has_more_pending(a: &ComparedQueue, b: &ComparedQueue) -> bool {
    amounts::gt(&amounts::difference(&a.pending, &b.pending), &Amounts::EMPTY)
}

/// The order of siblings.
pub fn sort_queues(queues: &[ComparedQueue], by_priority: bool) -> Vec<usize> {
    stable::order(queues.len(), &mut |l, r| goes_before(queues, by_priority, l, r))
}

/// An application among those of its leaf.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// Largest priority of what is outstanding.
    pub priority: i32,
    /// In milliseconds.
    pub submitted: i64,
    /// What it uses, against the leaf's guarantee.
    pub usage: UsageShares,
}

/// The order of a leaf's applications (3.4): priority and submission (or usage), in that order if `by_priority`.
pub fn sort_apps(apps: &[Shared], fair: bool, by_priority: bool) -> Vec<usize> {
    stable::order(apps.len(), &mut |l, r| {
        let (a, b) = (&apps[l.item], &apps[r.item]);
        let priority = b.priority.cmp(&a.priority);
        let other = if fair { compare_usage(&a.usage, &b.usage) } else { a.submitted.cmp(&b.submitted) };
        let first = if by_priority { priority.then(other) } else { other.then(priority) };
        first == Ordering::Less
    })
}

/// How well a node would do as a reservation: the smaller, the less is left over.
pub fn reservation_score(ask: &Amounts, available: &Amounts) -> f64 {
    if ask.is_none() {
        return available.iter().count() as f64;
    }
    let mut score = 0.0;
    for (of, free) in available.iter().filter(|&(_, free)| free > 0) {
        let wanted = ask.get(of);
        score += match wanted {
            _ if wanted <= 0 => 1.0,
            _ if wanted < free => (free - wanted) as f64 / free as f64,
            _ => 0.0,
        };
    }
    score
}

/// How nodes are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeSort {
    /// The least used first.
    #[default]
    Fair,
    /// The most used first.
    BinPacking,
}

/// Weighted mean of `1 - available / capacity`; its complement under bin packing.
pub fn node_score(
    sort: NodeSort,
    weights: &[f64; TYPES_MAX],
    capacity: &Amounts,
    available: &Amounts,
) -> f64 {
    let (mut used, mut total) = (0.0, 0.0);
    for (of, capacity) in capacity.iter().filter(|&(of, capacity)| weights[of] != 0.0 && capacity != 0) {
        let usage = 1.0 - available.get(of) as f64 / capacity as f64;
        used += usage * weights[of];
        total += weights[of];
    }
    let usage = if total > 0.0 { used / total } else { 0.0 };
    match sort {
        NodeSort::Fair => usage,
        NodeSort::BinPacking => 1.0 - usage,
    }
}
