//! Imports output of `kubectl get … -o json` or `-o yaml` as a scenario of the current state of a cluster.
//!
//! # Rule
//! Reads queues, pod groups, pods, nodes, bind requests and priority classes of KAI, queues and pod groups of Volcano,
//! and queues and workloads of Kueue, in any mixture of documents and lists or in KAI's snapshot. The current time is
//! the latest one in any object. Pods with a node stay there, others are pending; ages are kept. Pods of other
//! schedulers reduce the capacity of nodes.
//!
//! # Source
//! Kubernetes API reference (Pod, Node, PriorityClass, Quantity); KAI Scheduler, API types `scheduling.run.ai/v2` and
//! `v2alpha2`, `docs/queues`, `docs/developer/pod-grouper.md`, `docs/plugins/snapshot.md`
//!
//! # Differs
//! No object contains run times: jobs run until the end. Node pools and topologies are not read.

mod applications;
mod claims;
mod jobs;
mod kueue;
mod leftovers;
mod lost;
mod names;
mod nodes;
mod objects;
mod parts;
mod pod_templates;
mod pods;
mod queues;
mod readers;
mod shards;
pub mod snapshot;
mod spark;
mod subgroups;
mod templates;
mod unused;
mod volcano;
mod workloads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::Options;
use super::reader::Reader;
use super::{Imported, Report, Source, counted, in_newest_revision, translate_to, trees};
use crate::policy::{PRIORITY_CLASS, Policy};
use crate::scenario::value::Value;
use crate::scenario::{JobEntry, NODES_MAX, PODS_MAX, QUEUES_MAX, Scalar, Scenario};
use objects::{KUEUE, Object, ObjectKind, Objects, VOLCANO, tally};
use pods::{Pod, SchedulingState};

/// Whether the beginning of a text shows that it contains objects of a cluster.
pub fn is_kubernetes(text: &str) -> bool {
    let contains = |key: &str| text.contains(key);
    // A bare configuration of KAI's scheduler.
    let is_configuration = (contains("tiers:") || contains("\"tiers\"")) && contains("plugins");
    is_configuration
        || contains("\"rawObjects\"")
        || contains("apiVersion") && (contains("kind:") || contains("\"kind\"") || contains("\"items\""))
}

/// Imports the objects in texts.
pub fn import_kubernetes(sources: &[Source<'_>], options: &Options) -> Imported {
    let mut report = Report::default();
    let roots = trees(sources, &mut report);
    let roots: Vec<(&str, &Value)> = roots.iter().map(|(file, root)| (*file, root)).collect();
    let Imported { scenario, mut report } = import_trees(&roots, options, false, report);
    let scenario = scenario.map(|scenario| in_newest_revision(scenario, &mut report));
    Imported { scenario, report }
}

/// Imports the objects in trees, each with the name of its file if there are several. `has_yunikorn`: a configuration
/// of YuniKorn stands beside them.
pub fn import_trees(roots: &[(&str, &Value)], options: &Options, has_yunikorn: bool, mut report: Report) -> Imported {
    if !report.diagnostics.is_empty() {
        return Imported { scenario: None, report };
    }
    let roots = names::named(roots, &mut report);
    let roots: Vec<(&str, &Value)> = roots.iter().map(|(file, root)| (*file, &**root)).collect();
    let reader = Reader::default();
    let objects = Objects::of(&roots, &reader, &mut report);
    let scenario = read(&objects, &reader, (options, has_yunikorn), &mut report);
    let is_clean = report.diagnostics.is_empty();
    let scenario = scenario.filter(|_| is_clean);
    let scenario = scenario.map(|scenario| match options.policy.as_str() {
        "" => scenario,
        policy => translate_to(policy, scenario, &mut report),
    });
    report.bound();
    Imported { scenario, report }
}

/// Lookup tables shared by all parts of the import.
struct Cluster<'a> {
    objects: &'a Objects<'a>,
    /// Latest time in any object, in milliseconds since 1970.
    now_ms: i64,
    /// Values of priority classes by name, including those built into Kubernetes and KAI.
    priorities: BTreeMap<&'a str, i64>,
    /// Priority classes that are objects of the text, whose names jobs keep.
    own_classes: BTreeSet<&'a str>,
    /// Default priority class, if there is one.
    default_class: Option<&'a str>,
    /// Nodes of bind requests, by namespace and name of the pod.
    bound: BTreeMap<(&'a str, &'a str), &'a str>,
    /// ClusterQueues by namespace and name of the LocalQueue.
    local_queues: BTreeMap<(&'a str, &'a str), &'a str>,
    /// Whether YuniKorn schedules the pods.
    is_yunikorn: bool,
    /// Whether a configuration of YuniKorn stands beside the objects.
    has_yunikorn: bool,
    /// Claims of devices.
    claims: claims::Claims<'a>,
    /// Whether a pod set of KAI needs no pods unless it says so.
    is_optional: bool,
    /// Workloads of Kueue by namespace, and kind and name of their owner.
    workloads: BTreeMap<(&'a str, [&'a str; 2]), &'a str>,
}

