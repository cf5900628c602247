//! From the cluster to the scheduler's words, and back into decisions.
//!
//! # Rule
//! GPUs are counted in devices, CPU in millicores, memory in bytes. A limit left out is 0 (nothing is allowed), so is a
//! quota and a weight; a priority left out is 100. Starting pods are *binding*, terminating ones *releasing*, finished
//! ones *succeeded*; pods withdrawn or not submitted yet do not exist. Shared devices are groups named by their number.
//! What is claimed is forgotten at the end of the cycle. A job's last start is set by the allocate action only.
//!
//! # Source
//! kai.md 1, 4.5
//!
//! # Differs
//! usage stays what the scenario says unless it is measured during the run; without departments the synthetic queue stands
//! in the row of the first top queue

use crate::format::{Findings, Scenario};
use crate::policy::Timers;
use crate::policy::description::Description;
use crate::policy::draft::{Draft, DraftQueue};
use crate::policy::switches::Rulebook;
use std::sync::Arc;

use super::config::{Config, UsageParams};
use super::explain::notes::{empty_row, per_resource};
use super::explain::outlooks::Over;
use super::explain::recorder::Recorder;
use super::explain::serving_order;
use super::memory::Memory;
use super::names::Names;
use super::order::nondeterminism_probe;
use super::place::bind::Placing;
use super::queues::{snapshot_queues, without_departments};
use super::request::{Request, yardstick};
use super::session::{GPU_WORKER, Ids, Session};
use super::share::shares::{self, Queue, open_queues};
use super::share::usage_tracker::UsageTracker;
use super::snapshot::{
    GpuAsk, Quantities, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet, SnapshotQueue,
    Status,
};
use super::task::QueueRef;
use crate::cluster::{Cluster, GpuRequest, Node, Phase, Pod, Preemptible};
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::policy::{Decision, PartitionView, Rhythm, Scheduler, Turn};
use crate::time::Time;
use crate::trace::{DivisionStep, Ledger, LedgerRow, Level, OrderLevel, Trace};
use crate::units::{Amount, Resource, ResourceVec};

/// KAI Scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Kai {
    /// Every switch.
    pub config: Config,
    /// When cycles take place.
    pub rhythm: Rhythm,
}

impl Scheduler for Kai {
    const DESCRIPTION: &'static Description = &super::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, |_| true, findings)
    }

    fn advise(config: &Config, draft: &Draft<'_>, findings: &mut Findings) {
        super::unused::advice(config, draft, findings);
    }

    fn advise_queue(queue: &DraftQueue<'_>, findings: &mut Findings) {
        super::advice::queue(queue, findings);
    }

    fn timers(config: &Config) -> Timers {
        config.timers()
    }

    fn rulebook() -> Rulebook {
        let switches: Vec<_> = super::settings::SETTINGS.iter().map(|setting| setting.switch).collect();
        Rulebook::new(super::all_rules(), &switches)
    }

    fn new(config: Config, rhythm: Rhythm) -> Kai {
        Kai { config, rhythm }
    }

    fn pass(&self, world: PartitionView<'_>, memory: &mut Memory) {
        if let (Some(params), Some(tracker)) = (&self.config.usage, &mut memory.usage) {
            tracker.advance(params, world.now);
        }
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        self.cycle_with(snapshot_queues(world), world, memory, trace)
    }

    fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        self.ledger_with(snapshot_queues(world), world, memory)
    }

    fn derive(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        resource: Resource,
    ) -> Vec<DivisionStep> {
        self.derive_with(snapshot_queues(world), world, memory, (queue, resource))
    }

    fn order(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        self.order_with(snapshot_queues(world), world, memory, (queue, job))
    }
}

