//! Random scenarios that cover the format: trees of four levels, limits of CPU and memory, devices and fractions of all
//! sizes, selectors, taints, named resources, gates, pools, and every timeline entry.
//!
//! They are scenario files rather than plans, so that one that violates a law can be read and run.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::kit::random;
use fairground::scenario::{
    CapacityEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry, ResourceEntry, Scalar,
    Scenario, Severity, TimelineEntry, apply, check,
};

use crate::{draw_newer, draw_settings};

/// Reproducible random numbers.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    n: u64,
}

impl Draw {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw { seed, n: 0 }
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.n += 1;
        random::below(random::mixed(self.seed, self.n), n as u64) as usize
    }
    /// True with a probability of `percent`.
    pub fn in_hundred(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    /// One of these.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
    /// One of these values as a scalar; `-` omits it.
    pub fn typed(&mut self, values: &[&str]) -> Option<Scalar> {
        let value = self.one_of(values);
        (value != "-").then(|| value.into())
    }
}

/// Maximum numbers of parts of a drawn scenario.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    nodes: usize,
    jobs: usize,
    changes: usize,
}

impl Size {
    /// Enough for most combinations of rules.
    pub const ORDINARY: Size = Size { nodes: 4, jobs: 12, changes: 5 };
    /// Checked in less time: half of it under most policies.
    pub const SMALL: Size = Size { nodes: 2, jobs: 3, changes: 2 };
}

/// Maximum number of fixes applied to a scenario.
const FIXES_MAX: usize = 100;

/// A scenario that runs under a policy. Contradictory draws (a job on a node that cannot hold it, a parent whose
/// children have larger guarantees) are resolved by the fixes of their findings.
pub fn scenario(policy: &str, seed: u64) -> Scenario {
    sized(policy, Size::ORDINARY, seed)
}

/// A scenario of a size that runs under a policy.
pub fn sized(policy: &str, size: Size, seed: u64) -> Scenario {
    let mut scenario = draw(policy, size, &mut Draw::new(seed));
    scenario.name = format!("{policy} {seed}");
    completed(scenario, seed)
}

/// A scenario that runs under a version of a policy's product.
pub fn scenario_of(policy: &str, version: &str, seed: u64) -> Scenario {
    let mut scenario = draw(policy, Size::ORDINARY, &mut Draw::new(seed));
    scenario.settings.insert("version".into(), version.into());
    scenario.name = format!("{policy} v{version} {seed}");
    completed(scenario, seed)
}

/// Adds what only later versions read, and resolves contradictions.
fn completed(mut scenario: Scenario, seed: u64) -> Scenario {
    let name = scenario.name.clone();
    draw_newer::add(&mut scenario, seed);
    for _ in 0..FIXES_MAX {
        let found = check(&scenario).diagnostics;
        let Some(error) = found.into_iter().find(|found| found.severity == Severity::Error) else { break };
        let fix = error.fix.unwrap_or_else(|| panic!("{name}: no fix for {}", error.says));
        scenario = apply(&scenario, &fix.edits).unwrap_or_else(|says| panic!("{name}: {says:?}"));
    }
    scenario
}

fn draw(policy: &str, size: Size, d: &mut Draw) -> Scenario {
    let mut s = Scenario { policy: policy.into(), ..Scenario::default() };
    s.cycle = d.typed(&["-", "-", "1s", "700ms", "on change", "2s, first at 1s"]);
    s.delays.start = d.typed(&["-", "-", "500ms", "2s"]);
    s.delays.termination = d.typed(&["-", "-", "1s", "3500ms"]);
    let n_pools = [0, 0, 0, 2, 3][d.below(5)];
    let pools: Vec<String> = (0..n_pools).map(|i| format!("pool-{i}")).collect();
    let is_wide = d.in_hundred(70);
    let nodes: Vec<NodeEntry> = (0..1 + d.below(size.nodes)).map(|i| node(d, i, &pools, is_wide)).collect();
    let queues = queues(d, &pools, is_wide);
    let parents: Vec<&String> = queues.iter().filter_map(|queue| queue.parent.as_ref()).collect();
    let names = queues.iter().map(|queue| queue.name.clone());
    let leaves: Vec<String> = names.filter(|name| !parents.contains(&name)).collect();
    let machines: Vec<String> = nodes.iter().flat_map(machines_of).collect();
    let n_jobs = 1 + d.below(size.jobs);
    let jobs: Vec<JobEntry> = (0..n_jobs).map(|i| job(d, i, (policy, is_wide), &leaves, &machines, &pools)).collect();
    let n_changes = d.below(size.changes + 1);
    s.timeline = Arc::new((0..n_changes).map(|_| change(d, &machines, &queues, &jobs, &pools)).collect());
    let pool = |name: String| PoolEntry { name, ..PoolEntry::default() };
    s.pools = Arc::new(pools.into_iter().map(pool).collect());
    (s.nodes, s.jobs) = (Arc::new(nodes), Arc::new(jobs));
    s.settings = draw_settings::settings(policy, d, &queues);
    s.settings.extend(draw_settings::revision(policy, d));
    s.queues = Arc::new(queues);
    s
}

