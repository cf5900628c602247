//! Sorting that is small in a program: every sort of the standard library is made anew for its kind of item and its order, and
//! takes more room on the page than what it is called from.

use std::cmp::Ordering;

/// So few are sorted in place.
const FEW: usize = 20;

/// Sorts; what is equal stays in its order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.len() <= FEW {
        for end in 1..items.len() {
            let mut at = end;
            while at > 0 && compare(&items[at - 1], &items[at]).is_gt() {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order = order(items.len(), &mut |a, b| compare(&items[a as usize], &items[b as usize]));
    // Each cycle of the permutation by swaps; what is in its place points to itself.
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at as u32) as usize;
            if from == start || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// The same by a key.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Positions in sorted order: runs that are sorted already are merged in pairs until one is left.
fn order(n: usize, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut ends: Vec<usize> = (1..n).filter(|&at| compare(order[at - 1], order[at]).is_gt()).collect();
    ends.push(n);
    let mut merged: Vec<u32> = Vec::with_capacity(n);
    while ends.len() > 1 {
        let mut kept = Vec::with_capacity(ends.len().div_ceil(2));
        let mut start = 0;
        for pair in ends.chunks(2) {
            let (middle, end) = (pair[0], pair[pair.len() - 1]);
            let (mut left, mut right) = (start, middle);
            while left < middle || right < end {
                let takes_left = right == end || left < middle && compare(order[left], order[right]).is_le();
                let from = if takes_left { &mut left } else { &mut right };
                merged.push(order[*from]);
                *from += 1;
            }
            kept.push(end);
            start = end;
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        ends = kept;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(keys in prop::collection::vec(0..9u8, 0..90)) {
            let mut ours: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut theirs = ours.clone();
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
