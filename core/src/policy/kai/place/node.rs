//! Accounting of a node: idle, used and releasing amounts, whole devices and shared ones.
//!
//! # Rule
//! Adding a task moves its request R between *idle*, *used* and *releasing* by its status; removing reverses this for
//! the stored clone's status; updating removes the stored clone and adds the task. The first part on a shared device
//! takes the whole device from *idle*, the last one returns it.
//!
//! # Source
//! kai.md 1.2, 1.6
//!
//! # Differs
//! nothing

use std::sync::Arc;

use crate::id::NodeId;
use crate::policy::kai::number::is_whole;
use crate::policy::kai::place::shared::SharedDevices;
use crate::policy::kai::request::{Request, part};
use crate::policy::kai::task::{GroupRef, PodRef, Status, Task};

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::policy::kai) struct NodeAmounts {
    pub cpu: f64,
    pub memory: f64,
    pub gpus: f64,
    pub pods: i64,
    pub scalars: Vec<i64>,
}

impl NodeAmounts {
    /// Maximum of each amount, with `n_scalars` named resources.
    pub fn largest<'r>(rooms: impl Iterator<Item = &'r NodeAmounts>, n_scalars: usize) -> NodeAmounts {
        let mut largest = NodeAmounts { scalars: vec![0; n_scalars], ..NodeAmounts::default() };
        for room in rooms {
            largest.cpu = largest.cpu.max(room.cpu);
            largest.memory = largest.memory.max(room.memory);
            largest.gpus = largest.gpus.max(room.gpus);
            largest.pods = largest.pods.max(room.pods);
            largest.scalars.iter_mut().zip(&room.scalars).for_each(|(most, &amount)| *most = amount.max(*most));
        }
        largest
    }

    /// Whether sums of these amounts are exact in a double.
    pub fn is_whole(&self) -> bool {
        is_whole(self.cpu) && is_whole(self.memory) && is_whole(self.gpus)
    }

    fn add(&mut self, r: &Request, gpus: f64) {
        self.cpu += r.cpu;
        self.memory += r.memory;
        self.gpus += gpus;
        self.pods += 1;
        self.scalars.iter_mut().zip(&r.scalars).for_each(|(sum, amount)| *sum += amount);
    }
    fn sub(&mut self, r: &Request, gpus: f64) {
        self.cpu -= r.cpu;
        self.memory -= r.memory;
        self.gpus -= gpus;
        self.pods -= 1;
        self.scalars.iter_mut().zip(&r.scalars).for_each(|(sum, amount)| *sum -= amount);
    }
}

/// A node with its tasks.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) struct Node {
    pub id: NodeId,
    pub name: Arc<str>,
    pub allocatable: NodeAmounts,
    pub idle: NodeAmounts,
    pub used: NodeAmounts,
    pub releasing: NodeAmounts,
    /// Memory of every device, MiB.
    pub device_mib: i64,
    pub device_mib_known: bool,
    /// N_gpu.
    pub n_devices: i64,
    pub ready: bool,
    pub shared: SharedDevices,
    /// Clones of the tasks on it, by pod.
    pub tasks: Vec<(PodRef, Task)>,
}

/// Properties of a node that do not change during a cycle.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct NodeSpec {
    pub id: NodeId,
    pub name: Arc<str>,
    pub allocatable: NodeAmounts,
    /// Label value of every GPU, MiB.
    pub gpu_memory_mib: i64,
    /// Whether that label is trusted.
    pub is_memory_synced: bool,
    /// N_gpu.
    pub n_devices: i64,
    pub ready: bool,
}

/// Device memory from the label: bytes above a mebi, truncated to hundreds, 100 without a label. Labels below 100 and
/// those of 1 to 99 TiB give 0, so parts of a device take no memory and the scheduler allocates it again.
pub(in crate::policy::kai) fn device_mib(label: i64) -> i64 {
    let mib = if label >= 1_048_576 { label / 1_048_576 } else { label };
    if label > 0 { mib - mib % 100 } else { 100 }
}

