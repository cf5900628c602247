//! Reasons why nodes do not take an ask.
//!
//! # Rule
//! A node does not take an ask if it is down, excluded by the pod, or lacks a resource; if placeholders hold what is
//! missing, or if it is reserved for another ask, its room is reserved.
//!
//! # Source
//! yunikorn.md 3.7, 3.8, 7

use super::amounts::{self, Amounts};
use super::memory::Memory;
use super::model::{Ask, AskIx, NodeIx};
use super::rules;
use crate::cluster::Pod;
use crate::id::JobId;
use crate::policy::PartitionView;
use crate::trace::{Check, FreeGpus, NodeReason, Op, Quantity, Subject};
use crate::units::Resource;

/// The nodes as a waiting ask meets them.
pub(super) struct NodeReasons<'a> {
    world: PartitionView<'a>,
    memory: &'a Memory,
    ask: &'a Ask,
    index: AskIx,
    pod: Option<&'a Pod>,
}

/// Room that is reserved for another job on a node.
struct Reservation {
    job: JobId,
    /// The resource and the amounts of a comparison: reserved, or free on the reserved node.
    left: (Resource, i64),
    quantity: Quantity,
}

impl<'a> NodeReasons<'a> {
    pub(super) fn new(world: PartitionView<'a>, memory: &'a Memory, index: AskIx) -> NodeReasons<'a> {
        let pod = memory.pod_of(index).map(|pod| &world.cluster.pods[pod]);
        NodeReasons { world, memory, ask: &memory.core.asks[index], index, pod }
    }

    /// The number of nodes per reason.
    pub(super) fn counted(&self) -> Vec<(NodeReason, u32)> {
        let mut counts: Vec<(NodeReason, u32)> = Vec::new();
        for reason in (0..self.memory.core.nodes.len()).filter_map(|node| self.reason(node)) {
            match counts.iter_mut().find(|(counted, _)| *counted == reason) {
                Some((_, n)) => *n += 1,
                None => counts.push((reason, 1)),
            }
        }
        counts
    }

    /// The comparison for the first node whose room is reserved, per job for which it is.
    pub(super) fn reservations(&self, job: JobId) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::new();
        for node in 0..self.memory.core.nodes.len() {
            let reservation = if self.excluded(node).is_none() { self.reservation(node) } else { None };
            let Some(reserved) = reservation else { continue };
            if checks.iter().any(|check| check.subject.other_job == Some(reserved.job)) {
                continue;
            }
            let (resource, amount) = reserved.left;
            let requested = self.memory.resource_types.of(resource).map_or(0, |type_ix| self.ask.resource.get(type_ix));
            let subject = Subject {
                job: Some(job),
                other_job: Some(reserved.job),
                node: Some(self.memory.nodes[node]),
                resource: Some(resource),
                ..Subject::default()
            };
            let (left, right) = ((Quantity::Request, requested), (reserved.quantity, amount));
            checks.push(rules::amounts(rules::RESERVED, subject, left, Op::AtMost, right));
        }
        checks
    }

    /// Free GPUs on the nodes that the ask may use and whose room is not reserved.
    pub(super) fn free_gpus(&self) -> FreeGpus {
        let gpu = self.memory.resource_types.of(Resource::GPU);
        let free = |node: NodeIx| gpu.map_or(0, |type_ix| self.memory.core.nodes[node].available.get(type_ix)).max(0);
        let open = (0..self.memory.core.nodes.len())
            .filter(|&node| self.excluded(node).is_none() && self.reservation(node).is_none());
        open.map(|node| free(node) as f64).collect()
    }

    /// The comparison with the most that a node has of a resource that all nodes lack.
    pub(super) fn largest_room(&self, job: JobId) -> Option<Check> {
        let (core, types) = (&self.memory.core, &self.memory.resource_types);
        let open: Vec<NodeIx> = (0..core.nodes.len()).filter(|&node| self.excluded(node).is_none()).collect();
        types.resources().find_map(|resource| {
            let type_ix = types.of(resource)?;
            let requested = self.ask.resource.get(type_ix);
            let largest = open.iter().map(|&node| core.nodes[node].available.get(type_ix).max(0)).max()?;
            let subject = Subject { job: Some(job), resource: Some(resource), ..Subject::default() };
            let (left, right) = ((Quantity::Request, requested), (Quantity::Idle, largest));
            (requested > largest).then(|| rules::amounts(rules::FIRST_FIT, subject, left, Op::AtMost, right))
        })
    }

    /// Why a node does not take the ask; `None` if it would take it now.
    fn reason(&self, node: NodeIx) -> Option<NodeReason> {
        let node_state = &self.memory.core.nodes[node];
        let reserved = || self.reservation(node).map(|reservation| NodeReason::Reserved(reservation.job));
        self.excluded(node).or_else(reserved).or_else(|| self.lacking(&node_state.available))
    }

    /// Why the node is excluded whatever is free on it.
    fn excluded(&self, node: NodeIx) -> Option<NodeReason> {
        let core = &self.memory.core;
        let candidate = &core.nodes[node];
        let of_cluster = &self.world.cluster.nodes[self.memory.nodes[node]];
        let is_other = !self.ask.required_node.is_empty() && self.ask.required_node != candidate.id;
        match self.pod {
            _ if !candidate.schedulable || candidate.cordoned => Some(NodeReason::NotReady),
            Some(pod) if !pod.tolerates(of_cluster) => Some(NodeReason::Taint),
            Some(pod) if !pod.selects(of_cluster) => Some(NodeReason::Selector),
            _ if is_other => Some(NodeReason::Selector),
            // The memory of its devices is too small.
            _ if core.refuses(self.index, node) => Some(NodeReason::Insufficient(Resource::GPU)),
            _ => None,
        }
    }

    /// The resource, or pod slots, that an amount lacks for the ask.
    fn lacking(&self, available: &Amounts) -> Option<NodeReason> {
        let types = &self.memory.resource_types;
        let request = &self.ask.resource;
        let lacks = |type_ix: usize| request.get(type_ix) > available.get(type_ix).max(0);
        let resource = types.resources().find(|r| types.of(*r).is_some_and(lacks));
        let pods = || types.pods().is_some_and(lacks).then_some(NodeReason::PodSlots);
        resource.map(NodeReason::Insufficient).or_else(pods)
    }

    /// The job for which the room of a node is reserved, if the ask fits into that room.
    fn reservation(&self, node: NodeIx) -> Option<Reservation> {
        let core = &self.memory.core;
        let candidate = &core.nodes[node];
        let job_of = |ask: AskIx| self.memory.pod_of(ask).map(|pod| self.world.cluster.pods[pod].job);
        if self.lacking(&candidate.available).is_none() {
            let other = candidate.reserved.iter().copied().find(|&other| other != self.index)?;
            return Some(Reservation {
                job: job_of(other)?,
                left: self.first_of(&candidate.available)?,
                quantity: Quantity::Idle,
            });
        }
        let is_foreign = |ask: &AskIx| core.asks[*ask].placeholder && core.asks[*ask].app != self.ask.app;
        let holders: Vec<AskIx> = candidate.allocations.iter().copied().filter(is_foreign).collect();
        let mut held_resources = Amounts::EMPTY;
        holders.iter().for_each(|&ask| held_resources.add(&core.asks[ask].resource));
        let with_held = amounts::sum(&candidate.available, &held_resources);
        if holders.is_empty() || self.lacking(&with_held).is_some() {
            return None;
        }
        let job = holders.first().and_then(|&ask| job_of(ask))?;
        Some(Reservation { job, left: self.first_of(&held_resources)?, quantity: Quantity::Reserved })
    }

    /// The first resource that the ask requests, with its amount.
    fn first_of(&self, amounts: &Amounts) -> Option<(Resource, i64)> {
        let types = &self.memory.resource_types;
        let requested = |r: &Resource| types.of(*r).is_some_and(|type_ix| self.ask.resource.get(type_ix) > 0);
        let resource = types.resources().find(requested)?;
        Some((resource, amounts.get(types.of(resource)?)))
    }
}
