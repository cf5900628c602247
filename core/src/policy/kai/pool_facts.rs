//! Immutable data of the nodes, jobs and pods of a node pool.
//!
//! # Rule
//! None of its own. A session reads nodes, jobs and the pods of a job by name, the request of every pod and
//! the nodes it accepts. All of this is read and compared once per run, not once per cycle.
//!
//! # Source
//! kai.md 1
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::config::Config;
use super::job::subgroups::SetSpec;
use super::job::{JobRank, JobShape, JobTraits, job_ranks};
use super::order::task_order::{TaskPlugins, TaskRank};
use super::pod::{NodeTraits, PodFacts, PodReader, ReadPod};
use super::request::Request;
use super::revision::Revision;
use super::task::NodeRef;
use crate::cluster::{Cluster, Job, Pod, PodSet};
use crate::id::{Id, JobId, NodeId, PartitionId, PodId, PodSetId, QueueId};
use crate::policy::PartitionView;
use crate::time::{Span, Time};
use crate::units::Resource;

/// Immutable data of a node pool and the jobs that may run in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PoolFacts {
    settings: Settings,
    /// Sorted by name.
    pub nodes: Vec<NodeId>,
    /// By node of the cluster: its position in the pool.
    node_refs: Vec<Option<NodeRef>>,
    /// By job; `None` if it never runs in this pool.
    jobs: Vec<Option<JobEntry>>,
    /// Whether the amounts of the cluster's queues are those of the scheduler: all sums are exact, and no job is ever
    /// set aside.
    pub has_exact_sums: bool,
}

/// Settings on which the facts depend.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settings {
    has_roles: bool,
    has_priorities: bool,
    plugins: TaskPlugins,
    revision: Revision,
    /// How long a pod may terminate.
    stuck_after: Option<Span>,
}

impl Settings {
    fn of(config: &Config) -> Settings {
        Settings {
            has_roles: config.restrict_node_scheduling,
            has_priorities: config.has("priority"),
            plugins: TaskPlugins::of(config),
            revision: config.revision,
            stuck_after: config.stuck_in_releasing().map(|s| Span::from_millis((s * 1000.0).round() as i64)),
        }
    }
}

/// A job and its pods.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JobEntry {
    pub traits: Arc<JobTraits>,
    pub queue: QueueId,
    /// Sorted by name.
    pub pods: Vec<Arc<PodFacts>>,
}

impl PoolFacts {
    /// Reads the facts of a node pool.
    pub fn of(world: PartitionView<'_>, config: &Config) -> Arc<PoolFacts> {
        let (cluster, settings) = (world.cluster, Settings::of(config));
        let mut nodes: Vec<NodeId> = world.nodes().map(|(id, _)| id).collect();
        nodes.sort_by(|&l, &r| cluster.nodes[l].name.cmp(&cluster.nodes[r].name));
        let mut node_refs = vec![None; cluster.nodes.len()];
        for (place, node) in nodes.iter().enumerate() {
            node_refs[node.index()] = Some(NodeRef::of(place));
        }
        let order = order_jobs(cluster, settings.has_priorities);
        let traits = nodes.iter().map(|&node| {
            let node = &cluster.nodes[node];
            NodeTraits { name: &node.name, labels: &node.labels, taints: &node.taints }
        });
        let mut reader = PodReader::new(traits.collect(), settings.has_roles, settings.plugins);
        let entry = |(id, job): (JobId, &Job)| {
            let order = order[id.index()];
            may_run_in(job, world.partition).then(|| JobEntry::of(cluster, (id, order), settings.revision, &mut reader))
        };
        let jobs: Vec<Option<JobEntry>> = cluster.jobs.iter().map(entry).collect();
        let has_exact_sums = jobs.iter().flatten().all(|entry| entry.traits.is_whole && !entry.traits.is_tried_once);
        Arc::new(PoolFacts { settings, nodes, node_refs, jobs, has_exact_sums })
    }

    /// Whether it was read under equivalent settings.
    pub fn is_for(&self, config: &Config) -> bool {
        self.settings == Settings::of(config)
    }

    /// Whether a pod evicted at a time is stuck now.
    pub fn is_stuck(&self, since: Time, now: Time) -> bool {
        self.settings.stuck_after.is_some_and(|after| now - since > after)
    }

