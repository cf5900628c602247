//! Nodes of a kit, in KWOK's form.
//!
//! # Rule
//! A node has its capacity, labels and taints, the annotation that makes KWOK simulate its kubelet, and the shard's
//! label.
//!
//! # Source
//! KWOK, *Nodes*; KAI Scheduler, `docs/operator/scheduling-shards.md`
//!
//! # Differs
//! nothing

use super::names::{Names, UniqueNames};
use crate::cluster::{Effect, Node};
use crate::format::quantity::print_decimal;
use crate::format::yaml::{Yaml, map, text};
use crate::id::{Arena, Id, NodeId};
use crate::policy::export::Source;
use crate::units::Resource;

use super::export::SHARD;

/// Node objects.
pub(super) struct Nodes {
    pub objects: Vec<Yaml>,
    pub names: Arena<NodeId, String>,
    pub left_out: Vec<String>,
}

pub(super) fn nodes(source: &Source<'_>, names: &Names) -> Nodes {
    let cluster = source.cluster;
    let mut unique = UniqueNames::default();
    let node_names: Arena<NodeId, String> = cluster.nodes.values().map(|node| unique.name(&node.name)).collect();
    let objects = cluster.nodes.ids().map(|id| object(source, names, &cluster.nodes[id], &node_names[id]));
    let objects = objects.collect();
    let down = cluster.nodes.values().filter(|node| !node.ready).map(|node| &*node.name).collect();
    let down = source.remark(&down, "nodes that take no part are cordoned");
    Nodes { objects, names: node_names, left_out: down.into_iter().collect() }
}

fn object(source: &Source<'_>, names: &Names, node: &Node, name: &str) -> Yaml {
    let gpus = node.n_devices();
    let mut labels: Vec<(String, Yaml)> =
        node.labels.iter().map(|(key, value)| (key.to_string(), text(value))).collect();
    let mut label = |key: &str, value: &str| {
        if labels.iter().all(|(existing, _)| existing != key) {
            labels.push((key.to_string(), text(value)));
        }
    };
    label("type", "kwok");
    label("kubernetes.io/hostname", name);
    if let Some(shard) = names.shard(node.partition.index()) {
        label(SHARD, shard);
    }
    if gpus > 0 {
        label("nvidia.com/gpu.count", &gpus.to_string());
        label("nvidia.com/gpu.memory", &node.gpu_memory_mib.to_string());
        label("nvidia.com/gpu.present", "true");
    }
    let mut taints = vec![taint("kwok.x-k8s.io/node", "fake", "NoSchedule")];
    taints.extend(node.taints.iter().map(|t| {
        let effect = match t.effect {
            Effect::NoSchedule => "NoSchedule",
            Effect::NoExecute => "NoExecute",
            Effect::PreferNoSchedule => "PreferNoSchedule",
        };
        taint(&t.key, &t.value, effect)
    }));
    let capacity = capacity(source, node);
    let is_cordoned = if node.takes_pods() { "" } else { "true" };
    map([
        ("apiVersion", text("v1")),
        ("kind", text("Node")),
        (
            "metadata",
            map([
                ("name", text(name)),
                ("labels", Yaml::Map(labels)),
                ("annotations", map([("kwok.x-k8s.io/node", text("fake"))])),
            ]),
        ),
        ("spec", map([("taints", Yaml::List(taints)), ("unschedulable", Yaml::Value(is_cordoned.into()))])),
        ("status", map([("allocatable", capacity.clone()), ("capacity", capacity)])),
    ])
}

fn taint(key: &str, value: &str, effect: &str) -> Yaml {
    map([("key", text(key)), ("value", text(value)), ("effect", text(effect))])
}

fn capacity(source: &Source<'_>, node: &Node) -> Yaml {
    let amount = |r: Resource| node.capacity.get(r).in_base_units();
    let pods = if node.pods_max == Node::UNLIMITED_PODS { 1_000_000 } else { node.pods_max };
    let mut amounts = vec![
        ("cpu".to_string(), text(&print_decimal(amount(Resource::CPU), 3))),
        ("memory".to_string(), text(&amount(Resource::MEMORY).to_string())),
        ("pods".to_string(), text(&pods.to_string())),
    ];
    if node.n_devices() > 0 {
        amounts.push(("nvidia.com/gpu".to_string(), text(&node.n_devices().to_string())));
    }
    let named = source.cluster.named.iter().enumerate().filter(|(n, _)| node.capacity.has(Resource::named(*n)));
    amounts.extend(named.map(|(n, name)| (extended(name), text(&amount(Resource::named(n)).to_string()))));
    Yaml::Map(amounts)
}

/// Name of an extended resource: Kubernetes requires a domain prefix.
pub(super) fn extended(name: &str) -> String {
    if name.contains('/') { name.to_string() } else { format!("fairground/{name}") }
}