/// The same with the queues as a dialect reads them, in the cluster's order.
impl Kai {
    pub(in crate::policy) fn cycle_with(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &mut Memory,
        trace: &mut Trace,
    ) -> Turn {
        if let Some(params) = &self.config.usage {
            let tracker = memory.usage.get_or_insert_with(|| Box::new(start_measuring(params, world)));
            tracker.advance(params, world.now);
        }
        memory.names.get_or_insert_with(|| Names::of(world.cluster));
        let (snapshot, ids) = self.snapshot(queues, world, memory);
        let mut session = Session::open(&snapshot, &ids, trace.level);
        let n_events = trace.events.len();
        let mut out = Recorder::new(trace);
        super::run_actions(&mut session, &mut out);
        out.trace.marks.extend(match out.trace.level {
            Level::Outcomes => std::mem::take(&mut session.ties.marks),
            _ => nondeterminism_probe::marks(&snapshot, &ids, &session, &out),
        });
        memory.close(world, &session, &mut out);
        let Recorder { trace, decisions, claims, .. } = out;
        let decisions = Placing::default().decide(world, &session, decisions, trace, n_events);
        if !trace.refusals.is_empty() {
            let claims = claims.iter().map(|c| (session.facts_of(c.0).id, session.nodes[c.1.ix()].id));
            let claims: Vec<(JobId, NodeId)> = claims.collect();
            let claimed = |job: JobId| {
                let of_job = claims.iter().filter(|c| c.0 == job);
                of_job.filter_map(|c| free_at(world, c.1, &decisions)).max()
            };
            let (snapshot, ids, rhythm) = (&snapshot, &ids, self.rhythm);
            let over = Over { snapshot, ids, world, rhythm, memory };
            over.complete(&mut session, &mut trace.refusals, claimed);
        }
        if let (Some(params), Some(tracker)) = (&self.config.usage, &mut memory.usage) {
            tracker.hold(params, held(world, &decisions), self.total(world));
        }
        Turn { decisions, wake: self.rhythm.wake(world.now) }
    }

    pub(in crate::policy) fn ledger_with(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
    ) -> Ledger {
        let total = self.total(world);
        let queues = self.divided(queues, world, memory, total);
        let shows_usage = queues.iter().any(|queue| queue.usage != Quantities::default());
        let mut rows: Vec<LedgerRow> = world.cluster.queues.ids().map(empty_row).collect();
        for queue in &queues {
            let row = &mut rows[crate::id::Id::index(queue.id)];
            row.allocated = per_resource(queue.allocated);
            row.non_preemptible = per_resource(queue.allocated_np);
            row.request = per_resource(queue.request);
            row.fair_share = Some(per_resource(queue.fair_share));
            row.quota = per_resource(queue.deserved);
            row.limit = per_resource(queue.limit);
            row.usage = shows_usage.then(|| per_resource(queue.usage));
        }
        Ledger { rows, total: per_resource(total) }
    }

    pub(in crate::policy) fn derive_with(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
        (queue, resource): (QueueId, Resource),
    ) -> Vec<DivisionStep> {
        let total = self.total(world);
        let queues = self.divided(queues, world, memory, total);
        let found = queues.iter().position(|q| q.id == queue).map(QueueRef::of);
        let index = Resource::ACCOUNTED.iter().position(|r| *r == resource);
        let (Some(at), Some(index)) = (found, index) else { return Vec::new() };
        shares::ladder(&queues, total, self.config.division_params(), at, index)
    }

    pub(in crate::policy) fn order_with(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
        (queue, job): (QueueId, Option<JobId>),
    ) -> Vec<OrderLevel> {
        let (snapshot, ids) = self.snapshot(queues, world, memory);
        let mut session = Session::open(&snapshot, &ids, Level::Outcomes);
        serving_order::levels(&mut session, queue, job)
    }

    fn snapshot(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
    ) -> (Snapshot, Ids) {
        let cluster = world.cluster;
        let names = names(cluster, memory);
        let mut ids = Ids::default();
        let is_here = |node: &NodeId| cluster.nodes[*node].partition == world.partition;
        ids.nodes.extend(names.nodes().iter().filter(|node| is_here(node)));
        let nodes = ids.nodes.iter().map(|&node| snapshot_node(&cluster.nodes[node], &cluster.named));
        let nodes = nodes.collect();
        let queues = self.queues(queues, world, memory, &mut ids.queues);
        ids.jobs.extend(world.live_jobs());
        names.sort(&mut ids.jobs);
        let words = Words { names: &names, nowhere: Arc::from("") };
        let jobs = ids.jobs.iter().map(|&job| words.job(world, memory, job, &mut ids.pods)).collect();
        let (config, named) = (self.config.clone(), cluster.named.clone());
        let (total, now_s) = (self.total(world), world.now.as_seconds());
        let snapshot = Snapshot { config, nodes, queues, jobs, named, total, now_s };
        (snapshot, ids)
    }