    /// Position of a node in the pool; `None` if it belongs to another.
    pub fn node(&self, node: NodeId) -> Option<NodeRef> {
        self.node_refs[node.index()]
    }

    /// A job; `None` if it never runs in this pool.
    pub fn job(&self, job: JobId) -> Option<&JobEntry> {
        self.jobs[job.index()].as_ref()
    }
}

/// By job: number of jobs that precede it by name, and its rank.
fn order_jobs(cluster: &Cluster, has_priorities: bool) -> Vec<(u32, JobRank)> {
    let mut by_name: Vec<JobId> = cluster.jobs.ids().collect();
    by_name.sort_by(|&l, &r| cluster.jobs[l].name.cmp(&cluster.jobs[r].name));
    let age = |&job: &JobId| (i64::from(cluster.jobs[job].priority), cluster.jobs[job].created.as_seconds());
    let ages: Vec<(i64, f64)> = by_name.iter().map(age).collect();
    let mut order = vec![(0, JobRank::default()); by_name.len()];
    for ((n_before, job), rank) in (0..).zip(by_name).zip(job_ranks(&ages, has_priorities)) {
        order[job.index()] = (n_before, rank);
    }
    order
}

/// Whether a job may ever be offered to a pool.
fn may_run_in(job: &Job, pool: PartitionId) -> bool {
    job.partition == pool || job.pools.contains(&pool)
}

impl JobEntry {
    fn of<'a>(
        cluster: &'a Cluster,
        (id, (n_before, rank)): (JobId, (u32, JobRank)),
        revision: Revision,
        reader: &mut PodReader<'a>,
    ) -> JobEntry {
        let job = &cluster.jobs[id];
        let mut sets: Vec<(PodSetId, &PodSet)> = job.pod_set_ids().map(|set| (set, &cluster.pod_sets[set])).collect();
        sets.sort_by(|l, r| l.1.name.cmp(&r.1.name));
        let spec = |(_, set): &(PodSetId, &'a PodSet)| SetSpec {
            name: &set.name,
            min_available: i64::from(set.min_available),
            path: &set.path,
        };
        let specs: Vec<SetSpec<'_>> = sets.iter().map(spec).collect();
        let min_sub_group = |group: &str| job.min_sub_group(group).filter(|_| revision.has_optional_members());
        let shape = JobShape::of(revision, &specs, min_sub_group);
        let mut pods: Vec<(PodId, &Pod)> = cluster.pods_of(id).collect();
        pods.sort_by(|l, r| l.1.name.cmp(&r.1.name));
        let set_of = |pod: &Pod| sets.iter().position(|(set, _)| *set == pod.pod_set);
        let read = pods.iter().filter_map(|&(id, pod)| Some(read_pod(cluster, (id, pod), set_of(pod)?)));
        let pods = reader.job(read.collect());
        let has_times = revision.reads_job_times();
        let traits = JobTraits {
            id,
            name: job.name.clone(),
            n_before,
            priority: i64::from(job.priority),
            preemptible: job.preemptible,
            created_s: job.created.as_seconds(),
            is_tried_once: job.is_tried_once,
            preemption_delay_s: job.preemption_delay.filter(|_| has_times).map(|span| span.as_seconds()),
            staleness_grace_s: job
                .staleness_grace
                .filter(|_| has_times)
                .map(|grace| grace.map(|span| span.as_seconds())),
            is_whole: pods.iter().all(|pod| pod.request.is_whole()),
            n_pods: pods.len() as u32,
            rank,
            shape,
        };
        JobEntry { traits: Arc::new(traits), queue: job.queue, pods }
    }
}

fn read_pod<'a>(cluster: &'a Cluster, (id, pod): (PodId, &'a Pod), set: usize) -> ReadPod<'a> {
    let rules = pod.rules.as_deref();
    let labels = rules.map_or(&[][..], |rules| &rules.labels);
    let task_priority = labels.iter().find(|(key, _)| **key == *"kai.scheduler/task-priority");
    let named = (0..cluster.named.len()).map(Resource::named);
    let scalars = named.map(|r| pod.request.resources.get(r).in_base_units()).collect();
    ReadPod {
        id,
        name: &pod.name,
        set,
        request: Request { scalars, ..Request::of_pod(pod) },
        required: None,
        selector: &pod.selector,
        rules,
        rank: TaskRank::of(rules, task_priority.map(|(_, value)| value.clone()), pod.created.map(|c| c.as_seconds())),
    }
}
