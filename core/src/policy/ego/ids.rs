//! Ids of the elements of a plan and its state, and lists indexed by the consumers of a pool.
//!
//! # Rule
//! Ids follow insertion order: consumers in tree order, hosts in plan order, units in the order of their
//! starts. A subtree is a range of consumers, and so are the consumers that may use a pool.
//!
//! # Source
//! ego.md 2
//!
//! # Differs
//! nothing

use std::iter::Map;
use std::ops::{Index, IndexMut, Range};

crate::id::ids! {
    /// A consumer; the first is the root. A pool has the id of the consumer that owns it.
    ConsumerId
    /// A host of a plan.
    HostId
    /// A sub-allocation.
    SubId
    /// A unit, running or gone.
    UnitId
    /// A unit size together with its host mask.
    SizeId
}

impl ConsumerId {
    /// The root, which owns the public pool.
    pub const ROOT: ConsumerId = ConsumerId(0);
}

/// A subtree, parents before their children.
pub type Consumers = Map<Range<u32>, fn(u32) -> ConsumerId>;

/// Consumers from `first` up to, but excluding, `end`.
pub fn consumers(first: ConsumerId, end: ConsumerId) -> Consumers {
    (first.0..end.0).map(ConsumerId)
}

/// One item per consumer that may use a pool, its root first.
#[derive(Clone, Debug, PartialEq)]
pub struct InPool<T> {
    root: ConsumerId,
    items: Vec<T>,
}

impl<T> Default for InPool<T> {
    fn default() -> InPool<T> {
        InPool { root: ConsumerId::ROOT, items: Vec::new() }
    }
}

impl<T> InPool<T> {
    /// Creates an item for each of the consumers.
    pub fn new(consumers: Consumers, item: impl FnMut(ConsumerId) -> T) -> InPool<T> {
        InPool { root: consumers.clone().next().unwrap_or_default(), items: consumers.map(item).collect() }
    }
    /// First consumer.
    pub fn root(&self) -> ConsumerId {
        self.root
    }
    /// The consumers.
    pub fn ids(&self) -> Consumers {
        consumers(self.root, ConsumerId(self.root.0 + self.items.len() as u32))
    }
}

impl<T> Index<ConsumerId> for InPool<T> {
    type Output = T;
    fn index(&self, consumer: ConsumerId) -> &T {
        &self.items[(consumer.0 - self.root.0) as usize]
    }
}
impl<T> IndexMut<ConsumerId> for InPool<T> {
    fn index_mut(&mut self, consumer: ConsumerId) -> &mut T {
        &mut self.items[(consumer.0 - self.root.0) as usize]
    }
}
