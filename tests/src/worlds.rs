//! Small generated plans: a few nodes, queues and jobs with all kinds of interactions.

use std::sync::Arc;

use fairground::cluster::{
    Cluster, Delays, GpuRequest, Job, JobSpec, Node, NodeState, Partition, Phase, Pod, PodSet, PodSpec, Queue,
    QueueResource, Request, Restart,
};
use fairground::id::{JobId, NodeId, PartitionId, PodId, PodSetId, QueueId};
use fairground::policy::kai::config::default_plugins;
use fairground::policy::kai::config::{Config, Revision};
use fairground::policy::{Policy, Rhythm};
use fairground::scenario::{Plan, PlanChange, Planned};
use fairground::time::{Span, Time};
use fairground::units::{Amount, Bound, PerResource, Resource, ResourceVec, Weight};

/// A stream of small numbers that determines a plan; shrinking it shrinks the plan.
#[derive(Clone, Debug)]
pub struct Numbers {
    numbers: Vec<u8>,
    at: usize,
}

impl Numbers {
    /// Creates a stream from bytes; it continues with 0.
    pub fn new(numbers: Vec<u8>) -> Numbers {
        Numbers { numbers, at: 0 }
    }
    /// A number below `n`.
    pub fn below(&mut self, n: u8) -> u8 {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number % n
    }
    /// One of the given values.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.below(values.len() as u8))]
    }
}

/// KAI in its newest revision, with other values.
pub fn newest_kai(config: Config) -> Policy {
    let revision = Revision::NEWEST;
    Policy::Kai(Config { revision, plugins: default_plugins(revision), ..config })
}

/// Generates a plan.
pub fn plan(n: &mut Numbers, policy: Policy) -> Plan {
    let mut cluster = Cluster::default();
    let partition: PartitionId = cluster.partitions.push(Partition::new("all"));
    for i in 0..=n.below(4) {
        add_node(&mut cluster, n, partition, i);
    }
    add_queues(&mut cluster, n);
    let leaves: Vec<QueueId> = cluster.queues.ids().filter(|&q| cluster.queues[q].children.is_empty()).collect();
    for i in 0..=n.below(12) {
        let queue = n.one_of(&leaves);
        add_job(&mut cluster, n, queue, i);
    }
    cluster.delays = Delays {
        start: Span::from_millis(n.one_of(&[0, 0, 500, 2000])),
        termination: Span::from_millis(n.one_of(&[0, 0, 1000, 3500])),
    };
    let rhythm = match n.below(4) {
        0 | 1 => {
            let period = Span::from_millis(n.one_of(&[1000, 1000, 700]));
            Rhythm::Every { period, first: n.one_of(&[period, period, Span::from_millis(1500)]) }
        }
        2 => Rhythm::OnChange { at_least: Span::from_seconds(1) },
        _ => Rhythm::OnChange { at_least: Span::ZERO },
    };
    let mut timeline: Vec<Planned> = (0..n.below(4)).map(|i| change(&cluster, n, u32::from(i))).collect();
    timeline.sort_by_key(|planned| (planned.at, planned.entry));
    Plan { cluster, policy, rhythm, further: Vec::new(), timeline }
}

/// Generates a plan with two partitions: nodes and jobs are distributed, and queues have other values in the second,
/// which sometimes has another cycle interval. Under Run:ai some jobs may run in either.
pub fn pooled(n: &mut Numbers, policy: Policy) -> Plan {
    let mut plan = plan(n, policy);
    let moves = matches!(plan.policy, Policy::Runai(_));
    let second = split(&mut plan.cluster, n, moves);
    for planned in &mut plan.timeline {
        if let PlanChange::Queue { queue, resources, .. } = &mut planned.change {
            let mut there = plan.cluster.queues_in(second)[*queue].resources;
            there.gpu = resources[0].1.gpu;
            match n.below(3) {
                0 => resources.push((second, there)),
                1 => *resources = vec![(second, there)],
                _ => {}
            }
        }
    }
    let rhythm = match (n.below(3), plan.rhythm) {
        (0, Rhythm::Every { first, .. }) => Rhythm::Every { period: Span::from_millis(600), first },
        (1, Rhythm::Every { .. }) => Rhythm::OnChange { at_least: Span::from_seconds(1) },
        (_, rhythm) => rhythm,
    };
    plan.further = vec![(plan.policy.clone(), rhythm)];
    plan
}

