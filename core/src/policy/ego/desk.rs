//! The state of a plan at the moment of a cycle: who wants what, what runs where, who lends, what is promised.
//!
//! # Rule
//! The cluster shows nodes, queues, jobs and pods; the memory adds the source of each unit, the hosts that are lent and the earmarks.
//! Units enter in the order in which they were started.
//!
//! # Source
//! ego.md 2, 3.1
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::{ConsumerId, SubId};
use super::memory::Memory;
use super::model::{Desk, Model, SLOTS};
use super::plan::Dims;
use super::pool_state::{PoolState, Source, State, Sub};
use crate::cluster::{GpuRequest, Phase, Pod, Preemptible, Restart};
use crate::id::{Arena, Id, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;
use crate::time::Time;
use crate::units::Resource;

impl Model {
    /// Opens the state: who wants what, what runs where, who lends, what is promised.
    pub fn open(&self, world: PartitionView<'_>, memory: &Memory) -> Desk<'_> {
        let mut state = PoolState::new(&self.plan, world.now);
        state.ends_later = true;
        let mut desk = Desk { state, pod_sets: Arena::new(), waiting: Arena::new(), pods: Arena::new() };
        let mut units: Vec<(u64, Time, PodId, SubId)> = Vec::new();
        let mut masks: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut jobs: Vec<JobId> = world.live_jobs().collect();
        jobs.sort_by(|&a, &b| {
            let (a, b) = (&world.cluster.jobs[a], &world.cluster.jobs[b]);
            b.priority.cmp(&a.priority).then(a.submit.cmp(&b.submit))
        });
        for job in jobs {
            let j = &world.cluster.jobs[job];
            let leaf = self.consumer(j.queue);
            let first = SubId::from_index(desk.pod_sets.len());
            for id in j.pod_set_ids() {
                let mut sub = Sub {
                    leaf,
                    allocation: first,
                    is_pinned: j.preemptible == Preemptible::No,
                    is_replaced: j.restart != Restart::Never,
                    ..Sub::default()
                };
                sub.min_units = world.cluster.pod_sets[id].min_available;
                let mut of_set = world.cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == id).peekable();
                if let Some((_, pod)) = of_set.peek() {
                    sub.unit = unit_of(pod);
                    sub.mask = self.mask(world, pod, &mut masks);
                }
                let mut waiting = Vec::new();
                for (id, pod) in of_set {
                    match pod.phase {
                        Phase::Pending => waiting.push(id),
                        phase if phase.holds() => {
                            units.push((
                                memory.started(id),
                                since(pod),
                                id,
                                SubId::from_index(desk.pod_sets.len()),
                            ));
                            let is_leaving = matches!(phase, Phase::Terminating { .. });
                            sub.want += u32::from(!is_leaving || sub.is_replaced);
                            sub.leaving += u32::from(is_leaving && sub.is_replaced);
                        }
                        _ => {}
                    }
                }
                sub.want += waiting.len() as u32;
                waiting.reverse();
                desk.state.add_sub(sub);
                desk.waiting.push(waiting);
                desk.pod_sets.push(id);
            }
        }
        desk.state.masks = vec![Arena::new(); masks.len()];
        for (mask, at) in masks {
            desk.state.masks[at] = mask.into_iter().collect();
        }
        memory.lent_hosts(self, &mut desk.state);
        units.sort();
        for (_, _, id, sub) in units {
            self.enter(world, memory, &mut desk, id, sub);
        }
        memory.promise(self, &mut desk);
        desk
    }

    fn enter(&self, world: PartitionView<'_>, memory: &Memory, desk: &mut Desk<'_>, id: PodId, sub: SubId) {
        let pod = &world.cluster.pods[id];
        let Some(host) = pod.node.and_then(|node| self.host(node)) else { return };
        let state = match pod.phase {
            Phase::Terminating { until } => State::Reclaiming(until),
            _ => State::Run,
        };
        let leaf = desk.state.subs[sub].leaf;
        let source = self.source(memory.source(id).map(|s| self.source_now(s)), leaf, host, &desk.state);
        desk.state.enter(sub, host, source, state);
        desk.pods.push(id);
    }

    /// A remembered source in this model's numbers.
    fn source_now(&self, source: Option<Option<QueueId>>) -> Source {
        match source {
            None => Source::Owned,
            Some(queue) => Source::Pool(queue.map_or(ConsumerId::ROOT, |q| self.consumer(q))),
        }
    }

    /// Which hosts may take a pod, if not all: by its labels, by the memory of their devices, and not while they are
    /// being drained.
    fn mask(
        &self,
        world: PartitionView<'_>,
        pod: &Pod,
        masks: &mut BTreeMap<Vec<bool>, usize>,
    ) -> Option<usize> {
        let mib = match pod.request.gpu {
            GpuRequest::Memory { mib, .. } => mib,
            _ => 0,
        };
        let is_closed = |&node: &NodeId| world.cluster.nodes[node].draining;
        if pod.selector.is_empty() && mib == 0 && !self.nodes.values().any(is_closed) {
            return None;
        }
        let may = |&node: &NodeId| {
            let node = &world.cluster.nodes[node];
            let has = |key, values: &[_]| node.labels.iter().any(|(k, v)| k == key && values.contains(v));
            !node.draining
                && pod.selector.iter().all(|(key, values)| has(key, values))
                && mib <= node.gpu_memory_mib / 100 * 100
        };
        let mask: Vec<bool> = self.nodes.values().map(may).collect();
        let next = masks.len();
        Some(*masks.entry(mask).or_insert(next))
    }
}

/// Since when a pod runs, as far as it says: the order of those that ran before anybody looked.
fn since(pod: &Pod) -> Time {
    match pod.phase {
        Phase::Running { since, .. } => since,
        _ => Time::ZERO,
    }
}

/// What one pod needs: devices are counted whole, and every pod takes a slot.
fn unit_of(pod: &Pod) -> Dims {
    let mut unit = Dims::default();
    for (resource, amount) in pod.request.resources.iter() {
        unit[resource.index()] = amount.in_base_units();
    }
    let devices = match pod.request.gpu {
        GpuRequest::None => 0,
        GpuRequest::Whole { devices }
        | GpuRequest::Fraction { devices, .. }
        | GpuRequest::Memory { devices, .. } => devices,
    };
    unit[Resource::GPU.index()] = i64::from(devices) * 1000;
    unit[SLOTS] = 1;
    unit
}
