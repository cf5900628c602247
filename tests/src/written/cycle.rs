//! Blocks `cycle`: a small cluster and the decisions of every cycle.
//!
//! ```text
//! set grace 60                                       multiplier, k, consolidation off, seconds between two cycles
//! node n1  gpu 4                                     mib: memory of every GPU
//! queue q0  quota 1  weight 1                        parent, limit, priority, reclaim-after, preempt-after (seconds)
//! run a0 a1 on q0  gpu 1                             running jobs of one pod each, oldest first
//! run a2 on q0  at n1,n1  pods 3  min 2  gpu 1       two pods run, the third waits
//! pend b0 on q0  part 0.5                            or: mib 2000, devices 2; cpu; priority; fixed; started (seconds ago)
//! leave c0 on q0  at n1  gpu 1                       told to go, still there
//! run d on q0  at n1,n1,n1  pods 3  failed 1         the last one has failed
//! cycle  -> evict a1 for b0, claim b0 on n1          nothing; bind b0 on n1 [device]
//! shares -> q0 2, q1 2                               fair shares of GPUs in the cycle above
//! ```
//!
//! Quotas, limits and weights are those of GPUs; CPU and memory are ample. Between two cycles binding pods start to
//! run, evicted pods are pending again, claims are dropped. In a statement evictions are listed first, then binds, then
//! claims, by pod.

use std::sync::Arc;

use fairground::policy::kai::config::Action;
use fairground::policy::kai::recorded::{
    Committed, CycleOutcome, GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod,
    SnapshotPodSet, Status, run_cycle,
};
use fairground::trace::{Level, Trace};

use super::{Line, ParsedLine};
use crate::cycle::snapshot::pass;

/// State of the cluster, and the last cycle.
#[derive(Default)]
struct CycleFixture {
    snapshot: Snapshot,
    seconds: f64,
    last: CycleOutcome,
}

/// Runs a block.
pub fn run(lines: &[Line]) -> Result<(), String> {
    let mut world = CycleFixture { seconds: 1.0, ..CycleFixture::default() };
    for line in lines {
        match line.words.first().map(String::as_str) {
            Some("set") => world.set(line)?,
            Some("node") => world.node(line)?,
            Some("queue") => world.queue(line)?,
            Some("run") => world.jobs(line, Status::Running)?,
            Some("pend") => world.jobs(line, Status::Pending)?,
            Some("leave") => world.jobs(line, Status::Releasing)?,
            Some("cycle") => world.cycle(line)?,
            Some("shares") => world.shares(line)?,
            other => return Err(format!("line {}: unknown line {other:?}", line.number)),
        }
    }
    Ok(())
}

impl CycleFixture {
    fn set(&mut self, line: &Line) -> Result<(), String> {
        let parsed = ParsedLine::of(line, &["k", "multiplier", "grace", "seconds", "consolidation"], &[])?;
        let config = &mut self.snapshot.config;
        config.k_value = parsed.number("k", config.k_value)?;
        config.saturation_multiplier = parsed.number("multiplier", config.saturation_multiplier)?;
        config.staleness_grace_s = Some(parsed.number("grace", config.staleness_grace_s.unwrap_or(60.0))?);
        self.seconds = parsed.number("seconds", self.seconds)?;
        if parsed.text("consolidation") == Some("off") {
            config.actions.retain(|a| *a != Action::Consolidation);
        }
        Ok(())
    }

    fn node(&mut self, line: &Line) -> Result<(), String> {
        let parsed = ParsedLine::of(line, &["gpu", "mib"], &[])?;
        for name in parsed.names() {
            let node = SnapshotNode {
                name: Arc::from(*name),
                cpu_milli: 64_000.0,
                memory_bytes: 1e12,
                gpus: parsed.number("gpu", 0.0)?,
                pods: 110,
                gpu_memory_mib: parsed.count("mib", 40_000)?,
                gpu_memory_synced: true,
                ready: true,
                ..SnapshotNode::default()
            };
            let total = &mut self.snapshot.total;
            total.cpu += node.cpu_milli;
            total.memory += node.memory_bytes;
            total.gpu += node.gpus;
            self.snapshot.nodes.push(node);
        }
        Ok(())
    }

    fn queue(&mut self, line: &Line) -> Result<(), String> {
        let keys = ["parent", "quota", "limit", "weight", "priority", "reclaim-after", "preempt-after"];
        let parsed = ParsedLine::of(line, &keys, &[])?;
        let of = |other: f64, gpu: f64| Quantities { cpu: other, memory: other, gpu };
        let seconds = |key| parsed.has(key).then(|| parsed.number(key, 0.0)).transpose();
        let queue = QueueSpec {
            name: Arc::from(parsed.name()?),
            parent: Arc::from(parsed.text("parent").unwrap_or_default()),
            priority: parsed.count("priority", 100)?,
            created_s: -1e6 + self.snapshot.queues.len() as f64,
            quota: of(-1.0, parsed.number("quota", 0.0)?),
            limit: of(-1.0, parsed.number("limit", -1.0)?),
            weight: of(1.0, parsed.number("weight", 1.0)?),
            reclaim_min_runtime_s: seconds("reclaim-after")?,
            preempt_min_runtime_s: seconds("preempt-after")?,
            ..QueueSpec::default()
        };
        self.snapshot.queues.push(queue);
        Ok(())
    }

