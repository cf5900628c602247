//! From the cluster to the state of a plan.
//!
//! # Rule
//! The partition's nodes are the plan's hosts, queues are consumers below one root, pod sets are sub-allocations, pods are units.
//! The share ratio is a queue's weight (of GPUs, else of CPU, else of memory; 1 if it has none), the share priority its
//! priority, the share limit its limit. A queue owns the first whole hosts that fit into its quota, its parent at least
//! as many. In a leaf, jobs of higher priority come first, then those submitted earlier. A pod that was evicted
//! asks for its replacement at once (OC-4), which is the pod itself and starts once it is gone; one that nobody replaces asks for nothing.
//!
//! # Source
//! ego.md 2, 3.1
//!
//! # Differs
//! A part of a GPU counts as a whole one, since EGO counts devices. Pod slots are a dimension. Jobs that may not be preempted
//! are never reclaimed. A quota smaller than a host owns nothing; it is a number of hosts here.

use std::collections::BTreeMap;

use super::config::{Config, ConsumerConfig};
use super::ids::{ConsumerId, HostId, SubId, UnitId};
use super::layout::Layout;
use super::memory::Memory;
use super::plan::{Consumer, Dims, Ownership, Plan, ShareLimit, add};
use super::pool_state::{PoolState, Source, State, Sub};
use crate::cluster::{GpuRequest, Phase, Pod, Preemptible, Queue, Restart};
use crate::id::{Arena, Id, JobId, NodeId, PodId, PodSetId, QueueId};
use crate::policy::PartitionView;
use crate::time::{Span, Time};
use crate::units::{Bound, RESOURCES_MAX, Resource, Weight};

/// The dimension in which pod slots are counted; scenarios name at most seven resources.
pub const SLOTS: usize = RESOURCES_MAX - 1;

/// The plan of a partition and how it is named in the cluster.
#[derive(Clone, Debug)]
pub struct Model {
    /// The plan.
    pub plan: Plan,
    /// Its hosts, split.
    pub layout: Layout,
    /// Per consumer; `None` for the root.
    pub queues: Arena<ConsumerId, Option<QueueId>>,
    /// Per queue.
    pub consumers: Arena<QueueId, ConsumerId>,
    /// Per host.
    pub nodes: Arena<HostId, NodeId>,
    /// Per node.
    hosts: BTreeMap<NodeId, HostId>,
}

/// The state of a pool with the pods behind it.
#[derive(Clone, Debug)]
pub struct Desk<'a> {
    /// The state.
    pub state: PoolState<'a>,
    /// Per sub-allocation.
    pub pod_sets: Arena<SubId, PodSetId>,
    /// Per sub-allocation its pods that wait, the next one last.
    pub waiting: Arena<SubId, Vec<PodId>>,
    /// Per unit.
    pub pods: Arena<UnitId, PodId>,
}

impl Model {
    /// Reads the tree and the hosts.
    pub fn new(world: PartitionView<'_>, config: &Config) -> Model {
        let cluster = world.cluster;
        let grace = config.grace.unwrap_or(cluster.delays.termination);
        let mut model = Model {
            plan: Plan {
                default_grace: grace,
                placement: config.placement,
                slots: config.slots(),
                ..Plan::default()
            },
            layout: Layout::default(),
            queues: [None].into_iter().collect(),
            consumers: cluster.queues.ids().map(|_| ConsumerId::ROOT).collect(),
            nodes: Arena::new(),
            hosts: BTreeMap::new(),
        };
        for (id, node) in world.nodes() {
            let mut capacity = Dims::default();
            if node.ready {
                for (resource, amount) in node.capacity.iter() {
                    capacity[resource.index()] = amount.in_base_units();
                }
                capacity[SLOTS] = i64::from(node.pods_max);
            }
            model.hosts.insert(id, model.nodes.push(id));
            model.plan.hosts.push(capacity);
        }
        let mut ratios: Arena<ConsumerId, (u64, u64)> = [(1, 1)].into_iter().collect();
        model.plan.add(None, Consumer::default());
        let tops: Vec<QueueId> =
            cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect();
        for queue in tops {
            model.add_queue(world, config, queue, ConsumerId::ROOT, &mut ratios);
        }
        model.plan.set_ratios(&ratios);
        model.own_enough();
        model.layout = Layout::new(&model.plan);
        model
    }

