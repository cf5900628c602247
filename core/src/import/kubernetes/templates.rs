//! Imports jobs, deployments and similar objects without pods in the text from their pod templates.
//!
//! # Source
//! Kubernetes API reference (Job, Deployment, StatefulSet, ReplicaSet); Volcano, API type `batch.volcano.sh/v1alpha1` Job; KAI
//! Scheduler, `docs/developer/pod-grouper.md`

use std::collections::BTreeSet;

use super::objects::{Kind, Object, tally};
use super::pods::{DEFAULT_QUEUE, Pod, Request, is_own_scheduler, queue_label};
use super::{Cluster, Report, moment};
use crate::import::loose::Place;
use crate::import::typed;
use crate::scenario::{JobEntry, PODS_MAX, PodSetEntry, Scalar};

/// Kinds with a pod template.
pub const KINDS: [Kind; 5] =
    [Kind::BatchJob, Kind::VolcanoJob, Kind::Deployment, Kind::StatefulSet, Kind::ReplicaSet];

/// Returns the jobs of objects without pods in the text.
pub fn jobs<'a>(cluster: &Cluster<'a>, pods: &[Pod<'a>], report: &mut Report) -> Vec<JobEntry> {
    let mut with_pods: BTreeSet<(&str, &str)> = BTreeSet::new();
    for pod in pods {
        with_pods.extend(pod.object.owner().map(|[_, name, _]| (pod.object.namespace, name)));
    }
    // A deployment owns its pods through replica sets.
    for set in cluster.objects.of_kind(Kind::ReplicaSet) {
        if let (true, Some([_, name, _])) = (with_pods.contains(&(set.namespace, set.name)), set.owner()) {
            with_pods.insert((set.namespace, name));
        }
    }
    let mut made = Vec::new();
    for kind in KINDS {
        let of = cluster.objects.of_kind(kind).iter();
        let is_owned = |object: &&Object<'_>| matches!(object.owner(), Some(["Deployment" | "Job", ..]));
        let (there, rest): (Vec<&Object<'_>>, Vec<&Object<'_>>) =
            of.filter(|object| !is_owned(object)).partition(|object| {
                let is_over = object.place.at(&["status", "completionTime"]).is_some();
                with_pods.contains(&(object.namespace, object.name)) || is_over
            });
        report.understood.extend(tally(&there, ": its pods are in the text, or it is over"));
        let (own, foreign): (Vec<&Object<'_>>, Vec<&Object<'_>>) =
            rest.into_iter().partition(|object| kind == Kind::VolcanoJob || is_own(object));
        report.ignored.extend(tally(&foreign, ": of another scheduler"));
        report.assumed.extend(tally(&own, ": no pods in the text, so it waits with all of them"));
        made.extend(own.into_iter().filter_map(|object| job(object, kind, cluster, report)));
    }
    made
}

/// Whether a template names a queue, or a scheduler whose queues are read.
fn is_own(object: &Object<'_>) -> bool {
    let scheduler = object.place.scalar(&["spec", "template", "spec", "schedulerName"]);
    let has_queue =
        || queue(object, &object.place.at(&["spec", "template"]).map(|t| template(object, t))).is_some();
    match scheduler {
        Some(name) => is_own_scheduler(name),
        None => has_queue(),
    }
}

fn template<'a>(of: &Object<'a>, place: Place<'a>) -> Object<'a> {
    Object { place, ..of.clone() }
}

fn queue<'a>(object: &Object<'a>, template: &Option<Object<'a>>) -> Option<&'a str> {
    let named = object.place.scalar(&["spec", "queue"]).or_else(|| queue_label(object));
    named.or_else(|| template.as_ref().and_then(queue_label))
}

fn number(place: &Place<'_>, keys: &[&str]) -> Option<u64> {
    place.scalar(keys)?.parse().ok()
}

