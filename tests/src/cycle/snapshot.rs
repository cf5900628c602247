//! Conversion of recordings to snapshots of the policy, and of the end of a round to the next opening.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::policy::kai::config::{Action, Config, Placement, ReclaimResolve};
use fairground::policy::kai::recorded::{
    ActionOutcome, Committed, CycleOutcome, GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode,
    SnapshotPod, SnapshotPodSet, Status,
};

use super::format::{self, Case, GpuRequest, Open, OpenJob};

/// Opening of the first round.
pub fn opening(case: &Case) -> Result<Snapshot, String> {
    Ok(Snapshot {
        config: Config { revision: case.revision, ..config(&case.config)? },
        nodes: case.nodes.iter().map(node).collect(),
        queues: case.queues.iter().map(queue).collect(),
        jobs: case.jobs.iter().map(job).collect::<Result<_, _>>()?,
        named: Vec::new(),
        total: case.total.unwrap_or_default(),
        now_s: 0.0,
    })
}

/// Recorded opening of a later round.
pub fn reopening(case: &Case, open: &Open, round: usize) -> Result<Snapshot, String> {
    let mut snapshot = opening(case)?;
    for job in &mut snapshot.jobs {
        job.created_s -= case.config.round_seconds * round as f64;
        for pod in &mut job.pods {
            let (name, node, groups) =
                open.pods.get(&pod.name).ok_or_else(|| format!("no opening state of pod {}", pod.name))?;
            pod.status = status(name)?;
            pod.node = node.clone();
            pod.gpu_groups = groups.clone();
        }
        set_job(job, open_job(open, &job.name)?);
    }
    Ok(snapshot)
}

fn open_job<'a>(open: &'a Open, name: &Arc<str>) -> Result<&'a OpenJob, String> {
    open.jobs.get(name).ok_or_else(|| format!("no opening state of job {name}"))
}

fn set_job(job: &mut SnapshotJob, open: &OpenJob) {
    job.last_start_s = open.last_start_s;
    job.stale_since_s = open.stale_since_s;
    job.last_eviction_s = open.last_eviction_s;
    job.allocated = job.allocated.and(Some(open.allocated));
}

/// Renames devices that appeared in this round, so that a later round cannot reuse their names.
pub fn rename_new_devices(opening: &Snapshot, outcome: &mut CycleOutcome, round: usize) {
    let pods = opening.jobs.iter().flat_map(|j| &j.pods);
    let old: BTreeSet<&str> = pods.flat_map(|p| &p.gpu_groups).map(|g| &**g).collect();
    let rename = |groups: &mut Vec<Arc<str>>| {
        for group in groups.iter_mut().filter(|g| !old.contains(&***g)) {
            *group = Arc::from(format!("new-{round:02}-{group}"));
        }
    };
    for step in &mut outcome.steps {
        step.pods.iter_mut().for_each(|p| rename(&mut p.gpu_groups));
        for event in step.commits.iter_mut().flatten() {
            match event {
                Committed::Bind { gpu_groups, .. } | Committed::Pipelined { gpu_groups, .. } => rename(gpu_groups),
                Committed::Evict { .. } => (),
            }
        }
    }
}

/// Applies the effects of a round and the time between two rounds, as the recorder did.
///
/// `open` has the job-level numbers that upstream's fixture recomputes in every round.
pub fn write_back(
    case: &Case,
    snapshot: &mut Snapshot,
    outcome: &CycleOutcome,
    open: Option<&Open>,
) -> Result<(), String> {
    let stays: BTreeSet<&str> = case.jobs.iter().filter(|j| j.delete_when_evicted).map(|j| &*j.name).collect();
    pass(snapshot, outcome, case.config.round_seconds, |job| stays.contains(job));
    let Some(open) = open else { return Ok(()) };
    for job in snapshot.jobs.iter_mut().filter(|j| j.allocated.is_some()) {
        set_job(job, open_job(open, &job.name)?);
    }
    Ok(())
}