/// One or two named values, or none.
fn some(d: &mut Draw, percent: usize, names: &[&str], values: &[&str]) -> BTreeMap<String, Scalar> {
    let mut all = BTreeMap::new();
    for name in names {
        if d.in_hundred(percent) {
            all.insert(name.to_string(), d.one_of(values).into());
        }
    }
    all
}

fn labels(d: &mut Draw, percent: usize) -> BTreeMap<String, String> {
    some(d, percent, &["zone", "kind"], &["a", "b"]).into_iter().map(|(key, value)| (key, value.0)).collect()
}

fn node(d: &mut Draw, i: usize, pools: &[String], is_wide: bool) -> NodeEntry {
    let mut node = NodeEntry {
        name: format!("n{i}"),
        count: d.typed(&["-", "-", "-", "2", "3"]),
        gpu: d.typed(&["2", "4", "8", "1", "-", "3"]),
        cpu: d.typed(&["-", "64", "8", "3500m"]),
        memory: d.typed(&["-", "64Gi", "8 GB", "500Mi"]),
        pods: d.typed(&["-", "-", "3", "8"]),
        pool: (!pools.is_empty()).then(|| pools[d.below(pools.len())].clone()),
        ..NodeEntry::default()
    };
    if is_wide {
        node.gpu_memory = d.typed(&["-", "100", "150", "16 GB", "40000", "81559"]);
        node.labels = labels(d, 50);
        node.state = d.typed(&["-", "-", "-", "-", "-", "-", "draining", "down", "cordoned"]);
        node.taints = texts(d, 15, &["gpu:NoSchedule", "zone=a:NoExecute", "old:PreferNoSchedule"]);
        node.resources = some(d, 40, &["rdma", "nvme"], &["1", "2", "4"]);
    }
    node
}

fn texts(d: &mut Draw, percent: usize, values: &[&str]) -> Vec<String> {
    values.iter().filter(|_| d.in_hundred(percent)).map(|text| text.to_string()).collect()
}

/// Node names of an entry.
fn machines_of(node: &NodeEntry) -> Vec<String> {
    let Some(count) = &node.count else { return vec![node.name.clone()] };
    let count: usize = count.0.parse().unwrap_or(0);
    (1..=count).map(|n| format!("{}-{n}", node.name)).collect()
}

/// A tree of up to four levels.
fn queues(d: &mut Draw, pools: &[String], is_wide: bool) -> Vec<QueueEntry> {
    let mut queues: Vec<QueueEntry> = Vec::new();
    let mut level: Vec<Option<String>> = vec![None];
    for depth in 0..4 {
        let mut next = Vec::new();
        for parent in level {
            let n = if depth == 0 { 1 + d.below(3) } else { [0, 0, 1, 2, 3][d.below(5)] };
            for i in 0..n {
                let above = parent.as_ref().map_or("q".to_string(), |parent| format!("{parent}-"));
                let name = format!("{above}{i}");
                queues.push(queue(d, &name, parent.clone(), pools, is_wide));
                next.push(Some(name));
            }
        }
        level = next;
    }
    // A parent may follow its children.
    if d.in_hundred(20) {
        queues.reverse();
    }
    queues
}

fn queue(d: &mut Draw, name: &str, parent: Option<String>, pools: &[String], is_wide: bool) -> QueueEntry {
    let mut queue = QueueEntry {
        name: name.into(),
        parent,
        priority: d.typed(&["-", "-", "-", "200", "50"]),
        gpu: gpu_values(d),
        cpu: free(),
        memory: free(),
        ..QueueEntry::default()
    };
    if is_wide {
        (queue.cpu, queue.memory) = (cpu_values(d), memory_values(d));
        queue.created = d.typed(&["-", "-", "-", "-10s", "-20s"]);
        queue.preempt_min_runtime = d.typed(&["-", "-", "-", "3s"]);
        queue.reclaim_min_runtime = d.typed(&["-", "-", "-", "3s"]);
    }
    for pool in pools {
        if d.in_hundred(30) {
            let gpu = gpu_values(d);
            queue.pools.push(QueuePoolEntry { name: pool.clone(), gpu, ..QueuePoolEntry::default() });
        }
    }
    if !pools.is_empty() && d.in_hundred(20) {
        queue.default_pools = vec![pools[d.below(pools.len())].clone()];
    }
    queue
}

