//! Reads requests, state, scheduler and grouping of pods.

use std::collections::BTreeMap;

use super::objects::Object;
use super::readers::{Chain, Family, GROUPS};
use super::{Cluster, Report, applications, workloads};
use crate::import::amounts::Amounts;
use crate::import::date::date;
use crate::import::reader::LocatedValue;
use crate::scenario::{JobEntry, ORDER_LABELS, PodSetEntry, Scalar, quantity};
use crate::units::Resource;

/// Namespaces of KAI's reservation pods, which hold devices for fractional GPUs.
const RESERVATIONS: [&str; 3] = ["kai-resource-reservation", "runai-reservation", "kai-scale-adjust"];

/// Labels with the pod set of a pod.
const SUBGROUPS: [&str; 2] = ["kai.scheduler/subgroup-name", "kueue.x-k8s.io/podset"];

/// Scheduling gate that Kueue removes when it admits a pod.
const KUEUE_GATE: &str = "kueue.x-k8s.io/admission";

/// State of a pod for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulingState {
    /// Pending, without a node.
    Waits,
    /// Bound to a node. `gone_ms` is its end in milliseconds since 1970, if it is being deleted.
    Holds { gone_ms: Option<i64> },
    /// Finished, or a pod of the scheduler itself.
    Over,
}

/// Requests and placement constraints of a pod, equal for all pods of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    pub amounts: Amounts,
    /// GPU memory, instead of a number of GPUs.
    pub gpu_memory: Option<String>,
    /// Number of devices for a fractional request.
    pub gpu_devices: Option<String>,
    pub selector: BTreeMap<String, String>,
    pub affinity: Vec<String>,
    pub tolerations: Vec<String>,
    pub labels: BTreeMap<String, String>,
    pub is_gated: bool,
}

impl Request {
    /// Returns the job with this request for each pod.
    pub fn in_job(&self, job: JobEntry) -> JobEntry {
        let ([gpu, cpu, memory], resources) = self.amounts.written();
        JobEntry {
            gpu: gpu.filter(|_| self.gpu_memory.is_none()),
            gpu_memory: self.gpu_memory.clone().map(Scalar),
            gpu_devices: self.gpu_devices.clone().map(Scalar),
            cpu,
            memory,
            resources,
            affinity: self.affinity.clone(),
            ..job
        }
    }

    /// Returns a pod set with this request for each pod.
    pub fn in_set(&self, name: &str, n_pods: u64, least: Option<u64>) -> PodSetEntry {
        let ([gpu, cpu, memory], resources) = self.amounts.written();
        PodSetEntry {
            name: name.to_string(),
            pods: Some(Scalar(n_pods.to_string())),
            min_available: least.map(|min| Scalar(min.min(n_pods).to_string())),
            gpu: gpu.filter(|_| self.gpu_memory.is_none()),
            gpu_memory: self.gpu_memory.clone().map(Scalar),
            gpu_devices: self.gpu_devices.clone().map(Scalar),
            cpu,
            memory,
            labels: self.labels.clone(),
            resources,
            affinity: self.affinity.clone(),
            ..PodSetEntry::default()
        }
    }
}

/// A pod of the cluster.
pub struct Pod<'a> {
    pub object: &'a Object<'a>,
    pub state: SchedulingState,
    /// Whether its scheduler is one whose queues are read.
    pub is_own: bool,
    /// That scheduler.
    pub family: Family,
    pub node: Option<&'a str>,
    pub started_ms: Option<i64>,
    pub request: Request,
    /// Name of its pod group in its namespace.
    pub group: Option<&'a str>,
    /// Name of its pod set.
    pub subgroup: Option<&'a str>,
    pub priority: Option<Scalar>,
    pub nominated_node: Option<&'a str>,
}

impl<'a> Pod<'a> {
    /// Whether it is unfinished and its scheduler is one whose queues are read.
    pub fn is_live(&self) -> bool {
        self.is_own && self.state != SchedulingState::Over
    }