    /// The queues as the scheduler sees them, and which of the cluster's they are.
    fn queues(
        &self,
        mut queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
        ids: &mut Vec<QueueId>,
    ) -> Vec<SnapshotQueue> {
        ids.extend(world.cluster.queues.ids());
        if let Some(tracker) = &memory.usage {
            for (queue, &usage) in queues.iter_mut().zip(&tracker.usage) {
                queue.usage = usage;
            }
        }
        if self.config.full_hierarchy_fairness { queues } else { without_departments(queues, ids) }
    }

    /// What the ready nodes of the partition have together; to this scheduler a node is not ready either while it is
    /// being drained.
    fn total(&self, world: PartitionView<'_>) -> Quantities {
        let mut total = Quantities::default();
        for (_, node) in world.nodes().filter(|(_, n)| n.takes_pods()) {
            let of = |r| node.capacity.get(r).in_policy_units(r);
            let has_role = || node.labels.iter().any(|(key, _)| **key == *GPU_WORKER);
            let gpu =
                if self.config.restrict_node_scheduling && !has_role() { 0.0 } else { of(Resource::GPU) };
            total += Quantities { cpu: of(Resource::CPU), memory: of(Resource::MEMORY), gpu };
        }
        total
    }

    /// Queues with what they hold, request and are entitled to now.
    fn divided(
        &self,
        queues: Vec<SnapshotQueue>,
        world: PartitionView<'_>,
        memory: &Memory,
        total: Quantities,
    ) -> Vec<Queue> {
        let cluster = world.cluster;
        let mut ids: Vec<QueueId> = Vec::new();
        let of_world = self.queues(queues, world, memory, &mut ids);
        let mut queues = open_queues(&of_world, &ids);
        let mut places: Vec<Option<QueueRef>> = vec![None; cluster.queues.len()];
        for (i, queue) in queues.iter().enumerate() {
            places[crate::id::Id::index(queue.id)] = Some(QueueRef::of(i));
        }
        // Sums of whole numbers are exact in any order; only parts of devices need the canonical one.
        let has_parts = |job: &JobId| cluster.pods_of(*job).any(|(_, pod)| wants_part(pod));
        let mut jobs: Vec<JobId> = world.live_jobs().collect();
        let names = jobs.iter().any(has_parts).then(|| names(cluster, memory));
        if let Some(names) = &names {
            names.sort(&mut jobs);
        }
        let nodes = world.nodes().map(|(_, node)| node);
        let with_gpus = nodes.filter(|n| n.capacity.get(Resource::GPU) > Amount::ZERO);
        let device_mib = |n: &Node| super::place::node::device_mib(n.gpu_memory_mib);
        let yardstick = yardstick(self.config.dialect, with_gpus.map(device_mib));
        for job in jobs {
            let Some(leaf) = places[crate::id::Id::index(cluster.jobs[job].queue)] else { continue };
            if memory.is_set_aside(cluster, job) {
                continue;
            }
            let preemptible = cluster.jobs[job].preemptible;
            let core = match preemptible {
                Preemptible::Semi => cluster.fixed_pods(job),
                Preemptible::Yes | Preemptible::No => Vec::new(),
            };
            let is_fixed = |pod: PodId| preemptible == Preemptible::No || core.contains(&pod);
            let in_file_order = || cluster.jobs[job].pod_ids().collect();
            let pods = names.as_ref().map_or_else(in_file_order, |n| n.pods_of(cluster, job).to_vec());
            for id in pods {
                let pod = &cluster.pods[id];
                let request = request_of(pod);
                match (status_of(pod.phase), pod.node) {
                    (Some(Status::Pending), _) => {
                        shares::add(&mut queues, leaf, request.pending(yardstick), None);
                    }
                    (Some(Status::Binding | Status::Running), Some(node)) => {
                        let mib = super::place::node::device_mib(cluster.nodes[node].gpu_memory_mib);
                        let amount = request.accepted_on(mib).quantities;
                        shares::add(&mut queues, leaf, amount, Some(!is_fixed(id)));
                    }
                    _ => (),
                }
            }
        }
        shares::divide(&mut queues, total, self.config.division_params());
        queues
    }
}

