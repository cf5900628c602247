//! Imports the nodes, without the capacity used by other schedulers.

use std::collections::{BTreeMap, BTreeSet};

use super::objects::{Object, ObjectKind, tally};
use super::pods::{Pod, SchedulingState};
use super::{Cluster, Report, claims, counted, shards};
use crate::import::amounts::Amounts;
use crate::import::{NODES, node_group, typed};
use crate::scenario::{NodeEntry, PoolEntry, Scalar};

/// Labels with the pool of a node, in KAI and in Run:ai.
const POOL_LABELS: [&str; 2] = ["kai.scheduler/node-pool", "runai/node-pool"];

/// Label with the memory per GPU, in MiB.
const GPU_MEMORY: &str = "nvidia.com/gpu.memory";

/// Conditions that prevent scheduling: type, healthy status, and state in a scenario.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("Ready", "True", "not-ready"),
    ("MemoryPressure", "False", "memory-pressure"),
    ("DiskPressure", "False", "disk-pressure"),
    ("PIDPressure", "False", "pid-pressure"),
    ("NetworkUnavailable", "False", "network-unavailable"),
];

/// Returns all nodes, including those that only pods refer to. If the text lists none, they have the chosen number and
/// size.
pub fn nodes(
    cluster: &Cluster<'_>,
    pods: &[Pod<'_>],
    (pools, chosen): (&[PoolEntry], Option<(u32, u32)>),
    report: &mut Report,
) -> Vec<NodeEntry> {
    let mut foreign: BTreeMap<&str, (Amounts, i64)> = BTreeMap::new();
    let mut others: Vec<&Object<'_>> = Vec::new();
    let mut used_names: BTreeSet<&str> = BTreeSet::new();
    for pod in pods.iter().filter(|pod| matches!(pod.state, SchedulingState::Holds { .. })) {
        let Some(node) = pod.node else { continue };
        used_names.insert(node);
        if !pod.is_own {
            let (sum, n) = foreign.entry(node).or_default();
            sum.add(&pod.request.amounts);
            *n += 1;
            others.push(pod.object);
        }
    }
    let taken_off = ": of another scheduler, so its requests are taken off its node";
    report.assumed.extend(tally(&others, taken_off));
    let mut keys = labels_in_use(pods);
    keys.extend(POOL_LABELS.map(str::to_string));
    let label = shards::label_of(&cluster.objects.parameters).unwrap_or_else(|| POOL_LABELS[0].into());
    let listed = cluster.objects.of_kind(ObjectKind::Node);
    let mut nodes: Vec<NodeEntry> =
        listed.iter().map(|node| self::node(node, cluster, &keys, foreign.get(node.name), report)).collect();
    for (node, object) in nodes.iter_mut().zip(listed) {
        node.pool = shards::pool_of(object, &label, pools);
    }
    let listed_names: BTreeSet<&str> = listed.iter().map(|node| node.name).collect();
    let missing: Vec<&str> = used_names.difference(&listed_names).copied().collect();
    let chosen = chosen.filter(|_| nodes.is_empty());
    let (n_nodes, gpus) = chosen.unwrap_or(NODES);
    if !missing.is_empty() {
        let n = counted(missing.len() as u64, "node");
        let message = format!("{n} that pods name and the text does not have: {gpus} GPUs each");
        if nodes.is_empty() { report.assume_nodes(message) } else { report.assume(message) }
    }
    let n_named = missing.len() as u32;
    nodes.extend(missing.into_iter().map(|name| assumed(name, gpus, pods)));
    if chosen.is_some() && n_named > 0 {
        nodes.extend(further_nodes((n_nodes, gpus), n_named, report));
    } else if nodes.is_empty() {
        report.assume_nodes(format!("{n_nodes} nodes with {gpus} GPUs each: the text lists no nodes"));
        let pool = pools.first().map(|pool| pool.name.clone());
        nodes.push(NodeEntry { pool, ..node_group("node", n_nodes, gpus) });
    }
    nodes
}

/// Returns the chosen nodes beyond those that the text names. Reports if it names more.
fn further_nodes((n_nodes, gpus): (u32, u32), n_named: u32, report: &mut Report) -> Option<NodeEntry> {
    if n_named > n_nodes {
        report.ignore(format!("nodes {n_nodes}x{gpus}: the text names {n_named} nodes, so there are {n_named}"));
    }
    let n = n_nodes.checked_sub(n_named).filter(|n| *n > 0)?;
    report.assume(format!("{} that no pod names, with {gpus} GPUs each", counted(u64::from(n), "node")));
    Some(node_group("node", n, gpus))
}

/// Returns a node that only pods name. It has what its pods select and request besides GPUs, since they are there.
fn assumed(name: &str, gpus: u32, pods: &[Pod<'_>]) -> NodeEntry {
    let mut node = crate::import::node(name, gpus);
    let mut others = Amounts::default();
    for pod in pods.iter().filter(|pod| pod.node == Some(name) && pod.is_live()) {
        let selected = pod.request.selector.iter();
        node.labels.extend(selected.map(|(key, value)| (key.clone(), value.clone())));
        others.add(&pod.request.amounts);
    }
    node.resources = others.written().1;
    node
}

/// Returns the label keys in selectors and affinities of pods.
fn labels_in_use(pods: &[Pod<'_>]) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for request in pods.iter().map(|pod| &pod.request) {
        keys.extend(request.selector.keys().cloned());
        for expression in &request.affinity {
            let key = expression.trim_start_matches('!');
            keys.insert(key.split(' ').next().unwrap_or(key).to_string());
        }
    }
    keys
}

fn node(
    object: &Object<'_>,
    cluster: &Cluster<'_>,
    keys: &BTreeSet<String>,
    foreign: Option<&(Amounts, i64)>,
    report: &mut Report,
) -> NodeEntry {
    let place = &object.place;
    let amounts_of = |key| place.at(&["status", key]).filter(|place| !place.entries(&[]).is_empty());
    let capacity = amounts_of("allocatable").or_else(|| amounts_of("capacity"));
    let mut amounts = capacity.as_ref().map(|capacity| Amounts::read(capacity, report)).unwrap_or_default();
    if amounts.gpu == 0 {
        // Without a device plugin, drivers offer the devices.
        amounts.gpu = claims::offered(object.name, cluster.objects);
    }
    let slots = capacity.as_ref().and_then(|capacity| capacity.whole::<i64>(&["pods"]));
    let others = foreign.map_or(0, |(_, n)| *n);
    if let Some((sum, _)) = foreign {
        amounts.less(sum);
    }
    let ([gpu, cpu, memory], resources) = amounts.written();
    let or_none = |amount: Option<Scalar>| amount.or_else(|| capacity.as_ref().map(|_| "0".into()));
    let state = state(object);
    NodeEntry {
        name: object.name.to_string(),
        gpu,
        cpu: or_none(cpu),
        memory: or_none(memory),
        pods: slots.and_then(|n| typed((n - others).max(0))),
        gpu_memory: object.label(GPU_MEMORY).map(Scalar::from),
        labels: keys.iter().filter_map(|key| Some((key.clone(), object.label(key)?.to_string()))).collect(),
        taints: taints(object, state.is_some()),
        state: state.map(Scalar::from),
        resources,
        ..NodeEntry::default()
    }
}

fn state(object: &Object<'_>) -> Option<&'static str> {
    if object.place.scalar(&["spec", "unschedulable"]) == Some("true") {
        return Some("cordoned");
    }
    let conditions = object.place.items(&["status", "conditions"]);
    let is_off = |(kind, healthy, _): &&(&str, &str, &str)| {
        let met = conditions.iter().find(|condition| condition.scalar(&["type"]) == Some(kind));
        met.is_some_and(|condition| condition.scalar(&["status"]) != Some(healthy))
    };
    CONDITIONS.iter().find(is_off).map(|(_, _, state)| *state)
}

/// Returns the taints, without those that Kubernetes derives from a state.
fn taints(object: &Object<'_>, has_state: bool) -> Vec<String> {
    let mut taints = Vec::new();
    for taint in object.place.items(&["spec", "taints"]) {
        let [key, value, effect] = ["key", "value", "effect"].map(|key| taint.scalar(&[key]).unwrap_or_default());
        if has_state && key.starts_with("node.kubernetes.io/") {
            continue;
        }
        let value = if value.is_empty() { String::new() } else { format!("={value}") };
        taints.push(format!("{key}{value}:{effect}"));
    }
    taints
}
