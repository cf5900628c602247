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

use super::books::State;
use super::memory::{Promise, origin};
use super::model::{Desk, Model};
use super::plan::{add, fits};
use crate::id::{JobId, NodeId, QueueId};
use crate::policy::PartitionView;

/// Hosts that are lent, each to the closest pool above its owner and all who run on it.
pub fn lent(model: &Model, world: PartitionView<'_>) -> BTreeMap<NodeId, Option<QueueId>> {
    let plan = &model.plan;
    let mut pools: BTreeMap<NodeId, usize> = BTreeMap::new();
    for job in world.live_jobs() {
        let leaf = model.consumer(world.cluster.jobs[job].queue);
        for (_, pod) in world.cluster.pods_of(job).filter(|(_, pod)| pod.phase.holds()) {
            let Some((node, host)) = pod.node.and_then(|node| Some((node, model.host(node)?))) else {
                continue;
            };
            let owner = model.layout.holders[host];
            if owner == leaf || !plan.is_leaf(owner) || owner == 0 {
                continue;
            }
            let above = plan.consumers[owner].parent.unwrap_or(0);
            let pool = pools.entry(node).or_insert(above);
            *pool = plan.path(*pool).find(|&pool| plan.is_below(leaf, pool)).unwrap_or(0);
        }
    }
    pools.into_iter().map(|(node, pool)| (node, model.queues[pool])).collect()
}

/// The room that pods being evicted at the start make for the pods of other jobs.
pub fn promises(model: &Model, world: PartitionView<'_>, desk: &Desk<'_>) -> Vec<Promise> {
    let books = &desk.books;
    let mut groups: Vec<((JobId, usize), Vec<usize>)> = Vec::new();
    for (id, unit) in books.units.iter().enumerate() {
        let job = world.cluster.pods[desk.pods[id]].job;
        let (State::Reclaiming(_), Some(by)) = (unit.state, world.cluster.jobs[job].evicted_for) else {
            continue;
        };
        match groups.iter_mut().find(|(key, _)| *key == (by, unit.host)) {
            Some((_, victims)) => victims.push(id),
            None => groups.push(((by, unit.host), vec![id])),
        }
    }
    let mut promised: Vec<usize> = vec![0; books.subs.len()];
    let mut promises = Vec::new();
    for ((by, host), units) in groups {
        let mut free = books.free[host];
        let mut victims = Vec::new();
        for id in units {
            add(&mut free, &books.subs[books.units[id].sub].unit, 1);
            victims.push(id);
            let waits = |&sub: &usize| {
                let is_of_job = world.cluster.pod_sets[desk.pod_sets[sub]].job == by;
                is_of_job && desk.waiting[sub].len() > promised[sub]
            };
            let Some(sub) = (0..books.subs.len()).find(waits) else { break };
            if !fits(&free, &books.subs[sub].unit) {
                continue;
            }
            add(&mut free, &books.subs[sub].unit, -1);
            promised[sub] += 1;
            promises.push(Promise {
                pod_set: desk.pod_sets[sub],
                node: model.nodes[host],
                source: origin(model, model.source(None, books.subs[sub].leaf, host, books)),
                victims: std::mem::take(&mut victims).iter().map(|&id| desk.pods[id]).collect(),
            });
        }
    }
    promises
}