    /// Reads a pod.
    pub fn read(object: &'a Object<'a>, cluster: &Cluster<'a>, report: &mut Report) -> Pod<'a> {
        let place = &object.place;
        let group = GROUPS.iter().find_map(|key| object.annotation(key));
        let chain = Chain { pod: object, owners: cluster.objects.owners_of(object) };
        let family = chain.family(cluster.objects, cluster.has_yunikorn);
        let is_yunikorn = family == Some(Family::YuniKorn);
        if is_yunikorn && chain.is_without_scheduler() {
            let message = "names no scheduler: its labels are those of YuniKorn, so it is YuniKorn's";
            report.assume(format!("Pod {} {message}", object.called()));
        }
        let group = group.or_else(|| applications::application_of(object).filter(|_| is_yunikorn));
        let workload = workloads::workload_of(object, cluster);
        let bound = place.scalar(&["spec", "nodeName"]);
        let bound = bound.or_else(|| cluster.bound.get(&(object.namespace, object.name)).copied());
        let phase = place.scalar(&["status", "phase"]);
        let is_reservation = RESERVATIONS.contains(&object.namespace);
        let gone_ms = place.scalar(&["metadata", "deletionTimestamp"]).and_then(date);
        let state = match (phase, bound) {
            (Some("Succeeded" | "Failed"), _) => SchedulingState::Over,
            _ if is_reservation || applications::is_placeholder(object) => SchedulingState::Over,
            (_, Some(_)) => SchedulingState::Holds { gone_ms },
            (_, None) => SchedulingState::Waits,
        };
        let priority = place.whole::<i64>(&["spec", "priority"]);
        let class = place.scalar(&["spec", "priorityClassName"]);
        if let (Some(name), None) = (class.filter(|name| cluster.class(name).is_none()), priority) {
            let message = "is not in the text, so it has the default priority";
            report.assume(format!("the class {name} of Pod {} {message}", object.called()));
        }
        Pod {
            object,
            state,
            is_own: !is_reservation && (workload.is_some() || family.is_some()),
            family: if workload.is_some() { Family::Kueue } else { family.unwrap_or(Family::Kai) },
            node: bound,
            started_ms: place.scalar(&["status", "startTime"]).and_then(date),
            request: Request::read(object, cluster, report),
            group: workload.or(group),
            subgroup: SUBGROUPS
                .iter()
                .find_map(|key| object.label(key))
                .or_else(|| object.annotation(applications::TASK_GROUP_NAME)),
            priority: class
                .and_then(|class| cluster.class(class))
                .or_else(|| priority.map(|priority| Scalar(priority.to_string())))
                .or_else(|| cluster.class(chain.class(family?)?)),
            nominated_node: place.scalar(&["status", "nominatedNodeName"]),
        }
    }
}

impl Request {
    /// Reads the request of a pod.
    pub fn read(object: &Object<'_>, cluster: &Cluster<'_>, report: &mut Report) -> Request {
        let place = &object.place;
        if place.get("spec").is_some() {
            place.mark();
        }
        let mut amounts = total(object, report);
        if amounts.gpu % 1000 != 0 {
            let message = "asks for a part of a GPU as a resource, which Kubernetes refuses; KAI reads parts in the annotation gpu-fraction";
            report.assume(format!("{} {message}", object.called()));
        }
        let (claimed, unread) = cluster.claims.gpus(object, cluster.objects);
        amounts.gpu = amounts.gpu.saturating_add(claimed);
        for why in unread {
            let message = "asks for devices by a claim that is not read; counted as none";
            report.assume(format!("{} {message} (resourceClaims: {why})", object.called()));
        }
        let part = object.annotation("gpu-fraction");
        if let Some(part) = part {
            match quantity::amount(part, Resource::GPU, 1) {
                Ok(amount) => amounts.gpu = amount.in_base_units(),
                Err(_) => report.diagnostics.push(
                    place
                        .error(format!("{}: gpu-fraction is {part}; it must be a number from 0 to 1", object.called())),
                ),
            }
        }
        let gpu_memory = object.annotation("gpu-memory").map(str::to_string);
        if let (Some(part), Some(memory)) = (part, &gpu_memory) {
            let message = format!("it asks for GPU memory ({memory}), and a pod cannot ask for both");
            report.ignore(format!("the gpu-fraction {part} of {}: {message}", object.called()));
        }
        let gates = place.items(&["spec", "schedulingGates"]);
        let labels = ORDER_LABELS.iter().filter_map(|key| Some((key.to_string(), object.label(key)?.to_string())));
        Request {
            gpu_devices: object.annotation("gpu-fraction-num-devices").map(str::to_string),
            gpu_memory,
            selector: texts(place.at(&["spec", "nodeSelector"])),
            affinity: affinity(object, report),
            tolerations: place.items(&["spec", "tolerations"]).iter().map(toleration).collect(),
            labels: labels.collect(),
            is_gated: gates.iter().any(|gate| gate.scalar(&["name"]) != Some(KUEUE_GATE)),
            amounts,
        }
    }
}

/// Returns the scalars of a map by key.
pub fn texts(map: Option<LocatedValue<'_>>) -> BTreeMap<String, String> {
    let entries = map.map(|map| map.entries(&[])).unwrap_or_default();
    entries.into_iter().filter_map(|(key, value)| Some((key.to_string(), value.scalar(&[])?.to_string()))).collect()
}

/// Returns the sum over containers, raised to the largest init container.
fn total(object: &Object<'_>, report: &mut Report) -> Amounts {
    let mut sum = Amounts::default();
    let requests_of = |container: &LocatedValue<'_>, report: &mut Report| {
        let requests = container.at(&["resources", "requests"]);
        let requested = container.entries(&["resources", "requests"]);
        let mut amounts = requests.map(|values| Amounts::read(&values, report)).unwrap_or_default();
        // A resource without a request but with a limit is requested up to the limit.
        if let Some(limits) = container.at(&["resources", "limits"]) {
            let is_left_out = |name: &str| requested.iter().all(|(requested_name, _)| *requested_name != name);
            // A limit beside a request decides nothing about where a pod runs.
            limits.entries(&[]).iter().filter(|(name, _)| !is_left_out(name)).for_each(|(_, place)| place.mark());
            amounts.add(&Amounts::read_where(&limits, is_left_out, report));
        }
        amounts
    };
    for container in object.place.items(&["spec", "containers"]) {
        sum.add(&requests_of(&container, report));
    }
    let mut largest = Amounts::default();
    let mut sidecars = Amounts::default();
    for container in object.place.items(&["spec", "initContainers"]) {
        let mut amounts = requests_of(&container, report);
        if container.scalar(&["restartPolicy"]) == Some("Always") {
            sidecars.add(&amounts);
            largest.raise(&sidecars);
        } else {
            amounts.add(&sidecars);
            largest.raise(&amounts);
        }
    }
    sum.add(&sidecars);
    sum.raise(&largest);
    if let Some(overhead) = object.place.at(&["spec", "overhead"]) {
        sum.add(&Amounts::read(&overhead, report));
    }
    sum
}