fn split(cluster: &mut Cluster, n: &mut Numbers, moves: bool) -> PartitionId {
    let mut queues = cluster.queues.clone();
    for queue in queues.values_mut() {
        if n.below(2) == 1 {
            queue.resources.gpu = gpu_values(n);
            queue.priority = (n.below(4) == 3).then_some(200);
        }
    }
    let second = cluster.partitions.push(Partition { name: "second".into(), queues: Some(queues) });
    for node in cluster.nodes.values_mut() {
        node.partition = PartitionId(u32::from(n.below(2)));
    }
    for job in cluster.jobs.values_mut() {
        let first_pod = job.pod_ids().next();
        let node = first_pod.and_then(|pod| cluster.pods[pod].node);
        let own = PartitionId(u32::from(n.below(2)));
        job.partition = node.map_or(own, |node| cluster.nodes[node].partition);
        if moves && n.below(2) == 1 {
            Arc::make_mut(&mut job.spec).pools =
                n.one_of(&[[PartitionId(0), second], [second, PartitionId(0)]]).to_vec();
        }
    }
    second
}

fn add_node(cluster: &mut Cluster, n: &mut Numbers, partition: PartitionId, i: u8) -> NodeId {
    let mut capacity = ResourceVec::default();
    capacity.set(Resource::CPU, Amount::cores(n.one_of(&[64, 64, 8])));
    capacity.set(Resource::MEMORY, Amount::gib(256));
    capacity.set(Resource::GPU, Amount::gpus(n.one_of(&[2, 4, 8, 1, 0])));
    cluster.nodes.push(Node {
        name: format!("n{i}").into(),
        partition,
        capacity,
        pods_max: n.one_of(&[110, 110, 3]),
        gpu_memory_mib: 40_000,
        labels: Vec::new(),
        taints: Vec::new(),
        ready: n.below(10) != 9,
        draining: false,
    })
}

fn add_queues(cluster: &mut Cluster, n: &mut Numbers) {
    let n_tops = 1 + n.below(3);
    for i in 0..n_tops {
        let parent = push_queue(cluster, n, None, format!("q{i}"));
        if n.below(3) == 2 {
            let children = (0..=n.below(2)).map(|j| push_queue(cluster, n, Some(parent), format!("q{i}-{j}")));
            let children: Vec<QueueId> = children.collect();
            cluster.queues[parent].children = children;
        }
    }
}

fn push_queue(cluster: &mut Cluster, n: &mut Numbers, parent: Option<QueueId>, name: String) -> QueueId {
    let free = QueueResource { quota: Bound::Unlimited, limit: Bound::Unlimited, weight: Some(Weight::ONE) };
    let gpu = gpu_values(n);
    let span = |n: &mut Numbers| (n.below(6) == 5).then(|| Span::from_seconds(3));
    cluster.queues.push(Queue {
        name: name.into(),
        display_name: "".into(),
        parent,
        children: Vec::new(),
        priority: (n.below(4) == 3).then_some(200),
        created: Time::from_millis(cluster.queues.len() as i64 - 100),
        resources: PerResource { cpu: free, memory: free, gpu },
        usage: PerResource::default(),
        preempt_min_runtime: span(n),
        reclaim_min_runtime: span(n),
    })
}

fn gpu_values(n: &mut Numbers) -> QueueResource {
    let quota = n.one_of(&[Some(2), Some(1), Some(4), Some(0), None]);
    let limit = n.one_of(&[None, None, None, Some(4)]);
    let bound = |gpus: Option<i64>| gpus.map_or(Bound::Unlimited, |gpus| Bound::At(Amount::gpus(gpus)));
    QueueResource {
        quota: bound(quota),
        limit: bound(limit),
        weight: Some(Weight::millionths(n.one_of(&[1_000_000, 2_000_000, 0]))),
    }
}

