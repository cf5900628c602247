//! Go's stable sort, whose predicate receives positions.
//!
//! # Rule
//! Blocks of 20 are sorted by insertion, then merged in place by rotations. The predicate receives the positions of
//! both items: two of upstream's predicates are not strict orders, so the result depends on the algorithm, and the
//! standard sort could panic.
//!
//! # Source
//! yunikorn.md 0.5; Go's `sort.SliceStable` (SymMerge of Kim and Kutzner)

const BLOCK: usize = 20;

/// An item and its present position.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Item, by its initial position.
    pub item: usize,
    /// Present position.
    pub position: usize,
}

/// Sorts the numbers below `n`; `less(l, r)` tells whether `l` precedes `r`.
pub fn order(n: usize, less: &mut dyn FnMut(At, At) -> bool) -> Vec<usize> {
    let mut sort = Sort { items: (0..n).collect(), less };
    let mut start = 0;
    while start < n {
        let end = (start + BLOCK).min(n);
        sort.insertion(start, end);
        start = end;
    }
    let mut size = BLOCK;
    while size < n {
        let mut start = 0;
        while start + size < n {
            sort.merge(start, start + size, (start + 2 * size).min(n));
            start += 2 * size;
        }
        size *= 2;
    }
    sort.items
}

struct Sort<'a> {
    items: Vec<usize>,
    less: &'a mut dyn FnMut(At, At) -> bool,
}

impl Sort<'_> {
    fn less(&mut self, l: usize, r: usize) -> bool {
        let placed_item = |position: usize| At { item: self.items[position], position };
        let (l, r) = (placed_item(l), placed_item(r));
        (self.less)(l, r)
    }

    fn insertion(&mut self, start: usize, end: usize) {
        for i in start + 1..end {
            let mut j = i;
            while j > start && self.less(j, j - 1) {
                self.items.swap(j, j - 1);
                j -= 1;
            }
        }
    }

    /// Merges the sorted ranges `[a, m)` and `[m, b)`.
    fn merge(&mut self, a: usize, m: usize, b: usize) {
        if m - a == 1 {
            let (mut low, mut high) = (m, b);
            while low < high {
                let half = (low + high) / 2;
                if self.less(half, a) { low = half + 1 } else { high = half }
            }
            self.items[a..low].rotate_left(1);
            return;
        }
        if b - m == 1 {
            let (mut low, mut high) = (a, m);
            while low < high {
                let half = (low + high) / 2;
                if !self.less(m, half) { low = half + 1 } else { high = half }
            }
            self.items[low..=m].rotate_right(1);
            return;
        }
        let middle = (a + b) / 2;
        let n = middle + m;
        let (mut start, mut right) = if m > middle { (n - b, middle) } else { (a, m) };
        let p = n - 1;
        while start < right {
            let c = (start + right) / 2;
            if !self.less(p - c, c) { start = c + 1 } else { right = c }
        }
        let end = n - start;
        if start < m && m < end {
            self.items[start..end].rotate_left(m - start);
        }
        if a < start && start < middle {
            self.merge(a, start, middle);
        }
        if middle < end && end < b {
            self.merge(middle, end, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_standard_sort_for_a_strict_order(items in prop::collection::vec(0u8..20, 0..130)) {
            let mut expected: Vec<usize> = (0..items.len()).collect();
            expected.sort_by_key(|&i| items[i]);
            let sorted = order(items.len(), &mut |l, r| items[l.item] < items[r.item]);
            prop_assert_eq!(sorted, expected);
        }
    }
}
