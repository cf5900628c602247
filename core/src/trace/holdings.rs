//! Who owns nodes, under a policy whose queues own some and share the others.

use crate::id::{NodeId, PodId, QueueId};

/// Who owns the nodes of a partition, and what runs on them because of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holdings {
    /// The nodes that have an owner.
    pub nodes: Vec<OwnedNode>,
    /// Pods that run on nodes of their own queue, or in a pool of a queue above it.
    pub private: Vec<PodId>,
    /// Pods above the limit of their queue: they are reclaimed before all others.
    pub over_limit: Vec<PodId>,
}

/// A node that a queue owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedNode {
    /// The node.
    pub node: NodeId,
    /// Its owner.
    pub owner: QueueId,
    /// It is lent to others now.
    pub is_lent: bool,
}
