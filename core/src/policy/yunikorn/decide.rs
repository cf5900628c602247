//! Conversion of the result of a pass to decisions and events.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1

use super::cycle::{CycleResult, ResultType};
use super::eviction;
use super::explain;
use super::memory::Memory;
use super::model::AskIx;
use super::preempted;
use crate::cluster::Devices;
use crate::id::PodId;
use crate::policy::{Decision, PartitionView};
use crate::trace::{Event, EvictReason, Trace};

impl Memory {
    pub(super) fn bind(
        &mut self,
        world: PartitionView<'_>,
        result: Option<&CycleResult>,
        orders: &[explain::Order],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(result) = result else { return };
        let Some(pod) = self.pod_of(result.ask) else { return };
        let node = self.nodes[result.node];
        if self.not_admitted(world, result).is_some() {
            self.in_step = false;
            return;
        }
        match result.kind {
            ResultType::Allocated | ResultType::AllocatedReserved if self.core.asks[result.ask].placeholder => {
                trace.event(Event::Claimed { pod, node }, || explain::placement_checks(world, self, orders, result));
            }
            ResultType::Allocated | ResultType::AllocatedReserved | ResultType::Replaced => {
                let devices = Devices::default();
                let why = || explain::placement_checks(world, self, orders, result);
                trace.action = "allocate";
                trace.event(Event::Bound { pod, node, devices }, why);
                decisions.push(Decision::Bind { pod, node, devices: None });
            }
            ResultType::Reserved | ResultType::Idle if !result.victims.is_empty() => {
                trace.action = "reserve";
                let job = world.cluster.pods[pod].job;
                trace.event(Event::Claimed { pod, node }, || preempted::too_little(self, job, result.ask));
            }
            _ => {}
        }
    }

    /// The pod that takes its placeholder's place on a node which has lost GPUs since: it is not admitted there and
    /// asks again.
    pub(super) fn not_admitted(&self, world: PartitionView<'_>, result: &CycleResult) -> Option<PodId> {
        let pod = self.pod_of(result.ask).filter(|_| result.kind == ResultType::Replaced)?;
        let devices = world.node_use[self.nodes[result.node]].pick(world.cluster.pods[pod].request.gpu);
        devices.is_none().then_some(pod)
    }

    /// Evicts the marked tasks: for an ask, or because the maximum of a queue was lowered.
    pub(super) fn evict(
        &mut self,
        world: PartitionView<'_>,
        marked: &[AskIx],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        for (victim, ask) in marked.iter().zip(&self.core.marked_for) {
            let preemptor = ask.and_then(|ask| self.pod_of(ask)).map(|pod| world.cluster.pods[pod].job);
            let Some(&pod) = self.pods.get(victim) else {
                let placeholder = self.pod_of(*victim).zip(self.core.asks[*victim].node).filter(|_| ask.is_some());
                if let Some((pod, node)) = placeholder {
                    trace.event(Event::Unclaimed { pod, node: self.nodes[node], by: preemptor }, Vec::new);
                }
                continue;
            };
            let Some(node) = world.cluster.pods[pod].node else { continue };
            let is_required = ask.is_some_and(|ask| !self.core.asks[ask].required_node.is_empty());
            let reason = match ask {
                None => EvictReason::AboveLimit,
                // Victims on a required node depend on priorities alone.
                Some(_) if is_required => EvictReason::Preempted,
                Some(_) => EvictReason::ReclaimedForQuota,
            };
            let why = || match *ask {
                None => eviction::lowered_maximum_checks(self, marked, *victim),
                Some(ask) if is_required => eviction::required_node_checks(world, self, ask, *victim),
                Some(ask) => eviction::eviction_checks(world, self, ask, marked, *victim),
            };
            trace.action = if ask.is_some() { "preempt" } else { "quota preemption" };
            trace.event(Event::Evicted { pod, node, by: preemptor, reason }, why);
            decisions.push(Decision::Evict { pod, grace: world.cluster.delays.termination });
            self.evicted_for.extend(preemptor.map(|job| (pod, job)));
            self.in_step = false;
        }
    }
}
