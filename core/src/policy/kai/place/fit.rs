//! Whether a node can take a task.
//!
//! # Rule
//! First, a check against the largest node: devices, CPU, memory and named resources. Then, node by node: (1) the
//! request fits *idle + releasing*, for parts of devices `floor(gpus)` plus the shared devices that fit; (2) the
//! capacity test for one device; (4) memory requests need a known device memory; (5) pod slots, one more for a new
//! shared device; (6) readiness; (7) taints and labels; (8) where restricted, the role of the node. *Allocatable now*
//! is (1) on idle alone, but shared devices still count what is releasing on them.
//!
//! # Source
//! kai.md 5.4; kai-v0.17.md 15.4, 17.2
//!
//! # Differs
//! nothing; Q-8 (a device whose name is not an integer counts as new) reproduced

use crate::policy::kai::place::node::{Node, NodeAmounts};
use crate::policy::kai::place::shared::Shared;
use crate::policy::kai::pod::PodFacts;
use crate::policy::kai::request::{GpuRequestKind, Request};
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::{Inputs, Session};
use crate::policy::kai::task::{GroupRef, JobRef, NodeRef};
use crate::trace::NodeReason;
use crate::units::Resource;

impl Node {
    /// Whether a shared device has room for a part, counting releasing memory.
    fn part_fits(&self, s: &Shared, mib: i64) -> bool {
        s.used != 0 && self.device_mib - s.alloc() + s.rel() - mib >= 0 && s.alloc() != s.rel()
    }
    /// Shared devices with room for a part of a request.
    pub fn fitting(&self, r: &Request) -> impl Iterator<Item = (GroupRef, &Shared)> {
        let mib = r.mib_on(self.device_mib);
        self.shared.iter().filter(move |(_, s)| self.part_fits(s, mib)).map(|(g, s)| (*g, s))
    }

    /// (1): the first insufficient resource.
    pub fn lacks(&self, r: &Request, with_releasing: bool) -> Option<NodeReason> {
        let releasing = |amount: fn(&NodeAmounts) -> f64| if with_releasing { amount(&self.releasing) } else { 0.0 };
        if r.cpu > self.idle.cpu + releasing(|amounts| amounts.cpu) {
            return Some(NodeReason::Insufficient(Resource::CPU));
        }
        if r.memory > self.idle.memory + releasing(|amounts| amounts.memory) {
            return Some(NodeReason::Insufficient(Resource::MEMORY));
        }
        let slots = self.idle.pods + if with_releasing { self.releasing.pods } else { 0 };
        if slots < 1 {
            return Some(NodeReason::PodSlots);
        }
        for (i, &requested) in r.scalars.iter().enumerate() {
            let available = self.idle.scalars[i] + if with_releasing { self.releasing.scalars[i] } else { 0 };
            if requested > available {
                return Some(NodeReason::Insufficient(Resource(3 + i as u8)));
            }
        }
        let gpus = self.idle.gpus + releasing(|amounts| amounts.gpus);
        if self.has_devices(r, gpus) { None } else { Some(NodeReason::Insufficient(Resource::GPU)) }
    }

    fn has_devices(&self, r: &Request, gpus: f64) -> bool {
        match r.kind {
            GpuRequestKind::Regular => r.gpus <= gpus,
            GpuRequestKind::Memory if r.mib > self.device_mib => false,
            GpuRequestKind::Fraction | GpuRequestKind::Memory => {
                let most = usize::try_from(r.count).unwrap_or(0);
                let parts = self.fitting(r).take(most).count();
                gpus.floor() + parts as f64 >= r.count as f64
            }
        }
    }
}

impl Inputs<'_> {
    /// Whether the request could be bound at once: until v0.13 a tiny one always.
    pub fn is_allocatable_now(&self, node: &Node, r: &Request) -> bool {
        let always = match self.config.revision {
            Revision::V0_13 => r.is_best_effort(),
            Revision::V0_17 => false,
        };
        always || node.lacks(r, false).is_none()
    }

    /// A resource that no node has enough of even when empty, if any.
    pub fn is_too_large(&self, r: &Request) -> Option<Resource> {
        if !self.plugins.predicates {
            return None;
        }
        let largest = &self.largest;
        if r.gpus > largest.gpus {
            return Some(Resource::GPU);
        }
        if r.cpu > largest.cpu {
            return Some(Resource::CPU);
        }
        if r.memory > largest.memory {
            return Some(Resource::MEMORY);
        }
        let position = r.scalars.iter().zip(&largest.scalars).position(|(requested, most)| requested > most);
        position.map(|i| Resource(3 + i as u8))
    }
}

impl Session<'_> {
    /// Whether some pod of the next chunk fits no node even when empty, so that no eviction could help. Until v0.13 the
    /// search finds that out, and the job stands for those like it.
    pub fn is_impossible(&mut self, job: JobRef) -> bool {
        match self.inputs.config.revision {
            Revision::V0_13 => false,
            Revision::V0_17 => {
                let chunk = self.chunk(job, false);
                chunk.iter().any(|&task| self.inputs.is_too_large(&self.pod_of(task).request).is_some())
            }
        }
    }

    /// (4) to (8): what excludes a node with sufficient resources.
    pub fn excludes(&self, pod: &PodFacts, host: NodeRef) -> Option<NodeReason> {
        if !self.inputs.plugins.predicates {
            return None;
        }
        let (node, r) = (&self.state.nodes[host.ix()], &pod.request);
        if r.kind == GpuRequestKind::Memory && !node.device_mib_known {
            return Some(NodeReason::Insufficient(Resource::GPU));
        }
        let slots = node.idle.pods + node.releasing.pods;
        if r.is_shared() && slots < 2 && self.opens_a_device(node, r) {
            return Some(NodeReason::PodSlots);
        }
        self.bars(pod, host)
    }

    /// (6) to (8): what excludes a node whatever is free on it.
    pub fn bars(&self, pod: &PodFacts, host: NodeRef) -> Option<NodeReason> {
        if !self.inputs.plugins.predicates {
            return None;
        }
        if !self.state.nodes[host.ix()].ready {
            return Some(NodeReason::NotReady);
        }
        let excludes = |nodes: Option<&[bool]>| nodes.is_some_and(|nodes| !nodes[host.ix()]);
        if excludes(pod.tolerates.as_deref()) {
            return Some(NodeReason::Taint);
        }
        excludes(pod.selects.as_deref()).then_some(NodeReason::Selector)
    }
}