fn read(
    objects: &Objects<'_>,
    reader: &Reader,
    (options, has_yunikorn): (&Options, bool),
    report: &mut Report,
) -> Option<Scenario> {
    let pods = objects.of_kind(ObjectKind::Pod);
    report.limit(objects.of_kind(ObjectKind::Node).len() as u64, NODES_MAX, "nodes");
    report.limit(objects.of_kind(ObjectKind::Queue).len() as u64, QUEUES_MAX, "queues");
    report.limit(pods.len() as u64, PODS_MAX, "pods");
    if objects.is_empty() && report.diagnostics.is_empty() {
        let message = "no queue, pod group, pod or node is in the text; kubectl get … -o json prints them";
        report.refuse(message);
    }
    if !report.diagnostics.is_empty() {
        return None;
    }
    let mut cluster = Cluster::of(objects, has_yunikorn, report);
    let mut read: Vec<Pod<'_>> = pods.iter().map(|pod| Pod::read(pod, &cluster, report)).collect();
    let live: Vec<&Object<'_>> = read.iter().filter(|pod| pod.is_live()).map(|pod| pod.object).collect();
    report.understood.extend(tally(&live, ""));
    let sets = kueue::pod_sets(&cluster, &read, report);
    read.extend(kueue::pods(&sets, &cluster, report));
    let (mut settings, pools) = shards::read(&cluster, report);
    cluster.is_optional = shards::has_optional_members(&settings);
    let mut jobs = jobs::jobs(&cluster, &read, report);
    jobs.extend(templates::jobs(&cluster, &read, report));
    let jobs = with_own_names(jobs);
    let nodes = nodes::nodes(&cluster, &read, (&pools, options.nodes), report);
    let queues = queues::queues(&cluster, &jobs, &pools, report);
    let cycle = settings.remove("cycle");
    left_out(&read, report);
    for kind in UNDERSTOOD {
        report.understood.extend(tally(&objects.of_kind(kind).iter().collect::<Vec<_>>(), ""));
    }
    report.ignored.extend(objects.unread());
    report.ignored.extend(unused::lines(&cluster, &read));
    report.assumed.extend(reader.not_numbers());
    for (group, name) in [(KUEUE, "Kueue"), (VOLCANO, "Volcano")] {
        if objects.any_of(group) {
            let message =
                "itself is not simulated: its queues and jobs are scheduled by the rules of the chosen policy";
            report.assume(format!("{name} {message}"));
        }
    }
    if !jobs.is_empty() {
        report.assume("no durations: jobs run to the end");
    }
    let counts = [(queues.len(), "queue"), (nodes.len(), "node"), (jobs.len(), "job")];
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    report.understood.insert(0, counts.map(|(n, what)| counted(n as u64, what)).collect::<Vec<_>>().join(", "));
    let policy = if cluster.is_yunikorn { applications::POLICY } else { Policy::DEFAULT.key };
    settings.extend(cluster.class_settings(&jobs, policy));
    Some(Scenario {
        name: options.name.clone(),
        policy: policy.into(),
        settings,
        cycle,
        nodes: Arc::new(nodes),
        queues: Arc::new(queues),
        jobs: Arc::new(jobs),
        pools: Arc::new(pools),
        ..Scenario::default()
    })
}

