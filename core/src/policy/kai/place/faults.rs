//! Comparisons that a known fault of the modelled versions decided.
//!
//! # Rule
//! The comparison is evaluated again as later versions do; if the result differs, it carries the key of the fault. No
//! decision depends on it.
//!
//! # Source
//! kai.md 1.4, 5.4, 12
//!
//! # Differs
//! nothing

use super::super::record::notes::Excess;
use crate::cluster::Preemptible;
use crate::policy::kai::place::placement::ROOM;
use crate::policy::kai::record::notes::{count, real};
use crate::policy::kai::request::{GpuRequestKind, part};
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, TaskRef};
use crate::trace::{Check, NodeReason, Op, Quantity, Subject, Term, Value};
use crate::units::Resource;

/// pending requests for GPU memory are divided by 100 MiB.
pub(in crate::policy::kai) const MEMORY_UNIT: &str = "kai/fault/memory-unit";
/// on its node, a pod with parts of several devices counts as one of them.
pub(in crate::policy::kai) const ONE_DEVICE: &str = "kai/fault/one-device";
/// A tiny pod is bound at once although the room is not free yet.
pub(in crate::policy::kai) const TINY_POD: &str = "kai/fault/tiny-pod";

/// Position of the GPU in a triple.
const GPU: usize = 2;

impl Session<'_> {
    /// A comparison whose left side includes what a job's next chunk needs, with the conversion of its GPU memory to
    /// GPUs.
    pub fn counting_memory(&self, job: JobRef, check: Check) -> Check {
        let Some(requested_mib) = self.gpu_memory_of_chunk(job) else { return check };
        let by_unit = self.inputs.memory_basis.pending;
        let of_devices = self.state.nodes.iter().filter(|node| node.n_devices > 0).map(|node| node.device_mib);
        let smallest = of_devices.min().map_or(by_unit, |mib| mib as f64);
        // Later versions and dialects divide by the smallest device, or by nothing if none is known.
        if by_unit >= smallest {
            return check;
        }
        let later = less(&check.left, requested_mib / by_unit - requested_mib / smallest);
        let holds = later.map(|later| check.op.eval(&later, &check.right.value));
        let mut check = check;
        check.left.parts.push(real(Quantity::GpuMemory, requested_mib));
        check.left.parts.push(real(Quantity::GpuMemoryUnit, by_unit));
        if holds.is_some_and(|holds| holds != check.holds) { check.decided_by_fault(MEMORY_UNIT) } else { check }
    }

    /// Like [`Self::counting_memory`], if the left side includes the whole chunk: a semi-preemptible job has only its
    /// core compared with quotas.
    pub fn counting_memory_of_all(&self, job: JobRef, check: Check) -> Check {
        match self.facts_of(job).preemptible {
            Preemptible::No => self.counting_memory(job, check),
            Preemptible::Yes | Preemptible::Semi => check,
        }
    }

    /// GPU memory in MiB that a job's next chunk requests; `None` if there is none, or the chunk is not known.
    fn gpu_memory_of_chunk(&self, job: JobRef) -> Option<f64> {
        let chunk = self.job(job).chunk.as_deref()?.iter();
        let pending = chunk.filter(|task| self.task(**task).should_allocate(false));
        let requests = pending.map(|&task| &self.pod_of(task).request);
        let mib = requests.filter(|r| r.kind == GpuRequestKind::Memory).map(|r| r.count as f64 * r.mib as f64);
        Some(mib.sum()).filter(|&mib: &f64| mib > 0.0)
    }

    /// Comparisons that let a task be placed on a node, which later versions would not do.
    pub fn placement_faults(&self, task: TaskRef, node: NodeRef) -> Vec<Check> {
        if !self.inputs.config.revision.has_faults_before_v0_15() {
            return Vec::new();
        }
        self.tiny_pod(task, node).into_iter().chain(self.one_device(task, node)).collect()
    }

    /// A tiny pod on a node without the room.
    fn tiny_pod(&self, task: TaskRef, host: NodeRef) -> Option<Check> {
        let (pod, node) = (self.pod_of(task), &self.state.nodes[host.ix()]);
        let lacks = node.lacks(&pod.request, false).filter(|_| pod.request.is_best_effort())?;
        let (resource, left, right) = match lacks {
            NodeReason::Insufficient(Resource::CPU) => {
                (Resource::CPU, real(Quantity::Request, pod.request.cpu), real(Quantity::Idle, node.idle.cpu))
            }
            NodeReason::Insufficient(Resource::MEMORY) => {
                let request = real(Quantity::Request, pod.request.memory);
                (Resource::MEMORY, request, real(Quantity::Idle, node.idle.memory))
            }
            NodeReason::PodSlots => return Some(self.slots(task, host)),
            _ => return None,
        };
        let subject = Subject { resource: Some(resource), ..self.about_task(task, host) };
        Some(Check::new(ROOM, subject, left, Op::AtMost, right).decided_by_fault(TINY_POD))
    }

    fn slots(&self, task: TaskRef, host: NodeRef) -> Check {
        let free = self.state.nodes[host.ix()].idle.pods;
        let (left, right) = (count(Quantity::Pods, 1), count(Quantity::Idle, free));
        Check::new(ROOM, self.about_task(task, host), left, Op::AtMost, right).decided_by_fault(TINY_POD)
    }

    /// A limit that the pod keeps only because one of its devices is counted.
    fn one_device(&self, task: TaskRef, host: NodeRef) -> Option<Check> {
        let (request, job) = (&self.pod_of(task).request, self.job_of(task));
        let device_mib = self.state.nodes[host.ix()].device_mib;
        if !self.inputs.plugins.proportion || !request.is_shared() || request.count < 2 {
            return None;
        }
        let requested = part(request.mib_on(device_mib), device_mib);
        let of_all = requested * request.count as f64;
        for queue in self.state.path_up(self.facts_of(job).queue) {
            let q = &self.state.queues[queue.ix()];
            let (allocated, bound) = (q.allocated.to_array()[GPU], q.limit.to_array()[GPU]);
            let is_limited = bound != crate::policy::kai::number::UNLIMITED;
            if is_limited && allocated + requested <= bound && allocated + of_all > bound {
                let excess = Excess { queue, resource: GPU, of_quota: false, allocated, requested, bound };
                return Some(self.excess_check(job, excess).decided_by_fault(ONE_DEVICE));
            }
        }
        None
    }

    fn about_task(&self, task: TaskRef, host: NodeRef) -> Subject {
        let (pod, node) = (Some(self.pod_of(task).id), Some(self.state.nodes[host.ix()].id));
        Subject { pod, node, ..self.about_job(self.job_of(task)) }
    }
}

/// The value of a side with fewer GPUs; `None` if it has no GPUs.
fn less(side: &Term, gpus: f64) -> Option<Value> {
    match side.value {
        Value::Triple([cpu, memory, gpu]) => Some(Value::Triple([cpu, memory, gpu - gpus])),
        _ => None,
    }
}