fn free() -> ResourceEntry {
    let [quota, limit, weight] = ["unlimited", "unlimited", "1"].map(|text| Some(text.into()));
    ResourceEntry { quota, limit, weight, usage: None }
}

fn gpu_values(d: &mut Draw) -> ResourceEntry {
    ResourceEntry {
        quota: d.typed(&["2", "1", "4", "0", "unlimited", "1.5", "-"]),
        limit: d.typed(&["unlimited", "unlimited", "unlimited", "4", "2", "2.5"]),
        weight: d.typed(&["1", "1", "2", "0", "0.5", "-"]),
        usage: d.typed(&["-", "-", "-", "-", "0.3"]),
    }
}

fn cpu_values(d: &mut Draw) -> ResourceEntry {
    ResourceEntry {
        quota: d.typed(&["unlimited", "unlimited", "8", "500m", "0", "-"]),
        limit: d.typed(&["unlimited", "unlimited", "unlimited", "16", "4500m"]),
        weight: d.typed(&["1", "1", "3", "0"]),
        usage: None,
    }
}

fn memory_values(d: &mut Draw) -> ResourceEntry {
    ResourceEntry {
        quota: d.typed(&["unlimited", "unlimited", "16Gi", "1 GB", "0", "-"]),
        limit: d.typed(&["unlimited", "unlimited", "unlimited", "32Gi", "2 GB"]),
        weight: d.typed(&["1", "1", "3", "0"]),
        usage: None,
    }
}

fn job(
    d: &mut Draw,
    i: usize,
    (policy, is_wide): (&str, bool),
    leaves: &[String],
    machines: &[String],
    pools: &[String],
) -> JobEntry {
    let mut job = JobEntry {
        name: format!("j{i}"),
        queue: leaves[d.below(leaves.len())].clone(),
        submit: d.typed(&["-", "-", "-", "1", "1500ms", "4", "9"]),
        lasts: d.typed(&["-", "1", "2500ms", "7", "20", "0"]),
        priority: d.typed(&["-", "-", "build", "interactive-preemptible", "125", "51"]),
        preemptible: d.typed(&["-", "-", "-", "true", "false"]),
        restart: d.typed(&["-", "-", "resume", "never"]),
        ..JobEntry::default()
    };
    let two_kinds = is_wide && d.in_hundred(20);
    if two_kinds {
        let kinds = ["head", "worker"];
        job.pod_sets = kinds.iter().map(|kind| pods(d, kind, is_wide)).collect();
    } else {
        let own = pods(d, "", is_wide);
        (job.pods, job.min_available, job.gpu, job.gpu_memory) = (own.pods, own.min_available, own.gpu, own.gpu_memory);
        (job.cpu, job.memory, job.gpu_devices, job.resources) = (own.cpu, own.memory, own.gpu_devices, own.resources);
    }
    if d.in_hundred(20) {
        job.submit = job.submit.filter(|_| d.in_hundred(30));
        job.on = (0..=d.below(2)).map(|_| machines[d.below(machines.len())].clone()).collect();
    } else if d.in_hundred(15) {
        job.count = d.typed(&["2", "3"]);
        job.every = d.typed(&["-", "2", "3s..1s", "2s random"]);
    }
    if is_wide {
        rules(d, &mut job, policy, machines);
    }
    let n = if policy == "runai" { pools.len() } else { pools.len().min(1) };
    if n > 0 && d.in_hundred(70) {
        let first = d.below(pools.len());
        job.pools = (0..=d.below(n)).map(|k| pools[(first + k) % pools.len()].clone()).collect();
    }
    job
}

