//! Sorting positions, in one place: each use of the standard sort on another type costs the page two kilobytes.

use std::cmp::Ordering;

/// The positions below `n` in the order of a comparison; equal ones stay in order.
pub fn order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}
