//! Machines.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::id::PartitionId;
use crate::units::ResourceVec;

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name.
    pub name: Arc<str>,
    /// The partition that schedules it.
    pub partition: PartitionId,
    /// What can be allocated: cpu, memory, gpu and named resources.
    pub capacity: ResourceVec,
    /// Pod slots; [`Node::UNLIMITED_PODS`]: as many as fit.
    pub pods_max: u32,
    /// Memory of each GPU in MiB.
    pub gpu_memory_mib: i64,
    /// Labels, sorted by key.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// What keeps pods off it.
    pub taints: Vec<super::pod::Taint>,
    /// Whether it takes part: not down.
    pub ready: bool,
    /// It is being drained: what is on it stays, nothing more comes.
    pub draining: bool,
}

/// What a node has to give away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// CPU, memory, GPUs and named resources.
    pub amounts: ResourceVec,
    /// Pod slots; [`Node::UNLIMITED_PODS`]: as many as fit.
    pub pods_max: u32,
}

/// What can become of a node during the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeState {
    /// It takes pods.
    Ready,
    /// It takes no more pods; those on it stay.
    Draining,
    /// It does not take part; what was on it is lost.
    Down,
}

impl Node {
    /// Pod slots of a node that does not limit its pods.
    pub const UNLIMITED_PODS: u32 = u32::MAX;

    /// What it has to give away.
    pub fn capacity(&self) -> Capacity {
        Capacity { amounts: self.capacity, pods_max: self.pods_max }
    }

    /// Whether pods may be placed on it.
    pub fn takes_pods(&self) -> bool {
        self.ready && !self.draining
    }

    /// Memory of one device in MiB as parts of it are counted: whole hundreds, at least one.
    pub fn device_mib(&self) -> i64 {
        (self.gpu_memory_mib / 100 * 100).max(100)
    }

    /// Number of whole devices.
    pub fn n_devices(&self) -> u32 {
        let milli = self.capacity.get(crate::units::Resource::GPU).in_base_units();
        u32::try_from(milli / 1000).expect("checked when the scenario was read")
    }
}