impl Node {
    pub fn new(spec: NodeSpec) -> Self {
        let NodeSpec { id, name, allocatable, gpu_memory_mib, is_memory_synced, n_devices, ready } = spec;
        let empty = NodeAmounts { scalars: vec![0; allocatable.scalars.len()], ..NodeAmounts::default() };
        Node {
            id,
            name,
            idle: allocatable.clone(),
            used: empty.clone(),
            releasing: empty,
            device_mib: device_mib(gpu_memory_mib),
            device_mib_known: gpu_memory_mib > 0 && is_memory_synced,
            n_devices,
            allocatable,
            ready,
            shared: SharedDevices::default(),
            tasks: Vec::new(),
        }
    }

    pub fn is_cpu_only(&self) -> bool {
        self.allocatable.gpus <= 0.0
    }
    /// The stored clone of a pod's task.
    pub fn stored(&self, pod: PodRef) -> Option<&Task> {
        self.tasks.binary_search_by_key(&pod, |h| h.0).ok().map(|i| &self.tasks[i].1)
    }
    /// Adds a task and sets its accepted request. Returns `false` without effect if the pod is already here.
    pub fn add(&mut self, request: &Request, task: &mut Task) -> bool {
        let Err(slot) = self.tasks.binary_search_by_key(&task.pod, |h| h.0) else { return false };
        if task.status.is_active_used() {
            task.accepted = request.accepted_on(self.device_mib);
        }
        self.put(request, task);
        self.tasks.insert(slot, (task.pod, task.clone()));
        true
    }

    /// Removes the stored clone. Returns `false` without effect if there is none.
    pub fn remove(&mut self, request: &Request, pod: PodRef) -> bool {
        let Ok(slot) = self.tasks.binary_search_by_key(&pod, |h| h.0) else { return false };
        let (_, task) = self.tasks.remove(slot);
        self.take(request, &task);
        true
    }

    /// Replaces the stored clone. Returns `false` without effect if there is none.
    pub fn update(&mut self, request: &Request, task: &mut Task) -> bool {
        self.remove(request, task.pod) && self.add(request, task)
    }

    /// Drops the stored clone without releasing what it holds.
    pub fn forget(&mut self, pod: PodRef) {
        self.tasks.retain(|h| h.0 != pod);
    }

    fn put(&mut self, r: &Request, task: &Task) {
        let gpus = if task.accepted.shared { 0.0 } else { task.accepted.quantities.gpu };
        self.used.add(r, gpus);
        match task.status {
            Status::Releasing => {
                self.releasing.add(r, gpus);
                self.idle.sub(r, gpus);
            }
            Status::Pipelined => self.releasing.sub(r, gpus),
            _ => self.idle.sub(r, gpus),
        }
        if task.accepted.shared {
            for &group in &task.groups {
                self.put_part(group, task.status, task.accepted.mib);
                self.shared.settle(group);
            }
        }
    }

    fn take(&mut self, r: &Request, task: &Task) {
        let gpus = if task.accepted.shared { 0.0 } else { task.accepted.quantities.gpu };
        self.used.sub(r, gpus);
        match task.status {
            Status::Releasing => {
                self.releasing.sub(r, gpus);
                self.idle.add(r, gpus);
            }
            Status::Pipelined => self.releasing.add(r, gpus),
            _ => self.idle.add(r, gpus),
        }
        if task.accepted.shared {
            for &group in &task.groups {
                self.take_part(group, task.status, task.accepted.mib);
                self.shared.settle(group);
            }
        }
    }

    /// Devices in whole or partial use.
    fn devices_used(&self) -> i64 {
        self.used.gpus as i64 + self.shared.iter().filter(|(_, s)| s.used > 0).count() as i64
    }
    /// Whether more devices are counted than exist.
    fn too_many_devices(&self) -> bool {
        self.n_devices < self.idle.gpus as i64 + self.devices_used()
    }

    fn mark(&mut self, group: GroupRef) {
        if !std::mem::replace(&mut self.shared.touch(group).marked, true) {
            self.releasing.gpus += 1.0;
        }
    }
    fn unmark(&mut self, group: GroupRef) {
        if std::mem::take(&mut self.shared.touch(group).marked) {
            self.releasing.gpus -= 1.0;
        }
    }

