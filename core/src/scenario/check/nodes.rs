//! Resolves nodes: single ones and groups of equal ones, and their capacity with the over-commit ratio of the policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{NODE_GPUS_MAX, NODES_MAX, codes};
use super::named::Named;
use super::names::{self, Index};
use super::scheduling::Pools;
use super::{Location, Path, rules};
use crate::cluster::{Capacity, Node, NodeState};
use crate::format::{CapacityEntry, Findings, NodeEntry, Scenario, quantity, quoted, remove};
use crate::id::{Arena, Id, NodeId, PartitionId};
use crate::policy::{Policy, Rhythm};
use crate::scenario::{PlanChange, Planned};
use crate::units::{Amount, Resource, ResourceVec, Weight};

/// Default CPU of a node.
const CPU_DEFAULT: Amount = Amount::cores(64);
/// Default memory of a node: 256 GB.
const MEMORY_DEFAULT: Amount = Amount::bytes(256_000_000_000);
/// Default pod slots of a node.
const PODS_DEFAULT: u32 = 110;
/// Default memory of each GPU, in MiB.
const GPU_MEMORY_DEFAULT: i64 = 40_000;

/// Resolved nodes.
pub struct Nodes {
    /// All nodes; empty if there are too many.
    pub all: Arena<NodeId, Node>,
    /// Nodes by name.
    pub index: Index,
    /// One node of each non-empty entry, with the number of such nodes.
    pub kinds: Vec<(Node, u64)>,
    /// Positions in `kinds` of the nodes with a label, ascending.
    pub by_label: BTreeMap<(Arc<str>, Arc<str>), Vec<u32>>,
    /// Whether the list is complete, so that an unknown name is an error.
    pub complete: bool,
}

/// Resolves all nodes.
pub fn nodes(scenario: &Scenario, (pools, named): (&Pools, &Named), f: &mut Findings) -> Nodes {
    let repeats = names::repeats(scenario.nodes.iter().map(|n| n.name.as_str()));
    let mut kinds = Vec::with_capacity(scenario.nodes.len());
    let mut groups = Vec::with_capacity(scenario.nodes.len());
    let mut total = 0u64;
    for (i, entry) in scenario.nodes.iter().enumerate() {
        let location = names::location("nodes", i, &entry.name, &repeats);
        let count = entry.count.as_ref().map(|_| {
            let expected = "a whole number of [nodes]";
            f.value(&entry.count, 1, expected, &|| location.field("count"), &quantity::count)
        });
        let suffix = count.map_or(0, |n| 1 + n.to_string().len());
        names::check_name(&entry.name, suffix, "[node]", location, f);
        let node = node(entry, location, (pools, named), f);
        total = total.saturating_add(count.unwrap_or(1));
        if count != Some(0) {
            kinds.push((node.clone(), count.unwrap_or(1)));
        }
        groups.push((node, count, i));
    }
    let complete = total <= NODES_MAX;
    if !complete {
        let path = Path::default().field("nodes");
        let message = format!("there are {total} [nodes]; up to {NODES_MAX} are simulated");
        f.add(codes::TOO_MANY, path, message, None);
        groups.clear();
    }
    let mut all = Arena::new();
    let mut entries = Vec::new();
    for (node, count, i) in groups {
        match count {
            None => {
                all.push(node);
                entries.push(i);
            }
            Some(count) => {
                for n in 1..=count {
                    all.push(Node { name: format!("{}-{n}", node.name).into(), ..node.clone() });
                    entries.push(i);
                }
            }
        }
    }
    let (index, twice) = Index::new(all.values().map(|n| &n.name));
    let mut reported = None;
    for n in twice {
        let i = entries[n as usize];
        let (entry, name) = (&scenario.nodes[i], &all[NodeId(n)].name);
        if reported != Some(i) && !entry.name.is_empty() {
            names::duplicate(name, "[node]", names::location("nodes", i, &entry.name, &repeats), &index, f);
        }
        reported = Some(i);
    }
    let mut by_label: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (k, (node, _)) in (0u32..).zip(&kinds) {
        for label in &node.labels {
            by_label.entry(label.clone()).or_default().push(k);
        }
    }
    Nodes { all, index, kinds, by_label, complete }
}

