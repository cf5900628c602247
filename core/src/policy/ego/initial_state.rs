//! Initial state of a scenario: lent hosts, and earmarks of pods that are being evicted.
//!
//! # Rule
//! A host used by others than its owner is lent to the closest pool above the owner and all of its users. Pods that are
//! being evicted for a job free resources for its pending pods, in file order: a pod is earmarked on one node behind as
//! many of them as it needs in addition to the free resources.
//!
//! # Source
//! ego.md 3.3, 8.3, 8.4
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::{ConsumerId, HostId, SubId};
use super::memory::{Memory, Promise, origin};
use super::model::{CycleState, Model};
use super::plan::{Dims, add, fits};
use super::pool_state::UnitState;
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;

impl Memory {
    /// Reads the initial state, before the first cycle only.
    pub(super) fn initialise(&mut self, model: &Model, world: PartitionView<'_>) {
        if std::mem::replace(&mut self.is_initialised, true) {
            return;
        }
        self.lent = lent(model, world);
        self.promises = promises(model, world, &model.open(world, self));
    }
}

/// Lent hosts, each with the closest pool above its owner and all of its users.
fn lent(model: &Model, world: PartitionView<'_>) -> BTreeMap<NodeId, Option<QueueId>> {
    let plan = &model.plan;
    let mut pools: BTreeMap<NodeId, ConsumerId> = BTreeMap::new();
    for job in world.live_jobs() {
        let leaf = model.consumer(world.cluster.jobs[job].queue);
        for (_, pod) in world.cluster.pods_of(job).filter(|(_, pod)| pod.phase.holds()) {
            let Some((node, host)) = pod.node.and_then(|node| Some((node, model.host(node)?))) else {
                continue;
            };
            let owner = model.layout.holders[host];
            if owner == leaf || !plan.is_leaf(owner) || owner == ConsumerId::ROOT {
                continue;
            }
            let parent = plan.consumers[owner].parent.unwrap_or(ConsumerId::ROOT);
            let pool = pools.entry(node).or_insert(parent);
            *pool = plan.path(*pool).find(|&pool| plan.is_below(leaf, pool)).unwrap_or(ConsumerId::ROOT);
        }
    }
    pools.into_iter().map(|(node, pool)| (node, model.queues[pool])).collect()
}

/// Resources of a host for one job after the evictions seen so far, with the victims not assigned to an earmark yet.
struct ReclaimedHost {
    by: JobId,
    host: HostId,
    free: Dims,
    victims: Vec<PodId>,
    /// Index of the latest earmark on the host.
    last: Option<usize>,
}

/// Earmarks behind pods that are being evicted at the start, for the pods of other jobs.
fn promises(model: &Model, world: PartitionView<'_>, current: &CycleState<'_>) -> Vec<Promise> {
    let state = &current.state;
    let mut rooms: Vec<ReclaimedHost> = Vec::new();
    let mut promised: Arena<SubId, usize> = state.subs.ids().map(|_| 0).collect();
    let mut promises = Vec::new();
    for (unit, &pod) in state.units.values().zip(current.pods.values()) {
        let job = world.cluster.pods[pod].job;
        let (UnitState::Reclaiming(_), Some(reclaimer)) = (unit.state, world.cluster.jobs[job].evicted_for) else {
            continue;
        };
        let host = unit.host;
        let existing = rooms.iter().position(|room| (room.by, room.host) == (reclaimer, host));
        let index = existing.unwrap_or_else(|| {
            rooms.push(ReclaimedHost { by: reclaimer, host, free: state.free[host], victims: Vec::new(), last: None });
            rooms.len() - 1
        });
        let room = &mut rooms[index];
        add(&mut room.free, &state.subs[unit.sub].unit, 1);
        room.victims.push(pod);
        let waits = |&sub: &SubId| {
            let is_of_job = world.cluster.pod_sets[current.pod_sets[sub]].job == reclaimer;
            is_of_job && current.waiting[sub].len() > promised[sub]
        };
        let next = state.subs.ids().find(waits);
        let Some(sub) = next.filter(|&sub| fits(&room.free, &state.subs[sub].unit)) else {
            // Resources that no further pod needs belong to the latest earmark.
            if let (None, Some(last)) = (next, room.last) {
                let last: &mut Promise = &mut promises[last];
                last.victims.append(&mut room.victims);
            }
            continue;
        };
        room.last = Some(promises.len());
        add(&mut room.free, &state.subs[sub].unit, -1);
        promised[sub] += 1;
        promises.push(Promise {
            pod_set: current.pod_sets[sub],
            node: model.nodes[host],
            source: origin(model, model.source(None, state.subs[sub].leaf, host, state)),
            victims: std::mem::take(&mut room.victims),
        });
    }
    promises
}
