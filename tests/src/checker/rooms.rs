//! What pods keep of the nodes of KAI, added up from their places: amounts, pod slots, whole devices and parts of
//! devices.
//!
//! # Rule
//! A pod that terminates keeps its room in *idle* and gives it back in *releasing*; a claim takes from *releasing*
//! only. The first part on a device takes the whole device, which is being freed once only terminating pods use it. A
//! part is placed on the best devices by their filling, as the plugins gpupack and gpuspread order them.
//!
//! # Source
//! kai.md 1.6, 5.4, 5.6; kai-v0.17.md 15.6

use fairground::cluster::GpuRequest;
use fairground::id::{Id, NodeId, PodId};
use fairground::policy::kai::config::{Config, Revision};
use fairground::trace::{Event, Recorded};
use fairground::units::{RESOURCES_MAX, Resource};

use super::accounts::Accounts;
use super::moments::{MomentState, PodPlace};
use super::operand::mib_of;

/// Amounts by resource number; GPUs are whole devices.
pub type Amounts = [f64; RESOURCES_MAX];

/// What a pod keeps of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    Room,
    /// Until it has terminated.
    RoomForNow,
    /// Room that is being freed.
    Claim,
}

/// A pod on a node.
#[derive(Clone, Debug)]
struct Held {
    pod: PodId,
    node: NodeId,
    keeps: Keeps,
    /// Devices of which it uses parts.
    devices: Vec<u32>,
}

/// Numbers from here on stand for devices that a claim opens.
const OPENED: u32 = 64;

/// The pods on the nodes of a pool at one moment.
#[derive(Clone, Debug)]
pub struct Rooms<'a> {
    accounts: Accounts<'a>,
    config: &'a Config,
    held: Vec<Held>,
}

/// MiB of a device in partial use.
#[derive(Clone, Copy, Debug, Default)]
struct Device {
    number: u32,
    held: i64,
    leaving: i64,
    claimed: i64,
}

impl Device {
    fn used(&self) -> i64 {
        self.held + self.leaving + self.claimed
    }
    fn allocated(&self) -> i64 {
        self.held + self.leaving
    }
    fn releasing(&self) -> i64 {
        self.leaving - self.claimed
    }
}

/// What is free on a node.
#[derive(Clone, Debug)]
pub struct FreeCapacity {
    pub idle: Amounts,
    pub releasing: Amounts,
    pub idle_pods: i64,
    pub releasing_pods: i64,
    device_mib: i64,
    devices: Vec<Device>,
}

/// Whether a request is for parts of devices.
pub fn is_shared(gpu: GpuRequest) -> bool {
    matches!(gpu, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. })
}

