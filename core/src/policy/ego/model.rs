//! Conversion of a partition to a plan.
//!
//! # Rule
//! The partition's nodes are the plan's hosts, queues are consumers below one root, pod sets are sub-allocations, pods
//! are units. The share ratio is a queue's weight (of GPUs, else of CPU, else of memory; 1 by default), the share
//! priority its priority, the share limit its limit. A queue owns the first whole hosts that fit into its quota, its
//! parent at least as many. In a leaf, jobs of higher priority come first, then those submitted earlier. An evicted pod
//! demands its replacement at once (OC-4): the same pod, which starts when it is gone; a pod that is not replaced
//! demands nothing.
//!
//! # Source
//! ego.md 2, 3.1
//!
//! # Differs
//! A fraction of a GPU counts as a whole one, since EGO counts devices. Pod slots are a dimension. Non-preemptible jobs
//! are never reclaimed. Ownership is a number of hosts, so a quota smaller than a host owns nothing.

use std::collections::BTreeMap;

use super::config::{Config, ConsumerConfig, Ratios};
use super::ids::{ConsumerId, HostId, SubId, UnitId};
use super::layout::Layout;
use super::plan::{Consumer, Dims, Ownership, Plan, ShareLimit, add};
use super::pool_state::{PoolState, Source};
use crate::cluster::Queue;
use crate::id::{Arena, NodeId, PodId, PodSetId, QueueId};
use crate::policy::PartitionView;
use crate::time::{Span, Time};
use crate::units::{Bound, RESOURCES_MAX, Resource, Weight};

/// Dimension of pod slots; scenarios have at most seven resources.
pub const SLOTS: usize = RESOURCES_MAX - 1;

/// The plan of a partition, and the mapping between its ids and those of the cluster.
#[derive(Clone, Debug)]
pub struct Model {
    pub plan: Plan,
    /// Over-commit ratios; the hosts of the plan have the offered capacity.
    pub over_commit: Ratios,
    /// Owners and pools.
    pub layout: Layout,
    /// Queue per consumer; `None` for the root.
    pub queues: Arena<ConsumerId, Option<QueueId>>,
    /// Consumer per queue.
    pub consumers: Arena<QueueId, ConsumerId>,
    /// Node per host.
    pub nodes: Arena<HostId, NodeId>,
    /// Host per node.
    hosts: BTreeMap<NodeId, HostId>,
}

/// Source of a unit in ids of the cluster: `None` for its leaf's own hosts, otherwise the queue whose pool it was drawn
/// from (`None` for the root).
pub(super) type Origin = Option<Option<QueueId>>;

/// State of a plan in a cycle, with the pods of its units.
#[derive(Clone, Debug)]
pub struct CycleState<'a> {
    /// State of the plan.
    pub state: PoolState<'a>,
    /// Pod set per sub-allocation.
    pub pod_sets: Arena<SubId, PodSetId>,
    /// Pending pods per sub-allocation, the next one last.
    pub waiting: Arena<SubId, Vec<PodId>>,
    /// Pod per unit.
    pub pods: Arena<UnitId, PodId>,
}

