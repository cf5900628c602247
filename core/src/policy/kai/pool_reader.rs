//! Opening of a cycle from the cluster, and the queues' amounts between cycles.
//!
//! # Rule
//! GPUs are counted in devices, CPU in millicores, memory in bytes. An omitted priority is 100. Starting pods are
//! *binding*, terminating ones *releasing*, finished ones *succeeded*; withdrawn or unsubmitted pods do not exist.
//! Shared devices are groups identified by their number. A draining node is not ready.
//!
//! # Source
//! kai.md 1, 4.5
//!
//! # Differs
//! usage keeps the scenario's value unless it is measured during the run

use std::sync::Arc;

use super::config::Config;
use super::memory::Memory;
use super::number::Quantities;
use super::place::node::{Node, NodeAmounts, NodeSpec, device_mib};
use super::pod::GPU_WORKER;
use super::pool_facts::PoolFacts;
use super::pool_state::{CycleInput, PoolState};
use super::queues::{QueueSpec, without_departments};
use super::request::MemoryBasis;
use super::share::shares::{self, Queue, QueueNames, open_queues};
use super::task::Status;
use crate::cluster::{Preemptible, Sums};
use crate::id::{Id, NodeId, PodId, QueueId};
use crate::policy::PartitionView;
use crate::units::{Amount, Resource};

/// A node pool as the scheduler reads it.
#[derive(Clone, Copy)]
pub(super) struct PoolReader<'c, 'w> {
    pub config: &'c Config,
    pub view: PartitionView<'w>,
    pub memory: &'w Memory,
}

impl<'c, 'w> PoolReader<'c, 'w> {
    /// The pool in its present state: the one of its latest cycle brought up to date, or one opened from nothing.
    pub fn pool(self, facts: &PoolFacts, latest: Option<PoolState>, queues: &dyn Fn() -> Vec<QueueSpec>) -> PoolState {
        let is_kept = latest.is_some();
        let mut pool = latest.unwrap_or_else(|| self.empty_pool(facts, self.queues(queues())));
        pool.update(self.view, facts, &self.memory.jobs);
        debug_assert!(!is_kept || pool == self.pool(facts, None, queues), "the kept pool is outdated");
        pool
    }

    /// The pool without jobs.
    fn empty_pool(self, facts: &PoolFacts, queues: Vec<Queue>) -> PoolState {
        let names = QueueNames::of(&queues);
        PoolState {
            total: self.total(),
            memory_basis: self.memory_basis(),
            nodes: facts.nodes.iter().map(|&id| self.open_node(id)).collect(),
            queue_refs: self.view.cluster.queues.values().map(|queue| names.find(&queue.name)).collect(),
            queues,
            ..PoolState::default()
        }
    }

