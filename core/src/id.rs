//! Typed indices and the vectors they index.
//!
//! Nothing is removed during a run, so an id never dangles and needs no generation. Ids follow file order.

use std::marker::PhantomData;

/// An index type of an [`Arena`].
pub trait Id: Copy {
    /// The id of an index.
    fn from_index(index: usize) -> Self;
    /// The index.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub struct $name(pub u32);
        impl $crate::id::Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("arenas stay below 2^32 items"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
pub(crate) use ids;

ids! {
    /// A separately scheduled part of the cluster.
    PartitionId
    /// A node.
    NodeId
    /// A queue of the hierarchy.
    QueueId
    /// A job: the unit of admission and order.
    JobId
    /// The pods of one kind in a job.
    PodSetId
    /// A pod: the smallest unit that runs.
    PodId
}

/// A vector indexed only by its own id type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena { items: Vec::new(), id: PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// Appends an item.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }
    /// Removes the last item.
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the arena is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
    /// All items with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (I::from_index(i), item))
    }
    /// All items in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.items.iter()
    }
    /// All items in order, mutable.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.items.iter_mut()
    }
    /// All items with their ids, in order, mutable.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(i, item)| (I::from_index(i), item))
    }
    /// The item, mutable, if the id belongs to this arena.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }
    /// The item, if the id belongs to this arena.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> std::ops::Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}
impl<I: Id, T> std::ops::IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
impl<I: Id, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Arena { items: items.into_iter().collect(), id: PhantomData }
    }
}