impl Model {
    /// Builds the plan of the partition.
    pub fn new(world: PartitionView<'_>, config: &Config) -> Model {
        let cluster = world.cluster;
        let grace = config.grace.unwrap_or(cluster.delays.termination);
        let mut model = Model {
            plan: Plan { default_grace: grace, placement: config.placement, slots: config.slots(), ..Plan::default() },
            over_commit: config.over_commit(),
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
        let tops: Vec<QueueId> = cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect();
        for queue in tops {
            model.add_queue(world, config, queue, ConsumerId::ROOT, &mut ratios);
        }
        model.plan.set_ratios(&ratios);
        model.raise_ownership();
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
        let settings = config.consumers.get(&queue.name).unwrap_or(&nothing);
        let mut consumer = Consumer {
            // The slot policy has no share priority (OC-31).
            priority: if config.shares_slots { 0 } else { i64::from(queue.priority.unwrap_or(0)) },
            rank: settings.rank,
            lendout: settings.lendout.unwrap_or(config.lendout),
            lendout_grace: settings.lendout_grace.unwrap_or(self.plan.default_grace),
            private_pool_grace: settings.private_pool_grace,
            reclaim_grace: settings.reclaim_grace,
            ..Consumer::default()
        };
        if settings.reserved > 0 {
            consumer.reserved.push(Ownership::Count(settings.reserved as usize));
        }
        let mut amounts = [None; RESOURCES_MAX];
        for resource in Resource::ACCOUNTED {
            let values = queue.resources.get(resource);
            let amount = |bound: Bound| match bound {
                Bound::At(amount) => Some(amount.in_base_units()),
                Bound::Unset | Bound::Unlimited => None,
            };
            amounts[resource.index()] = amount(values.quota).filter(|&quota| quota > 0);
            consumer.share_limit[resource.index()] = amount(values.limit).map(ShareLimit::At);
        }
        if !config.shares_slots && amounts.iter().any(Option::is_some) {
            consumer.own.push(Ownership::Amounts(amounts));
        }
        ratios.push((ratio_of(queue), Weight::ONE.in_millionths() as u64));
        let consumer_id = self.plan.add(Some(parent), consumer);
        self.consumers[id] = consumer_id;
        self.queues.push(Some(id));
        for &child in &queue.children {
            self.add_queue(world, config, child, consumer_id, ratios);
        }
    }

    /// Raises the ownership of inner consumers to the sum of their children, per dimension.
    fn raise_ownership(&mut self) {
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
            if let [Ownership::Amounts(amounts)] = &mut self.plan.consumers[node].own[..] {
                for (amount, sum) in amounts.iter_mut().zip(sum) {
                    *amount = (*amount).max(sum);
                }
            } else {
                self.plan.consumers[node].own = vec![Ownership::Amounts(sum)];
            }
        }
    }

    /// Over-committed dimensions with their ratios.
    pub fn over_commitment(&self) -> Vec<(u8, f64)> {
        let ratios = Resource::ACCOUNTED.into_iter().map(|resource| (resource, self.over_commit.get(resource)));
        let others = ratios.filter(|(_, ratio)| *ratio != Weight::ONE);
        others.map(|(resource, ratio)| (resource.index() as u8, ratio.as_real())).collect()
    }

    /// The host of a node of this partition.
    pub fn host(&self, node: NodeId) -> Option<HostId> {
        self.hosts.get(&node).copied()
    }
    /// The consumer of a queue.
    pub fn consumer(&self, queue: QueueId) -> ConsumerId {
        self.consumers[queue]
    }
    /// The owner of a pool, by its queue; `None` for the public pool.
    pub(super) fn pool_owner(&self, queue: Option<QueueId>) -> ConsumerId {
        queue.map_or(ConsumerId::ROOT, |queue| self.consumer(queue))
    }
    /// Converts a remembered source to the ids of this model.
    pub(super) fn source_now(&self, origin: Origin) -> Source {
        origin.map_or(Source::Owned, |queue| Source::Pool(self.pool_owner(queue)))
    }

    /// Source of a unit: the remembered one if still valid, otherwise the one that a new unit would use.
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
}

/// Share ratio of a queue in millionths.
fn ratio_of(queue: &Queue) -> u64 {
    let weights = [Resource::GPU, Resource::CPU, Resource::MEMORY].map(|r| queue.resources.get(r).weight);
    let weight = weights.into_iter().flatten().next().unwrap_or(Weight::ONE);
    weight.in_millionths().max(0) as u64
}

/// Total capacity of the hosts.
pub fn sum_of(plan: &Plan, hosts: &[HostId]) -> Dims {
    let mut sum = Dims::default();
    for &host in hosts {
        add(&mut sum, &plan.hosts[host], 1);
    }
    sum
}

/// Converts a real number of base units to policy units.
pub(super) fn in_policy_units(resource: Resource, base: f64) -> f64 {
    if resource < Resource::GPU { base } else { base / 1000.0 }
}

/// Remaining time until `until`.
pub fn grace_left(world: PartitionView<'_>, until: Time) -> Span {
    if until > world.now { until - world.now } else { Span::ZERO }
}