    fn put_part(&mut self, group: GroupRef, status: Status, m: i64) {
        let s = self.shared.touch(group);
        s.used += m;
        match status {
            Status::Releasing => {
                *s.releasing.get_or_insert(0) += m;
                *s.allocated.get_or_insert(0) += m;
                if s.used == s.rel() {
                    self.mark(group);
                    if self.too_many_devices() {
                        self.idle.gpus -= 1.0;
                    }
                }
            }
            Status::Pipelined => {
                *s.releasing.get_or_insert(0) -= m;
                if s.used - m == s.rel() + m {
                    self.releasing.gpus -= 1.0;
                }
            }
            _ => {
                *s.allocated.get_or_insert(0) += m;
                if s.used <= m && self.too_many_devices() {
                    self.idle.gpus -= 1.0;
                }
                self.unmark(group);
            }
        }
    }

    fn take_part(&mut self, group: GroupRef, status: Status, m: i64) {
        let s = self.shared.touch(group);
        s.used -= m;
        match status {
            Status::Releasing => {
                *s.releasing.get_or_insert(0) -= m;
                *s.allocated.get_or_insert(0) -= m;
                if s.used <= 0 {
                    if !self.too_many_devices() {
                        self.idle.gpus += 1.0;
                    }
                    self.unmark(group);
                }
            }
            Status::Pipelined => {
                *s.releasing.get_or_insert(0) += m;
                let s = *s;
                if s.used + m == s.rel() - m || (s.used == 0 && s.rel() == 0) {
                    self.releasing.gpus += 1.0;
                }
            }
            _ => {
                *s.allocated.get_or_insert(0) -= m;
                let s = *s;
                if s.used <= 0 && !self.too_many_devices() {
                    self.idle.gpus += 1.0;
                }
                if s.used != 0 && s.releasing == Some(s.used) {
                    self.mark(group);
                }
            }
        }
    }

    /// `SumIdle`: idle devices and the free parts of shared ones.
    pub fn sum_idle(&self) -> f64 {
        let mut parts = 0.0;
        for (_, s) in self.shared.iter() {
            if s.alloc() > 0 {
                parts += 1.0 - part(s.alloc(), self.device_mib);
            }
        }
        parts + self.idle.gpus
    }

    /// `SumReleasing`: releasing devices and the releasing parts of others.
    pub fn sum_releasing(&self) -> f64 {
        let mut parts = 0.0;
        for (_, s) in self.shared.iter() {
            if s.releases_a_part() {
                parts += part(s.rel(), self.device_mib);
            }
        }
        parts + self.releasing.gpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::kai::recorded::GpuAsk;

    #[test]
    fn two_parts_on_one_device() {
        let mut node = Node::new(NodeSpec {
            allocatable: NodeAmounts { gpus: 2.0, pods: 9, ..NodeAmounts::default() },
            gpu_memory_mib: 100,
            n_devices: 2,
            ready: true,
            ..NodeSpec::default()
        });
        let ask = |portion| Request::of(0.0, 0.0, GpuAsk::Fraction { portion, devices: 1 });
        let task =
            |pod| Task { pod: PodRef(pod), status: Status::Running, groups: vec![GroupRef(0)], ..Task::default() };
        let mut a = task(0);
        node.add(&ask(0.5), &mut a);
        assert_eq!(node.idle.gpus, 1.0);
        node.add(&ask(0.3), &mut task(1));
        assert_eq!((node.idle.gpus, node.sum_idle()), (1.0, 1.2));
        a.status = Status::Releasing;
        node.update(&ask(0.5), &mut a);
        assert_eq!((node.sum_releasing(), node.shared.get(GroupRef(0)).marked), (0.5, false));
        let mut c = Task { pod: PodRef(2), status: Status::Pipelined, groups: vec![GroupRef(0)], ..Task::default() };
        node.add(&ask(0.6), &mut c);
        assert_eq!((node.shared.get(GroupRef(0)).used, node.shared.get(GroupRef(0)).rel()), (140, -10));
    }
}
