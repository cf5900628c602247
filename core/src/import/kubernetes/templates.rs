//! Imports jobs, deployments and all other objects that make pods, if the text has no pods of them, from their pod
//! templates.
//!
//! # Rule
//! An object becomes a job with a pod set per template. Its minimum is that of the scheduler: KAI's pod grouper knows
//! some kinds, and takes one pod of the others; Kueue admits all pods at once; YuniKorn has task groups. A Deployment
//! becomes a job per pod, and a LeaderWorkerSet a job per group.
//!
//! # Source
//! Kubernetes API reference (Job, Deployment, StatefulSet, ReplicaSet, DaemonSet, CronJob); Volcano, API type
//! `batch.volcano.sh/v1alpha1` Job; KAI Scheduler, `docs/developer/pod-grouper.md` and `pkg/podgrouper`; Kueue,
//! `docs/tasks/run`
//!
//! # Differs
//! The pods of a DaemonSet are not bound to a node each.

use std::collections::BTreeSet;

use super::objects::{MAKERS, Object, ObjectKind, tally};
use super::parts::{self, Part};
use super::pod_templates::number;
use super::pods::{Pod, Request, texts, toleration};
use super::readers::{Chain, DEFAULT_QUEUE, Family, MIN_MEMBER, min_member};
use super::{Cluster, Report, applications, counted, kueue, moment, spark};
use crate::import::typed;
use crate::scenario::{JobEntry, PODS_MAX, Scalar};

/// Conditions of an object whose work is over.
const OVER: [&str; 5] = ["Complete", "Completed", "Failed", "Succeeded", "Finished"];

/// Priority of KAI's class *inference*, which its pod grouper gives to Deployments.
pub const INFERENCE: i64 = 125;

/// Returns the jobs of objects without pods in the text, with their namespaces.
pub fn jobs<'a>(cluster: &Cluster<'a>, pods: &[Pod<'a>], report: &mut Report) -> Vec<(&'a str, JobEntry)> {
    let with_pods = with_pods(cluster, pods);
    let mut made_jobs = Vec::new();
    for kind in MAKERS {
        let objects = cluster.objects.of_kind(kind).iter();
        let is_owned = |object: &&Object<'a>| {
            let owner = cluster.objects.owner_of(object);
            owner.is_some_and(|owner| owner.kind.1 != "CronJob")
        };
        let (present, absent): (Vec<&Object<'a>>, Vec<&Object<'a>>) = objects
            .filter(|object| !is_owned(object))
            .partition(|object| with_pods.contains(&(object.namespace, object.kind.1, object.name)) || is_over(object));
        report.understood.extend(tally(&present, ": its pods are in the text, or it is over"));
        let with_family = |object: &'a Object<'a>| (object, family(object, cluster));
        let (of_scheduler, foreign): (Vec<_>, Vec<_>) =
            absent.into_iter().map(with_family).partition(|(_, family)| family.is_some());
        let objects_of = |all: &[(&'a Object<'a>, Option<Family>)]| all.iter().map(|(o, _)| *o).collect::<Vec<_>>();
        report.ignored.extend(tally(&objects_of(&foreign), ": of another scheduler"));
        report.assumed.extend(tally(&objects_of(&of_scheduler), ": no pods in the text, so it waits with all of them"));
        for (object, family) in of_scheduler {
            let Some(family) = family else { continue };
            let work = Work { object, kind, family, cluster };
            let jobs = work.jobs(report).into_iter();
            made_jobs.extend(jobs.map(|job| (object.at, (object.namespace, job))));
        }
    }
    // Of jobs of the same age, the first in the text is the oldest.
    made_jobs.sort_by_key(|(index, _)| *index);
    made_jobs.into_iter().map(|(_, job)| job).collect()
}