    fn jobs(&mut self, line: &Line, status: Status) -> Result<(), String> {
        let keys = [
            "on", "at", "pods", "min", "gpu", "part", "mib", "devices", "device", "cpu", "priority", "started",
            "failed",
        ];
        let parsed = ParsedLine::of(line, &keys, &["fixed"])?;
        if parsed.names().is_empty() || !parsed.has("on") {
            return Err(parsed.error("expected names and `on QUEUE`"));
        }
        for name in parsed.names() {
            let n_pods = parsed.count("pods", 1)?;
            let mut pods = Vec::new();
            for i in 0..n_pods {
                let pod_name = if n_pods == 1 { (*name).to_owned() } else { format!("{name}-{i}") };
                let failed = i >= n_pods - parsed.count("failed", 0)?;
                let status = if failed { Status::Failed } else { status };
                pods.push(self.pod(&parsed, &pod_name, i as usize, status)?);
            }
            let min_available = parsed.count("min", 1)?;
            let set = SnapshotPodSet { name: Arc::from("default"), min_available, ..SnapshotPodSet::default() };
            let priority = parsed.count("priority", 50)?;
            let started = -parsed.number("started", 100_000.0)?;
            self.snapshot.jobs.push(SnapshotJob {
                name: Arc::from(*name),
                queue: Arc::from(parsed.text("on").unwrap_or_default()),
                priority,
                preemptible: (priority < 100 && !parsed.has("fixed")).into(),
                created_s: -1e5 + self.snapshot.jobs.len() as f64,
                last_start_s: (status != Status::Pending).then_some(started),
                pod_sets: vec![set],
                pods,
                ..SnapshotJob::default()
            });
        }
        Ok(())
    }

    /// Creates the pod at a position of its job: with the line's status if it has a node, otherwise pending.
    fn pod(&self, parsed: &ParsedLine<'_>, name: &str, at: usize, status: Status) -> Result<SnapshotPod, String> {
        let node = match (parsed.text("at"), &self.snapshot.nodes[..]) {
            _ if status == Status::Pending => None,
            (Some(nodes), _) => nodes.split(',').nth(at),
            (None, [only]) => Some(&*only.name),
            (None, _) => return Err(parsed.error("`at NODE` is needed with several nodes")),
        };
        let devices = parsed.count("devices", 1)?;
        let gpu = match (parsed.has("part"), parsed.has("mib"), parsed.has("gpu")) {
            (true, ..) => GpuAsk::Fraction { portion: parsed.number("part", 0.0)?, devices },
            (_, true, _) => GpuAsk::Memory { mib: parsed.count("mib", 0)?, devices },
            (_, _, true) => GpuAsk::Whole { devices: parsed.count("gpu", 0)? },
            _ => GpuAsk::None,
        };
        let groups = parsed.text("device").filter(|_| node.is_some());
        Ok(SnapshotPod {
            name: Arc::from(name),
            pod_set: Arc::from("default"),
            status: if node.is_some() { status } else { Status::Pending },
            node: Arc::from(node.unwrap_or_default()),
            gpu_groups: groups.into_iter().map(Arc::from).collect(),
            cpu_milli: parsed.number("cpu", 1.0)? * 1000.0,
            memory_bytes: 1e9,
            gpu,
            ..SnapshotPod::default()
        })
    }

    fn cycle(&mut self, line: &Line) -> Result<(), String> {
        let expected = line.expected.as_deref().unwrap_or("nothing");
        self.last = run_cycle(&self.snapshot, &mut Trace::new(Level::Decisive));
        let got = self.decisions();
        if got != expected {
            return Err(format!("line {}:\nexpected {expected}\ngot      {got}", line.number));
        }
        pass(&mut self.snapshot, &self.last, self.seconds, |_| false);
        Ok(())
    }

    fn decisions(&self) -> String {
        let known =
            |group: &Arc<str>| self.snapshot.jobs.iter().flat_map(|j| &j.pods).any(|p| p.gpu_groups.contains(group));
        let on = |groups: &[Arc<str>]| match groups {
            [] => String::new(),
            groups => {
                let names = groups.iter().map(|g| if known(g) { g } else { "new" });
                format!(" [{}]", names.collect::<Vec<_>>().join(" "))
            }
        };
        let text = |event: &Committed| match event {
            Committed::Evict { pod, preemptor } if preemptor.is_empty() => (0, format!("evict {pod}")),
            Committed::Evict { pod, preemptor } => (0, format!("evict {pod} for {preemptor}")),
            Committed::Bind { pod, node, gpu_groups } => (1, format!("bind {pod} on {node}{}", on(gpu_groups))),
            Committed::Pipelined { pod, node, gpu_groups } => (2, format!("claim {pod} on {node}{}", on(gpu_groups))),
        };
        let mut texts: Vec<String> = Vec::new();
        for commit in self.last.steps.iter().flat_map(|s| &s.commits) {
            let mut events: Vec<(u8, String)> = commit.iter().map(text).collect();
            events.sort();
            texts.extend(events.into_iter().map(|(_, text)| text));
        }
        if texts.is_empty() { "nothing".to_owned() } else { texts.join(", ") }
    }

    fn shares(&self, line: &Line) -> Result<(), String> {
        for item in line.expected.as_deref().unwrap_or_default().split(',') {
            let Some((queue, share)) = item.trim().split_once(' ') else {
                return Err(format!("line {}: expected `QUEUE NUMBER`", line.number));
            };
            let found = self.last.shares.iter().find(|s| &*s.queue == queue);
            let got = found.map(|s| format!("{}", s.fair_share.gpu));
            if got.as_deref() != Some(share.trim()) {
                return Err(format!("line {}: {queue} has {got:?}, expected {share}", line.number));
            }
        }
        Ok(())
    }
}
