//! Cycles with and without the shortcuts have the same result.
//!
//! Random clusters run for some cycles each: evicted pods wait again, claims end with the cycle, some jobs finish and
//! others arrive. Every cycle is run twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cluster::Preemptible;
use crate::policy::kai::config::default_plugins;
use crate::policy::kai::config::{Config, Revision};
use crate::policy::kai::pool_state::CycleInput;
use crate::policy::kai::recorded::{
    Committed, CycleOutcome, GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod,
    SnapshotPodSet, Status, run,
};
use crate::policy::kai::session::Session;
use crate::trace::{Level, Trace};

/// Number of clusters.
const CLUSTERS: u64 = 3_000;
/// Number of cycles of each.
const CYCLES: usize = 4;

/// Pseudo-random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// What runs in a cluster.
#[derive(Clone, Copy, PartialEq)]
enum WorkloadMix {
    /// Also small gangs, elastic jobs, departments, limits and work that is not preemptible.
    Mixed,
    /// Like `Mixed`, with gangs on several nodes.
    Gangs,
    /// Preemptible jobs of one pod in queues without limits.
    Single,
}

fn name(prefix: &str, n: usize) -> Arc<str> {
    Arc::from(format!("{prefix}{n:02}"))
}

/// Unbounded CPU and memory.
fn gpus(gpu: f64) -> Quantities {
    Quantities { cpu: -1.0, memory: -1.0, gpu }
}

/// Six leaves; in one half of the clusters with gangs below two departments.
fn queues(rng: &mut Rng, mix: WorkloadMix) -> Vec<QueueSpec> {
    let is_deep = mix != WorkloadMix::Single && rng.below(2) == 0;
    let mut queue = |n: usize, parent: Arc<str>, quota: f64| QueueSpec {
        name: name("q", n),
        parent,
        priority: 100 + rng.below(6) as i64 / 5,
        created_s: n as f64,
        quota: gpus(quota),
        limit: gpus(if mix != WorkloadMix::Single && rng.below(5) == 0 { 4.0 + rng.below(12) as f64 } else { -1.0 }),
        weight: Quantities { cpu: 1.0, memory: 1.0, gpu: rng.below(4) as f64 },
        ..QueueSpec::default()
    };
    let root: Arc<str> = Arc::from("");
    let mut queues = Vec::new();
    if is_deep {
        queues.extend((90..92).map(|n| queue(n, root.clone(), 16.0)));
    }
    for n in 0..6 {
        let parent = if is_deep { name("q", 90 + n % 2) } else { root.clone() };
        queues.push(queue(n, parent, (n % 4 * 2) as f64));
    }
    queues
}

/// A job that waits.
fn job(rng: &mut Rng, mix: WorkloadMix, n: usize) -> SnapshotJob {
    let (n_pods, devices, cpu_milli) = match mix {
        WorkloadMix::Mixed => (
            rng.one_of(&[1, 1, 1, 1, 1, 2, 3]),
            rng.one_of(&[1, 1, 1, 2, 2, 4, 8]),
            rng.one_of(&[0.0, 0.0, 500.0, 2000.0]),
        ),
        WorkloadMix::Gangs => (rng.one_of(&[1, 2, 4, 6, 8, 10]), rng.one_of(&[1, 1, 2]), rng.one_of(&[0.0, 500.0])),
        WorkloadMix::Single => (1, rng.one_of(&[1, 1, 1, 2, 3, 4, 6, 8]), 0.0),
    };
    let pod = |i| SnapshotPod {
        name: name(&format!("job{n:02}-"), i),
        pod_set: Arc::from("default"),
        gpu: GpuAsk::Whole { devices },
        cpu_milli,
        ..SnapshotPod::default()
    };
    let min_available = if rng.below(3) == 0 { 1 } else { n_pods as i64 };
    let set = SnapshotPodSet { name: Arc::from("default"), min_available, ..SnapshotPodSet::default() };
    SnapshotJob {
        name: name("job", n),
        queue: name("q", rng.below(6) as usize),
        priority: if mix != WorkloadMix::Single { rng.one_of(&[50, 50, 50, 75]) } else { 50 },
        preemptible: rng.one_of(match mix {
            WorkloadMix::Single => &[Preemptible::Yes],
            _ => &[Preemptible::Yes, Preemptible::Yes, Preemptible::Yes, Preemptible::No],
        }),
        created_s: (n * 7 % 50) as f64,
        pod_sets: vec![set],
        pods: (0..n_pods).map(pod).collect(),
        ..SnapshotJob::default()
    }
}

