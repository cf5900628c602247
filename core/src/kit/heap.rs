//! The binary heap of Go's `container/heap`, step by step.
//!
//! Which of several "equal" or inconsistently compared items is popped first depends on every single
//! comparison and swap, so the steps are part of the rule and the standard library's heap is not suitable.

/// A heap in an array. Every operation takes the order as an argument, because it may depend on mutable state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heap<T> {
    items: Vec<T>,
}

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Heap { items: Vec::new() }
    }
}

impl<T: Copy> Heap<T> {
    /// Creates a heap from items in pop order.
    pub fn of_ordered(items: Vec<T>) -> Heap<T> {
        Heap { items }
    }
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the heap is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The next item to pop, as of the last operation.
    pub fn top(&self) -> Option<T> {
        self.items.first().copied()
    }
    /// Items in array order.
    pub fn items(&self) -> &[T] {
        &self.items
    }
    /// Whether every item except the first precedes its children.
    pub fn is_ordered_below_top(&self, mut less: impl FnMut(T, T) -> bool) -> bool {
        (3..self.items.len()).all(|j| !less(self.items[j], self.items[(j - 1) / 2]))
    }
    /// Adds an item that precedes no other.
    pub fn append(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds an item.
    pub fn push(&mut self, item: T, mut less: impl FnMut(T, T) -> bool) {
        self.items.push(item);
        self.up(self.items.len() - 1, &mut less);
    }

    /// Adds an item; if the heap then has more than `most`, drops the *last slot of the array*, which need not hold
    /// the worst item.
    pub fn push_bounded(&mut self, item: T, most: usize, mut less: impl FnMut(T, T) -> bool) {
        self.push(item, &mut less);
        if self.items.len() > most {
            self.remove(most, less);
        }
    }

    /// Removes and returns the first item.
    pub fn pop(&mut self, mut less: impl FnMut(T, T) -> bool) -> Option<T> {
        let last = self.items.len().checked_sub(1)?;
        self.items.swap(0, last);
        self.down(0, last, &mut less);
        self.items.pop()
    }

    /// Restores the heap order after the item in slot `i` changed.
    pub fn fix(&mut self, i: usize, mut less: impl FnMut(T, T) -> bool) {
        if !self.down(i, self.items.len(), &mut less) {
            self.up(i, &mut less);
        }
    }

    /// Removes and returns the item in slot `i`.
    pub fn remove(&mut self, i: usize, mut less: impl FnMut(T, T) -> bool) -> Option<T> {
        let last = self.items.len().checked_sub(1)?;
        if i != last {
            self.items.swap(i, last);
            if !self.down(i, last, &mut less) {
                self.up(i, &mut less);
            }
        }
        self.items.pop()
    }

    fn up(&mut self, mut j: usize, less: &mut impl FnMut(T, T) -> bool) {
        while j > 0 {
            let i = (j - 1) / 2;
            if !less(self.items[j], self.items[i]) {
                break;
            }
            self.items.swap(i, j);
            j = i;
        }
    }

    fn down(&mut self, start: usize, n: usize, less: &mut impl FnMut(T, T) -> bool) -> bool {
        let mut i = start;
        loop {
            let mut j = 2 * i + 1;
            if j >= n {
                break;
            }
            if j + 1 < n && less(self.items[j + 1], self.items[j]) {
                j += 1;
            }
            if !less(self.items[j], self.items[i]) {
                break;
            }
            self.items.swap(i, j);
            i = j;
        }
        i > start
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn a_bounded_heap_drops_the_last_slot() {
        let better = |l: i32, r: i32| l > r;
        let mut heap = Heap::default();
        [1, 3, 2].into_iter().for_each(|x| heap.push_bounded(x, 2, better));
        assert_eq!(heap.items(), [3, 1]);
        let mut heap = Heap::default();
        [3, 2, 1].into_iter().for_each(|x| heap.push_bounded(x, 2, better));
        assert_eq!(heap.items(), [3, 2]);
    }

    #[test]
    fn items_pop_in_order() {
        let mut heap = Heap::default();
        [5, 1, 4, 2, 3].into_iter().for_each(|x| heap.push(x, |l, r| l < r));
        assert_eq!(heap.remove(1, |l, r| l < r), Some(2));
        let out: Vec<i32> = std::iter::from_fn(|| heap.pop(|l, r| l < r)).collect();
        assert_eq!(out, [1, 3, 4, 5]);
    }
}
