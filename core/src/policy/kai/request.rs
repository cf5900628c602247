//! Requests of pods, and the accepted request of placed tasks.
//!
//! # Rule
//! `GPUs() = int(round(portion*100)) * count / 100`; a memory request has no GPUs of its own. While pending it counts
//! `count * (mib / basis)` devices, see [`MemoryBasis`]; once placed, the fraction of its node's device:
//! `ceil(mib/M * 100)/100`. On a node with M MiB per device a task takes `mib`, or `int(portion * M)`, of each device.
//!
//! # Source
//! kai.md 1.4; kai-v0.17.md 15.1-15.3
//!
//! # Differs
//! nothing; in v0.13 Q-2 (the smallest device memory is always 100 MiB) and Q-7 (the node's test sees one device) are
//! reproduced. MIG and dynamic resources are not modelled.

use super::config::Config;
use super::number::{Quantities, is_whole};
use super::revision::Revision;
use crate::cluster::{GpuRequest, Pod};
use crate::units::Resource;

/// Device memory without a known device.
const MIN_GPU_MEMORY: f64 = 100.0;

/// Device memory in MiB by which requests of device memory are divided as long as they have no node. An infinite one
/// lets them count 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MemoryBasis {
    /// For the request of a queue and of a job.
    pub pending: f64,
    /// For the test of a chunk against quota and limit.
    pub chunk: f64,
}

impl Default for MemoryBasis {
    fn default() -> Self {
        MemoryBasis { pending: MIN_GPU_MEMORY, chunk: f64::INFINITY }
    }
}

impl MemoryBasis {
    /// From the device memory of all nodes, and whether they have GPUs.
    ///
    /// # v0.13
    /// 100 MiB for what is requested; a dialect uses the smallest device. The chunk counts 0.
    ///
    /// # v0.17
    /// Of the values above 100 MiB, the smallest for what is requested, the largest for the chunk.
    pub fn of(config: &Config, nodes: impl Iterator<Item = (bool, i64)>) -> Self {
        match config.revision {
            Revision::V0_13 => {
                let with_gpus = nodes.filter(|&(has_gpus, _)| has_gpus && config.dialect.by_smallest_device);
                let smallest = with_gpus.map(|(_, mib)| mib).min();
                let pending = smallest.map_or(MIN_GPU_MEMORY, |mib| (mib as f64).max(MIN_GPU_MEMORY));
                MemoryBasis { pending, ..MemoryBasis::default() }
            }
            Revision::V0_17 => {
                let sizes = nodes.map(|(_, mib)| mib as f64).filter(|&mib| mib > MIN_GPU_MEMORY);
                let (smallest, largest) = sizes.fold((f64::INFINITY, 0.0), |(lo, hi), mib| (mib.min(lo), mib.max(hi)));
                MemoryBasis { pending: smallest, chunk: if largest > 0.0 { largest } else { f64::INFINITY } }
            }
        }
    }
}

/// Number of devices of a request that the test of a task on its node sees (Q-7, until v0.13 only one).
fn devices_on_node(revision: Revision, request: &Request) -> f64 {
    match revision {
        Revision::V0_13 => 1.0,
        Revision::V0_17 => request.count as f64,
    }
}

/// GPU request of a pod (kai.md 1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GpuAsk {
    /// Key absent.
    #[default]
    None,
    /// Key present with value 0.
    ExplicitZero,
    /// Whole devices.
    Whole {
        /// Number of devices.
        devices: i64,
    },
    /// A fraction of each of several devices.
    Fraction {
        /// 0 < portion <= 1.
        portion: f64,
        /// Number of devices.
        devices: i64,
    },
    /// Memory on each of several devices.
    Memory {
        /// Memory on each device, MiB.
        mib: i64,
        /// Number of devices.
        devices: i64,
    },
}

/// Kind of GPU request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GpuRequestKind {
    /// Whole devices, or none.
    Regular,
    /// A fraction of each device.
    Fraction,
    /// Memory on each device.
    Memory,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub cpu: f64,
    pub memory: f64,
    /// Named resources, by the session's numbering.
    pub scalars: Vec<i64>,
    pub kind: GpuRequestKind,
    pub count: i64,
    pub portion: f64,
    pub mib: i64,
    /// `GPUs()`.
    pub gpus: f64,
}

/// The accepted request of a placed task.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Accepted {
    /// Whether it shares devices.
    pub shared: bool,
    /// Amounts counted in the queues.
    pub quantities: Quantities,
    /// Memory on each device, MiB.
    pub mib: i64,
}

/// `GPUs()` of a request of `count` devices.
fn gpus(portion: f64, count: i64) -> f64 {
    ((portion * 100.0).round() as i64).saturating_mul(count) as f64 / 100.0
}