/// A cluster of up to five nodes in which jobs of some queues arrived first and run.
fn cluster(rng: &mut Rng, mix: WorkloadMix) -> Snapshot {
    let n_nodes = 2 + rng.below(4) as usize;
    let n_early_queues = rng.one_of(&[2, 3, 4]);
    let node = |n| SnapshotNode {
        name: name("node", n),
        cpu_milli: 8000.0,
        memory_bytes: 1e9,
        gpus: 8.0,
        pods: 20,
        ready: true,
        ..SnapshotNode::default()
    };
    let total = Quantities { cpu: 8000.0 * n_nodes as f64, memory: 1e9 * n_nodes as f64, gpu: 8.0 * n_nodes as f64 };
    let mut jobs: Vec<SnapshotJob> = (0..10 + rng.below(30) as usize).map(|n| job(rng, mix, n)).collect();
    let mut free = vec![(8, 8000.0); n_nodes];
    let n_early = jobs.len() * 2 / 3;
    for job in &mut jobs[..n_early] {
        job.queue = name("q", rng.below(n_early_queues) as usize);
        for pod in &mut job.pods {
            let GpuAsk::Whole { devices } = pod.gpu else { continue };
            let fits = |free: &(i64, f64)| free.0 >= devices && free.1 >= pod.cpu_milli;
            if let Some(i) = free.iter().position(fits) {
                free[i].0 -= devices;
                free[i].1 -= pod.cpu_milli;
                (pod.status, pod.node) = (Status::Running, name("node", i));
            }
        }
    }
    let nodes = (0..n_nodes).map(node).collect();
    Snapshot { nodes, queues: queues(rng, mix), jobs, total, ..Snapshot::default() }
}

fn outcome(snapshot: &Snapshot, has_shortcuts: bool) -> CycleOutcome {
    let mut session = Session::open(CycleInput::recorded(snapshot), Level::Outcomes);
    assert!(session.state.sums_are_exact);
    if !has_shortcuts {
        (session.state.sums_are_exact, session.inputs.siblings_are_ordered, session.caches.keeps_lists) =
            (false, false, false);
    }
    run(session, snapshot, &mut Trace::new(Level::Outcomes))
}

/// The cluster before the next cycle.
fn proceed(rng: &mut Rng, mix: WorkloadMix, snapshot: &mut Snapshot, outcome: &CycleOutcome) {
    let mut evicted = BTreeSet::new();
    for committed in outcome.steps.iter().flat_map(|step| &step.commits).flatten() {
        let mut pods = snapshot.jobs.iter_mut().flat_map(|job| &mut job.pods);
        match committed {
            Committed::Bind { pod: bound, node, .. } => {
                let pod = pods.find(|pod| pod.name == *bound).expect("a pod of the cluster");
                (pod.status, pod.node) = (Status::Running, node.clone());
            }
            Committed::Evict { pod, .. } => drop(evicted.insert(pod.clone())),
            Committed::Pipelined { .. } => (),
        }
    }
    for pod in snapshot.jobs.iter_mut().flat_map(|job| &mut job.pods) {
        if evicted.contains(&pod.name) {
            (pod.status, pod.node) = (Status::Pending, Arc::from(""));
        }
    }
    snapshot.jobs.retain(|job| job.pods[0].status == Status::Pending || rng.below(8) != 0);
    let n = 60 + snapshot.now_s as usize;
    snapshot.jobs.push(job(rng, mix, n));
    snapshot.now_s += 1.0;
}

#[test]
fn shortcuts_do_not_change_a_cycle() {
    let (mut n_evictions, mut n_cycles_with_evictions) = (0, [0; 2]);
    for seed in 0..CLUSTERS {
        let mut rng = Rng(seed);
        let mix = [WorkloadMix::Mixed, WorkloadMix::Single, WorkloadMix::Gangs][(seed % 3) as usize];
        let revision = Revision::ALL[(seed / 3 % 2) as usize];
        let mut snapshot = cluster(&mut rng, mix);
        snapshot.config = Config { revision, plugins: default_plugins(revision), ..Config::default() };
        for cycle in 0..CYCLES {
            let (with, without) = (outcome(&snapshot, true), outcome(&snapshot, false));
            assert_eq!(with, without, "cluster {seed}, cycle {cycle}, {revision:?}");
            let commits = with.steps.iter().flat_map(|step| &step.commits).flatten();
            let n = commits.filter(|committed| matches!(committed, Committed::Evict { .. })).count();
            n_evictions += n;
            n_cycles_with_evictions[revision as usize] += usize::from(n > 0);
            proceed(&mut rng, mix, &mut snapshot, &with);
        }
    }
    assert!(
        n_cycles_with_evictions.iter().all(|&n| n > 200),
        "{n_evictions} evictions in {n_cycles_with_evictions:?} cycles"
    );
}