/// Names and their orders.
fn names(cluster: &Cluster, memory: &Memory) -> Arc<Names> {
    memory.names.clone().unwrap_or_else(|| Names::of(cluster))
}

/// Jobs in the scheduler's words.
struct Words<'a> {
    names: &'a Names,
    /// No node.
    nowhere: Arc<str>,
}

impl Words<'_> {
    fn job(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        id: JobId,
        pods: &mut Vec<PodId>,
    ) -> SnapshotJob {
        let cluster = world.cluster;
        let job = &cluster.jobs[id];
        let known = memory.jobs.get(&id).copied().unwrap_or_default();
        let pod_set = |set| {
            let set: &crate::cluster::PodSet = &cluster.pod_sets[set];
            let min_available = i64::from(set.min_available);
            SnapshotPodSet { name: set.name.clone(), min_available, path: set.path.clone() }
        };
        let mut there = Vec::with_capacity(job.pods.1 as usize);
        for &pod in self.names.pods_of(cluster, id) {
            if let Some(status) = status_of(cluster.pods[pod].phase) {
                pods.push(pod);
                there.push(self.pod(world, &cluster.pods[pod], status));
            }
        }
        SnapshotJob {
            name: job.name.clone(),
            queue: cluster.queues[job.queue].name.clone(),
            priority: i64::from(job.priority),
            preemptible: job.preemptible,
            created_s: job.created.as_seconds(),
            is_tried_once: job.is_tried_once,
            is_set_aside: memory.is_set_aside(cluster, id),
            last_start_s: known.last_start.or(job.last_start).map(Time::as_seconds),
            stale_since_s: known.stale_since.map(Time::as_seconds),
            allocated: None,
            pod_sets: job.pod_set_ids().map(pod_set).collect(),
            pods: there,
        }
    }

    fn pod(&self, world: PartitionView<'_>, pod: &Pod, status: Status) -> SnapshotPod {
        let cluster = world.cluster;
        let node = pod.node.map_or(&self.nowhere, |n| &cluster.nodes[n].name).clone();
        let shares = pod.node.is_some() && wants_part(pod);
        let groups = shares.then(|| self.names.devices(pod.devices));
        SnapshotPod {
            name: pod.name.clone(),
            pod_set: cluster.pod_sets[pod.pod_set].name.clone(),
            status,
            node,
            gpu_groups: groups.unwrap_or_default(),
            created_s: pod.created.map(Time::as_seconds),
            task_priority: task_priority(pod),
            node_affinity_in: None,
            selector: pod.selector.clone(),
            rules: pod.rules.clone(),
            cpu_milli: pod.request.resources.get(Resource::CPU).in_base_units() as f64,
            memory_bytes: pod.request.resources.get(Resource::MEMORY).in_base_units() as f64,
            scalars: scalars(&pod.request.resources, &cluster.named),
            gpu: ask_of(pod),
        }
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

fn wants_part(pod: &Pod) -> bool {
    matches!(pod.request.gpu, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. })
}

fn ask_of(pod: &Pod) -> GpuAsk {
    match pod.request.gpu {
        GpuRequest::None | GpuRequest::Whole { devices: 0 } => GpuAsk::None,
        GpuRequest::Whole { devices } => GpuAsk::Whole { devices: i64::from(devices) },
        GpuRequest::Fraction { portion, devices } => {
            let portion = portion.in_policy_units(Resource::GPU);
            GpuAsk::Fraction { portion, devices: i64::from(devices) }
        }
        GpuRequest::Memory { mib, devices } => GpuAsk::Memory { mib, devices: i64::from(devices) },
    }
}

/// The label that orders the tasks of a job.
fn task_priority(pod: &Pod) -> Option<Arc<str>> {
    let labels = &pod.rules.as_ref()?.labels;
    labels.iter().find(|(key, _)| **key == *"kai.scheduler/task-priority").map(|(_, value)| value.clone())
}

fn request_of(pod: &Pod) -> Request {
    let of = |r| pod.request.resources.get(r).in_base_units() as f64;
    Request::of(of(Resource::CPU), of(Resource::MEMORY), ask_of(pod))
}