fn node(entry: &NodeEntry, location: Location<'_>, (pools, named): (&Pools, &Named), f: &mut Findings) -> Node {
    let typed = CapacityEntry {
        gpu: entry.gpu.clone(),
        cpu: entry.cpu.clone(),
        memory: entry.memory.clone(),
        pods: entry.pods.clone(),
        resources: entry.resources.clone(),
    };
    let mut amounts = ResourceVec::default();
    amounts.set(Resource::CPU, CPU_DEFAULT);
    amounts.set(Resource::MEMORY, MEMORY_DEFAULT);
    amounts.set(Resource::GPU, Amount::ZERO);
    let capacity = Capacity { amounts, pods_max: PODS_DEFAULT };
    let Capacity { amounts: capacity, pods_max } = changed(&typed, capacity, location, named, f);
    let expected = "a memory size such as 40000 (MiB) or 80 GB";
    let mib = || location.field("gpu-memory");
    let gpu_memory_mib = f.value(&entry.gpu_memory, GPU_MEMORY_DEFAULT, expected, &mib, &quantity::mebibytes);
    f.gpu_memory(&entry.gpu_memory, gpu_memory_mib, &mib);
    let state = entry.state.as_ref().and_then(|state| rules::node_state(state, location, f));
    let state = state.unwrap_or(NodeState::Ready);
    let pool = entry.pool.as_ref().and_then(|name| pools.find(name, "", location.field("pool"), f));
    Node {
        name: entry.name.as_str().into(),
        partition: pool.unwrap_or(PartitionId(0)),
        capacity,
        pods_max,
        gpu_memory_mib,
        labels: labels(&entry.labels),
        taints: rules::taints(&entry.taints, location, f),
        ready: state != NodeState::Down,
        draining: state == NodeState::Draining,
    }
}

/// Replaces the values of a capacity that are given.
pub fn changed(
    typed: &CapacityEntry,
    mut capacity: Capacity,
    location: Location<'_>,
    named: &Named,
    f: &mut Findings,
) -> Capacity {
    let amounts = &mut capacity.amounts;
    for (resource, amount) in [(Resource::CPU, &typed.cpu), (Resource::MEMORY, &typed.memory)] {
        amounts.set(resource, f.amount(amount, resource, location, amounts.get(resource)));
    }
    let parse = |text: &str| quantity::count(text).and_then(whole_gpus).map(Amount::gpus);
    let expected = format!("a whole number of GPUs, at most {NODE_GPUS_MAX}");
    let gpus = f.value(&typed.gpu, amounts.get(Resource::GPU), &expected, &|| location.field("gpu"), &parse);
    amounts.set(Resource::GPU, gpus);
    named.put(&typed.resources, location, amounts, f);
    let expected = "a whole number of [pods], or unlimited";
    let slots = |text: &str| {
        if quantity::is_unlimited(text) {
            Ok(Node::UNLIMITED_PODS)
        } else {
            quantity::count(text).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
        }
    };
    capacity.pods_max = f.value(&typed.pods, capacity.pods_max, expected, &|| location.field("pods"), &slots);
    capacity
}

fn whole_gpus(n: u64) -> Result<i64, quantity::Wrong> {
    let n = i64::try_from(n).map_err(|_| quantity::Wrong::Large)?;
    if n > NODE_GPUS_MAX { Err(quantity::Wrong::Large) } else { Ok(n) }
}

fn labels(labels: &BTreeMap<String, String>) -> Vec<(Arc<str>, Arc<str>)> {
    labels.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())).collect()
}

