//! Pods: what they ask for, where they are, what phase they are in.

use std::sync::Arc;

use crate::id::{JobId, NodeId, PodSetId};
use crate::time::Time;
use crate::units::{Amount, ResourceVec};

/// The smallest unit that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// Unique name; also the last tie-break of policies that say so.
    pub name: Arc<str>,
    /// Its job.
    pub job: JobId,
    /// Its pod set.
    pub pod_set: PodSetId,
    /// Tie-break by age; `None` when the scenario does not say.
    pub created: Option<Time>,
    /// What it asks for.
    pub request: Request,
    /// Where it may run; empty: anywhere.
    pub selector: NodeSelector,
    /// Where it stands now. Changed by `lifecycle` only.
    pub phase: Phase,
    /// Where it is, while it holds something.
    pub node: Option<NodeId>,
    /// The devices it holds there.
    pub devices: Devices,
}

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// CPU, memory and named resources. The GPU entry is `gpu`'s whole-device equivalent.
    pub resources: ResourceVec,
    /// How it wants GPUs.
    pub gpu: GpuRequest,
}

/// How a pod wants GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuRequest {
    /// None.
    #[default]
    None,
    /// Whole devices.
    Whole {
        /// How many.
        devices: u32,
    },
    /// The same part of each of several devices.
    Fraction {
        /// Thousandths of a device.
        portion: Amount,
        /// How many devices.
        devices: u32,
    },
    /// The same memory on each of several devices.
    Memory {
        /// MiB on each device.
        mib: i64,
        /// How many devices.
        devices: u32,
    },
}

/// Required node labels: every key must have one of its values.
pub type NodeSelector = Vec<(Arc<str>, Vec<Arc<str>>)>;

/// Where a pod stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The job is not submitted yet.
    Future,
    /// Waiting to be placed.
    Pending,
    /// Waiting for something outside scheduling.
    Gated,
    /// Placed, not running yet.
    Starting {
        /// When it will run.
        until: Time,
    },
    /// Running.
    Running {
        /// Since when.
        since: Time,
        /// When it ends by itself.
        until: Option<Time>,
    },
    /// Told to go, still holding resources.
    Terminating {
        /// When it is gone.
        until: Time,
    },
    /// Ended by itself.
    Finished {
        /// When.
        at: Time,
    },
    /// Withdrawn.
    Removed {
        /// When.
        at: Time,
    },
}

impl Phase {
    /// Whether it holds resources on a node.
    pub fn holds(self) -> bool {
        matches!(self, Phase::Starting { .. } | Phase::Running { .. } | Phase::Terminating { .. })
    }
    /// Whether it is over.
    pub fn is_over(self) -> bool {
        matches!(self, Phase::Finished { .. } | Phase::Removed { .. })
    }
}

/// Which devices of its node a pod holds: bit `i` is device `i`; a node has at most 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Devices(pub u64);

impl Devices {
    /// The devices by number, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |i| self.0 & (1 << i) != 0)
    }
}
