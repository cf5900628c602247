//! What lies before the start of a scenario: hosts that are lent, and room that is being made for a job.
//!
//! # Rule
//! A host of which others than its owner use a part is lent to the closest pool above the owner and all of them. Pods that are being evicted
//! for a job make room for its waiting pods, in file order: a pod has the room of as many of them, on one node, as it needs
//! beside what is free there.
//!
//! # Source
//! ego.md 3.3, 8.3, 8.4
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::{ConsumerId, HostId, SubId};
use super::memory::{Memory, Promise, origin};
use super::model::{Desk, Model};
use super::plan::{Dims, add, fits};
use super::pool_state::State;
use crate::id::{Arena, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;

impl Memory {
    /// Reads the state before the first cycle: the hosts that are lent, and the earmarks of pods being evicted.
    pub(super) fn open(&mut self, model: &Model, world: PartitionView<'_>) {
        if std::mem::replace(&mut self.is_open, true) {
            return;
        }
        self.lent = lent(model, world);
        self.promises = promises(model, world, &model.open(world, self));
    }
}

/// Hosts that are lent, each to the closest pool above its owner and all who run on it.
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
            let above = plan.consumers[owner].parent.unwrap_or(ConsumerId::ROOT);
            let pool = pools.entry(node).or_insert(above);
            *pool = plan.path(*pool).find(|&pool| plan.is_below(leaf, pool)).unwrap_or(ConsumerId::ROOT);
        }
    }
    pools.into_iter().map(|(node, pool)| (node, model.queues[pool])).collect()
}

/// What is free on a host for a job once the victims seen so far are gone, and those of them that no pod has the room of yet.
struct Room {
    by: JobId,
    host: HostId,
    free: Dims,
    victims: Vec<PodId>,
    /// The last pod that has room of it.
    last: Option<usize>,
}

/// The room that pods being evicted at the start make for the pods of other jobs.
fn promises(model: &Model, world: PartitionView<'_>, desk: &Desk<'_>) -> Vec<Promise> {
    let state = &desk.state;
    let mut rooms: Vec<Room> = Vec::new();
    let mut promised: Arena<SubId, usize> = state.subs.ids().map(|_| 0).collect();
    let mut promises = Vec::new();
    for (unit, &pod) in state.units.values().zip(desk.pods.values()) {
        let job = world.cluster.pods[pod].job;
        let (State::Reclaiming(_), Some(by)) = (unit.state, world.cluster.jobs[job].evicted_for) else {
            continue;
        };
        let host = unit.host;
        let known = rooms.iter().position(|room| (room.by, room.host) == (by, host));
        let at = known.unwrap_or_else(|| {
            rooms.push(Room { by, host, free: state.free[host], victims: Vec::new(), last: None });
            rooms.len() - 1
        });
        let room = &mut rooms[at];
        add(&mut room.free, &state.subs[unit.sub].unit, 1);
        room.victims.push(pod);
        let waits = |&sub: &SubId| {
            let is_of_job = world.cluster.pod_sets[desk.pod_sets[sub]].job == by;
            is_of_job && desk.waiting[sub].len() > promised[sub]
        };
        let next = state.subs.ids().find(waits);
        let Some(sub) = next.filter(|&sub| fits(&room.free, &state.subs[sub].unit)) else {
            // What no other pod waits for belongs to the room of the last one.
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
            pod_set: desk.pod_sets[sub],
            node: model.nodes[host],
            source: origin(model, model.source(None, state.subs[sub].leaf, host, state)),
            victims: std::mem::take(&mut room.victims),
        });
    }
    promises
}