impl Request {
    /// Request of a pod of the cluster, accounted resources only.
    pub fn of_pod(pod: &Pod) -> Self {
        let amount = |r| pod.request.resources.get(r).in_base_units() as f64;
        let gpu = match pod.request.gpu {
            GpuRequest::None | GpuRequest::Whole { devices: 0 } => GpuAsk::None,
            GpuRequest::Whole { devices } => GpuAsk::Whole { devices: i64::from(devices) },
            GpuRequest::Fraction { portion, devices } => {
                let portion = portion.in_policy_units(Resource::GPU);
                GpuAsk::Fraction { portion, devices: i64::from(devices) }
            }
            GpuRequest::Memory { mib, devices } => GpuAsk::Memory { mib, devices: i64::from(devices) },
        };
        Request::of(amount(Resource::CPU), amount(Resource::MEMORY), gpu)
    }
    /// A request of the accounted resources only.
    pub fn of(cpu: f64, memory: f64, gpu: GpuAsk) -> Self {
        let (kind, count, portion, mib) = match gpu {
            GpuAsk::None => (GpuRequestKind::Regular, 0, 0.0, 0),
            GpuAsk::ExplicitZero => (GpuRequestKind::Regular, 1, 0.0, 0),
            GpuAsk::Whole { devices } => (GpuRequestKind::Regular, devices, 1.0, 0),
            GpuAsk::Fraction { portion, devices } => (GpuRequestKind::Fraction, devices, portion, 0),
            GpuAsk::Memory { mib, devices } => (GpuRequestKind::Memory, devices, 0.0, mib),
        };
        let gpus = gpus(portion, count);
        Request { cpu, memory, scalars: Vec::new(), kind, count, portion, mib, gpus }
    }

    /// Whether it requests a part of a device.
    pub fn is_shared(&self) -> bool {
        self.kind != GpuRequestKind::Regular
    }
    /// Whether sums of its amounts are exact in a double.
    pub fn is_whole(&self) -> bool {
        !self.is_shared() && is_whole(self.cpu) && is_whole(self.memory)
    }
    /// Whether it requests no GPU.
    pub fn is_cpu_only(&self) -> bool {
        self.gpus == 0.0 && self.kind != GpuRequestKind::Memory
    }
    /// Whether its amounts are all below upstream's thresholds.
    pub fn is_best_effort(&self) -> bool {
        self.cpu < 10.0 && self.memory < 10.0 * 1_048_576.0 && self.scalars.iter().all(|&s| s < 10) && self.gpus <= 0.01
    }
    /// Devices counted in the queue for a pending memory request.
    fn gpus_for_memory(&self, device_mib: f64) -> f64 {
        if self.kind == GpuRequestKind::Memory { self.count as f64 * (self.mib as f64 / device_mib) } else { 0.0 }
    }
    /// `ResReq`: a memory request counts no GPU.
    pub fn plain(&self) -> Quantities {
        Quantities { cpu: self.cpu, memory: self.memory, gpu: self.gpus }
    }
    /// Amount counted while pending, with memory divided by `device_mib`.
    pub fn pending(&self, device_mib: f64) -> Quantities {
        let gpu = self.gpus + self.gpus_for_memory(device_mib);
        Quantities { cpu: self.cpu, memory: self.memory, gpu }
    }
    /// Memory taken of each device with `device_mib`.
    pub fn mib_on(&self, device_mib: i64) -> i64 {
        if self.mib > 0 { self.mib } else { (self.portion * device_mib as f64) as i64 }
    }
    /// The accepted request on a node with `device_mib` per device.
    pub fn accepted_on(&self, device_mib: i64) -> Accepted {
        let mib = self.mib_on(device_mib);
        let gpu = match self.kind {
            GpuRequestKind::Regular => self.gpus,
            GpuRequestKind::Fraction => gpus(self.portion, self.count),
            GpuRequestKind::Memory => gpus(part(self.mib, device_mib), self.count),
        };
        Accepted { shared: self.is_shared(), quantities: Quantities { cpu: self.cpu, memory: self.memory, gpu }, mib }
    }
}

/// Fraction of a device, in hundredths rounded up, that corresponds to some of its memory.
pub(super) fn part(mib: i64, device_mib: i64) -> f64 {
    (mib as f64 / device_mib as f64 * 100.0).ceil() / 100.0
}

/// Amount requested in a task's test on its node.
pub(super) fn requested_on_node(revision: Revision, request: &Request, device_mib: i64) -> Quantities {
    let of_devices = || devices_on_node(revision, request) * part(request.mib_on(device_mib), device_mib);
    let gpu = if request.is_cpu_only() { 0.0 } else { of_devices() };
    Quantities { cpu: request.cpu, memory: request.memory, gpu }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(portion: f64) -> Request {
        Request::of(0.0, 0.0, GpuAsk::Fraction { portion, devices: 1 })
    }

    #[test]
    fn memory_of_a_portion_is_cut_off() {
        assert_eq!((fraction(0.29).mib_on(100), part(28, 100)), (28, 0.29));
        assert_eq!((fraction(0.58).mib_on(100), part(57, 100)), (57, 0.57));
    }

    #[test]
    fn a_pending_memory_request_counts_hundreds_of_mib() {
        let request = Request::of(0.0, 0.0, GpuAsk::Memory { mib: 2000, devices: 1 });
        assert_eq!((request.pending(MIN_GPU_MEMORY).gpu, request.plain().gpu), (20.0, 0.0));
    }
}
