//! Which nodes a queue owns.
//!
//! # Rule
//! Leaf queues in file order; each takes the next nodes in file order, whole, as long as the node's GPUs fit what is
//! left of its GPU quota. What is left then, and everything once the nodes are used up, is a counted share: so
//! many GPUs the queue may hold on nodes nobody owns. An unlimited quota is an uncounted share; a quota left out is none.
//! Nodes without GPUs have no owner. What a queue holds anywhere counts against its quota, so that nodes that change
//! their owner while its pods run do not give it more.
//!
//! # Source
//! Helios simulator: every virtual cluster has its own nodes, quota / 8 of them.
//!
//! # Differs
//! The remainder of a quota, which does not occur there.

use crate::id::{NodeId, QueueId};
use crate::policy::PartitionView;
use crate::units::{Bound, Resource};

/// What a leaf queue owns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Owned {
    /// Whole nodes, in file order.
    pub nodes: Vec<NodeId>,
    /// Thousandths of GPUs it may hold on common nodes.
    pub share: i64,
    /// Thousandths of GPUs it may hold in all.
    pub quota: i64,
}

/// What each of the given leaf queues owns, and the common nodes.
pub fn owners(world: PartitionView<'_>, leaves: &[QueueId]) -> (Vec<Owned>, Vec<NodeId>) {
    let mut nodes = world.nodes().filter(|(_, node)| node.n_devices() > 0).peekable();
    let mut owned = Vec::new();
    for &leaf in leaves {
        let quota = match world.queues()[leaf].resources.gpu.quota {
            Bound::Unset => 0,
            Bound::Unlimited => {
                owned.push(Owned { nodes: Vec::new(), share: i64::MAX, quota: i64::MAX });
                continue;
            }
            Bound::At(quota) => quota.in_base_units(),
        };
        let mut left = quota;
        let mut own = Owned { quota, ..Owned::default() };
        while let Some((id, node)) = nodes.peek() {
            let size = node.capacity.get(Resource::GPU).in_base_units();
            if size > left {
                break;
            }
            own.nodes.push(*id);
            left -= size;
            nodes.next();
        }
        own.share = left;
        owned.push(own);
    }
    let is_owned = |id: &NodeId| owned.iter().any(|own| own.nodes.binary_search(id).is_ok());
    let common = world.nodes().map(|(id, _)| id).filter(|id| !is_owned(id)).collect();
    (owned, common)
}
