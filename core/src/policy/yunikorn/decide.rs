//! Conversion of the result of a pass to decisions and events.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1

use super::cycle::{CycleResult, ResultType};
use super::explain;
use super::memory::Memory;
use super::model::AskIx;
use crate::cluster::Devices;
use crate::policy::{Decision, PartitionView};
use crate::trace::{Event, EvictReason, Trace};

impl Memory {
    pub(super) fn bind(
        &mut self,
        world: PartitionView<'_>,
        found: Option<&CycleResult>,
        orders: &[explain::Order],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let (Some(core), Some(found)) = (&self.core, found) else { return };
        let Some(pod) = self.pod_of(found.ask) else { return };
        let node = self.nodes[found.node];
        // A placeholder stays on a node that has lost GPUs; its pod is not admitted there and asks again.
        let has_devices = || world.node_use[node].pick(world.cluster.pods[pod].request.gpu).is_some();
        if matches!(found.kind, ResultType::Replaced) && !has_devices() {
            self.in_step = false;
            return;
        }
        match found.kind {
            ResultType::Allocated | ResultType::AllocatedReserved if core.asks[found.ask].placeholder => {
                trace.event(Event::Claimed { pod, node }, || {
                    explain::placement_checks(world, self, core, orders, found)
                });
            }
            ResultType::Allocated | ResultType::AllocatedReserved | ResultType::Replaced => {
                let devices = Devices::default();
                let why = || explain::placement_checks(world, self, core, orders, found);
                trace.action = "allocate";
                trace.event(Event::Bound { pod, node, devices }, why);
                decisions.push(Decision::Bind { pod, node, devices: None });
            }
            ResultType::Reserved | ResultType::Idle if !found.victims.is_empty() => {
                trace.action = "reserve";
                trace.event(Event::Claimed { pod, node }, Vec::new);
            }
            _ => {}
        }
    }

    pub(super) fn evict(
        &mut self,
        world: PartitionView<'_>,
        marked: &[AskIx],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(core) = &self.core else { return };
        for (victim, ask) in marked.iter().zip(&core.marked_for) {
            let Some(ask) = *ask else { continue };
            let preemptor = self.pod_of(ask).map(|pod| world.cluster.pods[pod].job);
            let Some(&pod) = self.pods.get(victim) else {
                if let (Some(pod), Some(node)) = (self.pod_of(*victim), core.asks[*victim].node) {
                    let node = self.nodes[node];
                    trace.event(Event::Unclaimed { pod, node, by: preemptor }, Vec::new);
                }
                continue;
            };
            let Some(node) = world.cluster.pods[pod].node else { continue };
            // Victims on a required node depend on priorities alone.
            let is_required = !core.asks[ask].required_node.is_empty();
            let reason = if is_required { EvictReason::Preempted } else { EvictReason::ReclaimedForQuota };
            let why = || match is_required {
                true => explain::required_node_checks(world, self, core, ask, *victim),
                false => explain::eviction_checks(world, self, core, ask, marked, *victim),
            };
            trace.action = "preempt";
            trace.event(Event::Evicted { pod, node, by: preemptor, reason }, why);
            decisions.push(Decision::Evict { pod, grace: world.cluster.delays.termination });
            self.evicted_for.extend(preemptor.map(|job| (pod, job)));
            self.in_step = false;
        }
    }

    /// Evicts tasks of queues whose maximum was lowered.
    pub(super) fn evict_above_maximum(
        &mut self,
        world: PartitionView<'_>,
        marked: &[AskIx],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(core) = &self.core else { return };
        for victim in marked {
            let Some(&pod) = self.pods.get(victim) else { continue };
            let Some(node) = world.cluster.pods[pod].node else { continue };
            let reason = EvictReason::AboveLimit;
            let why = || explain::lowered_maximum_checks(self, core, marked, *victim);
            trace.action = "quota preemption";
            trace.event(Event::Evicted { pod, node, by: None, reason }, why);
            decisions.push(Decision::Evict { pod, grace: world.cluster.delays.termination });
            self.in_step = false;
        }
    }
}
