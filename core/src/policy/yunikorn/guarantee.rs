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
        if let Some(at) = self.queues.iter().position(|snap| snap.queue == queue) {
            return at;
        }
        let from = &core.queues[queue];
        let parent = from.parent.map(|parent| self.add(core, parent));
        self.queues.push(QueueSnapshot {
            queue,
            parent,
            path: from.path.clone(),
            allocated: from.allocated,
            preempting: from.preempting,
            guaranteed: from.guaranteed,
            linked: parent.is_some(),
        });
        self.queues.len() - 1
    }

    /// Remaining guarantee of a queue; *none* if no guarantee applies.
    pub fn remaining(&self, at: usize) -> Amounts {
        let snap = &self.queues[at];
        let above = snap.parent.map_or(Amounts::NONE, |parent| self.remaining(parent));
        if above.is_empty() && snap.guaranteed.is_empty() {
            return Amounts::NONE;
        }
        let own = amounts::sub_existing(&snap.guaranteed, &amounts::sub_existing(&snap.allocated, &snap.preempting));
        if snap.linked && !own.is_empty() {
            let leaf = &self.queues[self.leaf];
            if at == self.leaf {
                return amounts::merge_missing(&own, &above);
            }
            if leaf.path.starts_with(&snap.path) && !leaf.guaranteed.is_empty() {
                return Amounts::NONE;
            }
        }
        amounts::min_union(&own, &above)
    }

    /// Adds an allocation to a queue and its ancestors.
    pub fn put(&mut self, at: usize, resource: &Amounts) {
        self.change(at, |allocated| allocated.add(resource));
    }

    /// Subtracts an allocation from a queue and its ancestors.
    pub fn take(&mut self, at: usize, resource: &Amounts) {
        self.change(at, |allocated| allocated.sub(resource));
    }

    fn change(&mut self, at: usize, change: impl Fn(&mut Amounts)) {
        let mut next = Some(at);
        while let Some(at) = next {
            change(&mut self.queues[at].allocated);
            next = self.queues[at].parent;
        }
    }
}

/// Whether the remaining guarantee covers every type of the ask.
pub fn is_under(remaining: &Amounts, ask: &Amounts) -> bool {
    !is_over(remaining, ask)
}

/// Whether the remaining guarantee is insufficient for at least one type of the ask.
pub fn is_over(remaining: &Amounts, ask: &Amounts) -> bool {
    ask.types().any(|of| remaining.get(of) < 0)
}
