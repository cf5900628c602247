//! Nodes: capacity, state and allocation (devices, shared devices, CPU, memory and pod slots).

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use super::pod::{Devices, GpuRequest, Request};
use crate::id::PartitionId;
use crate::units::{Amount, Resource, ResourceVec};

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

/// Allocation of one node, maintained incrementally so that queries need no iteration over pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeUse {
    /// Devices of which no part is allocated.
    free: u64,
    /// Devices allocated in parts, by number.
    shared: Vec<Shared>,
    /// Memory of one device in MiB, rounded down to hundreds; see [`Node::device_mib`].
    device_mib: i64,
    /// Allocated CPU, memory, GPUs and named resources.
    used: ResourceVec,
    /// Pods on the node.
    n_pods: u32,
    /// Devices that its pods requested and do not hold, because the node has too few.
    n_missing: u32,
}

/// A device allocated in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shared {
    device: u32,
    /// Allocated memory in MiB.
    mib: i64,
    n_pods: u32,
}

/// Adds the lowest of some other devices until there are `n`.
fn with_lowest(mut picked: u64, mut available: u64, n: u32) -> u64 {
    while picked.count_ones() < n && available != 0 {
        let lowest = available & available.wrapping_neg();
        picked |= lowest;
        available ^= lowest;
    }
    picked
}

impl NodeUse {
    /// Creates the allocation of an empty node.
    pub fn new(node: &Node) -> NodeUse {
        let n = node.n_devices();
        let free = if n >= 64 { u64::MAX } else { (1 << n) - 1 };
        NodeUse { free, device_mib: node.device_mib(), ..NodeUse::default() }
    }

    /// Devices of which no part is allocated.
    pub fn free(&self) -> Devices {
        Devices(self.free)
    }
    /// Number of devices of which no part is allocated.
    pub fn n_free(&self) -> u32 {
        self.free.count_ones()
    }
    /// Allocated CPU, memory, GPUs and named resources.
    pub fn used(&self) -> &ResourceVec {
        &self.used
    }
    /// Pods on the node.
    pub fn n_pods(&self) -> u32 {
        self.n_pods
    }
    /// Allocated part of a device in thousandths; 0 for a free one, 1000 for one allocated as a whole.
    pub fn device_milli(&self, device: u32) -> i64 {
        if self.free & (1 << device) != 0 {
            return 0;
        }
        match self.shared.iter().find(|s| s.device == device) {
            Some(s) => s.mib * 1000 / self.device_mib,
            None => 1000,
        }
    }

    /// Free thousandths of the node's GPUs for a request: whole devices or, for parts of devices, also the free parts
    /// of shared ones.
    pub fn free_milli(&self, node: &Node, gpu: GpuRequest) -> i64 {
        match gpu {
            GpuRequest::None | GpuRequest::Whole { .. } => i64::from(self.n_free()) * 1000,
            GpuRequest::Fraction { .. } | GpuRequest::Memory { .. } => {
                (0..node.n_devices()).map(|device| 1000 - self.device_milli(device)).sum()
            }
        }
    }

    /// Thousandths of the node's GPUs that a request takes here; GPU memory counts by the node's own devices.
    pub fn asked_milli(&self, request: &Request) -> i64 {
        match request.gpu {
            GpuRequest::Memory { mib, devices } => i64::from(devices) * (mib * 1000 / self.device_mib),
            GpuRequest::None | GpuRequest::Whole { .. } | GpuRequest::Fraction { .. } => {
                request.resources.get(Resource::GPU).in_base_units()
            }
        }
    }

    /// MiB of each device that a request for parts takes on this node. As in the reference, a portion is multiplied as
    /// a double and truncated, so that the same portions fill a device.
    fn part_mib(&self, gpu: GpuRequest) -> i64 {
        match gpu {
            GpuRequest::Fraction { portion, .. } => {
                (portion.in_base_units() as f64 / 1000.0 * self.device_mib as f64) as i64
            }
            GpuRequest::Memory { mib, .. } => mib,
            GpuRequest::None | GpuRequest::Whole { .. } => 0,
        }
    }

    /// The devices a request would get: whole ones from the lowest free device; parts on the fullest shared devices
    /// with room, lowest number first among equals, then from the lowest free device. `None`: too few devices.
    pub fn pick(&self, gpu: GpuRequest) -> Option<Devices> {
        let (n_devices, parts) = match gpu {
            GpuRequest::None => return Some(Devices(0)),
            GpuRequest::Whole { devices } => (devices, false),
            GpuRequest::Fraction { devices, .. } | GpuRequest::Memory { devices, .. } => (devices, true),
        };
        let mut picked = 0u64;
        if parts {
            let mib = self.part_mib(gpu);
            if mib > self.device_mib {
                return None;
            }
            let mut room: Vec<_> = self.shared.iter().filter(|s| s.mib + mib <= self.device_mib).collect();
            room.sort_by_key(|s| (-s.mib, s.device));
            for shared in room.into_iter().take(n_devices as usize) {
                picked |= 1 << shared.device;
            }
        }
        let picked = with_lowest(picked, self.free, n_devices);
        (picked.count_ones() == n_devices).then_some(Devices(picked))
    }