/// Returns the expressions of the only term of the required node affinity. Reports what is not supported.
fn affinity(object: &Object<'_>, report: &mut Report) -> Vec<String> {
    let required = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let terms = object.place.items(&[&required[..], &["nodeSelectorTerms"]].concat());
    let [term] = terms.as_slice() else {
        if !terms.is_empty() {
            terms.iter().for_each(LocatedValue::mark);
            let message = format!("node affinity of {}: it has several alternatives", object.called());
            report.ignore(message);
        }
        return Vec::new();
    };
    let mut read = Vec::new();
    for expression in term.items(&["matchExpressions"]) {
        let key = expression.scalar(&["key"]).unwrap_or_default();
        let values = expression.scalars(&["values"]).join(", ");
        match expression.scalar(&["operator"]).unwrap_or_default() {
            "In" => read.push(format!("{key} in ({values})")),
            "NotIn" => read.push(format!("{key} notin ({values})")),
            "Exists" => read.push(key.to_string()),
            "DoesNotExist" => read.push(format!("!{key}")),
            operator => report.ignore(format!("node affinity {key} {operator} {values} of {}", object.called())),
        }
    }
    read
}

/// Formats a toleration for a scenario: `key=value:Effect`, or `*` for all taints.
pub fn toleration(place: &LocatedValue<'_>) -> String {
    let [key, value, effect] = ["key", "value", "effect"].map(|key| place.scalar(&[key]).unwrap_or_default());
    let operator = place.scalar(&["operator"]);
    let mut text = if key.is_empty() { "*".to_string() } else { key.to_string() };
    if !value.is_empty() && operator != Some("Exists") {
        text += &format!("={value}");
    }
    if !effect.is_empty() && !key.is_empty() {
        text += &format!(":{effect}");
    }
    text
}
