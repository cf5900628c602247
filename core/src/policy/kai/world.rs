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

use super::catalogue::{Catalogue, JobEntry};
use super::config::Config;
use super::job::JobFacts;
use super::memory::{JobMemory, Memory};
use super::opening::{Opening, OpeningJob, OpeningPod};
use super::place::groups::Groups;
use super::place::node::{Node, NodeSpec, Room, device_mib};
use super::pod::GPU_WORKER;
use super::queues::without_departments;
use super::request::yardstick;
use super::share::shares::{self, Queue, QueueNames, is_leaf, open_queues};
use super::snapshot::{Quantities, SnapshotQueue, Status};
use super::task::{PodRef, QueueRef};
use crate::cluster::{Devices, Phase, Preemptible};
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::policy::PartitionView;
use crate::time::Time;
use crate::units::{Amount, Resource};

/// A live job.
#[derive(Clone, Copy)]
struct LiveJob<'w> {
    id: JobId,
    /// Number of the cluster's jobs that precede it by name.
    n_before: u32,
    entry: &'w JobEntry,
    known: Option<&'w JobMemory>,
    /// Whether it has used its tries since it was last offered to the partition.
    is_set_aside: bool,
}

/// A node pool as the scheduler reads it.
#[derive(Clone, Copy)]
pub(super) struct World<'c, 'w> {
    pub config: &'c Config,
    pub view: PartitionView<'w>,
    pub memory: &'w Memory,
}

