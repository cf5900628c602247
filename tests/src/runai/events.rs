//! Kind `events`: workloads one by one or in whole cycles, on one large node; decisions take effect at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::id::Id;
use fairground::policy::kai::config::{Config, Dialect};
use fairground::policy::kai::recorded::{
    Committed, CycleOutcome, GpuAsk, Quantities, QueueShares, QueueSpec, Snapshot, SnapshotJob, SnapshotNode,
    SnapshotPod, SnapshotPodSet, Status, run_cycle, try_job,
};
use fairground::policy::runai::DIALECT;
use fairground::policy::runai::state::FairshareState;
use fairground::trace::{Gate, Level, Refusal, Trace};
use serde_json::{Value, json};

use super::{list, real, text};
use crate::cycle::snapshot::pass;

/// Runs a case under the product's own queue order, and under the engine's if the recording marks it as equivalent.
pub fn check(case: &Value) -> Result<(), String> {
    run(case, DIALECT)?;
    if case["holds_under_all"] == true {
        let all = Dialect { over_share_in_any: false, ..DIALECT };
        run(case, all).map_err(|says| format!("over fairshare in all resources: {says}"))?;
    }
    Ok(())
}

fn run(case: &Value, dialect: Dialect) -> Result<(), String> {
    let mut world = InstantPool::new(case, dialect)?;
    for (i, step) in list(&case["steps"]).enumerate() {
        let may_differ = list(&case["varies_in_engine_at"]).any(|at| at.as_u64() == Some(i as u64));
        match world.step(step) {
            // The recorded decision is one of several; what follows depends on it.
            Err(_) if may_differ => return Ok(()),
            other => other.map_err(|says| format!("step {i} {}: {says}", step[0]))?,
        }
    }
    Ok(())
}

/// A pool whose decisions take effect at once.
pub struct InstantPool {
    /// Opening of the next cycle.
    pub snapshot: Snapshot,
}

