//! Replacements for the two simulators bundled with KAI, with the same input and output formats.
//!
//! Errors of the originals (kai.md 10.2) are not reproduced; they are reported on stderr.

mod fairshare;
mod time_based;

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

use fairground::cluster::Preemptible;
use fairground::import::Report;
use fairground::moment::csv;
use fairground::policy::kai::config::Config;
use fairground::policy::kai::recorded::{
    Committed, GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet, Status,
    run_cycle,
};
use fairground::policy::kai::share::division::{self, Sibling};
use fairground::policy::kai::share::usage::{History, Sample, Settings};
use fairground::trace::{Level, Trace};
use serde_json::{Map, Value, json};

use crate::args::{FairShare, TimeBased};
use crate::load::text;
use crate::messages::report;
use crate::{End, Stop};

/// Divides once, without hierarchy and past usage, and prints the fair share of every queue as JSON.
pub fn fairshare(args: &FairShare) -> Result<End, Stop> {
    let (input, notes) = fairshare::read(&text(&args.file)?);
    say(&args.file, &notes)?;
    let input = input.ok_or(Stop::BadInput)?;
    writeln!(std::io::stdout(), "{}", divide(&input))?;
    Ok(End::Ok)
}

/// Returns the output of the fair-share simulator.
fn divide(input: &fairshare::FairShareInput) -> Value {
    let mut order: Vec<usize> = (0..input.queues.len()).collect();
    let age = |&i: &usize| (input.queues[i].created_s, input.queues[i].uid.as_str());
    order.sort_by(|l, r| age(l).partial_cmp(&age(r)).expect("moments are never NaN"));
    let mut shares = vec![[0.0; 3]; input.queues.len()];
    for (resource, &total) in input.total.iter().enumerate() {
        let sibling = |&i: &usize| {
            let queue = &input.queues[i];
            let of = queue.resources[resource];
            Sibling {
                name: &queue.uid,
                priority: queue.priority,
                created_s: queue.created_s,
                deserved: of.deserved,
                limit: of.limit,
                weight: of.weight,
                request: of.request,
                usage: 0.0,
                fair_share: of.fair_share,
            }
        };
        let mut siblings: Vec<Sibling<'_>> = order.iter().map(sibling).collect();
        division::divide(total, 0.0, &mut siblings);
        for (&i, sibling) in order.iter().zip(&siblings) {
            shares[i][resource] = sibling.fair_share;
        }
    }
    let mut answer = Map::new();
    for (queue, [cpu, memory, gpu]) in input.queues.iter().zip(shares) {
        let shares = json!({ "gpu": number(gpu), "cpu": number(cpu), "memory": number(memory) });
        answer.insert(queue.uid.clone(), shares);
    }
    Value::Object(answer)
}

/// Returns a number; integers without a decimal point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

fn say(file: &str, notes: &Report) -> Result<(), Stop> {
    report(file, &notes.diagnostics)?;
    let mut err = std::io::stderr().lock();
    for line in &notes.assumed {
        writeln!(err, "{}", fairground::scenario::visible(&format!("note: {line}")))?;
    }
    Ok(())
}

/// Runs cycles with accumulating usage, and prints allocation and fair share of every queue after each cycle as CSV.
pub fn time_based(args: &TimeBased) -> Result<End, Stop> {
    let (input, notes) = time_based::read(&text(&args.file)?);
    say(&args.file, &notes)?;
    let input = input.ok_or(Stop::BadInput)?;
    let table = Run::new(&input).table(&input, args.truncate);
    if args.output == "-" {
        std::io::stdout().write_all(table.as_bytes())?;
    } else {
        std::fs::write(&args.output, table)?;
    }
    Ok(End::Ok)
}

/// State of a run between two cycles.
struct Run {
    snapshot: Snapshot,
    history: History,
    settings: Settings,
}

impl Run {
    fn new(input: &time_based::TimeBasedInput) -> Run {
        let node = |(i, &gpus): (usize, &u32)| SnapshotNode {
            name: format!("node-{}", i + 1).into(),
            cpu_milli: 8_000.0,
            memory_bytes: f64::from(1u32 << 30) * 16.0,
            gpus: f64::from(gpus),
            pods: 110,
            gpu_memory_mib: 100,
            ready: true,
            ..SnapshotNode::default()
        };
        let gpu = |gpu: f64| Quantities { gpu, ..Quantities::default() };
        let queue = |(i, q): (usize, &time_based::TimeBasedQueue)| QueueSpec {
            name: q.name.as_str().into(),
            parent: q.parent.as_str().into(),
            priority: q.priority,
            created_s: i as f64,
            quota: gpu(q.deserved_gpus),
            limit: gpu(-1.0),
            weight: gpu(q.weight),
            ..QueueSpec::default()
        };
        let nodes: Vec<SnapshotNode> = input.nodes.iter().enumerate().map(node).collect();
        let total = |of: fn(&SnapshotNode) -> f64| nodes.iter().map(of).sum();
        let total =
            Quantities { cpu: total(|n| n.cpu_milli), memory: total(|n| n.memory_bytes), gpu: total(|n| n.gpus) };
        let mut jobs = Vec::new();
        for template in &input.jobs {
            for n in 1..=template.n_jobs {
                let age = jobs.len() as f64;
                jobs.push(job(template, n, age));
            }
        }
        let snapshot = Snapshot {
            config: Config { k_value: input.k_value, ..Config::default() },
            nodes,
            queues: input.queues.iter().enumerate().map(queue).collect(),
            jobs,
            total,
            now_s: 0.0,
            named: Vec::new(),
        };
        let settings =
            Settings { window_s: f64::from(input.window), half_life_s: input.half_life, ..Settings::default() };
        Run { snapshot, history: History::default(), settings }
    }