impl<'a> Rooms<'a> {
    /// The state before the first decision of a cycle.
    pub fn at_start(accounts: Accounts<'a>, config: &'a Config, start: &MomentState) -> Rooms<'a> {
        let mut rooms = Rooms { accounts, config, held: Vec::new() };
        for (pod, of) in accounts.cluster.pods.iter() {
            let (node, keeps) = match start.places[pod.index()] {
                PodPlace::On(node) => (node, Keeps::Room),
                PodPlace::Leaving(node) if accounts.is_stuck(pod) => (node, Keeps::Room),
                PodPlace::Leaving(node) => (node, Keeps::RoomForNow),
                _ => continue,
            };
            let devices = of.devices.iter().filter(|_| is_shared(of.request.gpu)).collect();
            rooms.held.push(Held { pod, node, keeps, devices });
        }
        start.claims.iter().for_each(|(pod, node)| rooms.claim(*pod, *node, Keeps::Claim));
        rooms
    }

    /// Applies a decision; `is_free` if the room of a claim was free when it was placed, and turned into a claim later.
    pub fn apply(&mut self, recorded: &Recorded, is_free: bool) {
        match recorded.event {
            Event::Bound { pod, node, .. } => {
                self.held.retain(|held| held.pod != pod || held.keeps != Keeps::Claim);
                let of = self.accounts.pod(pod);
                let devices = of.devices.iter().filter(|_| is_shared(of.request.gpu)).collect();
                self.held.push(Held { pod, node, keeps: Keeps::Room, devices });
            }
            Event::Claimed { pod, node } => {
                self.claim(pod, node, if is_free { Keeps::Room } else { Keeps::Claim });
            }
            Event::Evicted { pod, .. } => {
                let keeps_room = |held: &&mut Held| held.pod == pod && held.keeps == Keeps::Room;
                self.held.iter_mut().filter(keeps_room).for_each(|held| held.keeps = Keeps::RoomForNow);
            }
            Event::Unclaimed { pod, .. } => {
                self.held.retain(|held| held.pod != pod || held.keeps != Keeps::Claim);
            }
            _ => {}
        }
    }

    fn claim(&mut self, pod: PodId, node: NodeId, keeps: Keeps) {
        let gpu = self.accounts.pod(pod).request.gpu;
        let devices = if is_shared(gpu) { self.best_devices(gpu, node) } else { Vec::new() };
        self.held.push(Held { pod, node, keeps, devices });
    }

    /// The devices for parts: those in use by their filling, and whole ones.
    fn best_devices(&self, gpu: GpuRequest, node: NodeId) -> Vec<u32> {
        let room = self.room(node);
        let [packs, spreads] = ["gpupack", "gpuspread"].map(|plugin| f64::from(self.config.has(plugin)));
        let score = |filled: f64| packs * filled + spreads * (1.0 - filled);
        let mut all: Vec<(f64, u32)> = Vec::new();
        for device in room.fitting(gpu) {
            all.push((score(device.used() as f64 / room.device_mib as f64), device.number));
        }
        let n_opened = self.held.iter().flat_map(|held| &held.devices).filter(|device| **device >= OPENED);
        let first = OPENED + n_opened.count() as u32;
        let n_whole = room.idle[2] as i64 + room.releasing[2] as i64;
        all.extend((0..n_whole.max(0) as u32).map(|i| (score(0.0), first + i)));
        all.sort_by(|l, r| r.0.total_cmp(&l.0));
        all.into_iter().take(gpu.n_devices() as usize).map(|(_, device)| device).collect()
    }

    /// What is free on a node.
    pub fn room(&self, node: NodeId) -> FreeCapacity {
        let of = &self.accounts.cluster.nodes[node];
        let mut room = FreeCapacity {
            idle: std::array::from_fn(|r| of.capacity.get(Resource(r as u8)).in_policy_units(Resource(r as u8))),
            releasing: [0.0; RESOURCES_MAX],
            idle_pods: i64::from(of.pods_max),
            releasing_pods: 0,
            device_mib: of.device_mib(),
            devices: Vec::new(),
        };
        self.held.iter().filter(|held| held.node == node).for_each(|held| room.take(self.accounts, held));
        for device in room.devices.clone() {
            let is_idle = device.allocated() == 0;
            let is_leaving = device.held == 0 && device.leaving > 0;
            room.idle[2] -= f64::from(!is_idle);
            room.releasing[2] += f64::from(is_leaving && device.claimed == 0);
            room.releasing[2] -= f64::from(is_idle && device.claimed > 0);
        }
        room.devices.sort_by_key(|device| device.number);
        room
    }
}