impl<'c, 'w> World<'c, 'w> {
    /// Opens the session of a cycle.
    pub fn opening(self, queues: Vec<SnapshotQueue>) -> Opening<'c> {
        let catalogue = self.catalogue();
        let (view, config) = (self.view, self.config);
        let queues = self.queues(queues);
        let jobs = self.live_jobs(&catalogue);
        let nodes: Vec<Node> = catalogue.nodes.iter().map(|&id| self.open_node(id)).collect();
        let mut opening = Opening {
            config,
            now_s: view.now.as_seconds(),
            total: self.total(),
            yardstick: self.yardstick(),
            is_whole: nodes.iter().all(|node| node.allocatable.is_whole()),
            n_scalars: view.cluster.named.len(),
            nodes,
            groups: Groups::of_devices(self.shared_devices(&jobs)),
            jobs: Vec::with_capacity(jobs.len()),
            pods: Vec::with_capacity(jobs.len()),
            queues,
        };
        let places = self.queue_places(&opening.queues);
        for job in jobs {
            self.open_job(&mut opening, &catalogue, job, places[job.entry.queue.index()]);
        }
        opening
    }

    /// Numbers of the devices in partial use on any node.
    fn shared_devices(self, jobs: &[LiveJob<'_>]) -> Devices {
        let pods = jobs.iter().filter(|job| !job.entry.is_whole).flat_map(|job| &job.entry.pods);
        let sharing = pods.filter(|facts| facts.request.is_shared());
        let held = sharing.map(|facts| &self.view.cluster.pods[facts.id]).filter(|pod| pod.node.is_some());
        Devices(held.fold(0, |devices, pod| devices | pod.devices.0))
    }

    fn catalogue(self) -> Arc<Catalogue> {
        let known = self.memory.catalogue.as_ref().filter(|known| known.is_for(self.config));
        known.cloned().unwrap_or_else(|| Catalogue::of(self.view, self.config))
    }

    /// Live jobs, sorted by name.
    fn live_jobs<'a>(self, catalogue: &'a Catalogue) -> Vec<LiveJob<'a>>
    where
        'w: 'a,
    {
        let mut known = self.memory.jobs.iter().peekable();
        let live = |id: JobId| {
            let entry = catalogue.job(id)?;
            while known.next_if(|(other, _)| **other < id).is_some() {}
            let known = known.next_if(|(other, _)| **other == id).map(|(_, known)| known);
            let tried_at = known.and_then(|known| known.tried_at);
            let is_set_aside = tried_at.is_some_and(|offer| offer == self.view.cluster.jobs[id].offers);
            Some(LiveJob { id, n_before: entry.n_before, entry, known, is_set_aside })
        };
        let mut jobs: Vec<LiveJob<'_>> = self.view.live_jobs().filter_map(live).collect();
        jobs.sort_unstable_by_key(|job| job.n_before);
        jobs
    }

    fn open_node(self, id: NodeId) -> Node {
        let node = &self.view.cluster.nodes[id];
        let of = |r| node.capacity.get(r).in_policy_units(r);
        let named = (0..self.view.cluster.named.len()).map(Resource::named);
        Node::new(NodeSpec {
            id,
            name: node.name.clone(),
            allocatable: Room {
                cpu: of(Resource::CPU),
                memory: of(Resource::MEMORY),
                gpus: of(Resource::GPU),
                pods: i64::from(node.pods_max),
                scalars: named.map(|r| node.capacity.get(r).in_base_units()).collect(),
            },
            gpu_memory_mib: node.gpu_memory_mib,
            is_memory_synced: node.gpu_memory_mib > 0,
            n_devices: of(Resource::GPU) as i64,
            ready: node.takes_pods(),
        })
    }

    fn open_job(
        self,
        opening: &mut Opening<'c>,
        catalogue: &Catalogue,
        LiveJob { id, entry, known, is_set_aside, .. }: LiveJob<'_>,
        queue: Option<QueueRef>,
    ) {
        let (cluster, first_pod) = (self.view.cluster, opening.pods.len());
        for facts in &entry.pods {
            let pod = &cluster.pods[facts.id];
            let Some(status) = status_of(pod.phase) else { continue };
            opening.is_whole &= entry.is_whole || facts.request.is_whole();
            let uses_part = !entry.is_whole && pod.node.is_some() && facts.request.is_shared();
            let devices = if uses_part { pod.devices } else { Devices(0) };
            let groups = devices.iter().filter_map(|device| opening.groups.of_device(device)).collect();
            let node = pod.node.and_then(|node| catalogue.node(node));
            opening.pods.push(OpeningPod { facts: facts.clone(), status, node, groups });
        }
        let facts = JobFacts {
            traits: entry.traits.clone(),
            queue,
            is_ordered: !is_set_aside && queue.is_some_and(|q| is_leaf(&opening.queues, q)),
            is_set_aside,
            first_pod: PodRef::of(first_pod),
        };
        let last_start = known.and_then(|known| known.last_start).or(cluster.jobs[id].last_start);
        opening.jobs.push(OpeningJob {
            facts,
            last_start_s: last_start.map(Time::as_seconds),
            stale_since_s: known.and_then(|known| known.stale_since).map(Time::as_seconds),
            allocated: None,
            n_pods: opening.pods.len() - first_pod,
        });
    }

    /// By queue of the cluster: the queue with its name.
    fn queue_places(self, queues: &[Queue]) -> Vec<Option<QueueRef>> {
        let names = QueueNames::of(queues);
        self.view.cluster.queues.values().map(|queue| names.find(&queue.name)).collect()
    }

    /// Queues as the scheduler reads them, without amounts.
    fn queues(self, mut queues: Vec<SnapshotQueue>) -> Vec<Queue> {
        let mut ids: Vec<QueueId> = self.view.cluster.queues.ids().collect();
        if let Some(tracker) = &self.memory.usage {
            for (queue, &usage) in queues.iter_mut().zip(&tracker.usage) {
                queue.usage = usage;
            }
        }
        if !self.config.full_hierarchy_fairness {
            queues = without_departments(queues, &mut ids);
        }
        open_queues(&queues, &ids)
    }

    /// Total of the pool's ready nodes.
    pub fn total(self) -> Quantities {
        let mut total = Quantities::default();
        for (_, node) in self.view.nodes().filter(|(_, n)| n.takes_pods()) {
            let of = |r| node.capacity.get(r).in_policy_units(r);
            let has_role = || node.labels.iter().any(|(key, _)| **key == *GPU_WORKER);
            let counts = !self.config.restrict_node_scheduling || has_role();
            let gpu = if counts { of(Resource::GPU) } else { 0.0 };
            total += Quantities { cpu: of(Resource::CPU), memory: of(Resource::MEMORY), gpu };
        }
        total
    }

    fn yardstick(self) -> f64 {
        let nodes = self.view.nodes().map(|(_, node)| node);
        let with_gpus = nodes.filter(|n| n.capacity.get(Resource::GPU) > Amount::ZERO);
        yardstick(self.config.dialect, with_gpus.map(|n| device_mib(n.gpu_memory_mib)))
    }

    /// Queues with their current allocation, request and fair share.
    pub fn divided(self, queues: Vec<SnapshotQueue>) -> Vec<Queue> {
        let (cluster, catalogue) = (self.view.cluster, self.catalogue());
        let mut queues = self.queues(queues);
        let places = self.queue_places(&queues);
        let yardstick = self.yardstick();
        for LiveJob { id, entry, is_set_aside, .. } in self.live_jobs(&catalogue) {
            let Some(leaf) = places[entry.queue.index()].filter(|_| !is_set_aside) else { continue };
            let preemptible = entry.traits.preemptible;
            let core = match preemptible {
                Preemptible::Semi => cluster.fixed_pods(id),
                Preemptible::Yes | Preemptible::No => Vec::new(),
            };
            let is_fixed = |pod: PodId| preemptible == Preemptible::No || core.contains(&pod);
            for facts in &entry.pods {
                let pod = &cluster.pods[facts.id];
                match (status_of(pod.phase), pod.node) {
                    (Some(Status::Pending), _) => {
                        shares::add(&mut queues, leaf, facts.request.pending(yardstick), None);
                    }
                    (Some(Status::Binding | Status::Running), Some(node)) => {
                        let mib = device_mib(cluster.nodes[node].gpu_memory_mib);
                        let amount = facts.request.accepted_on(mib).quantities;
                        shares::add(&mut queues, leaf, amount, Some(!is_fixed(facts.id)));
                    }
                    _ => (),
                }
            }
        }
        shares::divide(&mut queues, self.total(), self.config.division_params());
        queues
    }
}

fn status_of(phase: Phase) -> Option<Status> {
    match phase {
        Phase::Pending => Some(Status::Pending),
        Phase::Gated => Some(Status::Gated),
        Phase::Starting { .. } => Some(Status::Binding),
        Phase::Running { .. } => Some(Status::Running),
        Phase::Terminating { .. } => Some(Status::Releasing),
        Phase::Finished { .. } => Some(Status::Succeeded),
        Phase::Future | Phase::Removed { .. } | Phase::Evicted { .. } => None,
    }
}