/// The amounts of named resources that are not 0.
fn scalars(amounts: &ResourceVec, names: &[Arc<str>]) -> Vec<(Arc<str>, i64)> {
    let named = amounts.iter().filter_map(|(r, amount)| Some((names.get(r.nth_named()?)?, amount)));
    named
        .filter(|(_, amount)| *amount > Amount::ZERO)
        .map(|(name, amount)| (name.clone(), amount.in_base_units()))
        .collect()
}

fn snapshot_node(node: &Node, named: &[Arc<str>]) -> SnapshotNode {
    SnapshotNode {
        name: node.name.clone(),
        cpu_milli: node.capacity.get(Resource::CPU).in_policy_units(Resource::CPU),
        memory_bytes: node.capacity.get(Resource::MEMORY).in_policy_units(Resource::MEMORY),
        gpus: node.capacity.get(Resource::GPU).in_policy_units(Resource::GPU),
        pods: i64::from(node.pods_max),
        scalars: scalars(&node.capacity, named),
        gpu_memory_mib: node.gpu_memory_mib,
        gpu_memory_synced: node.gpu_memory_mib > 0,
        gpu_count_label: None,
        labels: node.labels.clone(),
        taints: node.taints.clone(),
        ready: node.takes_pods(),
    }
}

/// At the first cycle: with what the queues bring along.
fn start_measuring(params: &UsageParams, world: PartitionView<'_>) -> UsageTracker {
    let start = snapshot_queues(world).iter().map(|queue| queue.usage).collect();
    let mut capacity = Quantities::default();
    for (_, node) in world.nodes().filter(|(_, n)| n.takes_pods()) {
        let of = |r| node.capacity.get(r).in_policy_units(r);
        capacity +=
            Quantities { cpu: of(Resource::CPU), memory: of(Resource::MEMORY), gpu: of(Resource::GPU) };
    }
    UsageTracker::new(params, start, held(world, &[]), capacity)
}

/// What every queue holds, parents included, once decisions are carried out.
fn held(world: PartitionView<'_>, decisions: &[Decision]) -> Vec<Quantities> {
    let cluster = world.cluster;
    let mut decided: Vec<(PodId, Option<NodeId>)> = Vec::with_capacity(decisions.len());
    for decision in decisions {
        decided.push(match *decision {
            Decision::Bind { pod, node, .. } => (pod, Some(node)),
            Decision::Evict { pod, .. } => (pod, None),
        });
    }
    decided.sort_by_key(|t| t.0);
    let mut held = vec![Quantities::default(); cluster.queues.len()];
    for job in world.live_jobs() {
        for (id, pod) in cluster.pods_of(job) {
            let holds = matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
            let node = match decided.binary_search_by_key(&id, |t| t.0) {
                Ok(at) => decided[at].1,
                Err(_) => pod.node.filter(|_| holds),
            };
            let Some(node) = node else { continue };
            let mib = super::place::node::device_mib(cluster.nodes[node].gpu_memory_mib);
            let amount = request_of(pod).accepted_on(mib).quantities;
            for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                held[crate::id::Id::index(queue)] += amount;
            }
        }
    }
    held
}

/// When the last pod that leaves a node is gone.
fn free_at(world: PartitionView<'_>, node: NodeId, decisions: &[Decision]) -> Option<Time> {
    let cluster = world.cluster;
    let leaving = world.live_jobs().flat_map(|job| cluster.pods_of(job)).filter_map(|(id, pod)| {
        let is_evicted = || decisions.iter().any(|d| matches!(d, Decision::Evict { pod, .. } if *pod == id));
        // What was placed in this very cycle is on no node yet.
        let bound = || {
            let place = |d: &Decision| match *d {
                Decision::Bind { pod, node, .. } if pod == id => Some(node),
                _ => None,
            };
            decisions.iter().find_map(place)
        };
        match pod.phase {
            _ if pod.node.or_else(bound) != Some(node) => None,
            Phase::Terminating { until } => Some(until),
            _ if is_evicted() => Some(world.now + cluster.delays.termination),
            _ => None,
        }
    });
    leaving.max()
}