/// Applies the effects of a cycle and lets time pass: binding pods run, claims are dropped, evicted pods are pending
/// again unless their job `stays`, and timestamps are shifted so that the present time remains 0.
pub fn pass(snapshot: &mut Snapshot, outcome: &CycleOutcome, seconds: f64, stays: impl Fn(&str) -> bool) {
    for job in &mut snapshot.jobs {
        let before: Vec<(Status, Arc<str>, Vec<Arc<str>>)> =
            job.pods.iter().map(|p| (p.status, p.node.clone(), p.gpu_groups.clone())).collect();
        for step in &outcome.steps {
            apply_step(job, step);
        }
        // A victim of a claim that was not carried out is as before the round.
        for (pod, before) in job.pods.iter_mut().zip(before) {
            let leaves = matches!(pod.status, Status::Releasing | Status::Pipelined);
            if leaves && !is_named(outcome, &pod.name) {
                (pod.status, pod.node, pod.gpu_groups) = before;
            }
        }
        let stays = stays(&job.name);
        for pod in &mut job.pods {
            match pod.status {
                Status::Releasing if stays => (),
                Status::Releasing | Status::Pipelined => {
                    pod.status = Status::Pending;
                    pod.node = Arc::from("");
                    pod.gpu_groups.clear();
                }
                Status::Binding => pod.status = Status::Running,
                _ => (),
            }
        }
        let age = |at: Option<f64>| at.map(|s| s - seconds);
        job.last_start_s = age(job.last_start_s);
        job.stale_since_s = age(job.stale_since_s);
        job.last_eviction_s = age(job.last_eviction_s);
        job.created_s -= seconds;
    }
}

/// Whether a pod was evicted or pipelined by a claim that was carried out.
fn is_named(outcome: &CycleOutcome, name: &str) -> bool {
    let mut events = outcome.steps.iter().flat_map(|step| step.commits.iter().flatten());
    events.any(|event| match event {
        Committed::Evict { pod, .. } | Committed::Pipelined { pod, .. } => **pod == *name,
        Committed::Bind { .. } => false,
    })
}

fn apply_step(job: &mut SnapshotJob, step: &ActionOutcome) {
    for after in &step.pods {
        if let Some(pod) = job.pods.iter_mut().find(|p| p.name == after.pod) {
            pod.status = after.status;
            pod.node = after.node.clone();
            pod.gpu_groups = after.gpu_groups.clone();
        }
    }
    let evicts = |event: &Committed| match event {
        Committed::Evict { pod, preemptor } => !preemptor.is_empty() && job.pods.iter().any(|own| own.name == *pod),
        _ => false,
    };
    if step.commits.iter().flatten().any(evicts) {
        job.last_eviction_s = Some(0.0);
    }
    if step.started.contains(&job.name) {
        job.last_start_s = Some(0.0);
    }
    for (name, set) in &step.stale {
        if *name == job.name {
            job.stale_since_s = set.then_some(0.0);
        }
    }
}

fn config(recorded: &format::Config) -> Result<Config, String> {
    let argument = |key: &str| recorded.plugins.iter().find_map(|p| p.arguments.get(key)).map(String::as_str);
    let placement = |key| if argument(key) == Some("spread") { Placement::Spread } else { Placement::BinPack };
    let number = |key| argument(key).and_then(|text| text.trim().parse::<f64>().ok());
    let runtime = |key| argument(key).and_then(go_duration_s).unwrap_or(0.0).max(0.0);
    let depths = recorded.queue_depth_per_action.iter();
    Ok(Config {
        actions: recorded.actions.iter().map(|name| action(name)).collect::<Result<_, _>>()?,
        plugins: recorded.plugins.iter().map(|p| p.name.clone()).collect(),
        k_value: number("kValue").unwrap_or(1.0).max(0.0),
        saturation_multiplier: number("relcaimerSaturationMultiplier").unwrap_or(1.0).max(1.0),
        gpu_placement: placement("gpu"),
        cpu_placement: placement("cpu"),
        max_consolidation_preemptees: u32::try_from(recorded.max_consolidation_preemptees).ok(),
        allow_consolidating_reclaim: recorded.allow_consolidating_reclaim,
        use_scheduling_signatures: recorded.use_scheduling_signatures,
        staleness_grace_s: Some(recorded.staleness_grace_s).filter(|s| *s >= 0.0),
        queue_depth: depths.map(|(name, d)| action(name).map(|a| (a, *d))).collect::<Result<_, _>>()?,
        default_preempt_min_runtime_s: runtime("defaultPreemptMinRuntime"),
        default_reclaim_min_runtime_s: runtime("defaultReclaimMinRuntime"),
        reclaim_resolve: match argument("reclaimResolveMethod") {
            Some("queue") => ReclaimResolve::Queue,
            _ => ReclaimResolve::Lca,
        },
        ..Config::default()
    })
}

/// Finds an action by name.
pub fn action(name: &str) -> Result<Action, String> {
    Action::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| format!("unknown action {name:?}"))
}

/// Parses a Go duration such as `1h30m` or `0.5s` to seconds; `None` if it is invalid.
fn go_duration_s(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0.0);
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let factor = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * factor;
        rest = tail;
    }
    (!text.is_empty()).then_some(sign * seconds)
}