    fn add_queue(
        &mut self,
        world: PartitionView<'_>,
        config: &Config,
        id: QueueId,
        parent: ConsumerId,
        ratios: &mut Arena<ConsumerId, (u64, u64)>,
    ) {
        let queue = &world.queues()[id];
        let nothing = ConsumerConfig::default();
        let said = config.consumers.get(&queue.name).unwrap_or(&nothing);
        let mut consumer = Consumer {
            // The slot policy has no share priority (OC-31).
            priority: if config.shares_slots { 0 } else { i64::from(queue.priority.unwrap_or(0)) },
            rank: said.rank,
            lendout: said.lendout.unwrap_or(config.lendout),
            lendout_grace: said.lendout_grace.unwrap_or(self.plan.default_grace),
            private_pool_grace: said.private_pool_grace,
            reclaim_grace: said.reclaim_grace,
            ..Consumer::default()
        };
        if said.reserved > 0 {
            consumer.reserved.push(Ownership::Count(said.reserved as usize));
        }
        let mut amounts = [None; RESOURCES_MAX];
        for resource in Resource::ACCOUNTED {
            let values = queue.resources.get(resource);
            let at = |bound: Bound| match bound {
                Bound::At(amount) => Some(amount.in_base_units()),
                Bound::Unset | Bound::Unlimited => None,
            };
            amounts[resource.index()] = at(values.quota).filter(|&quota| quota > 0);
            consumer.share_limit[resource.index()] = at(values.limit).map(ShareLimit::At);
        }
        if !config.shares_slots && amounts.iter().any(Option::is_some) {
            consumer.own.push(Ownership::Amounts(amounts));
        }
        ratios.push((ratio_of(queue), Weight::ONE.in_millionths() as u64));
        let at = self.plan.add(Some(parent), consumer);
        self.consumers[id] = at;
        self.queues.push(Some(id));
        for &child in &queue.children {
            self.add_queue(world, config, child, at, ratios);
        }
    }

    /// A middle consumer owns at least what its children own together, dimension by dimension.
    fn own_enough(&mut self) {
        for node in self.plan.consumers.ids().rev().filter(|&c| c != ConsumerId::ROOT) {
            let mut sum = [None; RESOURCES_MAX];
            for &child in &self.plan.consumers[node].children {
                if let [Ownership::Amounts(amounts)] = self.plan.consumers[child].own[..] {
                    for (sum, amount) in sum.iter_mut().zip(amounts) {
                        *sum = match (*sum, amount) {
                            (Some(a), Some(b)) => Some(a + b),
                            (a, b) => a.or(b),
                        };
                    }
                }
            }
            if sum.iter().all(Option::is_none) {
                continue;
            }
            if let [Ownership::Amounts(own)] = &mut self.plan.consumers[node].own[..] {
                for (own, sum) in own.iter_mut().zip(sum) {
                    *own = (*own).max(sum);
                }
            } else {
                self.plan.consumers[node].own = vec![Ownership::Amounts(sum)];
            }
        }
    }

    /// The host of a node of this partition.
    pub fn host(&self, node: NodeId) -> Option<HostId> {
        self.hosts.get(&node).copied()
    }
    /// The leaf a queue is.
    pub fn consumer(&self, queue: QueueId) -> ConsumerId {
        self.consumers[queue]
    }

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

    /// Where a unit was drawn from: as remembered, if that can still be; otherwise where one like it would be drawn from now.
    pub(super) fn source(
        &self,
        known: Option<Source>,
        leaf: ConsumerId,
        host: HostId,
        state: &PoolState<'_>,
    ) -> Source {
        let holder = self.layout.holders[host];
        let is_lent = self.plan.is_leaf(holder) && holder != leaf;
        match known {
            Some(Source::Owned) if holder == leaf && self.plan.is_leaf(leaf) => return Source::Owned,
            Some(Source::Pool(pool))
                if self.plan.is_below(leaf, pool)
                    && (holder == pool || is_lent && self.plan.is_below(holder, pool)) =>
            {
                return Source::Pool(pool);
            }
            _ => {}
        }
        if holder == leaf && leaf != ConsumerId::ROOT {
            return Source::Owned;
        }
        if !is_lent && self.plan.is_below(leaf, holder) {
            return Source::Pool(holder);
        }
        // Borrowed: from the closest pool above both.
        let lent = state.lent[host].filter(|&pool| self.plan.is_below(leaf, pool));
        let closest = || self.plan.path(leaf).find(|&c| c != leaf && self.plan.is_below(holder, c));
        Source::Pool(lent.or_else(closest).unwrap_or(ConsumerId::ROOT))
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

/// A queue's share ratio in millionths.
fn ratio_of(queue: &Queue) -> u64 {
    let weights = [Resource::GPU, Resource::CPU, Resource::MEMORY].map(|r| queue.resources.get(r).weight);
    let weight = weights.into_iter().flatten().next().unwrap_or(Weight::ONE);
    weight.in_millionths().max(0) as u64
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

/// What the hosts of a list have together.
pub fn sum_of(plan: &Plan, hosts: &[HostId]) -> Dims {
    let mut sum = Dims::default();
    for &host in hosts {
        add(&mut sum, &plan.hosts[host], 1);
    }
    sum
}

/// How long a unit that was evicted still runs.
pub fn grace_left(world: PartitionView<'_>, until: Time) -> Span {
    if until > world.now { until - world.now } else { Span::ZERO }
}
