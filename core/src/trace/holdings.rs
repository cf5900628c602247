//! Ownership of nodes, under a policy whose queues own some nodes and share the others.

use crate::id::{NodeId, PodId, QueueId};

/// The owned nodes of a partition, and the pods affected by the ownership.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holdings {
    /// The nodes with an owner.
    pub nodes: Vec<OwnedNode>,
    /// Pods that run on nodes of their own queue, or in a pool of one of its ancestors.
    pub private: Vec<PodId>,
    /// Pods above the limit of their queue, which are reclaimed before all others.
    pub over_limit: Vec<PodId>,
}

/// A node that a queue owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedNode {
    /// The node.
    pub node: NodeId,
    /// Its owner.
    pub owner: QueueId,
    /// Whether it is lent to other queues now.
    pub is_lent: bool,
}