/// Returns the objects above pods or workloads in the text: namespace, kind and name.
fn with_pods<'a>(cluster: &Cluster<'a>, pods: &[Pod<'a>]) -> BTreeSet<(&'a str, &'a str, &'a str)> {
    let workloads = cluster.objects.of_kind(ObjectKind::Workload).iter();
    let mut makers = BTreeSet::new();
    for dependent in pods.iter().map(|pod| pod.object).chain(workloads) {
        makers.extend(dependent.owner().map(|[kind, name, _]| (dependent.namespace, kind, name)));
        let owners = cluster.objects.owners_of(dependent);
        makers.extend(owners.iter().map(|owner| (owner.namespace, owner.kind.1, owner.name)));
        for owner in owners {
            // The owner of the last one may not be in the text.
            makers.extend(owner.owner().map(|[kind, name, _]| (owner.namespace, kind, name)));
        }
    }
    // The run of a CronJob that is in the text stands for the next ones.
    for job in cluster.objects.of_kind(ObjectKind::BatchJob) {
        makers.extend(job.owner().map(|[kind, name, _]| (job.namespace, kind, name)));
    }
    makers
}

fn is_over(object: &Object<'_>) -> bool {
    let place = &object.place;
    let conditions = place.items(&["status", "conditions"]);
    let has_ended = conditions.iter().any(|condition| {
        condition.scalar(&["type"]).is_some_and(|name| OVER.contains(&name))
            && condition.scalar(&["status"]) == Some("True")
    });
    let status = place.scalar(&["status", "jobStatus"]).unwrap_or_default();
    let is_terminal = ["SUCCEEDED", "FAILED", "STOPPED"].contains(&status);
    has_ended || is_terminal || place.at(&["status", "completionTime"]).is_some()
}

/// Returns the templates of an object.
pub fn parts_of<'a>(object: &Object<'a>) -> Vec<Part<'a>> {
    match object.kind.1 {
        "SparkApplication" => spark::parts(object),
        "LeaderWorkerSet" => leader_and_workers(object),
        _ => parts::parts(object, &["spec"]),
    }
}

/// Returns the pods of a group of a LeaderWorkerSet. Without a template of its own, the leader has that of the workers.
fn leader_and_workers<'a>(object: &Object<'a>) -> Vec<Part<'a>> {
    let size = number(&object.place, &["spec", "leaderWorkerTemplate", "size"]).unwrap_or(1);
    let all = parts::parts(object, &["spec", "leaderWorkerTemplate"]);
    let Some(workers) = all.iter().find(|part| part.name == "worker").or(all.first()).cloned() else {
        return Vec::new();
    };
    let leader = all.iter().find(|part| part.name == "leader").unwrap_or(&workers).clone();
    let leader = Part { name: "leader".into(), n_pods: 1, ..leader };
    let n_pods = size.saturating_sub(1).min(PODS_MAX + 1);
    vec![leader, Part { name: "workers".into(), n_pods, ..workers }]
}

/// Returns the scheduler of an object, by any of its templates.
pub fn family<'a>(object: &'a Object<'a>, cluster: &Cluster<'a>) -> Option<Family> {
    let parts = parts_of(object);
    let family = |part: &Part<'a>| part.chain(object).family(cluster.objects, cluster.has_yunikorn);
    let named = parts.iter().find_map(family);
    let batch = ["batchScheduler", "schedulerName"].iter().find_map(|key| object.place.scalar(&["spec", *key]));
    let of_batch = || match batch? {
        name if name == applications::POLICY => Some(Family::YuniKorn),
        "volcano" => Some(Family::Volcano),
        "kai-scheduler" => Some(Family::Kai),
        _ => None,
    };
    match object.kind.0 {
        "batch.volcano.sh" => named.or(Some(Family::Volcano)),
        _ => named.or_else(of_batch),
    }
}

/// Whether an object that makes pods names YuniKorn as their scheduler.
pub fn is_yunikorn(object: &Object<'_>) -> bool {
    object.place.scalar(&["spec", "batchScheduler"]) == Some(applications::POLICY)
}

/// An object that becomes jobs.
struct Work<'a, 'c> {
    object: &'a Object<'a>,
    kind: ObjectKind,
    family: Family,
    cluster: &'c Cluster<'a>,
}

