//! State between cycles: source and start order of units, lent hosts with their pools, and earmarks.
//!
//! # Rule
//! All of it uses ids of the cluster, so that it stays valid after an edit of the tree. A pod without a recorded start
//! precedes all others; such pods are ordered by start time, then by file order.
//!
//! # Source
//! ego.md 2, 3.3, 8.4
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::{SubId, UnitId};
use super::model::{CycleState, Model, Origin};
use super::pool_state::{PoolState, Source, UnitState};
use crate::id::{JobId, NodeId, PodId, PodSetId, QueueId};
use crate::policy::PartitionView;

/// State between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Whether the initial state of the scenario was read.
    pub(super) is_initialised: bool,
    units: BTreeMap<PodId, UnitMemory>,
    pub(super) lent: BTreeMap<NodeId, Option<QueueId>>,
    pub(super) promises: Vec<Promise>,
    n_started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnitMemory {
    source: Origin,
    started: u64,
}

/// An earmark in ids of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Promise {
    pub pod_set: PodSetId,
    pub node: NodeId,
    pub source: Origin,
    pub victims: Vec<PodId>,
}

/// Converts a source to ids of the cluster.
pub(super) fn origin(model: &Model, source: Source) -> Origin {
    match source {
        Source::Owned => None,
        Source::Pool(consumer) => Some(model.queues[consumer]),
    }
}

impl Memory {
    /// Position of a pod in the order of starts; 0 if it started before the first cycle.
    pub(super) fn started(&self, pod: PodId) -> u64 {
        self.units.get(&pod).map_or(0, |unit| unit.started)
    }
    /// Recorded source of a pod.
    pub(super) fn source(&self, pod: PodId) -> Option<Origin> {
        self.units.get(&pod).map(|unit| unit.source)
    }

    /// Restores the lent hosts.
    pub(super) fn lent_hosts(&self, model: &Model, state: &mut PoolState<'_>) {
        for (&node, &queue) in &self.lent {
            if let Some(host) = model.host(node) {
                state.lent[host] = Some(model.pool_owner(queue));
            }
        }
    }

    /// Restores the earmarks whose jobs are still live.
    pub(super) fn promise(&self, model: &Model, current: &mut CycleState<'_>) {
        if self.promises.is_empty() {
            return;
        }
        let subs: BTreeMap<PodSetId, SubId> = current.pod_sets.iter().map(|(sub, &set)| (set, sub)).collect();
        for promise in &self.promises {
            let sub = subs.get(&promise.pod_set).copied();
            let (Some(sub), Some(host)) = (sub, model.host(promise.node)) else { continue };
            let source = model.source_now(promise.source);
            let leaving = |id: &UnitId| {
                matches!(current.state.units[*id].state, UnitState::Reclaiming(_))
                    && promise.victims.contains(&current.pods[*id])
            };
            let mut victims = current.state.on_host[host].clone();
            victims.retain(leaving);
            current.state.earmark(sub, host, source, &victims);
        }
    }

    /// Records the state after a cycle.
    pub(super) fn note(&mut self, model: &Model, current: &CycleState<'_>, started: &[UnitId]) {
        for &id in started {
            self.n_started += 1;
            let source = origin(model, current.state.units[id].source);
            self.units.insert(current.pods[id], UnitMemory { source, started: self.n_started });
        }
        if self.units.len() > 2 * current.pods.len() + 64 {
            let holding: std::collections::BTreeSet<PodId> = current.pods.values().copied().collect();
            self.units.retain(|pod, _| holding.contains(pod));
        }
        let lent = current.state.lent.iter();
        self.lent = lent.filter_map(|(host, pool)| Some((model.nodes[host], model.queues[(*pool)?]))).collect();
        let promises = current.state.earmarks.iter().map(|e| Promise {
            pod_set: current.pod_sets[e.sub],
            node: model.nodes[e.host],
            source: origin(model, e.source),
            victims: e.victims.iter().map(|&id| current.pods[id]).collect(),
        });
        self.promises = promises.collect();
    }
}

/// The job of a sub-allocation.
pub(super) fn job_of(world: PartitionView<'_>, set: PodSetId) -> JobId {
    world.cluster.pod_sets[set].job
}