impl Nodes {
    /// One node of each entry that matches a selector.
    pub fn matching<'a>(&'a self, selector: &BTreeMap<String, String>) -> Vec<&'a Node> {
        let Some(label) = selector.iter().next() else {
            return self.kinds.iter().map(|(node, _)| node).collect();
        };
        let label: (Arc<str>, Arc<str>) = (label.0.as_str().into(), label.1.as_str().into());
        let with = self.by_label.get(&label).map_or(&[][..], Vec::as_slice);
        with.iter().map(|&k| &self.kinds[k as usize].0).filter(|node| Nodes::matches(node, selector)).collect()
    }

    /// Whether a node matches a selector.
    pub fn matches(node: &Node, selector: &BTreeMap<String, String>) -> bool {
        selector.iter().all(|(key, value)| {
            let position = node.labels.binary_search_by(|(k, _)| (**k).cmp(key));
            position.is_ok_and(|i| *node.labels[i].1 == **value)
        })
    }
}

/// Reports pools without nodes.
pub fn empty_pools(scenario: &Scenario, nodes: &Nodes, f: &mut Findings) {
    for (i, pool) in scenario.pools.iter().enumerate() {
        let id = PartitionId::from_index(i);
        if nodes.kinds.iter().any(|(node, _)| node.partition == id) || scenario.nodes.is_empty() {
            continue;
        }
        let path = names::location("pools", i, &pool.name, &[]).path();
        let message = format!("no [node] is in the pool {}, so nothing runs there", quoted(&pool.name));
        f.add(codes::EMPTY_POOL, path.clone(), message, remove(path, "Remove the pool"));
    }
}

/// Applies the over-commit ratios to the nodes at the start and to changes of capacity in the timeline.
pub fn over_commit(
    scenario: &Scenario,
    (charges, pools): (&[(Policy, Rhythm)], &Pools),
    nodes: &mut Nodes,
    timeline: &mut [Planned],
    f: &mut Findings,
) {
    let mut too_many = None;
    let mut offer = |pool: PartitionId, name: &Arc<str>, amounts: &mut ResourceVec| {
        let offered = offered(&charges[pool.index()].0, amounts);
        if offered.get(Resource::GPU) > Amount::gpus(NODE_GPUS_MAX) {
            too_many.get_or_insert((pool, name.clone()));
        } else {
            *amounts = offered;
        }
    };
    for node in nodes.all.values_mut().chain(nodes.kinds.iter_mut().map(|(node, _)| node)) {
        offer(node.partition, &node.name, &mut node.capacity);
    }
    for planned in timeline {
        let PlanChange::Node { node, capacity: Some(capacity), .. } = &mut planned.change else { continue };
        let node = &nodes.all[*node];
        offer(node.partition, &node.name, &mut capacity.amounts);
    }
    if let Some((pool, name)) = too_many {
        let ratio = charges[pool.index()].0.over_commit(Resource::GPU).as_real();
        let message = format!(
            "with an over-commit ratio of {ratio} the [node] {} offers more than {NODE_GPUS_MAX} GPUs, the most that is simulated; lower \
             the ratio or the GPUs of the [node]",
            quoted(&name)
        );
        f.add(codes::LARGE, settings_of(scenario, pools, pool), message, None);
    }
}

/// The path of a pool's settings.
fn settings_of(scenario: &Scenario, pools: &Pools, pool: PartitionId) -> Path {
    let has_own = scenario.pools.get(pool.index()).is_some_and(|pool| !pool.settings.is_empty());
    let owner =
        if has_own { Path::default().field("pools").named(&pools.names[pool.index()]) } else { Path::default() };
    owner.field("settings")
}

fn offered(policy: &Policy, capacity: &ResourceVec) -> ResourceVec {
    let mut offered = *capacity;
    for resource in Resource::ACCOUNTED.into_iter().filter(|&resource| capacity.has(resource)) {
        let ratio = policy.over_commit(resource);
        if ratio == Weight::ONE {
            continue;
        }
        let product = i128::from(capacity.get(resource).in_base_units()) * i128::from(ratio.in_millionths());
        // Nodes have whole GPUs.
        let step = if resource == Resource::GPU { 1000 } else { 1 };
        let base = product / 1_000_000 / step * step;
        offered.set(resource, Amount::base_units(i64::try_from(base).unwrap_or(i64::MAX)));
    }
    offered
}
