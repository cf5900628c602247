//! What is remembered between cycles: where each unit was drawn from and in which order they started, who lends which host
//! to which pool, and what is promised.
//!
//! # Rule
//! Everything in the cluster's words, so that an edit of the tree between two cycles leaves no number without a meaning. A pod that
//! was never seen to start counts as started before all others, by the moment since which it runs, then by file order.
//!
//! # Source
//! ego.md 2, 3.3, 8.4
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::{ConsumerId, SubId, UnitId};
use super::model::{Desk, Model};
use super::pool_state::{PoolState, Source, State};
use crate::id::{JobId, NodeId, PodId, PodSetId, QueueId};
use crate::policy::PartitionView;

/// What is remembered between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Whether what the scenario says of its start was taken in.
    pub(super) is_open: bool,
    units: BTreeMap<PodId, UnitMemory>,
    pub(super) lent: BTreeMap<NodeId, Option<QueueId>>,
    pub(super) promises: Vec<Promise>,
    n_started: u64,
}

/// `None`: its leaf's own hosts; otherwise the queue whose pool it was drawn from, the root's being the public one.
pub(super) type PlaceOfOrigin = Option<Option<QueueId>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnitMemory {
    source: PlaceOfOrigin,
    started: u64,
}

/// Room for one unit once the victims are gone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Promise {
    pub pod_set: PodSetId,
    pub node: NodeId,
    pub source: PlaceOfOrigin,
    pub victims: Vec<PodId>,
}

/// A source in the cluster's words.
pub(super) fn origin(model: &Model, source: Source) -> PlaceOfOrigin {
    match source {
        Source::Owned => None,
        Source::Pool(consumer) => Some(model.queues[consumer]),
    }
}

impl Memory {
    /// The place of a pod in the order of starts; 0 if it ran before anybody looked.
    pub(super) fn started(&self, pod: PodId) -> u64 {
        self.units.get(&pod).map_or(0, |unit| unit.started)
    }
    /// Where it was drawn from, if that was seen.
    pub(super) fn source(&self, pod: PodId) -> Option<PlaceOfOrigin> {
        self.units.get(&pod).map(|unit| unit.source)
    }

    /// Which hosts are lent to which pools.
    pub(super) fn lent_hosts(&self, model: &Model, state: &mut PoolState<'_>) {
        for (&node, &queue) in &self.lent {
            if let Some(host) = model.host(node) {
                state.lent[host] = Some(queue.map_or(ConsumerId::ROOT, |q| model.consumer(q)));
            }
        }
    }

    /// Puts the promises into the state again, as far as their jobs still live.
    pub(super) fn promise(&self, model: &Model, desk: &mut Desk<'_>) {
        if self.promises.is_empty() {
            return;
        }
        let subs: BTreeMap<PodSetId, SubId> = desk.pod_sets.iter().map(|(sub, &set)| (set, sub)).collect();
        for promise in &self.promises {
            let sub = subs.get(&promise.pod_set).copied();
            let (Some(sub), Some(host)) = (sub, model.host(promise.node)) else { continue };
            let source = match promise.source {
                None => Source::Owned,
                Some(queue) => Source::Pool(queue.map_or(ConsumerId::ROOT, |q| model.consumer(q))),
            };
            let leaving = |id: &UnitId| {
                matches!(desk.state.units[*id].state, State::Reclaiming(_))
                    && promise.victims.contains(&desk.pods[*id])
            };
            let mut victims = desk.state.on_host[host].clone();
            victims.retain(leaving);
            desk.state.earmark(sub, host, source, &victims);
        }
    }

    /// Notes what a cycle left behind. `is_live`: whether a pod still holds something or waits.
    pub(super) fn note(&mut self, model: &Model, desk: &Desk<'_>, started: &[UnitId]) {
        for &id in started {
            self.n_started += 1;
            let source = origin(model, desk.state.units[id].source);
            self.units.insert(desk.pods[id], UnitMemory { source, started: self.n_started });
        }
        if self.units.len() > 2 * desk.pods.len() + 64 {
            let holding: std::collections::BTreeSet<PodId> = desk.pods.values().copied().collect();
            self.units.retain(|pod, _| holding.contains(pod));
        }
        let lent = desk.state.lent.iter();
        self.lent =
            lent.filter_map(|(host, pool)| Some((model.nodes[host], model.queues[(*pool)?]))).collect();
        let promises = desk.state.earmarks.iter().map(|e| Promise {
            pod_set: desk.pod_sets[e.sub],
            node: model.nodes[e.host],
            source: origin(model, e.source),
            victims: e.victims.iter().map(|&id| desk.pods[id]).collect(),
        });
        self.promises = promises.collect();
    }
}

/// The job of a sub-allocation.
pub(super) fn job_of(world: PartitionView<'_>, set: PodSetId) -> JobId {
    world.cluster.pod_sets[set].job
}
