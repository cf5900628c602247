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
        let mut found: Vec<(NodeReason, u32)> = Vec::new();
        for reason in (0..self.memory.core.nodes.len()).filter_map(|node| self.reason(node)) {
            match found.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, n)) => *n += 1,
                None => found.push((reason, 1)),
            }
        }
        found
    }

    /// The comparison for the first node whose room is reserved, per job for which it is.
    pub(super) fn reservations(&self, job: JobId) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::new();
        for node in 0..self.memory.core.nodes.len() {
            let reservation = if self.excluded(node).is_none() { self.reservation(node) } else { None };
            let Some(found) = reservation else { continue };
            if checks.iter().any(|check| check.subject.other_job == Some(found.job)) {
                continue;
            }
            let (resource, amount) = found.left;
            let wanted = self.memory.resource_types.of(resource).map_or(0, |of| self.ask.resource.get(of));
            let subject = Subject {
                job: Some(job),
                other_job: Some(found.job),
                node: Some(self.memory.nodes[node]),
                resource: Some(resource),
                ..Subject::default()
            };
            let (left, right) = ((Quantity::Request, wanted), (found.quantity, amount));
            checks.push(rules::amounts(rules::RESERVED, subject, left, Op::AtMost, right));
        }
        checks
    }

    /// Free GPUs on the nodes that the ask may use and whose room is not reserved.
    pub(super) fn free_gpus(&self) -> FreeGpus {
        let gpu = self.memory.resource_types.of(Resource::GPU);
        let free = |node: NodeIx| gpu.map_or(0, |of| self.memory.core.nodes[node].available.get(of)).max(0);
        let open = (0..self.memory.core.nodes.len())
            .filter(|&node| self.excluded(node).is_none() && self.reservation(node).is_none());
        open.map(|node| free(node) as f64).collect()
    }

    /// The comparison with the most that a node has of a resource that all nodes lack.
    pub(super) fn largest_room(&self, job: JobId) -> Option<Check> {
        let (core, types) = (&self.memory.core, &self.memory.resource_types);
        let open: Vec<NodeIx> = (0..core.nodes.len()).filter(|&node| self.excluded(node).is_none()).collect();
        types.resources().find_map(|resource| {
            let of = types.of(resource)?;
            let wanted = self.ask.resource.get(of);
            let most = open.iter().map(|&node| core.nodes[node].available.get(of).max(0)).max()?;
            let subject = Subject { job: Some(job), resource: Some(resource), ..Subject::default() };
            let (left, right) = ((Quantity::Request, wanted), (Quantity::Idle, most));
            (wanted > most).then(|| rules::amounts(rules::FIRST_FIT, subject, left, Op::AtMost, right))
        })
    }

    /// Why a node does not take the ask; `None` if it would take it now.
    fn reason(&self, node: NodeIx) -> Option<NodeReason> {
        let here = &self.memory.core.nodes[node];
        let reserved = || self.reservation(node).map(|found| NodeReason::Reserved(found.job));
        self.excluded(node).or_else(reserved).or_else(|| self.lacking(&here.available))
    }

    /// Why the node is excluded whatever is free on it.
    fn excluded(&self, node: NodeIx) -> Option<NodeReason> {
        let core = &self.memory.core;
        let here = &core.nodes[node];
        let of_cluster = &self.world.cluster.nodes[self.memory.nodes[node]];
        let is_other = !self.ask.required_node.is_empty() && self.ask.required_node != here.id;
        match self.pod {
            _ if !here.schedulable || here.cordoned => Some(NodeReason::NotReady),
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
        let wanted = &self.ask.resource;
        let lacks = |of: usize| wanted.get(of) > available.get(of).max(0);
        let resource = types.resources().find(|r| types.of(*r).is_some_and(lacks));
        let pods = || types.pods().is_some_and(lacks).then_some(NodeReason::PodSlots);
        resource.map(NodeReason::Insufficient).or_else(pods)
    }

    /// The job for which the room of a node is reserved, if the ask fits into that room.
    fn reservation(&self, node: NodeIx) -> Option<Reservation> {
        let core = &self.memory.core;
        let here = &core.nodes[node];
        let job_of = |ask: AskIx| self.memory.pod_of(ask).map(|pod| self.world.cluster.pods[pod].job);
        if self.lacking(&here.available).is_none() {
            let other = here.reserved.iter().copied().find(|&other| other != self.index)?;
            return Some(Reservation {
                job: job_of(other)?,
                left: self.first_of(&here.available)?,
                quantity: Quantity::Idle,
            });
        }
        let is_foreign = |ask: &AskIx| core.asks[*ask].placeholder && core.asks[*ask].app != self.ask.app;
        let holders: Vec<AskIx> = here.allocations.iter().copied().filter(is_foreign).collect();
        let mut held = Amounts::EMPTY;
        holders.iter().for_each(|&ask| held.add(&core.asks[ask].resource));
        let with_held = amounts::sum(&here.available, &held);
        if holders.is_empty() || self.lacking(&with_held).is_some() {
            return None;
        }
        let job = holders.first().and_then(|&ask| job_of(ask))?;
        Some(Reservation { job, left: self.first_of(&held)?, quantity: Quantity::Reserved })
    }

    /// The first resource that the ask requests, with its amount.
    fn first_of(&self, amounts: &Amounts) -> Option<(Resource, i64)> {
        let types = &self.memory.resource_types;
        let requested = |r: &Resource| types.of(*r).is_some_and(|of| self.ask.resource.get(of) > 0);
        let resource = types.resources().find(requested)?;
        Some((resource, amounts.get(types.of(resource)?)))
    }
}