fn node(n: &format::Node) -> SnapshotNode {
    SnapshotNode {
        name: n.name.clone(),
        cpu_milli: n.cpu_milli,
        memory_bytes: n.memory_bytes,
        gpus: n.gpus,
        pods: n.pods,
        gpu_memory_mib: n.gpu_memory_mib,
        gpu_memory_synced: n.gpu_memory_synced.unwrap_or(true),
        gpu_count_label: n.gpu_count_label,
        labels: n.labels.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        taints: Vec::new(),
        ready: true,
        ..SnapshotNode::default()
    }
}

fn queue(q: &format::Queue) -> QueueSpec {
    let each = |value: fn(format::QueueNumbers) -> f64| Quantities {
        cpu: value(q.cpu),
        memory: value(q.memory),
        gpu: value(q.gpu),
    };
    QueueSpec {
        name: q.name.clone(),
        parent: q.parent.clone(),
        priority: q.priority,
        created_s: q.created_s,
        quota: each(|n| n.quota),
        limit: each(|n| n.limit),
        weight: each(|n| n.weight),
        usage: q.usage.unwrap_or_default(),
        preempt_min_runtime_s: q.preempt_min_runtime_s,
        reclaim_min_runtime_s: q.reclaim_min_runtime_s,
    }
}

fn job(j: &format::Job) -> Result<SnapshotJob, String> {
    let pod_set = |s: &format::PodSet| SnapshotPodSet {
        name: s.name.clone(),
        min_available: s.min_available,
        path: s.path.clone(),
    };
    Ok(SnapshotJob {
        name: j.name.clone(),
        queue: j.queue.clone(),
        priority: j.priority,
        preemptible: j.preemptible.into(),
        created_s: j.created_s,
        is_tried_once: false,
        is_set_aside: false,
        last_start_s: j.last_start_s,
        stale_since_s: j.stale_since_s,
        preemption_delay_s: j.preemption_delay_s,
        last_eviction_s: j.last_eviction_s,
        staleness_grace_s: j.staleness_grace_s,
        min_sub_group: j.min_sub_group.iter().map(|(name, &n)| (name.clone(), n)).collect(),
        allocated: j.allocated,
        pod_sets: j.pod_sets.iter().map(pod_set).collect(),
        pods: j.pods.iter().map(pod).collect::<Result<_, _>>()?,
    })
}

fn pod(p: &format::Pod) -> Result<SnapshotPod, String> {
    Ok(SnapshotPod {
        name: p.name.clone(),
        pod_set: p.pod_set.clone(),
        status: status(&p.status)?,
        node: p.node.clone(),
        gpu_groups: p.gpu_groups.clone(),
        created_s: p.created_s,
        task_priority: p.task_priority.clone(),
        selector: Vec::new(),
        rules: None,
        node_affinity_in: p.node_affinity_in.as_ref().map(|a| (a.key.clone(), a.values.clone())),
        cpu_milli: p.request.cpu_milli,
        memory_bytes: p.request.memory_bytes,
        scalars: p.request.scalars.iter().map(|(k, v)| (k.clone(), *v)).collect(),
        gpu: match p.request.gpu {
            GpuRequest::None { explicit_zero: false } => GpuAsk::None,
            GpuRequest::None { explicit_zero: true } => GpuAsk::ExplicitZero,
            GpuRequest::Whole { devices } => GpuAsk::Whole { devices },
            GpuRequest::Fraction { portion, devices } => GpuAsk::Fraction { portion, devices },
            GpuRequest::Memory { mib, devices } => GpuAsk::Memory { mib, devices },
        },
    })
}

const STATUSES: [(Status, &str); 11] = [
    (Status::StuckInReleasing, "StuckInReleasing"),
    (Status::Pending, "Pending"),
    (Status::Gated, "Gated"),
    (Status::Allocated, "Allocated"),
    (Status::Pipelined, "Pipelined"),
    (Status::Binding, "Binding"),
    (Status::Bound, "Bound"),
    (Status::Running, "Running"),
    (Status::Releasing, "Releasing"),
    (Status::Succeeded, "Succeeded"),
    (Status::Failed, "Failed"),
];

fn status(name: &str) -> Result<Status, String> {
    let found = STATUSES.iter().find(|(_, n)| *n == name);
    found.map(|(status, _)| *status).ok_or_else(|| format!("unknown status {name:?}"))
}

/// Name of a status in upstream.
pub fn status_name(status: Status) -> &'static str {
    STATUSES.iter().find(|(s, _)| *s == status).map_or("?", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::go_duration_s;

    #[test]
    fn durations() {
        assert_eq!(go_duration_s("5m"), Some(300.0));
        assert_eq!(go_duration_s("1h0.5s"), Some(3600.5));
        assert_eq!(go_duration_s("-2m"), Some(-120.0));
        assert_eq!(go_duration_s("5"), None);
        assert_eq!(go_duration_s(""), None);
        assert_eq!(go_duration_s("0"), Some(0.0));
    }
}
