//! Opening of a recorded cycle: resolves names, whatever state they describe.
//!
//! # Rule
//! Recordings contain states that no scenario can describe: bound pods, arbitrary doubles, queues whose parent is
//! missing, jobs whose queue is missing. Unresolved names are ignored, as by the scheduler.
//!
//! # Source
//! kai.md 1
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::super::job::job_ranks;
use super::snapshot::{Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet};
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::policy::Monitor;
use crate::policy::kai::config::Config;
use crate::policy::kai::job::subgroups::SetSpec;
use crate::policy::kai::job::{JobFacts, JobShape, JobTraits};
use crate::policy::kai::number::is_whole;
use crate::policy::kai::order::task_order::{TaskPlugins, TaskRank};
use crate::policy::kai::place::groups::Groups;
use crate::policy::kai::place::node::{Node, NodeAmounts, NodeSpec, device_mib};
use crate::policy::kai::pod::{NodeTraits, Pod, PodReader, ReadPod};
use crate::policy::kai::pool_state::{CycleInput, PoolState};
use crate::policy::kai::request::{GpuAsk, MemoryBasis, Request};
use crate::policy::kai::share::shares::{QueueNames, is_leaf, open_queues};
use crate::policy::kai::task::{JobRef, NodeRef, PodRef};

impl<'a> CycleInput<'a> {
    /// Opens a recorded state. Ids are indices into its lists.
    pub fn recorded(snapshot: &'a Snapshot) -> CycleInput<'a> {
        let scalars = scalar_names(snapshot);
        let mut nodes: Vec<(NodeId, &SnapshotNode)> = numbered(&snapshot.nodes);
        nodes.sort_by(|l, r| l.1.name.cmp(&r.1.name));
        let ids: Vec<QueueId> = (0..snapshot.queues.len()).map(QueueId::from_index).collect();
        let queues = open_queues(&snapshot.queues, &ids);
        let names = snapshot.jobs.iter().flat_map(|job| &job.pods).flat_map(|pod| pod.gpu_groups.iter().cloned());
        let devices = snapshot.nodes.iter().map(|n| (n.gpus > 0.0, device_mib(n.gpu_memory_mib)));
        let pool = PoolState {
            total: snapshot.total,
            memory_basis: MemoryBasis::of(&snapshot.config, devices),
            sums_are_exact: is_all_whole(snapshot),
            nodes: nodes.iter().map(|&(id, node)| open_node(id, node, &scalars)).collect(),
            queues,
            groups: Groups::named(names),
            ..PoolState::default()
        };
        let (config, n_scalars) = (&snapshot.config, scalars.len());
        let mut input = CycleInput { config, now_s: snapshot.now_s, n_scalars, pool, monitor: Monitor::default() };
        input.read_jobs(snapshot, &nodes, &scalars);
        input
    }

    fn read_jobs(&mut self, snapshot: &'a Snapshot, nodes: &[(NodeId, &'a SnapshotNode)], scalars: &[&Arc<str>]) {
        let traits = |&(_, node): &(NodeId, &'a SnapshotNode)| NodeTraits {
            name: &node.name,
            labels: &node.labels,
            taints: &node.taints,
        };
        let (has_roles, plugins) = (self.config.restrict_node_scheduling, TaskPlugins::of(self.config));
        let mut reader = PodReader::new(nodes.iter().map(traits).collect(), has_roles, plugins);
        let queue_names = QueueNames::of(&self.pool.queues);
        let mut first_pod = 0;
        let mut jobs = Vec::with_capacity(snapshot.jobs.len());
        for (id, job) in numbered::<JobId, _>(&snapshot.jobs) {
            jobs.push((id, job, first_pod));
            first_pod += job.pods.len();
        }
        jobs.sort_by(|l, r| l.1.name.cmp(&r.1.name));
        let ages: Vec<(i64, f64)> = jobs.iter().map(|(_, job, _)| (job.priority, job.created_s)).collect();
        let ranks = job_ranks(&ages, self.config.has("priority"));
        let (opened, opened_pods) = (Arc::make_mut(&mut self.pool.jobs), Arc::make_mut(&mut self.pool.pods));
        for ((id, job, first_pod), rank) in jobs.into_iter().zip(ranks) {
            let queue = queue_names.find(&job.queue);
            let mut sets: Vec<_> = job.pod_sets.iter().collect();
            sets.sort_by(|l, r| l.name.cmp(&r.name));
            let set_of = |pod: &SnapshotPod| sets.binary_search_by(|s| s.name.cmp(&pod.pod_set)).ok();
            let mut pods: Vec<(usize, usize, &SnapshotPod)> =
                (first_pod..).zip(&job.pods).filter_map(|(id, pod)| Some((id, set_of(pod)?, pod))).collect();
            pods.sort_by(|l, r| l.2.name.cmp(&r.2.name));
            let read = pods.iter().map(|&(id, set, pod)| read_pod(PodId::from_index(id), set, pod, scalars));
            let pod_facts = reader.job(read.collect());
            let traits = JobTraits {
                id,
                name: job.name.clone(),
                n_before: opened.len() as u32,
                priority: job.priority,
                preemptible: job.preemptible,
                created_s: job.created_s,
                is_tried_once: job.is_tried_once,
                preemption_delay_s: job.preemption_delay_s,
                staleness_grace_s: job.staleness_grace_s.map(|grace| Some(grace).filter(|s| *s >= 0.0)),
                is_whole: pod_facts.iter().all(|pod| pod.request.is_whole()),
                n_pods: pod_facts.len() as u32,
                rank,
                shape: shape_of(self.config, job, &sets),
            };
            let facts = JobFacts {
                traits: Arc::new(traits),
                queue,
                is_ordered: !job.is_set_aside && queue.is_some_and(|q| is_leaf(&self.pool.queues, q)),
                is_set_aside: job.is_set_aside,
                first_pod: PodRef::of(opened_pods.len()),
                n_pods: pods.len(),
                last_start_s: job.last_start_s,
                stale_since_s: job.stale_since_s,
                last_eviction_s: job.last_eviction_s,
                allocated: job.allocated,
            };
            let uid = JobRef::of(opened.len());
            opened.push(facts);
            for (facts, (_, _, pod)) in pod_facts.into_iter().zip(pods) {
                let node = nodes.binary_search_by(|n| n.1.name.cmp(&pod.node)).ok().map(NodeRef::of);
                let groups = pod.gpu_groups.iter().filter_map(|name| self.pool.groups.of_name(name)).collect();
                opened_pods.push(Pod { facts, job: uid, status: pod.status, node, groups });
            }
        }
    }
}