    /// Whether a request can be served with exactly these devices.
    pub fn can_give(&self, gpu: GpuRequest, devices: Devices) -> bool {
        let n = devices.0.count_ones();
        match gpu {
            GpuRequest::None => n == 0,
            GpuRequest::Whole { devices: n_devices } => n == n_devices && devices.0 & !self.free == 0,
            GpuRequest::Fraction { devices: n_devices, .. } | GpuRequest::Memory { devices: n_devices, .. } => {
                let mib = self.part_mib(gpu);
                let has_room = |device: u32| {
                    let shared = self.shared.iter().find(|s| s.device == device);
                    let is_free = self.free & (1 << device) != 0;
                    shared.map_or(is_free && mib <= self.device_mib, |s| s.mib + mib <= self.device_mib)
                };
                n == n_devices && devices.iter().all(has_room)
            }
        }
    }

    /// Whether CPU, memory, named resources and a pod slot suffice and, for a request of GPUs, the node's pods lack no
    /// device. Free GPUs are checked by [`NodeUse::pick`].
    pub fn has_room(&self, node: &Node, request: &Request) -> bool {
        let lacks_devices = self.lacks_devices() && request.gpu.n_devices() > 0;
        self.n_pods < node.pods_max && !lacks_devices && self.lacking(node, request).is_none()
    }

    /// The first resource other than GPUs that is insufficient for a request.
    pub fn lacking(&self, node: &Node, request: &Request) -> Option<Resource> {
        let requested = request.resources.iter().filter(|&(r, a)| r != Resource::GPU && a > Amount::ZERO);
        for (resource, amount) in requested {
            if self.used.get(resource) + amount > node.capacity.get(resource) {
                return Some(resource);
            }
        }
        None
    }

    /// The devices for a pod that stays although there may be too few: its own as far as they are free, then the lowest
    /// free ones.
    pub fn pick_some(&self, gpu: GpuRequest, present: Devices) -> Devices {
        let GpuRequest::Whole { devices } = gpu else { return self.pick(gpu).unwrap_or_default() };
        let picked = present.0 & self.free;
        Devices(with_lowest(picked, self.free & !picked, devices))
    }

    /// Whether the node's pods exceed its capacity.
    pub fn exceeds(&self, node: &Node) -> bool {
        let is_over = |(r, used): (Resource, Amount)| r != Resource::GPU && used > node.capacity.get(r);
        self.lacks_devices() || self.n_pods > node.pods_max || self.used.iter().any(is_over)
    }

    /// Whether pods hold fewer devices than they requested, because the node has too few.
    pub fn lacks_devices(&self) -> bool {
        self.n_missing > 0
    }

    /// Allocates a request on devices chosen by [`NodeUse::pick`].
    pub fn take(&mut self, request: &Request, devices: Devices) {
        self.used.add(&request.resources);
        self.n_pods += 1;
        self.n_missing += request.gpu.n_devices() - devices.0.count_ones();
        match request.gpu {
            GpuRequest::None => {}
            GpuRequest::Whole { .. } => self.free &= !devices.0,
            GpuRequest::Fraction { .. } | GpuRequest::Memory { .. } => {
                let mib = self.part_mib(request.gpu);
                for device in devices.iter() {
                    match self.shared.binary_search_by_key(&device, |s| s.device) {
                        Ok(i) => {
                            self.shared[i].mib += mib;
                            self.shared[i].n_pods += 1;
                        }
                        Err(i) => self.shared.insert(i, Shared { device, mib, n_pods: 1 }),
                    }
                }
                self.free &= !devices.0;
            }
        }
    }

    /// Releases an allocation of [`NodeUse::take`]. A shared device is free again when its last part is released.
    pub fn give_back(&mut self, request: &Request, devices: Devices) {
        self.used.sub(&request.resources);
        self.n_pods -= 1;
        self.n_missing -= request.gpu.n_devices() - devices.0.count_ones();
        match request.gpu {
            GpuRequest::None => {}
            GpuRequest::Whole { .. } => self.free |= devices.0,
            GpuRequest::Fraction { .. } | GpuRequest::Memory { .. } => {
                let mib = self.part_mib(request.gpu);
                for device in devices.iter() {
                    if let Ok(i) = self.shared.binary_search_by_key(&device, |s| s.device) {
                        self.shared[i].mib -= mib;
                        self.shared[i].n_pods -= 1;
                        if self.shared[i].n_pods == 0 {
                            self.shared.remove(i);
                            self.free |= 1 << device;
                        }
                    }
                }
            }
        }
    }
}