    fn table(mut self, input: &time_based::TimeBasedInput, truncate: bool) -> String {
        let mut table = String::from("Time,QueueID,Allocation,FairShare\n");
        for cycle in 0..input.cycles {
            let shares = self.cycle(f64::from(cycle));
            let held = self.held();
            for (at, queue) in self.snapshot.queues.iter().enumerate() {
                let share = shares.iter().find(|(name, _)| *name == queue.name).map_or(0.0, |s| s.1);
                let share = if truncate && share >= 1.0 { share.trunc() } else { share };
                let _ = writeln!(table, "{cycle},{},{:.6},{share:.6}", csv::cell(&queue.name), held[at].gpu);
            }
            let sample = Sample { at_s: f64::from(cycle), capacity: self.snapshot.total, allocated: held };
            self.history.record(&self.settings, sample);
            let usage = self.history.usage_by_position(&self.settings, self.snapshot.queues.len());
            for (queue, usage) in self.snapshot.queues.iter_mut().zip(usage) {
                queue.usage = usage;
            }
        }
        table
    }

    /// Runs one cycle: bound pods start running, evicted pods are removed. Returns the fair shares at its start.
    fn cycle(&mut self, now_s: f64) -> Vec<(Arc<str>, f64)> {
        self.snapshot.now_s = now_s;
        let outcome = run_cycle(&self.snapshot, &mut Trace::new(Level::Outcomes));
        for committed in outcome.steps.iter().flat_map(|step| step.commits.iter().flatten()) {
            match committed {
                Committed::Bind { pod, node, gpu_groups } => {
                    if let Some(pod) = self.pods().find(|p| p.name == *pod) {
                        pod.status = Status::Running;
                        pod.node = node.clone();
                        pod.gpu_groups.clone_from(gpu_groups);
                    }
                }
                Committed::Evict { pod, .. } => {
                    if let Some(pod) = self.pods().find(|p| p.name == *pod) {
                        pod.status = Status::Releasing;
                    }
                }
                Committed::Pipelined { .. } => {}
            }
        }
        for job in &mut self.snapshot.jobs {
            job.pods.retain(|pod| pod.status != Status::Releasing);
        }
        self.snapshot.jobs.retain(|job| !job.pods.is_empty());
        outcome.shares.into_iter().map(|queue| (queue.queue, queue.fair_share.gpu)).collect()
    }

    fn pods(&mut self) -> impl Iterator<Item = &mut SnapshotPod> {
        self.snapshot.jobs.iter_mut().flat_map(|job| &mut job.pods)
    }

    /// Returns the allocation of every queue, including parents.
    fn held(&self) -> Vec<Quantities> {
        let queues = &self.snapshot.queues;
        let mut held = vec![Quantities::default(); queues.len()];
        for job in &self.snapshot.jobs {
            let running = job.pods.iter().filter(|pod| pod.status == Status::Running);
            let gpus: f64 = running.map(|pod| gpus(pod.gpu)).sum();
            let mut name = &job.queue;
            // Bounded by the number of queues, because parents may form a cycle.
            for _ in 0..queues.len() {
                let Some(at) = queues.iter().position(|q| q.name == *name) else { break };
                held[at].gpu += gpus;
                name = &queues[at].parent;
            }
        }
        held
    }
}

fn job(template: &time_based::TimeBasedJobs, n: u32, age: f64) -> SnapshotJob {
    let name = format!("{}-job-{n}", template.queue);
    let gpu = match template.gpus {
        gpus if gpus <= 0.0 => GpuAsk::None,
        gpus if gpus < 1.0 => GpuAsk::Fraction { portion: gpus, devices: 1 },
        gpus => GpuAsk::Whole { devices: gpus as i64 },
    };
    let pod = |k: u32| SnapshotPod {
        name: format!("{name}-{k:05}").into(),
        pod_set: "default".into(),
        created_s: Some(age),
        gpu,
        ..SnapshotPod::default()
    };
    SnapshotJob {
        queue: template.queue.as_str().into(),
        priority: 50,
        preemptible: Preemptible::Yes,
        created_s: age,
        pod_sets: vec![SnapshotPodSet { name: "default".into(), min_available: 1, path: Vec::new() }],
        pods: (1..=template.n_pods).map(pod).collect(),
        name: name.into(),
        ..SnapshotJob::default()
    }
}

fn gpus(ask: GpuAsk) -> f64 {
    match ask {
        GpuAsk::Whole { devices } => devices as f64,
        GpuAsk::Fraction { portion, devices } => portion * devices as f64,
        _ => 0.0,
    }
}