/// Gives each job a name of its own. Jobs of the same name have their namespace before it, and else a number behind it.
/// An application with one job gives it its name.
fn with_own_names(jobs: Vec<(&str, JobEntry)>) -> Vec<JobEntry> {
    let mut n_jobs: BTreeMap<String, u32> = BTreeMap::new();
    for application in jobs.iter().filter_map(|(_, job)| job.application.clone()) {
        *n_jobs.entry(application).or_default() += 1;
    }
    let jobs: Vec<(&str, JobEntry)> = jobs
        .into_iter()
        .map(|(namespace, job)| match &job.application {
            Some(application) if n_jobs[application] == 1 => {
                (namespace, JobEntry { name: application.clone(), application: None, ..job })
            }
            _ => (namespace, job),
        })
        .collect();
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    jobs.iter().for_each(|(_, job)| *times.entry(job.name.clone()).or_default() += 1);
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut renamed = Vec::new();
    for (namespace, mut job) in jobs {
        if times[&job.name] > 1 && !namespace.is_empty() {
            job.name = format!("{namespace}/{}", job.name);
        }
        let free = std::iter::once(job.name.clone()).chain((2_u32..).map(|n| format!("{}-{n}", job.name)));
        if let Some(name) = free.into_iter().find(|name| !names.contains(name)) {
            job.name = name;
        }
        names.insert(job.name.clone());
        renamed.push(job);
    }
    renamed
}

/// Kinds whose objects are all imported.
const UNDERSTOOD: [ObjectKind; 14] = [
    ObjectKind::Node,
    ObjectKind::Queue,
    ObjectKind::VolcanoQueue,
    ObjectKind::ClusterQueue,
    ObjectKind::Cohort,
    ObjectKind::LocalQueue,
    ObjectKind::ResourceFlavor,
    ObjectKind::BindRequest,
    ObjectKind::PriorityClass,
    ObjectKind::Shard,
    ObjectKind::Claim,
    ObjectKind::ClaimTemplate,
    ObjectKind::DeviceClass,
    ObjectKind::ResourceSlice,
];

