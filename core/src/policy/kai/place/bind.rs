//! Bindings on devices: the GPUs of each bound pod.
//!
//! # Rule
//! A shared device keeps its number; a group opened in this cycle takes the lowest free device of its node. A pod
//! without a free device is not bound: the scheduler may count more device memory than a node has.
//!
//! # Source
//! kai.md 1.2, 1.4, 5.6
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use crate::cluster::{Devices, NodeUse};
use crate::id::{JobId, NodeId, PodId};
use crate::policy::kai::record::recorder::{Decided, NO_DEVICE};
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{GroupRef, NodeRef};
use crate::policy::{Decision, PartitionView};
use crate::trace::{Event, Gate, Level, Mark, Outlook, Refusal, Subject, Trace};

/// Assigns numbers to shared devices, decision by decision.
#[derive(Default)]
pub(in crate::policy::kai) struct Placing {
    /// Usage of the nodes with bindings.
    nodes: BTreeMap<NodeId, NodeUse>,
    /// Devices of groups opened in this cycle.
    opened: BTreeMap<(NodeRef, GroupRef), u32>,
}

/// Records why a pod of a job cannot be bound, unless the job already has a refusal.
fn refuse(refusals: &mut Vec<Refusal>, job: JobId, node: NodeId) {
    if let Err(position) = refusals.binary_search_by_key(&job, |refusal| refusal.job) {
        let (gate, outlook) = (Gate::NoDevice { node }, Outlook::NotForeseeable);
        refusals.insert(position, Refusal { job, gate, also: Vec::new(), checks: Vec::new(), outlook });
    }
}

impl Placing {
    /// Converts the decisions of a cycle. A binding without a free device is dropped with its event, and marked.
    pub(in crate::policy::kai) fn decide(
        mut self,
        world: PartitionView<'_>,
        session: &Session<'_>,
        decided: Vec<Decided>,
        trace: &mut Trace,
        n_events: usize,
    ) -> Vec<Decision> {
        let any_parts = decided.iter().any(|d| match d {
            Decided::Bind { groups, node, .. } => !groups.is_empty() || is_overbooked(world, session, *node),
            Decided::Evict { .. } => false,
        });
        if any_parts {
            self.nodes = used(world, session, &decided);
        }
        let mut decisions = Vec::with_capacity(decided.len());
        for decision in decided {
            match decision {
                Decided::Evict { pod } => {
                    let grace = world.cluster.delays.termination;
                    decisions.push(Decision::Evict { pod: session.inputs.pods[pod.ix()].id, grace });
                }
                Decided::Bind { pod, node, groups } => {
                    let (pod, id) = (session.inputs.pods[pod.ix()].id, session.state.nodes[node.ix()].id);
                    if !any_parts {
                        decisions.push(Decision::Bind { pod, node: id, devices: None });
                        continue;
                    }
                    let devices = self.devices(world, session, (node, &groups), pod);
                    if devices.is_some() {
                        decisions.push(Decision::Bind { pod, node: id, devices });
                        continue;
                    }
                    let is_binding = |event: &Event| matches!(event, Event::Bound { pod: p, .. } if *p == pod);
                    let subject = Subject { pod: Some(pod), node: Some(id), ..Subject::default() };
                    trace.marks.push(Mark { rule: NO_DEVICE, subject });
                    if trace.level != Level::Outcomes {
                        refuse(&mut trace.refusals, world.cluster.pods[pod].job, id);
                    }
                    let mut i = 0;
                    trace.events.retain(|recorded| {
                        i += 1;
                        i <= n_events || !is_binding(&recorded.event)
                    });
                }
            }
        }
        decisions
    }

    fn devices(
        &mut self,
        world: PartitionView<'_>,
        session: &Session<'_>,
        (node, groups): (NodeRef, &[GroupRef]),
        pod: PodId,
    ) -> Option<Devices> {
        let id = session.state.nodes[node.ix()].id;
        let room = self.nodes.get_mut(&id)?;
        let request = &world.cluster.pods[pod].request;
        let mut devices = Devices(0);
        for &group in groups {
            let known_device = session.state.groups.device(group);
            let known_device = known_device.or_else(|| self.opened.get(&(node, group)).copied());
            let device = match known_device {
                Some(device) => device,
                None => {
                    let free = Devices(room.free().0 & !devices.0).iter().next()?;
                    self.opened.insert((node, group), free);
                    free
                }
            };
            devices.0 |= 1 << device;
        }
        if groups.is_empty() {
            devices = room.pick(request.gpu)?;
        }
        if !room.can_give(request.gpu, devices) {
            return None;
        }
        room.take(request, devices);
        Some(devices)
    }
}

/// Whether the scheduler may allocate more devices of a node than exist, because it counts a different memory size.
fn is_overbooked(world: PartitionView<'_>, session: &Session<'_>, node: NodeRef) -> bool {
    let node = &session.state.nodes[node.ix()];
    node.device_mib != world.cluster.nodes[node.id].device_mib()
}

/// Usage of the nodes on which something is bound.
fn used(world: PartitionView<'_>, session: &Session<'_>, decided: &[Decided]) -> BTreeMap<NodeId, NodeUse> {
    let cluster = world.cluster;
    let mut nodes = BTreeMap::new();
    for decision in decided {
        if let Decided::Bind { node, .. } = decision {
            let id = session.state.nodes[node.ix()].id;
            nodes.entry(id).or_insert_with(|| NodeUse::new(&cluster.nodes[id]));
        }
    }
    for (_, pod) in world.live_jobs().flat_map(|job| cluster.pods_of(job)).filter(|(_, p)| p.phase.holds()) {
        if let Some(room) = pod.node.and_then(|node| nodes.get_mut(&node)) {
            room.take(&pod.request, pod.devices);
        }
    }
    nodes
}
