//! What a pod asks for, where it is, and whose it is.

use std::collections::BTreeMap;

use super::objects::Object;
use super::{Cluster, Report, called, wrong};
use crate::import::loose::Place;
use crate::import::trace::date;
use crate::scenario::Scalar;
use crate::scenario::quantity;
use crate::units::Resource;

/// The resources that count as GPUs.
pub const GPUS: [&str; 2] = ["nvidia.com/gpu", "amd.com/gpu"];

/// The namespaces and the label with which KAI's own pods hold devices for parts of GPUs.
const RESERVATIONS: [&str; 3] = ["kai-resource-reservation", "runai-reservation", "kai-scale-adjust"];

/// The labels that order the pods of a job.
const ORDER_LABELS: [&str; 3] =
    ["kai.scheduler/task-priority", "training.kubeflow.org/job-role", "ray.io/node-type"];

/// What a pod is to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Without a node.
    Waits,
    /// On a node; the moment in milliseconds since 1970 at which it is gone, if it is being deleted.
    Holds { gone_ms: Option<i64> },
    /// Over, or the scheduler's own.
    Over,
}

/// Amounts, in base units.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amounts {
    pub cpu: i64,
    pub memory: i64,
    pub gpu: i64,
    /// Further whole numbers, by name.
    pub others: BTreeMap<String, i64>,
}

/// What a pod asks for, and where it may run: what pods of one kind have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    pub amounts: Amounts,
    /// Memory of each GPU instead of GPUs.
    pub gpu_memory: Option<String>,
    /// On how many devices it wants a part.
    pub gpu_devices: Option<String>,
    pub selector: BTreeMap<String, String>,
    pub affinity: Vec<String>,
    pub tolerations: Vec<String>,
    pub labels: BTreeMap<String, String>,
    pub is_gated: bool,
}

/// A pod.
pub struct Pod<'a> {
    pub object: &'a Object<'a>,
    pub state: State,
    /// Whether KAI schedules it.
    pub is_own: bool,
    pub node: Option<&'a str>,
    pub started_ms: Option<i64>,
    pub request: Request,
    /// The name of its pod group, in its namespace.
    pub group: Option<&'a str>,
    /// The pod set it belongs to.
    pub subgroup: Option<&'a str>,
    pub priority: Option<i64>,
    pub nominated_node: Option<&'a str>,
}

impl<'a> Pod<'a> {
    /// Reads a pod.
    pub fn read(object: &'a Object<'a>, cluster: &Cluster<'a>, report: &mut Report) -> Pod<'a> {
        let place = &object.place;
        let group = object.annotation("pod-group-name");
        let bound = place.scalar(&["spec", "nodeName"]);
        let bound = bound.or_else(|| cluster.bound.get(&(object.namespace, object.name)).copied());
        let scheduler = place.scalar(&["spec", "schedulerName"]);
        let phase = place.scalar(&["status", "phase"]);
        let is_reservation = RESERVATIONS.contains(&object.namespace);
        let gone_ms = place.scalar(&["metadata", "deletionTimestamp"]).and_then(date);
        let state = match (phase, bound) {
            (Some("Succeeded" | "Failed"), _) => State::Over,
            _ if is_reservation => State::Over,
            (_, Some(_)) => State::Holds { gone_ms },
            (_, None) => State::Waits,
        };
        let said = place.scalar(&["spec", "priority"]).and_then(|priority| priority.parse().ok());
        let class = place.scalar(&["spec", "priorityClassName"]);
        Pod {
            object,
            state,
            is_own: !is_reservation
                && match scheduler {
                    Some(name) => name.starts_with("kai-scheduler"),
                    None => group.is_some() || object.label("kai.scheduler/queue").is_some(),
                },
            node: bound,
            started_ms: place.scalar(&["status", "startTime"]).and_then(date),
            request: request(object, report),
            group,
            subgroup: object.label("kai.scheduler/subgroup-name"),
            priority: class.and_then(|class| cluster.priorities.get(class).copied()).or(said),
            nominated_node: place.scalar(&["status", "nominatedNodeName"]),
        }
    }
}

fn request(object: &Object<'_>, report: &mut Report) -> Request {
    let place = &object.place;
    let mut amounts = total(object, report);
    let part = object.annotation("gpu-fraction");
    if let Some(part) = part {
        match quantity::amount(part, Resource::GPU, 1) {
            Ok(amount) => amounts.gpu = amount.in_base_units(),
            Err(_) => report.diagnostics.push(wrong(
                place,
                format!("{}: gpu-fraction is {part}; it must be a number from 0 to 1", called(object)),
            )),
        }
    }
    let gpu_memory = object.annotation("gpu-memory").map(str::to_string);
    let labels =
        ORDER_LABELS.iter().filter_map(|key| Some((key.to_string(), object.label(key)?.to_string())));
    Request {
        gpu_devices: object.annotation("gpu-fraction-num-devices").map(str::to_string),
        gpu_memory,
        selector: texts(place.at(&["spec", "nodeSelector"])),
        affinity: affinity(object, report),
        tolerations: place.items(&["spec", "tolerations"]).iter().map(toleration).collect(),
        labels: labels.collect(),
        is_gated: !place.items(&["spec", "schedulingGates"]).is_empty(),
        amounts,
    }
}

fn texts(map: Option<Place<'_>>) -> BTreeMap<String, String> {
    let entries = map.map(|map| map.entries()).unwrap_or_default();
    entries
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_string(), value.scalar(&[])?.to_string())))
        .collect()
}