/// A decision of a cycle: placed workload, action, and evicted workloads.
pub(crate) type Decided = (String, &'static str, BTreeSet<String>);

const EACH: fn(f64, f64) -> Quantities = |other, gpu| Quantities { cpu: other, memory: other, gpu };

impl InstantPool {
    /// Creates nodes with ample resources except GPUs, without queues and workloads.
    pub fn of_nodes(dialect: Dialect, nodes: &[(&str, f64)]) -> InstantPool {
        let config = Config { dialect, ..Config::default() };
        let mut snapshot = Snapshot { config, ..Snapshot::default() };
        for &(name, gpus) in nodes {
            snapshot.total.gpu += gpus;
            snapshot.nodes.push(SnapshotNode {
                name: Arc::from(name),
                gpus,
                cpu_milli: 1e6,
                memory_bytes: 1e12,
                pods: 10_000,
                gpu_memory_mib: 40_000,
                gpu_memory_synced: true,
                ready: true,
                ..SnapshotNode::default()
            });
        }
        InstantPool { snapshot }
    }

    pub(crate) fn new(case: &Value, dialect: Dialect) -> Result<InstantPool, String> {
        let mut world = InstantPool::of_nodes(dialect, &[("node", real(&case["gpus"])?)]);
        let queues = &mut world.snapshot.queues;
        for department in list(&case["departments"]) {
            let name = text(&department["id"])?;
            queues.push(queue(department, "", queues.len())?);
            for project in list(&department["projects"]) {
                queues.push(queue(project, name, queues.len())?);
            }
        }
        Ok(world)
    }

    /// Adds a workload of one pod.
    pub fn add(&mut self, name: &str, queue: &str, priority: i64, gpu: GpuAsk, cpu_milli: f64) {
        let name: Arc<str> = Arc::from(name);
        let pod_set = SnapshotPodSet { name: name.clone(), min_available: 1, ..SnapshotPodSet::default() };
        let pod = SnapshotPod { name: name.clone(), pod_set: name.clone(), gpu, cpu_milli, ..Default::default() };
        self.snapshot.now_s += 1.0;
        self.snapshot.jobs.push(SnapshotJob {
            name,
            queue: Arc::from(queue),
            priority,
            preemptible: (priority < 100).into(),
            created_s: self.snapshot.now_s,
            pod_sets: vec![pod_set],
            pods: vec![pod],
            ..SnapshotJob::default()
        });
    }

    /// Runs one cycle and applies its decisions at once.
    pub fn advance(&mut self) -> (CycleOutcome, Trace) {
        let mut trace = Trace::new(Level::Decisive);
        let outcome = run_cycle(&self.snapshot, &mut trace);
        pass(&mut self.snapshot, &effective(outcome.clone()), 1.0, |_| false);
        (outcome, trace)
    }

    /// Numbers of all queues, with fairshares recomputed.
    pub fn shares(&self) -> Vec<QueueShares> {
        let mut snapshot = self.snapshot.clone();
        snapshot.config.actions.clear();
        run_cycle(&snapshot, &mut Trace::new(Level::Outcomes)).shares
    }

    pub(crate) fn step(&mut self, step: &Value) -> Result<(), String> {
        match step[0].as_str() {
            Some("submit") => {
                self.submit(step)?;
                self.alone(&step[1], [&step[5], &step[6], &step[7]])
            }
            Some("queue") => self.submit(step),
            Some("try") => self.alone(&step[1], [&step[2], &step[3], &step[4]]),
            Some("finish") => {
                let over = list(&step[1]).map(text).collect::<Result<Vec<_>, _>>()?;
                self.snapshot.jobs.retain(|job| !over.contains(&&*job.name));
                Ok(())
            }
            Some("cycle") => self.cycle(step),
            Some("state") => self.state(&step[1]),
            _ => Err("unknown step".to_owned()),
        }
    }

    pub(crate) fn submit(&mut self, step: &Value) -> Result<(), String> {
        let priority = step[4].as_i64().ok_or("no priority")?;
        let gpu = GpuAsk::Whole { devices: step[3].as_i64().ok_or("no GPUs")? };
        self.add(text(&step[1])?, text(&step[2])?, priority, gpu, 0.0);
        Ok(())
    }

    fn alone(&mut self, job: &Value, [result, by, evicted]: [&Value; 3]) -> Result<(), String> {
        let job = text(job)?;
        let mut trace = Trace::new(Level::Decisive);
        let outcome = try_job(&self.snapshot, job, &mut trace);
        let decided = self.decided(&outcome);
        let got = match decided.first() {
            Some((name, action, victims)) if name == job => json!(["started", action, victims]),
            None => json!(["pending", self.reasons(&trace).get(job), []]),
            Some(other) => return Err(format!("another got room: {other:?}")),
        };
        let expected = json!([result, by, as_set(evicted)?]);
        pass(&mut self.snapshot, &effective(outcome), 1.0, |_| false);
        if got == expected { Ok(()) } else { Err(format!("expected {expected}, got {got}")) }
    }

    fn cycle(&mut self, step: &Value) -> Result<(), String> {
        let mut trace = Trace::new(Level::Decisive);
        let outcome = run_cycle(&self.snapshot, &mut trace);
        let decided = self.decided(&outcome);
        let got: Vec<Value> = decided.iter().map(|(job, by, evicted)| json!([job, by, evicted])).collect();
        let mut expected = Vec::new();
        for decision in list(&step[1]) {
            expected.push(json!([decision[0], decision[1], as_set(&decision[2])?]));
        }
        if got != expected {
            return Err(format!("expected {}, got {}", json!(expected), json!(got)));
        }
        let mut reasons = self.reasons(&trace);
        reasons.retain(|job, _| step[2].get(job).is_some());
        if json!(reasons) != step[2] {
            return Err(format!("expected {}, got {}", step[2], json!(reasons)));
        }
        pass(&mut self.snapshot, &effective(outcome), 1.0, |_| false);
        Ok(())
    }

    /// One entry per committed statement; a pod without a node at the end counts as evicted.
    pub(crate) fn decided(&self, outcome: &CycleOutcome) -> Vec<Decided> {
        let was_pending: BTreeSet<&str> = self.pods(|status| status == Status::Pending);
        let mut decided = Vec::new();
        for step in &outcome.steps {
            for commit in &step.commits {
                let placed = |pod: &Arc<str>| {
                    let is_it = |e: &Committed| matches!(e, Committed::Pipelined { pod: p, .. } if p == pod);
                    commit.iter().any(is_it)
                };
                let gets = commit.iter().find_map(|event| match event {
                    Committed::Bind { pod, .. } | Committed::Pipelined { pod, .. } => {
                        was_pending.contains(&**pod).then(|| pod.to_string())
                    }
                    Committed::Evict { .. } => None,
                });
                let loses = commit.iter().filter_map(|event| match event {
                    Committed::Evict { pod, .. } if !placed(pod) => Some(pod.to_string()),
                    _ => None,
                });
                decided.push((gets.unwrap_or_default(), step.action, loses.collect()));
            }
        }
        decided
    }

    fn pods(&self, is_wanted: impl Fn(Status) -> bool) -> BTreeSet<&str> {
        let pods = self.snapshot.jobs.iter().flat_map(|job| &job.pods);
        pods.filter(|pod| is_wanted(pod.status)).map(|pod| &*pod.name).collect()
    }

    /// Reason of each pending workload in the allocate action.
    fn reasons(&self, trace: &Trace) -> BTreeMap<String, &'static str> {
        let name = |refusal: &Refusal| self.snapshot.jobs[refusal.job.index()].name.to_string();
        trace.refusals.iter().map(|refusal| (name(refusal), reason(refusal))).collect()
    }

    /// Compares the state, with fairshares recomputed.
    fn state(&self, expected: &Value) -> Result<(), String> {
        let opened = self.shares();
        let states = expected.as_object().ok_or("no states")?;
        for (queue, numbers) in states {
            let shares = opened.iter().find(|s| *s.queue == **queue).ok_or("no such queue")?;
            let quota = self.snapshot.queues.iter().find(|q| *q.name == **queue).map(|q| q.quota);
            let quota = quota.unwrap_or_default();
            let QueueShares { allocated, fair_share, .. } = shares;
            let state = FairshareState::worst(*allocated, quota, *fair_share);
            let got = (allocated.gpu, quota.gpu, fair_share.gpu, state.name());
            let want = (real(&numbers[0])?, real(&numbers[1])?, real(&numbers[2])?, text(&numbers[3])?);
            if got != want {
                return Err(format!("{queue}: expected {want:?}, got {got:?}"));
            }
        }
        Ok(())
    }
}

