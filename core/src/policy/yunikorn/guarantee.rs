//! Remaining guarantee of queues while victims are selected, computed on a snapshot of the queues concerned.
//!
//! # Rule
//! ```text
//! rem(q):  p = rem(parent), none above the root;  g = guaranteed(q)
//!          none                       if neither p nor g names a type
//!          r = g - (allocated - preempting), on the types of g
//!          mergeMissing(r, p)         if q is the ask's leaf and r names a type
//!          none                       if r names a type, q's path is a prefix of the ask leaf's, and that leaf has a guarantee
//!          minUnion(r, p)             otherwise
//! ```
//! The last three cases apply to every queue but the root. The prefix test is textual: `root.a` counts as an ancestor
//! of `root.ab` (Q-13).
//!
//! # Source
//! yunikorn.md 5.4

use super::amounts::{self, Amounts};
use super::model::{Core, QueueIx};

/// Snapshot of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSnapshot {
    /// The queue, unique in the snapshot.
    pub queue: QueueIx,
    /// Index of the parent in the snapshot; `None` for the root.
    pub parent: Option<usize>,
    /// Path from the root.
    pub path: String,
    /// Allocated resources of the subtree.
    pub allocated: Amounts,
    /// Resources marked for eviction in the subtree.
    pub preempting: Amounts,
    /// Guaranteed resources.
    pub guaranteed: Amounts,
    /// Whether it refers to the ask's leaf; true for all but the root.
    pub linked: bool,
}

/// Snapshot of the queues concerned by one ask, the ask's leaf included.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Queues, parents before children.
    pub queues: Vec<QueueSnapshot>,
    /// Index of the ask's leaf.
    pub leaf: usize,
}

impl Snapshot {
    /// Takes a snapshot of the queues from the root to the ask's leaf.
    pub fn new(core: &Core, leaf: QueueIx) -> Snapshot {
        let mut picture = Snapshot { queues: Vec::new(), leaf: 0 };
        picture.leaf = picture.add(core, leaf);
        picture
    }

    /// Returns the index of a queue, adding it and its ancestors if necessary.
    pub fn add(&mut self, core: &Core, queue: QueueIx) -> usize {
        if let Some(index) = self.queues.iter().position(|snap| snap.queue == queue) {
            return index;
        }
        let queue_state = &core.queues[queue];
        let parent = queue_state.parent.map(|parent| self.add(core, parent));
        self.queues.push(QueueSnapshot {
            queue,
            parent,
            path: queue_state.path.clone(),
            allocated: queue_state.allocated,
            preempting: queue_state.preempting,
            guaranteed: queue_state.guaranteed,
            linked: parent.is_some(),
        });
        self.queues.len() - 1
    }

    /// Remaining guarantee of a queue; *none* if no guarantee applies.
    pub fn remaining(&self, index: usize) -> Amounts {
        let snap = &self.queues[index];
        let parent_remaining = snap.parent.map_or(Amounts::NONE, |parent| self.remaining(parent));
        if parent_remaining.is_empty() && snap.guaranteed.is_empty() {
            return Amounts::NONE;
        }
        let own_remaining =
            amounts::sub_existing(&snap.guaranteed, &amounts::sub_existing(&snap.allocated, &snap.preempting));
        if snap.linked && !own_remaining.is_empty() {
            let leaf = &self.queues[self.leaf];
            if index == self.leaf {
                return amounts::merge_missing(&own_remaining, &parent_remaining);
            }
            if leaf.path.starts_with(&snap.path) && !leaf.guaranteed.is_empty() {
                return Amounts::NONE;
            }
        }
        amounts::min_union(&own_remaining, &parent_remaining)
    }

    /// Adds an allocation to a queue and its ancestors.
    pub fn put(&mut self, index: usize, resource: &Amounts) {
        self.change(index, |allocated| allocated.add(resource));
    }

    /// Subtracts an allocation from a queue and its ancestors.
    pub fn take(&mut self, index: usize, resource: &Amounts) {
        self.change(index, |allocated| allocated.sub(resource));
    }

    fn change(&mut self, index: usize, change: impl Fn(&mut Amounts)) {
        let mut next = Some(index);
        while let Some(index) = next {
            change(&mut self.queues[index].allocated);
            next = self.queues[index].parent;
        }
    }
}

/// Whether the remaining guarantee covers every type of the ask.
pub fn is_under(remaining: &Amounts, ask: &Amounts) -> bool {
    !is_over(remaining, ask)
}

/// Whether the remaining guarantee is insufficient for at least one type of the ask.
pub fn is_over(remaining: &Amounts, ask: &Amounts) -> bool {
    ask.types().any(|type_ix| remaining.get(type_ix) < 0)
}