    /// Input of a session in the present state of the pool.
    pub fn input(self, pool: &PoolState) -> CycleInput<'c> {
        let mut pool = pool.clone();
        self.read_usage(&mut pool.queues);
        let n_scalars = self.view.cluster.named.len();
        let monitor = self.view.monitor.cloned().unwrap_or_default();
        CycleInput { config: self.config, now_s: self.view.now.as_seconds(), n_scalars, pool, monitor }
    }

    /// The immutable data of the pool.
    pub fn facts(self) -> Arc<PoolFacts> {
        let facts = self.memory.facts.as_ref().filter(|facts| facts.is_for(self.config));
        facts.cloned().unwrap_or_else(|| PoolFacts::of(self.view, self.config))
    }

    /// A node without tasks.
    fn open_node(self, id: NodeId) -> Node {
        let node = &self.view.cluster.nodes[id];
        let amount = |r| node.capacity.get(r).in_policy_units(r);
        let named = (0..self.view.cluster.named.len()).map(Resource::named);
        Node::new(NodeSpec {
            id,
            name: node.name.clone(),
            allocatable: NodeAmounts {
                cpu: amount(Resource::CPU),
                memory: amount(Resource::MEMORY),
                gpus: amount(Resource::GPU),
                pods: i64::from(node.pods_max),
                scalars: named.map(|r| node.capacity.get(r).in_base_units()).collect(),
            },
            gpu_memory_mib: node.gpu_memory_mib,
            is_memory_synced: node.gpu_memory_mib > 0,
            n_devices: amount(Resource::GPU) as i64,
            ready: node.takes_pods(),
        })
    }

    /// Queues as the scheduler reads them, without amounts and measured usage.
    fn queues(self, mut queues: Vec<QueueSpec>) -> Vec<Queue> {
        let mut ids: Vec<QueueId> = self.view.cluster.queues.ids().collect();
        if !self.config.full_hierarchy_fairness {
            queues = without_departments(queues, &mut ids);
        }
        open_queues(&queues, &ids)
    }

    /// Sets the usage of all queues, if it is measured, except for that of the synthetic queue.
    fn read_usage(self, queues: &mut [Queue]) {
        let Some(tracker) = &self.memory.usage else { return };
        for queue in queues {
            if self.config.full_hierarchy_fairness || queue.parent.is_some() {
                queue.usage = tracker.usage[queue.id.index()];
            }
        }
    }

    /// Total of the pool's ready nodes.
    fn total(self) -> Quantities {
        let mut total = Quantities::default();
        for (_, node) in self.view.nodes().filter(|(_, n)| n.takes_pods()) {
            let amount = |r| node.capacity.get(r).in_policy_units(r);
            let has_role = || node.labels.iter().any(|(key, _)| **key == *GPU_WORKER);
            let counts = !self.config.restrict_node_scheduling || has_role();
            let gpu = if counts { amount(Resource::GPU) } else { 0.0 };
            total += Quantities { cpu: amount(Resource::CPU), memory: amount(Resource::MEMORY), gpu };
        }
        total
    }

    /// Device memory by which requests of device memory are divided.
    fn memory_basis(self) -> MemoryBasis {
        let devices = self
            .view
            .nodes()
            .map(|(_, node)| (node.capacity.get(Resource::GPU) > Amount::ZERO, device_mib(node.gpu_memory_mib)));
        MemoryBasis::of(self.config, devices)
    }

    /// Queues with their current allocation, request and fair share, and the divided total.
    pub fn divided(self, queues: impl Fn() -> Vec<QueueSpec>) -> (Vec<Queue>, Quantities) {
        let (facts, latest) = (self.facts(), self.memory.pool());
        let (mut divided, total) = match latest {
            Some(pool) => (pool.queues.clone(), pool.total),
            None => (self.queues(queues()), self.total()),
        };
        self.read_usage(&mut divided);
        let summed = |mut without_sums: Vec<Queue>| {
            self.sum_pods(&mut without_sums, &self.pool(&facts, latest.cloned(), &queues));
            without_sums
        };
        if self.config.full_hierarchy_fairness && facts.has_exact_sums {
            let expected = cfg!(debug_assertions).then(|| summed(divided.clone()));
            self.read_sums(&mut divided);
            debug_assert!(expected.is_none_or(|expected| expected == divided), "the cluster has other sums");
        } else {
            divided = summed(divided);
        }
        shares::divide(&mut divided, total, self.config.division_params());
        (divided, total)
    }

    /// Sets the amounts of all queues to the exact sums of the cluster.
    fn read_sums(self, queues: &mut [Queue]) {
        for queue in queues {
            let sums = &self.view.sums[queue.id];
            queue.allocated = quantities(&sums.allocated);
            queue.allocated_np = quantities(&sums.non_preemptible);
            queue.request = quantities(&sums.requested());
        }
    }

    /// Sums the amounts of all queues in canonical order.
    fn sum_pods(self, queues: &mut [Queue], pool: &PoolState) {
        let cluster = self.view.cluster;
        for job in pool.jobs.iter().filter(|job| !job.is_set_aside) {
            let Some(leaf) = job.queue else { continue };
            let core = match job.preemptible {
                Preemptible::Semi => cluster.fixed_pods(job.id),
                Preemptible::Yes | Preemptible::No => Vec::new(),
            };
            let is_fixed = |pod: PodId| job.preemptible == Preemptible::No || core.contains(&pod);
            for pod in &pool.pods[job.pods()] {
                match (pod.status, cluster.pods[pod.id].node) {
                    (Status::Pending, _) => {
                        shares::add(queues, leaf, pod.request.pending(pool.memory_basis.pending), None);
                    }
                    (Status::Binding | Status::Running, Some(node)) => {
                        let mib = device_mib(cluster.nodes[node].gpu_memory_mib);
                        let amount = pod.request.accepted_on(mib).quantities;
                        shares::add(queues, leaf, amount, Some(!is_fixed(pod.id)));
                    }
                    _ => (),
                }
            }
        }
    }
}

fn quantities(sums: &Sums) -> Quantities {
    Quantities::from_array(Resource::ACCOUNTED.map(|r| Amount::base_units(sums[r.index()]).in_policy_units(r)))
}