/// Applies decisions at once: evicted pods have no node, pods with claims run.
pub(crate) fn effective(mut outcome: CycleOutcome) -> CycleOutcome {
    for pod in outcome.steps.iter_mut().flat_map(|step| &mut step.pods) {
        if pod.status == Status::Pipelined {
            pod.status = Status::Running;
        }
    }
    outcome
}

pub(crate) fn as_set(value: &Value) -> Result<BTreeSet<String>, String> {
    list(value).map(|name| text(name).map(str::to_owned)).collect()
}

fn queue(from: &Value, parent: &str, age: usize) -> Result<QueueSpec, String> {
    Ok(QueueSpec {
        name: Arc::from(text(&from["id"])?),
        parent: Arc::from(parent),
        priority: from["rank"].as_i64().unwrap_or(0),
        created_s: age as f64,
        quota: EACH(-1.0, real(&from["quota"])?),
        limit: EACH(-1.0, real(&from["limit"])?),
        weight: EACH(0.0, real(&from["weight"])?),
        ..QueueSpec::default()
    })
}

/// Reason of a refusal, as recorded.
pub fn reason(refusal: &Refusal) -> &'static str {
    let is_room = refusal.also.iter().any(|gate| matches!(gate, Gate::NoNode { .. }));
    match refusal.gate {
        _ if is_room => "no-resources",
        Gate::OverLimit { .. } => "over-limit",
        Gate::NonPreemptibleOverQuota { .. } => "non-preemptible-over-quota",
        _ => "no-resources",
    }
}