fn job(object: &Object<'_>, kind: Kind, cluster: &Cluster<'_>, report: &mut Report) -> Option<JobEntry> {
    let place = &object.place;
    let spec = |key: &str| number(place, &["spec", key]);
    let tasks = place.items(&["spec", "tasks"]);
    let parts: Vec<(String, u64, Option<u64>, Object<'_>)> = match kind {
        Kind::VolcanoJob => tasks
            .iter()
            .filter_map(|task| {
                let name = task.scalar(&["name"]).unwrap_or("task").to_string();
                let n = number(task, &["replicas"]).unwrap_or(1);
                Some((name, n, number(task, &["minAvailable"]), template(object, task.get("template")?)))
            })
            .collect(),
        _ => {
            let n = match kind {
                Kind::BatchJob => {
                    spec("parallelism").unwrap_or(1).min(spec("completions").unwrap_or(u64::MAX))
                }
                _ => spec("replicas").unwrap_or(1),
            };
            let at = place.at(&["spec", "template"])?;
            vec![(String::new(), n, None, template(object, at))]
        }
    };
    let parts: Vec<_> = parts.into_iter().filter(|(_, n, ..)| *n > 0).collect();
    let n_pods = parts.iter().map(|(_, n, ..)| *n).fold(0, u64::saturating_add);
    if n_pods == 0 || n_pods > PODS_MAX {
        report.ignore(format!("{}: it asks for {n_pods} pods", object.called()));
        return None;
    }
    let first = &parts.first()?.3;
    let queue = queue(object, &Some(first.clone()));
    if queue.is_none() {
        report.assume(format!("{} names no queue: it is in {DEFAULT_QUEUE}", object.called()));
    }
    let class = place.scalar(&["spec", "priorityClassName"]).or_else(|| first.label("priorityClassName"));
    let class = class.or_else(|| first.place.scalar(&["spec", "priorityClassName"]));
    let priority = class.and_then(|class| cluster.class(class));
    let priority = priority.or_else(|| (kind == Kind::Deployment).then(|| Scalar("125".into())));
    let least = spec("minAvailable").unwrap_or(if kind == Kind::VolcanoJob { n_pods } else { 1 });
    let entry = JobEntry {
        name: object.name.to_string(),
        queue: queue.unwrap_or(DEFAULT_QUEUE).to_string(),
        submit: cluster.since(object.created_ms).filter(|n| *n < 0).map(moment),
        priority,
        gated: (place.scalar(&["spec", "suspend"]) == Some("true")).then(|| "true".into()),
        ..JobEntry::default()
    };
    Some(with_pods(entry, &parts, least.clamp(1, n_pods), report))
}

fn with_pods(
    job: JobEntry,
    parts: &[(String, u64, Option<u64>, Object<'_>)],
    least: u64,
    report: &mut Report,
) -> JobEntry {
    let requests: Vec<Request> = parts.iter().map(|(.., object)| Request::read(object, report)).collect();
    let first = &requests[0];
    let job = JobEntry { selector: first.selector.clone(), tolerations: first.tolerations.clone(), ..job };
    if let [(_, n, ..)] = parts {
        return first.in_job(JobEntry { pods: typed(n), min_available: typed(least), ..job });
    }
    let set = |((name, n, min, _), request): (&(String, u64, Option<u64>, Object<'_>), &Request)| {
        let ([gpu, cpu, memory], resources) = request.amounts.written();
        PodSetEntry {
            name: name.clone(),
            pods: typed(n),
            min_available: typed(min.unwrap_or(*n).clamp(1, *n)),
            gpu: gpu.filter(|_| request.gpu_memory.is_none()),
            gpu_memory: request.gpu_memory.clone().map(Scalar),
            cpu,
            memory,
            resources,
            affinity: request.affinity.clone(),
            ..PodSetEntry::default()
        }
    };
    JobEntry { pod_sets: parts.iter().zip(&requests).map(set).collect(), ..job }
}
