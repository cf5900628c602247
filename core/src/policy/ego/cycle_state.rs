//! Builds the state of a plan for a cycle: demand, running units, lent hosts and earmarks.
//!
//! # Rule
//! Nodes, queues, jobs and pods come from the cluster; the source of each unit, the lent hosts and the earmarks from
//! the memory. Units are added in the order of their starts.
//!
//! # Source
//! ego.md 2, 3.1
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::ids::SubId;
use super::memory::Memory;
use super::model::{CycleState, Model, SLOTS};
use super::plan::Dims;
use super::pool_state::{PoolState, Sub, UnitState};
use crate::cluster::{GpuRequest, Phase, Pod, Preemptible, Restart};
use crate::id::{Arena, Id, JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::time::Time;
use crate::units::Resource;

impl Model {
    /// Builds the state from the cluster and the memory.
    pub fn open(&self, world: PartitionView<'_>, memory: &Memory) -> CycleState<'_> {
        let mut state = PoolState::new(&self.plan, world.now);
        state.ends_later = true;
        let mut current = CycleState { state, pod_sets: Arena::new(), waiting: Arena::new(), pods: Arena::new() };
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
            let first = SubId::from_index(current.pod_sets.len());
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
                            units.push((memory.started(id), since(pod), id, SubId::from_index(current.pod_sets.len())));
                            let is_leaving = matches!(phase, Phase::Terminating { .. });
                            sub.want += u32::from(!is_leaving || sub.is_replaced);
                            sub.leaving += u32::from(is_leaving && sub.is_replaced);
                        }
                        _ => {}
                    }
                }
                sub.want += waiting.len() as u32;
                waiting.reverse();
                current.state.add_sub(sub);
                current.waiting.push(waiting);
                current.pod_sets.push(id);
            }
        }
        current.state.masks = vec![Arena::new(); masks.len()];
        for (mask, i) in masks {
            current.state.masks[i] = mask.into_iter().collect();
        }
        memory.lent_hosts(self, &mut current.state);
        units.sort();
        for (_, _, id, sub) in units {
            self.enter(world, memory, &mut current, id, sub);
        }
        memory.promise(self, &mut current);
        current.state.changes.clear();
        current
    }

    fn enter(&self, world: PartitionView<'_>, memory: &Memory, current: &mut CycleState<'_>, id: PodId, sub: SubId) {
        let pod = &world.cluster.pods[id];
        let Some(host) = pod.node.and_then(|node| self.host(node)) else { return };
        let state = match pod.phase {
            Phase::Terminating { until, .. } => UnitState::Reclaiming(until),
            _ => UnitState::Run,
        };
        let leaf = current.state.subs[sub].leaf;
        let source = self.source(memory.source(id).map(|origin| self.source_now(origin)), leaf, host, &current.state);
        current.state.enter(sub, host, source, state);
        current.pods.push(id);
    }

    /// Mask of the hosts that may take a pod, by labels, device memory and draining; `None` if all may.
    fn mask(&self, world: PartitionView<'_>, pod: &Pod, masks: &mut BTreeMap<Vec<bool>, usize>) -> Option<usize> {
        let mib = match pod.request.gpu {
            GpuRequest::Memory { mib, .. } => mib,
            _ => 0,
        };
        let is_closed = |&node: &NodeId| world.cluster.nodes[node].draining;
        if pod.selector.is_empty() && mib == 0 && !self.nodes.values().any(is_closed) {
            return None;
        }
        let is_allowed = |&node: &NodeId| {
            let node = &world.cluster.nodes[node];
            let has_label = |key, values: &[_]| node.labels.iter().any(|(k, v)| k == key && values.contains(v));
            !node.draining
                && pod.selector.iter().all(|(key, values)| has_label(key, values))
                && mib <= node.gpu_memory_mib / 100 * 100
        };
        let mask: Vec<bool> = self.nodes.values().map(is_allowed).collect();
        let next = masks.len();
        Some(*masks.entry(mask).or_insert(next))
    }
}

/// Start time of a pod if known: the order of units that started before the first cycle.
fn since(pod: &Pod) -> Time {
    match pod.phase {
        Phase::Running { since, .. } => since,
        _ => Time::ZERO,
    }
}

/// Request of one pod: devices are counted whole, and every pod takes a pod slot.
fn unit_of(pod: &Pod) -> Dims {
    let mut unit = Dims::default();
    for (resource, amount) in pod.request.resources.iter() {
        unit[resource.index()] = amount.in_base_units();
    }
    let devices = match pod.request.gpu {
        GpuRequest::None => 0,
        GpuRequest::Whole { devices } | GpuRequest::Fraction { devices, .. } | GpuRequest::Memory { devices, .. } => {
            devices
        }
    };
    unit[Resource::GPU.index()] = i64::from(devices) * 1000;
    unit[SLOTS] = 1;
    unit
}
