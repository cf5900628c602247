//! The Philly trace as a plan: hard numbers from a real cluster.
//!
//! The data are not part of the repository. Their directory is given by the environment variable
//! `FAIRGROUND_DATA`, by default `../shared/data` relative to the repository's root.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::fifo_reference::{NODE_GPUS, Row};
use fairground::cluster::{
    Cluster, GpuRequest, Job, JobSpec, Node, Partition, Phase, Pod, PodSet, PodSpec, Preemptible, Queue, QueueResource,
    Request,
};
use fairground::id::{PartitionId, PodId, PodSetId, QueueId};
use fairground::policy::{Policy, Rhythm};
use fairground::scenario::Plan;
use fairground::time::{Span, Time};
use fairground::units::{Amount, Bound, PerResource, Resource, ResourceVec, Weight};

/// Directory of the trace; prints a message if it is absent. Tests that need it are then ignored, see `build.rs`.
pub fn data() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let base = std::env::var_os("FAIRGROUND_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    let dir = base.join("philly-2017");
    if dir.join("jobs.csv").is_file() && dir.join("queues.csv").is_file() {
        return Some(dir);
    }
    eprintln!("skipped: no Philly trace at {} (set FAIRGROUND_DATA)", dir.display());
    None
}

/// Three weeks on a quarter of the cluster: 88 nodes of 8 GPUs, with a quarter of each queue's size as quota.
pub fn plan(dir: &std::path::Path, policy: Policy, rhythm: Rhythm) -> Plan {
    let queues = std::fs::read_to_string(dir.join("queues.csv")).expect("readable");
    let jobs = std::fs::read_to_string(dir.join("jobs.csv")).expect("readable");
    let mut cluster = Cluster::default();
    let partition: PartitionId = cluster.partitions.push(Partition::new("all"));
    for n in 1..=88 {
        let mut capacity = ResourceVec::default();
        capacity.set(Resource::CPU, Amount::cores(64));
        capacity.set(Resource::MEMORY, Amount::gib(256));
        capacity.set(Resource::GPU, Amount::gpus(8));
        cluster.nodes.push(Node {
            name: format!("node-{n}").into(),
            partition,
            capacity,
            pods_max: 110,
            gpu_memory_mib: 40_000,
            labels: Vec::new(),
            taints: Vec::new(),
            ready: true,
            draining: false,
        });
    }
    let mut by_name = BTreeMap::new();
    for (i, line) in queues.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let gpus: i64 = fields[2].parse().expect("a number");
        by_name.insert(fields[0].to_string(), add_queue(&mut cluster, fields[0], gpus / 4, i));
    }
    for line in jobs.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<i64>().expect("a number");
        add_job(&mut cluster, fields[0], by_name[fields[4]], number(1), number(2), number(3));
    }
    Plan { cluster, policy, rhythm, further: Vec::new(), timeline: Vec::new() }
}

/// The same jobs for the reference computation, and the number of nodes per queue.
pub fn rows(dir: &std::path::Path) -> (Vec<Row>, Vec<u32>) {
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).expect("readable");
    let (queues, jobs) = (read("queues.csv"), read("jobs.csv"));
    let fields = |line: &str| line.split(',').map(str::to_string).collect::<Vec<_>>();
    let queues: Vec<Vec<String>> = queues.lines().skip(1).map(fields).collect();
    let nodes = queues.iter().map(|q| q[2].parse::<u32>().expect("a number") / 4 / NODE_GPUS).collect();
    let row = |line: &str| {
        let job = fields(line);
        let number = |at: usize| job[at].parse::<i64>().expect("a number");
        let queue = queues.iter().position(|queue| queue[0] == job[4]).expect("listed");
        let gpus = u32::try_from(number(3)).expect("small");
        Row { queue, submit: number(1), duration: number(2), gpus }
    };
    (jobs.lines().skip(1).map(row).collect(), nodes)
}

fn add_queue(cluster: &mut Cluster, name: &str, gpus: i64, position: usize) -> QueueId {
    let free = QueueResource { quota: Bound::Unlimited, limit: Bound::Unlimited, weight: Some(Weight::ONE) };
    let gpu = QueueResource {
        quota: Bound::At(Amount::gpus(gpus)),
        limit: Bound::Unlimited,
        weight: Some(Weight::millionths(gpus * 1_000_000)),
    };
    cluster.queues.push(Queue {
        name: name.into(),
        display_name: "".into(),
        parent: None,
        children: Vec::new(),
        priority: None,
        created: Time::from_millis(position as i64 - 1000),
        resources: PerResource { cpu: free, memory: free, gpu },
        usage: PerResource::default(),
        preempt_min_runtime: None,
        reclaim_min_runtime: None,
    })
}

/// Adds a job: one pod for up to 8 GPUs, otherwise pods of 8.
pub fn add_job(cluster: &mut Cluster, name: &str, queue: QueueId, submit_s: i64, duration_s: i64, gpus: i64) {
    let n_pods = if gpus <= 8 { 1 } else { (gpus / 8) as u32 };
    let each = gpus / i64::from(n_pods);
    let job = fairground::id::JobId(cluster.jobs.len() as u32);
    let pod_set = PodSetId(cluster.pod_sets.len() as u32);
    let first = PodId(cluster.pods.len() as u32);
    let name: Arc<str> = name.into();
    let submit = Time::from_seconds(submit_s);
    let spec = JobSpec {
        pools: Vec::new(),
        name: name.clone(),
        queue,
        priority: 50,
        is_tried_once: false,
        preemptible: Preemptible::Yes,
        created: submit,
        submit,
        lasts: Some(Span::from_seconds(duration_s)),
        restart: Default::default(),
        user: None,
        pod_sets: (pod_set, 1),
        pods: (first, n_pods),
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
    cluster.pod_sets.push(PodSet { name: "default".into(), job, min_available: n_pods, path: Vec::new() });
    let mut resources = ResourceVec::default();
    resources.set(Resource::GPU, Amount::gpus(each));
    for n in 0..n_pods {
        let spec = PodSpec {
            name: if n_pods == 1 { name.clone() } else { format!("{name}-{n}").into() },
            job,
            pod_set,
            created: None,
            request: Arc::new(Request { resources, gpu: GpuRequest::Whole { devices: each as u32 } }),
            selector: Vec::new(),
            rules: None,
        };
        cluster.pods.push(Pod { spec: Arc::new(spec), phase: Phase::Future, node: None, devices: Default::default() });
    }
}

/// Total work of all jobs in GPU-seconds.
pub fn gpu_seconds(plan: &Plan) -> f64 {
    let cluster = &plan.cluster;
    let of = |pod: &Pod| {
        let lasts = cluster.jobs[pod.job].lasts.unwrap_or_default();
        i128::from(pod.request.resources.get(Resource::GPU).in_base_units()) * i128::from(lasts.as_millis())
    };
    cluster.pods.values().map(of).sum::<i128>() as f64 / 1e6
}