impl FreeCapacity {
    fn take(&mut self, accounts: Accounts<'_>, held: &Held) {
        let request = &accounts.pod(held.pod).request;
        let takes = |r: usize| match r {
            2 if is_shared(request.gpu) => 0.0,
            _ => request.resources.get(Resource(r as u8)).in_policy_units(Resource(r as u8)),
        };
        let (idle, releasing) = match held.keeps {
            Keeps::Room => (1, 0),
            Keeps::RoomForNow => (1, 1),
            Keeps::Claim => (0, -1),
        };
        for r in 0..RESOURCES_MAX {
            self.idle[r] -= f64::from(idle) * takes(r);
            self.releasing[r] += f64::from(releasing) * takes(r);
        }
        self.idle_pods -= i64::from(idle);
        self.releasing_pods += i64::from(releasing);
        let mib = mib_of(request.gpu, self.device_mib);
        for number in &held.devices {
            let at = self.devices.iter().position(|device| device.number == *number).unwrap_or_else(|| {
                self.devices.push(Device { number: *number, ..Device::default() });
                self.devices.len() - 1
            });
            let device = &mut self.devices[at];
            match held.keeps {
                Keeps::Room => device.held += mib,
                Keeps::RoomForNow => device.leaving += mib,
                Keeps::Claim => device.claimed += mib,
            }
        }
    }

    /// Devices in partial use with room for a part; a pod without GPUs fits on any that is not leaving.
    fn fitting(&self, gpu: GpuRequest) -> impl Iterator<Item = &Device> {
        let mib = if gpu.n_devices() == 0 { 0 } else { mib_of(gpu, self.device_mib) };
        let is_fit = move |device: &&Device| {
            let rest = self.device_mib - device.allocated() + device.releasing() - mib;
            device.used() != 0 && rest >= 0 && device.allocated() != device.releasing()
        };
        self.devices.iter().filter(is_fit)
    }

    /// Whether a device in partial use has room for a request that is not for whole devices.
    pub fn shares(&self, gpu: GpuRequest) -> bool {
        let wants_parts = is_shared(gpu) || gpu.n_devices() == 0;
        wants_parts && self.fitting(gpu).next().is_some()
    }

    /// Whether a pod's request is free now.
    pub fn is_free_for(&self, request: &fairground::cluster::Request) -> bool {
        let of = |r: usize| request.resources.get(Resource(r as u8)).in_policy_units(Resource(r as u8));
        let is_short = (0..RESOURCES_MAX).any(|r| r != 2 && of(r) > self.idle[r]);
        if is_short || self.idle_pods < 1 {
            return false;
        }
        let n = request.gpu.n_devices();
        match request.gpu {
            GpuRequest::Memory { mib, .. } if mib > self.device_mib => false,
            gpu if is_shared(gpu) => {
                let n_parts = self.fitting(gpu).take(n as usize).count();
                self.idle[2].floor() + n_parts as f64 >= f64::from(n)
            }
            _ => f64::from(n) <= self.idle[2],
        }
    }

    /// Whole devices that are free or being freed.
    pub fn gpus(&self) -> f64 {
        self.idle[2] + self.releasing[2]
    }

    /// Devices and parts of devices that are free or being freed.
    pub fn gpus_with_parts(&self) -> f64 {
        let part = |mib: i64| (mib as f64 / self.device_mib as f64 * 100.0).ceil() / 100.0;
        let mut sum = self.gpus();
        for device in &self.devices {
            if device.allocated() > 0 {
                sum += 1.0 - part(device.allocated());
            }
            if device.releasing() > 0 && device.releasing() != device.used() {
                sum += part(device.releasing());
            }
        }
        sum
    }
}

/// Whether pods that need nothing count as free everywhere: until v0.13.
pub fn fits_anywhere(config: &Config, request: &fairground::cluster::Request) -> bool {
    let of = |r: Resource| request.resources.get(r).in_base_units();
    let gpus = match request.gpu {
        // GPU memory counts nothing here.
        GpuRequest::Memory { .. } => 0.0,
        GpuRequest::Fraction { portion, devices } => {
            (portion.in_policy_units(Resource::GPU) * 100.0).round() * f64::from(devices) / 100.0
        }
        gpu => f64::from(gpu.n_devices()),
    };
    let named = (3..RESOURCES_MAX).all(|r| of(Resource(r as u8)) < 10);
    let is_tiny = of(Resource::CPU) < 10 && of(Resource::MEMORY) < 10 << 20 && named && gpus <= 0.01;
    config.revision == Revision::V0_13 && is_tiny
}
