//! What one node has given away: devices, shared devices, CPU, memory and pod slots.

use super::node::Node;
use super::pod::{Devices, GpuRequest, Request};
use crate::units::{Amount, Resource, ResourceVec};

/// What one node has given away. Kept incrementally, so that a question about a node costs no walk over pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeUse {
    /// Devices nobody holds any part of.
    free: u64,
    /// Devices given away in parts, by number.
    shared: Vec<Shared>,
    /// Memory of one device, MiB, as parts are counted: whole hundreds.
    device_mib: i64,
    /// CPU, memory, GPUs and named resources given away.
    used: ResourceVec,
    /// Pods on the node.
    n_pods: u32,
    /// How many devices its pods lack since it has fewer than they hold.
    n_missing: u32,
}

/// A device given away in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shared {
    device: u32,
    /// MiB given.
    mib: i64,
    /// To how many pods.
    n_pods: u32,
}

impl NodeUse {
    /// An empty node.
    pub fn new(node: &Node) -> NodeUse {
        let n = node.n_devices();
        let free = if n >= 64 { u64::MAX } else { (1 << n) - 1 };
        NodeUse { free, device_mib: node.device_mib(), ..NodeUse::default() }
    }

    /// Devices nobody holds any part of.
    pub fn free(&self) -> Devices {
        Devices(self.free)
    }
    /// How many devices nobody holds any part of.
    pub fn n_free(&self) -> u32 {
        self.free.count_ones()
    }
    /// CPU, memory, GPUs and named resources given away.
    pub fn used(&self) -> &ResourceVec {
        &self.used
    }
    /// Pods on the node.
    pub fn n_pods(&self) -> u32 {
        self.n_pods
    }
    /// Thousandths of a shared device that are given away; 0 for a free one, 1000 for one held as a whole.
    pub fn device_milli(&self, device: u32) -> i64 {
        if self.free & (1 << device) != 0 {
            return 0;
        }
        match self.shared.iter().find(|s| s.device == device) {
            Some(s) => s.mib * 1000 / self.device_mib,
            None => 1000,
        }
    }

    /// MiB of each device that a request for parts takes here. As in the reference a portion is multiplied as a
    /// double and cut off, so that portions which fill a device there fill it here.
    fn part_mib(&self, gpu: GpuRequest) -> i64 {
        match gpu {
            GpuRequest::Fraction { portion, .. } => {
                (portion.in_base_units() as f64 / 1000.0 * self.device_mib as f64) as i64
            }
            GpuRequest::Memory { mib, .. } => mib,
            GpuRequest::None | GpuRequest::Whole { .. } => 0,
        }
    }

    /// The devices a request would get: whole ones from the lowest free; parts on the fullest shared devices
    /// with room, lowest first among equals, then from the lowest free. `None`: too few.
    pub fn pick(&self, gpu: GpuRequest) -> Option<Devices> {
        let (wanted, parts) = match gpu {
            GpuRequest::None => return Some(Devices(0)),
            GpuRequest::Whole { devices } => (devices, false),
            GpuRequest::Fraction { devices, .. } | GpuRequest::Memory { devices, .. } => (devices, true),
        };
        let mut picked = 0u64;
        let mut missing = wanted;
        if parts {
            let mib = self.part_mib(gpu);
            if mib > self.device_mib {
                return None;
            }
            let mut room: Vec<_> = self.shared.iter().filter(|s| s.mib + mib <= self.device_mib).collect();
            room.sort_by_key(|s| (-s.mib, s.device));
            for shared in room.into_iter().take(missing as usize) {
                picked |= 1 << shared.device;
                missing -= 1;
            }
        }
        let mut free = self.free;
        while missing > 0 {
            if free == 0 {
                return None;
            }
            let lowest = free & free.wrapping_neg();
            picked |= lowest;
            free ^= lowest;
            missing -= 1;
        }
        Some(Devices(picked))
    }

    /// Whether a request could get exactly these devices.
    pub fn can_give(&self, gpu: GpuRequest, devices: Devices) -> bool {
        let n = devices.0.count_ones();
        match gpu {
            GpuRequest::None => n == 0,
            GpuRequest::Whole { devices: wanted } => n == wanted && devices.0 & !self.free == 0,
            GpuRequest::Fraction { devices: wanted, .. } | GpuRequest::Memory { devices: wanted, .. } => {
                let mib = self.part_mib(gpu);
                let has_room = |device: u32| {
                    let shared = self.shared.iter().find(|s| s.device == device);
                    let is_free = self.free & (1 << device) != 0;
                    shared.map_or(is_free && mib <= self.device_mib, |s| s.mib + mib <= self.device_mib)
                };
                n == wanted && devices.iter().all(has_room)
            }
        }
    }

    /// Whether CPU, memory, named resources and a pod slot are free, and no device is lacking for what it holds (which GPUs are free
    /// tells [`NodeUse::pick`]).
    pub fn has_room(&self, node: &Node, request: &Request) -> bool {
        let lacks_devices = self.lacks_devices() && request.gpu.n_devices() > 0;
        self.n_pods < node.pods_max && !lacks_devices && self.lacking(node, request).is_none()
    }

    /// The first resource other than GPUs of which too little is free.
    pub fn lacking(&self, node: &Node, request: &Request) -> Option<Resource> {
        let others = request.resources.iter().filter(|&(r, a)| r != Resource::GPU && a > Amount::ZERO);
        for (resource, amount) in others {
            if self.used.get(resource) + amount > node.capacity.get(resource) {
                return Some(resource);
            }
        }
        None
    }

    /// The devices for a pod that stays although there are too few: those of its own that are free, then others as far as there
    /// are some.
    pub fn pick_some(&self, gpu: GpuRequest, own: Devices) -> Devices {
        let GpuRequest::Whole { devices } = gpu else { return self.pick(gpu).unwrap_or_default() };
        let mut picked = own.0 & self.free;
        let mut others = self.free & !picked;
        while picked.count_ones() < devices && others != 0 {
            let lowest = others & others.wrapping_neg();
            picked |= lowest;
            others ^= lowest;
        }
        Devices(picked)
    }

    /// Whether its pods hold more than it has.
    pub fn exceeds(&self, node: &Node) -> bool {
        let is_over = |(r, used): (Resource, Amount)| r != Resource::GPU && used > node.capacity.get(r);
        self.lacks_devices() || self.n_pods > node.pods_max || self.used.iter().any(is_over)
    }

    /// Whether its pods lack devices since it has fewer than they hold.
    pub fn lacks_devices(&self) -> bool {
        self.n_missing > 0
    }

    /// Gives a pod what it asks for, on devices that [`NodeUse::pick`] named.
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
                        Ok(at) => {
                            self.shared[at].mib += mib;
                            self.shared[at].n_pods += 1;
                        }
                        Err(at) => self.shared.insert(at, Shared { device, mib, n_pods: 1 }),
                    }
                }
                self.free &= !devices.0;
            }
        }
    }

    /// Takes back what [`NodeUse::take`] gave. A shared device is free again when its last part is back.
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
                    if let Ok(at) = self.shared.binary_search_by_key(&device, |s| s.device) {
                        self.shared[at].mib -= mib;
                        self.shared[at].n_pods -= 1;
                        if self.shared[at].n_pods == 0 {
                            self.shared.remove(at);
                            self.free |= 1 << device;
                        }
                    }
                }
            }
        }
    }
}
