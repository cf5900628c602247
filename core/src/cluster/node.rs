//! Nodes, their capacity and state.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::id::PartitionId;
use crate::units::ResourceVec;

/// A node of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name.
    pub name: Arc<str>,
    /// The partition that schedules it.
    pub partition: PartitionId,
    /// Allocatable CPU, memory, GPUs and named resources.
    pub capacity: ResourceVec,
    /// Pod slots; [`Node::UNLIMITED_PODS`]: no limit.
    pub pods_max: u32,
    /// Memory of each GPU in MiB.
    pub gpu_memory_mib: i64,
    /// Labels, sorted by key.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// Taints that exclude pods without a matching toleration.
    pub taints: Vec<super::pod::Taint>,
    /// Whether the node is not down.
    pub ready: bool,
    /// Whether the node is being drained: its pods stay, but it accepts no others.
    pub draining: bool,
}

/// The allocatable capacity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// CPU, memory, GPUs and named resources.
    pub amounts: ResourceVec,
    /// Pod slots; [`Node::UNLIMITED_PODS`]: no limit.
    pub pods_max: u32,
}

/// State of a node during the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeState {
    /// Accepts pods.
    Ready,
    /// Accepts no further pods; those on it stay.
    Draining,
    /// Out of service; its pods are lost.
    Down,
}

impl Node {
    /// Number of pod slots that stands for no limit.
    pub const UNLIMITED_PODS: u32 = u32::MAX;

    /// The allocatable capacity.
    pub fn capacity(&self) -> Capacity {
        Capacity { amounts: self.capacity, pods_max: self.pods_max }
    }

    /// Whether pods may be placed on the node.
    pub fn takes_pods(&self) -> bool {
        self.ready && !self.draining
    }

    /// Memory of one device in MiB for requests of parts of it: rounded down to hundreds, at least 100.
    pub fn device_mib(&self) -> i64 {
        (self.gpu_memory_mib / 100 * 100).max(100)
    }

    /// Number of whole devices.
    pub fn n_devices(&self) -> u32 {
        let milli = self.capacity.get(crate::units::Resource::GPU).in_base_units();
        u32::try_from(milli / 1000).expect("checked when the scenario was read")
    }
}