impl<'a> Work<'a, '_> {
    fn called(&self) -> String {
        format!("{} {}", self.object.kind.1, self.object.called())
    }

    fn jobs(&self, report: &mut Report) -> Vec<JobEntry> {
        let mut parts = parts_of(self.object);
        if self.kind == ObjectKind::DaemonSet {
            parts.iter_mut().for_each(|part| part.n_pods = self.nodes_of(part));
        }
        for part in parts.iter().filter(|part| part.n_pods == 0) {
            let name = if part.name.is_empty() { "its template" } else { &part.name };
            report.ignore(format!("{name} of {}: it has no pods", self.called()));
        }
        parts.retain(|part| part.n_pods > 0);
        let n_pods = parts.iter().map(|part| part.n_pods).fold(0, u64::saturating_add);
        let n_groups = match self.object.kind.1 {
            "LeaderWorkerSet" => number(&self.object.place, &["spec", "replicas"]).unwrap_or(1),
            _ => 1,
        };
        if n_pods == 0 || n_groups == 0 || n_pods.saturating_mul(n_groups) > PODS_MAX {
            report.ignore(format!("{}: it asks for {} pods", self.called(), n_pods.saturating_mul(n_groups)));
            return Vec::new();
        }
        self.says(&parts, report);
        if self.per_pod() {
            return parts.iter().map(|part| self.single(part, &parts, report)).collect();
        }
        if self.is_in_order() {
            let job_of = |part: &Part<'a>| {
                let job = self.job(std::slice::from_ref(part), report);
                JobEntry { name: format!("{}-{}", job.name, part.name), ..job }
            };
            return parts.iter().map(job_of).collect();
        }
        let job = self.job(&parts, report);
        vec![JobEntry { count: (n_groups > 1).then(|| Scalar(n_groups.to_string())), ..job }]
    }

    /// Whether the parts of a JobSet start one after the other.
    fn is_in_order(&self) -> bool {
        let order = self.object.place.scalar(&["spec", "startupPolicy", "startupPolicyOrder"]);
        self.family == Family::Kai && self.object.kind.1 == "JobSet" && order == Some("InOrder")
    }

    /// Returns the number of nodes in the text that a pod of a DaemonSet selects.
    fn nodes_of(&self, part: &Part<'a>) -> u64 {
        let selector = texts(part.template.place.at(&["spec", "nodeSelector"]));
        let is_selected = |node: &&Object<'a>| selector.iter().all(|(key, value)| node.label(key) == Some(value));
        self.cluster.objects.of_kind(ObjectKind::Node).iter().filter(is_selected).count() as u64
    }

    /// Whether each pod is scheduled alone. Pods of a Deployment have no group in KAI and are workloads of their own in
    /// Kueue.
    fn per_pod(&self) -> bool {
        let owner = self.object.owner().map(|[kind, ..]| kind);
        let is_deployment = self.kind == ObjectKind::Deployment || owner == Some("Deployment");
        let is_service = self.object.kind == ("serving.knative.dev", "Service");
        (is_deployment || is_service) && matches!(self.family, Family::Kai | Family::Kueue)
    }

    /// Returns the job for the pods of a part that are scheduled one by one.
    fn single(&self, part: &Part<'a>, all: &[Part<'a>], report: &mut Report) -> JobEntry {
        let one = Part { n_pods: 1, ..part.clone() };
        let job = self.job(&[one], report);
        let name = if all.len() > 1 { format!("{}-{}", job.name, part.name) } else { job.name };
        let count = (part.n_pods > 1).then(|| Scalar(part.n_pods.to_string()));
        JobEntry { name, count, pods: None, min_available: None, ..job }
    }

    /// Reports what the kind of object decides.
    fn says(&self, parts: &[Part<'a>], report: &mut Report) {
        let (called, place) = (self.called(), &self.object.place);
        let chain = parts[0].chain(self.object);
        if self.family == Family::YuniKorn && chain.is_without_scheduler() && !is_yunikorn(self.object) {
            report
                .assume(format!("{called} names no scheduler: its labels are those of YuniKorn, so it is YuniKorn's"));
        }
        if self.per_pod() {
            let n = counted(parts.iter().map(|part| part.n_pods).sum(), "pod");
            report.assume(format!("{called}: each of its {n} is scheduled alone, as a group of its own"));
            if self.family == Family::Kai && chain.class(self.family).or(self.cluster.default_class).is_none() {
                report.assume(format!(
                    "{called} has no class: KAI gives it inference ({INFERENCE}), so its pods are not preemptible"
                ));
            }
        }
        if self.kind == ObjectKind::CronJob {
            let when = place.scalar(&["spec", "schedule"]).unwrap_or_default();
            report.assume(format!("{called}: its schedule {when:?} is not simulated: one run waits from the start"));
        }
        if self.kind == ObjectKind::DaemonSet {
            report.assume(format!("{called}: a pod for each node in the text, which go where there is room"));
        }
        let completions = number(place, &["spec", "completions"]).unwrap_or(0);
        if self.kind == ObjectKind::BatchJob && completions > parts[0].n_pods {
            let n = parts[0].n_pods;
            report.assume(format!("{called}: {n} of its {completions} completions run; the later ones do not follow"));
        }
        if self.is_in_order() {
            report.assume(format!("{called}: its jobs start in order, so each is a job of its own"));
        }
        if self.kind == ObjectKind::Work && !is_known(self.object) {
            report.assume(format!("{called}: its kind is not known; {} are read as one job", templates(parts)));
        }
    }

    fn job(&self, parts: &[Part<'a>], report: &mut Report) -> JobEntry {
        let (object, cluster) = (self.object, self.cluster);
        let first = &parts[0].template;
        let chain = parts[0].chain(object);
        let of_batch = || object.place.scalar(&["spec", "batchSchedulerOptions", "queue"]).map(str::to_string);
        let of_volcano = || object.place.scalar(&["spec", "queue"]).map(str::to_string);
        let queue = match self.kind {
            ObjectKind::VolcanoJob => of_volcano().or_else(|| chain.queue(self.family, cluster)),
            _ => chain.queue(self.family, cluster).or_else(of_batch),
        };
        if queue.is_none() {
            report.assume(format!("{} names no queue: it is in {DEFAULT_QUEUE}", object.called()));
        }
        let suspended = [&["spec", "suspend"][..], &["spec", "runPolicy", "suspend"]];
        let is_suspended = suspended.iter().any(|keys| object.place.scalar(keys) == Some("true"));
        // Kueue itself suspends work until it admits it.
        let is_suspended = is_suspended && self.family != Family::Kueue;
        if is_suspended {
            report.assume(format!("{} is suspended: it has no pods yet, so it is not offered", self.called()));
        }
        let is_yunikorn = self.family == Family::YuniKorn;
        let application = applications::application_of(first).filter(|_| is_yunikorn);
        let gang = applications::gang_of(&[first]).filter(|_| is_yunikorn);
        let (gang, timeout) = gang.map_or((None, None), |(style, timeout)| (Some(style), timeout));
        let job = JobEntry {
            name: object.name.to_string(),
            application: application.map(str::to_string),
            queue: queue.unwrap_or_else(|| DEFAULT_QUEUE.to_string()),
            submit: cluster.since(object.created_ms).filter(|n| *n < 0).map(moment),
            priority: self.priority(&chain, report),
            preemptible: chain.preemptible(),
            user: applications::user_of(first).filter(|_| is_yunikorn),
            gang: gang.map(Scalar),
            placeholder_timeout: timeout.map(Scalar),
            gated: is_suspended.then(|| "true".into()),
            ..JobEntry::default()
        };
        self.with_parts(job, parts, report)
    }

    /// Returns the priority: that of the class, or else what the scheduler gives to the kind.
    fn priority(&self, chain: &Chain<'a, '_>, report: &mut Report) -> Option<Scalar> {
        let text = |keys: &[&str]| self.object.place.scalar(keys).filter(|name| !name.is_empty());
        let of_object = || {
            text(&["spec", "priorityClassName"])
                .or_else(|| text(&["spec", "batchSchedulerOptions", "priorityClassName"]))
                .or_else(|| text(&["spec", "runPolicy", "schedulingPolicy", "priorityClass"]))
        };
        let named = chain.class(self.family).or_else(of_object);
        if let Some(class) = named {
            let priority = self.cluster.class(class);
            if priority.is_none() {
                let message = "is not in the text, so it has the default priority";
                report.assume(format!("the class {class} of {} {message}", self.called()));
            }
            return priority;
        }
        if let Some(priority) = chain.pod.place.whole::<i64>(&["spec", "priority"]) {
            return typed(priority);
        }
        let of_kind = match self.object.kind.1 {
            _ if self.family != Family::Kai => None,
            _ if self.per_pod() => Some("inference"),
            "Notebook" => Some("build"),
            _ => None,
        };
        let default = self.cluster.default_class.or(of_kind)?;
        self.cluster.class(default)
    }

    /// Returns the minimum of all pods together; `None` if each part has its own.
    fn least(&self, parts: &[Part<'a>], n_pods: u64, report: &mut Report) -> Option<u64> {
        let count = |keys: &[&str]| number(&self.object.place, keys);
        match self.family {
            Family::Kueue => return Some(n_pods),
            Family::YuniKorn => return None,
            Family::Volcano if self.kind == ObjectKind::VolcanoJob => {
                return count(&["spec", "minAvailable"]).or(Some(n_pods));
            }
            Family::Volcano | Family::Kai => {}
        }
        let kind = self.object.kind.1;
        let policy = count(&["spec", "runPolicy", "schedulingPolicy", "minAvailable"]);
        match kind {
            "Job" => self.annotated(self.object, report).or(Some(1)),
            "PyTorchJob" => policy.or_else(|| count(&["spec", "elasticPolicy", "minReplicas"])).or(Some(n_pods)),
            _ if is_kubeflow(kind) => policy.or(Some(n_pods)),
            "JobSet" | "LeaderWorkerSet" => Some(n_pods),
            "RayCluster" | "RayJob" | "RayService" => {
                Some(parts.iter().map(|part| part.least.unwrap_or(part.n_pods).min(part.n_pods)).sum())
            }
            _ => Some(1),
        }
    }

    /// Returns the minimum in an annotation of KAI.
    fn annotated(&self, object: &Object<'_>, report: &mut Report) -> Option<u64> {
        match min_member(object)? {
            Ok(n) => {
                report.assume(min_member_says(object, n));
                Some(n)
            }
            // KAI makes no pod group then.
            Err(_) => Some(u64::MAX),
        }
    }

    fn with_parts(&self, job: JobEntry, parts: &[Part<'a>], report: &mut Report) -> JobEntry {
        let n_pods: u64 = parts.iter().map(|part| part.n_pods).sum();
        let mut least = self.least(parts, n_pods, report);
        if let Some(n) = least.filter(|n| *n > n_pods) {
            let why = match n {
                u64::MAX => format!("the value of {MIN_MEMBER} is no positive number"),
                _ => format!("its minimum of {n} is more than its {n_pods} pods"),
            };
            report.assume(format!("{}: {why}, so it is never whole and is not offered", self.called()));
        }
        let is_whole = least.is_none_or(|n| n <= n_pods);
        least = least.map(|n| n.clamp(1, n_pods));
        let requests: Vec<Request> = parts.iter().map(|part| self.request(part, report)).collect();
        let first = &requests[0];
        if requests.iter().any(|request| request.tolerations != first.tolerations) {
            report.assume(format!("{}: all pods tolerate what the first one does", self.called()));
        }
        if requests.iter().any(|request| request.selector != first.selector) {
            report.assume(format!("{}: all pods select the nodes of the first one", self.called()));
        }
        let is_gated = !is_whole || requests.iter().all(|request| request.is_gated);
        let job = JobEntry {
            selector: first.selector.clone(),
            tolerations: first.tolerations.clone(),
            gated: job.gated.or_else(|| is_gated.then(|| "true".into())),
            ..job
        };
        let mins = self.minima(parts, least, report);
        if let [part] = parts {
            let min = mins[0].or(least).unwrap_or(1).clamp(1, part.n_pods);
            let labels = first.labels.clone();
            return first.in_job(JobEntry { pods: typed(part.n_pods), min_available: typed(min), labels, ..job });
        }
        let set = |(part, (request, min)): (&Part<'a>, (&Request, &Option<u64>))| {
            let name = match (self.family, task_group(part)) {
                (Family::YuniKorn, Some(group)) => group,
                _ => &part.name,
            };
            request.in_set(name, part.n_pods, *min)
        };
        let is_together = mins.iter().all(Option::is_none);
        JobEntry {
            min_available: least.filter(|_| is_together).or(is_together.then_some(1)).and_then(typed),
            pod_sets: parts.iter().zip(requests.iter().zip(&mins)).map(set).collect(),
            ..job
        }
    }

    /// Reads what each pod of a part requests. Work of a ClusterQueue with one flavor needs nodes of that flavor.
    fn request(&self, part: &Part<'a>, report: &mut Report) -> Request {
        let mut request = Request::read(&part.template, self.cluster, report);
        if self.object.kind.1 == "SparkApplication" {
            spark::add_request(&mut request, self.object, &part.template.place);
        }
        let chain = part.chain(self.object);
        let queue = chain.queue(self.family, self.cluster).filter(|_| self.family == Family::Kueue);
        if let Some(flavor) = queue.and_then(|queue| kueue::flavor_of(&queue, self.cluster)) {
            request.selector.extend(texts(flavor.place.at(&["spec", "nodeLabels"])));
            request.tolerations.extend(flavor.place.items(&["spec", "tolerations"]).iter().map(toleration));
        }
        request
    }

    /// Returns the minimum of each part, if the scheduler counts them one by one.
    fn minima(&self, parts: &[Part<'a>], least: Option<u64>, report: &mut Report) -> Vec<Option<u64>> {
        let own_minimum = |part: &Part<'a>| part.least.unwrap_or(part.n_pods).clamp(1, part.n_pods);
        let kind = self.object.kind.1;
        match self.family {
            Family::YuniKorn => {
                let all = |part: &Part<'a>| {
                    let group = task_group(part)?;
                    let groups = applications::task_groups(&[&part.template]);
                    let (_, min) = groups.into_iter().find(|(name, _)| name == group)?;
                    Some(u64::try_from(min).unwrap_or(1))
                };
                let mins: Vec<Option<u64>> = parts.iter().map(all).collect();
                for (part, min) in parts.iter().zip(&mins) {
                    if let Some(min) = min.filter(|min| *min > part.n_pods) {
                        let n = part.n_pods;
                        let message = format!("a task group of {min} with {}: it waits for those", counted(n, "pod"));
                        report.assume(format!("{}: {message}", self.called()));
                    }
                }
                // The sets of a job have a minimum each, or none has.
                let has_any = mins.iter().any(Option::is_some);
                let clamp =
                    |(part, min): (&Part<'a>, &Option<u64>)| has_any.then(|| min.unwrap_or(1).clamp(1, part.n_pods));
                parts.iter().zip(&mins).map(clamp).collect()
            }
            Family::Volcano if self.kind == ObjectKind::VolcanoJob && parts.len() > 1 => {
                parts.iter().map(|part| Some(own_minimum(part))).collect()
            }
            // KAI makes a subgroup of each role; the leading one is needed as a whole, the others share the rest.
            Family::Kai if kind == "PyTorchJob" && parts.len() > 1 => {
                let mut remaining = least.unwrap_or(1);
                let share = |part: &Part<'a>| {
                    let n = remaining.min(part.n_pods);
                    remaining -= n;
                    Some(n.max(1))
                };
                parts.iter().map(share).collect()
            }
            Family::Kai if kind.starts_with("Ray") || kind == "LeaderWorkerSet" || kind == "JobSet" => {
                if parts.len() > 1 { parts.iter().map(|part| Some(own_minimum(part))).collect() } else { vec![None] }
            }
            Family::Kueue if parts.len() > 1 => parts.iter().map(|part| Some(part.n_pods)).collect(),
            _ => vec![None; parts.len()],
        }
    }
}

/// Returns the line about a minimum in an annotation: it is newer than the oldest modelled version.
pub fn min_member_says(object: &Object<'_>, n: u64) -> String {
    format!(
        "{} {}: {MIN_MEMBER} makes it a gang of {n}, as KAI reads it since v0.15.0; before, one pod is enough",
        object.kind.1,
        object.called()
    )
}

fn task_group<'a>(part: &Part<'a>) -> Option<&'a str> {
    part.template.annotation(applications::TASK_GROUP_NAME)
}

fn templates(parts: &[Part<'_>]) -> String {
    match parts.len() {
        1 => "the pods of its template".to_string(),
        n => format!("the pods of its {n} templates"),
    }
}

fn is_kubeflow(kind: &str) -> bool {
    ["PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "JAXJob", "PaddleJob"].contains(&kind)
}

/// Whether the rules of a kind are those of its schedulers rather than the general one.
fn is_known(object: &Object<'_>) -> bool {
    let others = ["RayCluster", "RayJob", "RayService", "JobSet", "LeaderWorkerSet", "Notebook", "SparkApplication"];
    let kind = object.kind.1;
    is_kubeflow(kind) || others.contains(&kind) || object.kind == ("serving.knative.dev", "Service")
}