/// Placement constraints of a job, and fields that only some policies read.
fn rules(d: &mut Draw, job: &mut JobEntry, policy: &str, machines: &[String]) {
    job.selector = labels(d, 10);
    job.affinity = texts(d, 8, &["zone in (a, b)", "kind notin (b)", "zone", "!kind"]);
    job.tolerations = texts(d, 25, &["gpu:NoSchedule", "zone=a", "old"]);
    if d.in_hundred(3) {
        job.tolerations = vec!["*".into()];
    }
    job.user = d.one_of(&[None, None, Some("ada"), Some("bo")]).map(str::to_string);
    if d.in_hundred(5) {
        job.gated = Some("true".into());
    }
    match policy {
        "yunikorn" => {
            job.gang = d.typed(&["-", "-", "-", "soft", "hard"]);
            job.placeholder_timeout = job.gang.as_ref().and_then(|_| d.typed(&["-", "3s"]));
        }
        "kai" | "runai" => {
            if let (true, [_, later]) = (job.on.is_empty(), job.pod_sets.as_mut_slice()) {
                later.after = d.typed(&["-", "-", "1", "2500ms", "6"]);
            }
            job.scheduling_backoff = d.typed(&["-", "-", "-", "-", "1"]);
            let nominated = d.in_hundred(8).then(|| machines[d.below(machines.len())].clone());
            job.nominated_node = nominated;
            if policy == "runai" && d.in_hundred(20) {
                job.preemptible = Some("semi".into());
            }
        }
        _ => {}
    }
}

/// A pod set.
fn pods(d: &mut Draw, name: &str, is_wide: bool) -> PodSetEntry {
    let n = d.one_of(&[1, 1, 2, 3, 4]);
    let mut own = PodSetEntry {
        name: name.into(),
        pods: (n > 1).then(|| Scalar(n.to_string())),
        min_available: d.in_hundred(40).then(|| Scalar((1 + d.below(n)).to_string())),
        cpu: d.typed(&["-", "-", "1", "4", "500m"]),
        ..PodSetEntry::default()
    };
    match d.below(if is_wide { 10 } else { 8 }) {
        0..=2 => own.gpu = Some("1".into()),
        3 => own.gpu = d.typed(&["2", "4", "3"]),
        4..=5 => own.gpu = d.typed(&["0.5", "0.25", "0.8", "0.333"]),
        6 => own.cpu = d.typed(&["2", "7", "100m"]),
        7 => {}
        _ => own.gpu_memory = d.typed(&["50", "1", "99", "8000", "20000", "16 GB", "200000"]),
    }
    if is_wide {
        own.memory = d.typed(&["-", "-", "1Gi", "4Gi", "100Mi"]);
        own.resources = some(d, 8, &["rdma", "nvme"], &["1", "2"]);
        let is_part = own.gpu_memory.is_some() || own.gpu.as_ref().is_some_and(|gpu| gpu.0.starts_with("0."));
        own.gpu_devices = d.typed(&["-", "-", "2", "3"]).filter(|_| is_part);
    }
    own
}

fn capacity(d: &mut Draw) -> CapacityEntry {
    CapacityEntry {
        gpu: d.typed(&["0", "1", "2", "3", "8"]),
        cpu: d.typed(&["-", "-", "2", "8", "96"]),
        memory: d.typed(&["-", "-", "4Gi", "32Gi"]),
        pods: d.typed(&["-", "-", "2", "unlimited"]),
        resources: some(d, 20, &["rdma", "nvme"], &["0", "1", "4"]),
    }
}

fn change(
    d: &mut Draw,
    machines: &[String],
    queues: &[QueueEntry],
    jobs: &[JobEntry],
    pools: &[String],
) -> TimelineEntry {
    let at = Scalar(d.one_of(&["2", "3", "3300ms", "6", "10", "10", "15"]).to_string());
    let mut entry = TimelineEntry { at, ..TimelineEntry::default() };
    match d.below(5) {
        0 => {
            let job = &jobs[d.below(jobs.len())];
            let suffix = job.count.as_ref().map_or("", |_| "-1");
            entry.job = Some(format!("{}{suffix}", job.name));
        }
        1 | 2 => {
            entry.node = Some(machines[d.below(machines.len())].clone());
            entry.state = Some(d.one_of(&["down", "ready", "ready", "draining", "not-ready"]).into());
            if d.in_hundred(40) {
                entry.capacity = capacity(d);
                entry.state = entry.state.filter(|_| d.in_hundred(30));
            }
        }
        _ => {
            entry.queue = Some(queues[d.below(queues.len())].name.clone());
            entry.priority = d.typed(&["-", "-", "300"]);
            entry.gpu = ResourceEntry { usage: None, ..gpu_values(d) };
            if d.in_hundred(30) {
                entry.cpu = cpu_values(d);
            }
            if d.in_hundred(30) {
                entry.memory = memory_values(d);
            }
            entry.pool = pools.first().filter(|_| d.in_hundred(30)).cloned();
        }
    }
    entry
}
