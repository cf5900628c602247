//! Ids of what a plan and its state consist of, and lists by consumer of one pool.
//!
//! # Rule
//! They follow the order in which things come in: consumers in tree order, hosts in plan order, units in the order of their
//! starts. A subtree is a range of consumers, and a pool is open to one.
//!
//! # Source
//! ego.md 2
//!
//! # Differs
//! nothing

use std::iter::Map;
use std::ops::{Index, IndexMut, Range};

crate::id::ids! {
    /// A consumer; the first is the root. A pool is named by the consumer that has it.
    ConsumerId
    /// A host of a plan.
    HostId
    /// A sub-allocation.
    SubId
    /// A unit that exists, or existed.
    UnitId
    /// A unit size, with the hosts that may take it.
    SizeId
}

impl ConsumerId {
    /// The root, which has the public pool.
    pub const ROOT: ConsumerId = ConsumerId(0);
}

/// A subtree, parents before their children.
pub type Consumers = Map<Range<u32>, fn(u32) -> ConsumerId>;

/// From a consumer on, up to another one.
pub fn consumers(from: ConsumerId, end: ConsumerId) -> Consumers {
    (from.0..end.0).map(ConsumerId)
}

/// One item for each consumer that may use a pool, its root first.
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
    /// Items of consumers that follow each other.
    pub fn new(of: Consumers, item: impl FnMut(ConsumerId) -> T) -> InPool<T> {
        InPool { root: of.clone().next().unwrap_or_default(), items: of.map(item).collect() }
    }
    /// The first of the consumers.
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