/// The sum over containers, or the most that an init container needs where that is more.
fn total(object: &Object<'_>, report: &mut Report) -> Amounts {
    let mut sum = Amounts::default();
    let of = |container: &Place<'_>, report: &mut Report| {
        let group = |key| container.at(&["resources", key]).filter(|place| !place.entries().is_empty());
        let asked = group("requests").or_else(|| group("limits"));
        asked.map(|asked| Amounts::read(&asked, report)).unwrap_or_default()
    };
    for container in object.place.items(&["spec", "containers"]) {
        sum.add(&of(&container, report));
    }
    let mut most = Amounts::default();
    let mut sidecars = Amounts::default();
    for container in object.place.items(&["spec", "initContainers"]) {
        let mut own = of(&container, report);
        if container.scalar(&["restartPolicy"]) == Some("Always") {
            sidecars.add(&own);
            most.raise(&sidecars);
        } else {
            own.add(&sidecars);
            most.raise(&own);
        }
    }
    sum.add(&sidecars);
    sum.raise(&most);
    if let Some(overhead) = object.place.at(&["spec", "overhead"]) {
        sum.add(&Amounts::read(&overhead, report));
    }
    sum
}

impl Amounts {
    /// Amounts by resource name, as Kubernetes writes quantities.
    pub fn read(place: &Place<'_>, report: &mut Report) -> Amounts {
        let mut read = Amounts::default();
        for (name, value) in place.entries() {
            let resource = match name {
                "cpu" => Resource::CPU,
                "memory" => Resource::MEMORY,
                _ if name.contains('/') => Resource::GPU,
                // Pods are slots of nodes; local storage and huge pages rarely bind.
                _ => continue,
            };
            let Some(text) = value.scalar(&[]) else { continue };
            let Some(amount) = amount(text, resource) else {
                let says = format!("{name} is {text}, which is no quantity of Kubernetes");
                report.diagnostics.push(wrong(&value, says));
                continue;
            };
            match resource {
                Resource::CPU => read.cpu = amount,
                Resource::MEMORY => read.memory = amount,
                _ if GPUS.contains(&name) => read.gpu = read.gpu.saturating_add(amount),
                _ => *read.others.entry(name.to_string()).or_default() = amount / 1000,
            }
        }
        read
    }

    /// Adds what another asks for.
    pub fn add(&mut self, other: &Amounts) {
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.gpu = self.gpu.saturating_add(other.gpu);
        for (name, n) in &other.others {
            let own = self.others.entry(name.clone()).or_default();
            *own = own.saturating_add(*n);
        }
    }

    fn raise(&mut self, other: &Amounts) {
        self.cpu = self.cpu.max(other.cpu);
        self.memory = self.memory.max(other.memory);
        self.gpu = self.gpu.max(other.gpu);
        for (name, n) in &other.others {
            let own = self.others.entry(name.clone()).or_default();
            *own = (*own).max(*n);
        }
    }

    /// Takes away what others use; nothing goes below 0.
    pub fn less(&mut self, other: &Amounts) {
        self.cpu = (self.cpu - other.cpu).max(0);
        self.memory = (self.memory - other.memory).max(0);
        self.gpu = (self.gpu - other.gpu).max(0);
        for (name, n) in &other.others {
            if let Some(own) = self.others.get_mut(name) {
                *own = (*own - n).max(0);
            }
        }
    }

    /// The amounts as a scenario writes them; nothing for those that are 0.
    pub fn written(&self) -> ([Option<Scalar>; 3], BTreeMap<String, Scalar>) {
        let of = |n: i64, resource| {
            let amount = crate::units::Amount::base_units(n);
            (n > 0).then(|| Scalar(quantity::print_amount(amount, resource)))
        };
        let others = self.others.iter().filter(|(_, n)| **n > 0);
        let others = others.map(|(name, n)| (name.clone(), Scalar(n.to_string()))).collect();
        let amounts =
            [of(self.gpu, Resource::GPU), of(self.cpu, Resource::CPU), of(self.memory, Resource::MEMORY)];
        (amounts, others)
    }
}

/// A quantity in base units: thousandths, or bytes of memory, for which Kubernetes also writes thousandths (`1500m`).
fn amount(text: &str, resource: Resource) -> Option<i64> {
    let text = text.trim();
    let thousandths = text.strip_suffix('m').filter(|_| resource == Resource::MEMORY);
    if let Some(n) = thousandths {
        return n.parse::<i64>().ok().filter(|n| *n >= 0).map(|n| n / 1000 + i64::from(n % 1000 != 0));
    }
    quantity::amount(text, resource, 1).ok().map(|amount| amount.in_base_units())
}

/// Required node affinity: the expressions of its only term.
fn affinity(object: &Object<'_>, report: &mut Report) -> Vec<String> {
    let required = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let terms =
        object.place.at(&required).map(|place| place.items(&["nodeSelectorTerms"])).unwrap_or_default();
    let [term] = terms.as_slice() else {
        if !terms.is_empty() {
            let says = format!("node affinity of {}: it has several alternatives", called(object));
            report.ignored.push(says);
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
            operator => report.ignored.push(format!("node affinity {key} {operator} of {}", called(object))),
        }
    }
    read
}

/// A toleration as a scenario writes it: `key=value:Effect`, or `*` for all.
fn toleration(place: &Place<'_>) -> String {
    let [key, value, effect] = ["key", "value", "effect"].map(|key| place.scalar(&[key]).unwrap_or_default());
    let mut text = if key.is_empty() { "*".to_string() } else { key.to_string() };
    if !value.is_empty() && place.scalar(&["operator"]) != Some("Exists") {
        text += &format!("={value}");
    }
    if !effect.is_empty() && !key.is_empty() {
        text += &format!(":{effect}");
    }
    text
}
