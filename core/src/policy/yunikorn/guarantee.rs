//! How much of their guarantee queues have left while victims are weighed: a working picture of the queues concerned.
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
//! The last two but one hold for every queue but the root. The prefix is one of text: `root.a` counts as an ancestor of
//! `root.ab` (Q-13).
//!
//! # Source
//! yunikorn.md 5.4

use super::amounts::{self, Amounts};
use super::model::{Core, QueueIx};

/// A queue in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Snap {
    /// The queue; distinct for each.
    pub queue: QueueIx,
    /// Its place in the picture; `None` for the root.
    pub parent: Option<usize>,
    /// From the root.
    pub path: String,
    /// Allocated.
    pub allocated: Amounts,
    /// Marked to go.
    pub preempting: Amounts,
    /// Guaranteed.
    pub guaranteed: Amounts,
    /// Whether the ask's leaf is known to it: all but the root.
    pub linked: bool,
}

/// Queues concerned by one ask, the ask's leaf among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// All, parents before children.
    pub snaps: Vec<Snap>,
    /// The ask's leaf.
    pub leaf: usize,
}

impl Picture {
    /// The queues from the root to the ask's leaf.
    pub fn new(core: &Core, leaf: QueueIx) -> Picture {
        let mut picture = Picture { snaps: Vec::new(), leaf: 0 };
        picture.leaf = picture.add(core, leaf);
        picture
    }

    /// The place of a queue, which is taken in with its ancestors.
    pub fn add(&mut self, core: &Core, queue: QueueIx) -> usize {
        if let Some(at) = self.snaps.iter().position(|snap| snap.queue == queue) {
            return at;
        }
        let from = &core.queues[queue];
        let parent = from.parent.map(|parent| self.add(core, parent));
        self.snaps.push(Snap {
            queue,
            parent,
            path: from.path.clone(),
            allocated: from.allocated,
            preempting: from.preempting,
            guaranteed: from.guaranteed,
            linked: parent.is_some(),
        });
        self.snaps.len() - 1
    }

    /// What a queue has left of its guarantee; *none*: nothing is guaranteed that counts here.
    pub fn remaining(&self, at: usize) -> Amounts {
        let snap = &self.snaps[at];
        let above = snap.parent.map_or(Amounts::NONE, |parent| self.remaining(parent));
        if above.is_empty() && snap.guaranteed.is_empty() {
            return Amounts::NONE;
        }
        let own = amounts::sub_existing(
            &snap.guaranteed,
            &amounts::sub_existing(&snap.allocated, &snap.preempting),
        );
        if snap.linked && !own.is_empty() {
            let leaf = &self.snaps[self.leaf];
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
        self.change(at, &mut |allocated| allocated.add(resource));
    }

    /// Takes an allocation out again.
    pub fn take(&mut self, at: usize, resource: &Amounts) {
        self.change(at, &mut |allocated| allocated.sub(resource));
    }

    fn change(&mut self, at: usize, change: &mut dyn FnMut(&mut Amounts)) {
        let mut next = Some(at);
        while let Some(at) = next {
            change(&mut self.snaps[at].allocated);
            next = self.snaps[at].parent;
        }
    }
}

/// No type of the ask is short.
pub fn is_under(remaining: &Amounts, ask: &Amounts) -> bool {
    !is_over(remaining, ask)
}

/// Some type of the ask is short.
pub fn is_over(remaining: &Amounts, ask: &Amounts) -> bool {
    ask.types().any(|of| remaining.get(of) < 0)
}
