//! One sort for everything that is not hot.
//!
//! The standard sort is compiled anew for every type and comparison, five kilobytes each time, and the page
//! carries all of them. Here positions are sorted through one compiled copy, then the items are moved into
//! place. Stable, as the standard one; orders must be total.

use std::cmp::Ordering;

/// The positions below `n` in the order of a comparison; equal ones stay in order.
pub fn order(n: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Sorts by a comparison; equal items stay in order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    move_into(items, order);
}

/// Sorts by a key; equal items stay in order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |l, r| key(l).cmp(&key(r)));
}

/// Sorts by the items' own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Position `i` gets the item that stood at `order[i]`: each cycle of the permutation is walked once.
fn move_into<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_one(mut items: Vec<(u8, u32)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0 % 8);
            sort_by_key(&mut items, |item| item.0 % 8);
            prop_assert_eq!(items, expected);
        }
    }
}