/// Returns the pods, and the templates of objects with the number of their pods.
fn pods_and_templates<'a>(objects: &Objects<'a>) -> Vec<(Object<'a>, u64)> {
    let mut all: Vec<(Object<'a>, u64)> = objects.of_kind(ObjectKind::Pod).iter().map(|pod| (pod.clone(), 1)).collect();
    for kind in objects::MAKERS {
        for object in objects.of_kind(kind) {
            let parts = templates::parts_of(object);
            all.extend(parts.into_iter().map(|part| (part.template, part.n_pods)));
        }
    }
    all
}

/// Reports the pods that are not imported.
fn left_out(pods: &[Pod<'_>], report: &mut Report) {
    let objects_of = |predicate: &dyn Fn(&Pod<'_>) -> bool| -> Vec<&Object<'_>> {
        pods.iter().filter(|pod| predicate(pod)).map(|pod| pod.object).collect()
    };
    let over = objects_of(&|pod| pod.state == SchedulingState::Over);
    report.ignored.extend(tally(&over, ": over, or holding a device for others"));
    let waiting = objects_of(&|pod| pod.state == SchedulingState::Waits && !pod.is_own);
    report.ignored.extend(tally(&waiting, ": waiting for another scheduler"));
}

/// Priority classes built into Kubernetes and KAI.
const CLASSES: [(&str, i64); 6] = [
    ("train", 50),
    ("build-preemptible", 75),
    ("build", 100),
    ("inference", 125),
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

impl<'a> Cluster<'a> {
    fn of(objects: &'a Objects<'a>, has_yunikorn: bool, report: &mut Report) -> Cluster<'a> {
        let mut priorities: BTreeMap<&str, i64> = CLASSES.into();
        let mut default_class = None;
        for class in objects.of_kind(ObjectKind::PriorityClass) {
            let value = class.place.whole(&["value"]).unwrap_or(0);
            priorities.insert(class.name, value);
            if class.place.scalar(&["globalDefault"]) == Some("true") {
                default_class = Some(class.name);
            }
        }
        let now_ms = objects.latest_ms();
        match objects.latest() {
            Some(text) => report.assume(format!("now is {text}, the latest moment in the text")),
            None => report.assume("no creation times: the order of the file counts as age"),
        }
        let bound = objects.of_kind(ObjectKind::BindRequest).iter().filter_map(|request| {
            let has_failed = request.place.scalar(&["status", "phase"]) == Some("Failed");
            let text = |key| request.place.scalar(&["spec", key]).filter(|_| !has_failed);
            Some(((request.namespace, text("podName")?), text("selectedNode")?))
        });
        let bound = bound.collect();
        let pods = pods_and_templates(objects);
        Cluster {
            objects,
            now_ms: now_ms.unwrap_or(0),
            priorities,
            own_classes: objects.of_kind(ObjectKind::PriorityClass).iter().map(|class| class.name).collect(),
            default_class,
            bound,
            is_yunikorn: objects.of_kind(ObjectKind::Queue).is_empty()
                && (objects.of_kind(ObjectKind::Work).iter().any(templates::is_yunikorn)
                    || pods.iter().any(|(pod, _)| {
                        let chain = readers::Chain { pod, owners: Vec::new() };
                        chain.family(objects, has_yunikorn) == Some(readers::Family::YuniKorn)
                    })),
            has_yunikorn,
            claims: claims::Claims::of(&pods),
            is_optional: false,
            local_queues: workloads::local_queues(objects),
            workloads: workloads::owned(objects),
        }
    }

    /// Returns the priority of a job with a class: the name if the class is an object of the text, otherwise the value.
    fn class(&self, name: &str) -> Option<Scalar> {
        let value = self.priorities.get(name)?;
        // A numeric name would be read as a value.
        let is_own = self.own_classes.contains(name) && name.parse::<i64>().is_err();
        Some(Scalar(if is_own { name.to_string() } else { value.to_string() }))
    }

    /// Returns the settings with the values of the classes that jobs name, except presets of the policy.
    fn class_settings(&self, jobs: &[JobEntry], policy: &str) -> BTreeMap<String, Scalar> {
        let presets = Policy::job_defaults(policy);
        let named: BTreeSet<&str> =
            jobs.iter().filter_map(|job| job.priority.as_ref()).map(|typed| typed.0.as_str()).collect();
        let own_values = self.own_classes.iter().filter(|name| named.contains(*name));
        let values = own_values.map(|name| (*name, self.priorities[name]));
        let others = values.filter(|(name, value)| presets.class(name).map(i64::from) != Some(*value));
        others.map(|(name, value)| (format!("{PRIORITY_CLASS}{name}"), Scalar(value.to_string()))).collect()
    }

    /// Returns the time of a past moment in seconds relative to now, negative; 0 for a future one.
    fn since(&self, ms: Option<i64>) -> Option<i64> {
        ms.map(|ms| (ms - self.now_ms).min(0) / 1000)
    }
}

/// Formats a moment for a scenario.
fn moment(seconds: i64) -> Scalar {
    Scalar(format!("{seconds}s"))
}
