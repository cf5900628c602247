//! Assigns nodes to leaf queues.
//!
//! # Rule
//! Leaf queues are served in file order. Each takes the next nodes in file order, whole, while the node's GPUs fit the
//! rest of its GPU quota. What remains of the quota is a counted share: the number of GPUs that the queue may hold on
//! nodes without owner. An unlimited quota is an unlimited share; an absent quota is 0. Nodes without GPUs have no
//! owner. GPUs held on any node count against the quota, so that a queue does not gain when the ownership of a node
//! changes while its pods run.
//!
//! # Source
//! Helios simulator: every virtual cluster has its own nodes, quota / 8 of them
//!
//! # Differs
//! Quotas there are multiples of the node size; the counted share of a remainder is our own.

use crate::id::{NodeId, QueueId};
use crate::policy::PartitionView;
use crate::units::{Bound, Resource};

/// Nodes and GPUs available to a leaf queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Owned {
    /// Whole nodes, in file order.
    pub nodes: Vec<NodeId>,
    /// Milli-GPUs that it may hold on common nodes; `i64::MAX` if unlimited.
    pub share: i64,
    /// Milli-GPUs that it may hold in total; `i64::MAX` if unlimited.
    pub quota: i64,
}

/// Returns the share of each of the leaf queues, in their order, and the common nodes.
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
        let mut remaining = quota;
        let mut owner = Owned { quota, ..Owned::default() };
        while let Some((id, node)) = nodes.peek() {
            let size = node.capacity.get(Resource::GPU).in_base_units();
            if size > remaining {
                break;
            }
            owner.nodes.push(*id);
            remaining -= size;
            nodes.next();
        }
        owner.share = remaining;
        owned.push(owner);
    }
    let is_owned = |id: &NodeId| owned.iter().any(|owner| owner.nodes.binary_search(id).is_ok());
    let common = world.nodes().map(|(id, _)| id).filter(|id| !is_owned(id)).collect();
    (owned, common)
}