fn shape_of(config: &Config, job: &SnapshotJob, sets: &[&SnapshotPodSet]) -> JobShape {
    let spec = |set: &&SnapshotPodSet| (set.name.clone(), set.min_available, set.path.clone());
    let owned: Vec<_> = sets.iter().map(spec).collect();
    let specs: Vec<SetSpec<'_>> =
        owned.iter().map(|(name, min_available, path)| SetSpec { name, min_available: *min_available, path }).collect();
    let minimum = |group: &str| job.min_sub_group.iter().find(|(name, _)| **name == *group).map(|(_, n)| *n as usize);
    JobShape::of(config.revision, &specs, minimum)
}

fn numbered<I: Id, T>(items: &[T]) -> Vec<(I, &T)> {
    items.iter().enumerate().map(|(i, item)| (I::from_index(i), item)).collect()
}

fn open_node(id: NodeId, spec: &SnapshotNode, scalars: &[&Arc<str>]) -> Node {
    Node::new(NodeSpec {
        id,
        name: spec.name.clone(),
        allocatable: NodeAmounts {
            cpu: spec.cpu_milli,
            memory: spec.memory_bytes,
            gpus: spec.gpus,
            pods: spec.pods,
            scalars: amounts(scalars, &spec.scalars),
        },
        gpu_memory_mib: spec.gpu_memory_mib,
        is_memory_synced: spec.gpu_memory_synced,
        n_devices: spec.gpu_count_label.unwrap_or(spec.gpus as i64),
        ready: spec.ready,
    })
}

fn read_pod<'a>(id: PodId, set: usize, pod: &'a SnapshotPod, scalars: &[&Arc<str>]) -> ReadPod<'a> {
    let request = Request::of(pod.cpu_milli, pod.memory_bytes, pod.gpu);
    let rules = pod.rules.as_deref();
    ReadPod {
        id,
        name: &pod.name,
        set,
        request: Request { scalars: amounts(scalars, &pod.scalars), ..request },
        required: pod.node_affinity_in.as_ref(),
        selector: &pod.selector,
        rules,
        rank: TaskRank::of(rules, pod.task_priority.clone(), pod.created_s),
    }
}

fn is_all_whole(snapshot: &Snapshot) -> bool {
    let is_whole_device = |ask| matches!(ask, GpuAsk::None | GpuAsk::ExplicitZero | GpuAsk::Whole { .. });
    let of_pod = |p: &SnapshotPod| {
        is_whole(p.cpu_milli) && is_whole(p.memory_bytes) && is_whole_device(p.gpu) && p.gpu_groups.is_empty()
    };
    let of_node = |n: &SnapshotNode| is_whole(n.cpu_milli) && is_whole(n.memory_bytes) && is_whole(n.gpus);
    let of_job = |j: &SnapshotJob| j.allocated.is_none() && j.pods.iter().all(of_pod);
    snapshot.nodes.iter().all(of_node) && snapshot.jobs.iter().all(of_job)
}

/// Named resources: the numbered ones, then those that some pod requests, by name.
fn scalar_names(snapshot: &Snapshot) -> Vec<&Arc<str>> {
    let mut names: Vec<&Arc<str>> = Vec::new();
    for pod in snapshot.jobs.iter().flat_map(|j| &j.pods) {
        names.extend(pod.scalars.iter().map(|(name, _)| name));
    }
    names.sort();
    names.dedup();
    names.retain(|name| !snapshot.named.contains(name));
    snapshot.named.iter().chain(names).collect()
}

/// Amount of each named resource; 0 if absent.
fn amounts(names: &[&Arc<str>], named: &[(Arc<str>, i64)]) -> Vec<i64> {
    let amount = |name| named.iter().find(|(n, _)| n == name).map_or(0, |(_, amount)| *amount);
    names.iter().map(|&name| amount(name)).collect()
}