fn add_job(cluster: &mut Cluster, n: &mut Numbers, queue: QueueId, i: u8) {
    let job: JobId = JobId(cluster.jobs.len() as u32);
    let n_pods = u32::from(n.one_of(&[1u8, 1, 2, 3]));
    let pods = (PodId(cluster.pods.len() as u32), n_pods);
    let pod_sets = (PodSetId(cluster.pod_sets.len() as u32), 1);
    let submit = Time::from_millis(n.one_of(&[0, 0, 1000, 1500, 4000, 9000, -2000]));
    let priority = n.one_of(&[50, 50, 75, 100, 125]);
    let spec = JobSpec {
        pools: Vec::new(),
        name: format!("j{i}").into(),
        queue,
        is_tried_once: n.below(5) == 4,
        priority,
        preemptible: (priority < 100).into(),
        created: submit,
        submit,
        lasts: n.one_of(&[None, Some(1000), Some(2500), Some(7000), Some(0)]).map(Span::from_millis),
        restart: n.one_of(&[Restart::Again, Restart::Again, Restart::Resume, Restart::Never]),
        user: None,
        pod_sets,
        pods,
        preemption_delay: None,
        staleness_grace: None,
        min_sub_groups: Vec::new(),
        evicted_for: None,
        gang: None,
    };
    cluster.jobs.push(Job {
        spec: Arc::new(spec),
        partition: PartitionId(0),
        offers: 0,
        first_start: None,
        ended: None,
        evictions: 0,
        last_start: None,
    });
    let min_available = if n.below(3) == 2 { 1 } else { n_pods };
    cluster.pod_sets.push(PodSet { name: "default".into(), job, min_available, path: Vec::new() });
    let request = request(n);
    for p in 0..n_pods {
        let spec = PodSpec {
            name: Arc::from(format!("j{i}-{p}")),
            job,
            pod_set: pod_sets.0,
            created: None,
            request: Arc::new(request.clone()),
            selector: Vec::new(),
            rules: None,
        };
        cluster.pods.push(Pod {
            spec: Arc::new(spec),
            phase: if submit > Time::ZERO { Phase::Future } else { Phase::Pending },
            node: None,
            devices: Default::default(),
        });
    }
    place_at_start(cluster, n, pods);
}

fn request(n: &mut Numbers) -> Request {
    let mut resources = ResourceVec::default();
    let gpu = match n.below(8) {
        0..=3 => GpuRequest::Whole { devices: 1 },
        4 => GpuRequest::Whole { devices: 2 },
        5 => GpuRequest::Whole { devices: 4 },
        6 => GpuRequest::Fraction { portion: Amount::milli_gpus(n.one_of(&[500, 250, 800])), devices: 1 },
        _ => GpuRequest::None,
    };
    let milli = match gpu {
        GpuRequest::Whole { devices } => i64::from(devices) * 1000,
        GpuRequest::Fraction { portion, .. } => portion.in_base_units(),
        _ => 0,
    };
    if gpu == GpuRequest::None || n.below(3) == 2 {
        resources.set(Resource::CPU, Amount::cores(n.one_of(&[1, 4])));
    }
    resources.set(Resource::GPU, Amount::milli_gpus(milli));
    Request { resources, gpu }
}

/// Sometimes runs the whole job initially, on one node with room.
fn place_at_start(cluster: &mut Cluster, n: &mut Numbers, pods: (PodId, u32)) {
    if n.below(4) != 3 {
        return;
    }
    let node = NodeId(u32::from(n.below(cluster.nodes.len() as u8)));
    let ids: Vec<PodId> = (pods.0.0..pods.0.0 + pods.1).map(PodId).collect();
    let held = |id: &PodId| cluster.pods[*id].node == Some(node);
    let mut node_use = fairground::cluster::NodeUse::new(&cluster.nodes[node]);
    let here: Vec<PodId> = cluster.pods.ids().filter(held).collect();
    for id in here.iter().chain(&ids) {
        let request = &cluster.pods[*id].request;
        let Some(devices) = node_use.pick(request.gpu) else { return };
        if !cluster.nodes[node].ready || !node_use.has_room(&cluster.nodes[node], request) {
            return;
        }
        node_use.take(request, devices);
    }
    for id in ids {
        let since = Time::from_millis(-1500);
        let lasts = cluster.jobs[cluster.pods[id].job].lasts;
        cluster.pods[id].phase = Phase::Running { since, until: lasts.map(|lasts| since + lasts) };
        cluster.pods[id].node = Some(node);
    }
}

fn change(cluster: &Cluster, n: &mut Numbers, entry: u32) -> Planned {
    let at = Time::from_millis(n.one_of(&[2000, 3000, 3300, 6000, 10_000]));
    let change = match n.below(4) {
        0 => PlanChange::EndJob { job: JobId(u32::from(n.below(cluster.jobs.len() as u8))) },
        1 | 2 => PlanChange::Node {
            node: NodeId(u32::from(n.below(cluster.nodes.len() as u8))),
            state: Some(n.one_of(&[NodeState::Down, NodeState::Ready, NodeState::Draining])),
            capacity: None,
        },
        _ => {
            let queue = QueueId(u32::from(n.below(cluster.queues.len() as u8)));
            let mut resources = cluster.queues[queue].resources;
            resources.gpu = gpu_values(n);
            let resources = vec![(PartitionId(0), resources)];
            PlanChange::Queue { queue, priority: None, resources, changed: vec![Resource::GPU] }
        }
    };
    Planned { at, entry, change }
}
