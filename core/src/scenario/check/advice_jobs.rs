//! Advice on jobs that are valid but can never be placed.

use std::collections::BTreeMap;

use super::jobs::{Jobs, Set};
use super::named::Named;
use super::nodes::Nodes;
use super::{Location, ignored};
use crate::cluster::{GpuRequest, Node, PodRules, Taint, Toleration, is_tolerated};
use crate::format::{Findings, JobEntry, Scenario, codes, quoted};
use crate::id::PartitionId;
use crate::policy::description::Description;
use crate::scenario::plan::{PlanChange, Planned};
use crate::scenario::quantity::print_amount;
use crate::units::{Amount, RESOURCES_MAX, Resource};

/// All resources in the order of the checks.
const RESOURCES: [Resource; RESOURCES_MAX] =
    [Resource::GPU, Resource::CPU, Resource::MEMORY, Resource(3), Resource(4), Resource(5), Resource(6), Resource(7)];

/// Request and placement rules as one key.
type Key<'a> = (&'a BTreeMap<String, String>, &'a [PartitionId], [i64; RESOURCES_MAX], i64, Option<&'a PodRules>);

/// Reports advice on jobs.
pub fn advice(
    scenario: &Scenario,
    (policy, named): (&Description, &Named),
    nodes: &Nodes,
    jobs: &Jobs,
    timeline: &[Planned],
    f: &mut Findings,
) {
    let resized: Vec<Node> = timeline.iter().filter_map(|planned| resized(nodes, planned)).collect();
    let mut answers: BTreeMap<Key<'_>, Answer> = BTreeMap::new();
    for (i, (entry, template)) in scenario.jobs.iter().zip(&jobs.templates).enumerate() {
        let location = jobs.location(scenario, i);
        let of_set = location.pod_sets(entry);
        let mut is_reported = false;
        for (k, set) in template.sets.iter().enumerate() {
            let location = if k < entry.pod_sets.len() { of_set(k) } else { location };
            let amounts = RESOURCES.map(|r| set.request.resources.get(r).in_base_units());
            let mib = match set.request.gpu {
                GpuRequest::Memory { mib, .. } => mib,
                _ => 0,
            };
            // Taints and affinity exclude nodes only under policies that read them.
            let rules = set.rules.as_deref().filter(|_| policy.supports.taints);
            let tolerations = rules.map_or(&[][..], |rules| &rules.tolerations);
            let key = (&entry.selector, template.pools.as_slice(), amounts, mib, rules);
            match *answers.entry(key).or_insert_with(|| {
                answer((nodes, &resized), (&entry.selector, &template.pools, policy.supports.taints), rules, set)
            }) {
                Answer::Fits => {}
                Answer::NoAffinity | Answer::NotTolerated(_) if is_reported => {}
                Answer::NoAffinity => {
                    is_reported = true;
                    let is_of_set = entry.pod_sets.get(k).is_some_and(|set| !set.affinity.is_empty());
                    no_affinity(entry, if is_of_set { location } else { jobs.location(scenario, i) }, f);
                }
                Answer::NotTolerated(kind) => {
                    is_reported = true;
                    not_tolerated(entry, jobs.location(scenario, i), &nodes.kinds[kind].0, tolerations, f);
                }
                Answer::NoMatch => {
                    if k == 0 {
                        let path = jobs.location(scenario, i).field("selector");
                        let labels: Vec<String> = entry.selector.iter().map(|(k, v)| format!("{k}={v}")).collect();
                        let message = format!(
                            "no [node] has the labels {}; the [job] waits for ever",
                            quoted(&labels.join(", "))
                        );
                        f.suggest(codes::NO_MATCH, path, message, "", "Remove the selector");
                    }
                }
                Answer::TooBig(resource, largest) => {
                    too_big(&entry.name, location, named, (resource, largest, mib > 0), f);
                }
            }
            few_bytes(&entry.name, location, set.request.resources.get(Resource::MEMORY), f);
            if let GpuRequest::Fraction { portion, .. } = set.request.gpu
                && policy.supports.hundredths
                && portion.in_base_units() % 10 != 0
            {
                let rounded = Amount::milli_gpus((portion.in_base_units() + 9) / 10 * 10);
                let rounded = print_amount(rounded, Resource::GPU);
                let message = format!("{} counts parts of a GPU in hundredths; write {rounded}", policy.name);
                f.suggest(codes::ROUNDED, location.field("gpu"), message, &rounded, format!("Request {rounded}"));
            }
        }
    }
    ignored::of_nodes(scenario, policy, f);
    ignored::of_jobs(scenario, policy, jobs, f);
}

/// Reports less than a mebibyte of memory: probably a number of gibibytes, where a plain number counts bytes.
fn few_bytes(job: &str, location: Location<'_>, memory: Amount, f: &mut Findings) {
    let n = memory.in_base_units();
    if n > 0 && n < 1 << 20 {
        let message = format!(
            "{} requests {n} bytes of memory: a number without a unit counts bytes; did you mean {n}Gi?",
            quoted(job)
        );
        let path = location.field("memory");
        f.suggest(codes::UNIT, path, message, format!("{n}Gi"), format!("Request {n}Gi"));
    }
}

/// Reports a pod that requests more of a resource than `largest`, the largest capacity of any node; for GPU memory in MiB.
fn too_big(
    job: &str,
    location: Location<'_>,
    named: &Named,
    (resource, largest, in_mib): (Resource, Amount, bool),
    f: &mut Findings,
) {
    let (fields, what) = named.field(resource);
    let (path, largest) = if in_mib && resource == Resource::GPU {
        (location.field("gpu-memory"), largest.in_base_units().to_string())
    } else {
        let path = fields.iter().fold(location.path(), |path, field| path.field(field));
        (path, print_amount(largest, resource))
    };
    let message = format!(
        "{} asks for more {what} than any [node] it may use has ({largest}), so it waits for ever",
        quoted(job)
    );
    f.suggest(codes::TOO_BIG_FOR_NODES, path, message, &largest, format!("Request {largest}"));
}

/// Reports a required affinity that no node meets.
fn no_affinity(entry: &JobEntry, location: Location<'_>, f: &mut Findings) {
    let message = format!("no [node] meets the required affinity of {}; the [job] waits for ever", quoted(&entry.name));
    f.suggest(codes::NO_MATCH, location.field("affinity"), message, "", "Remove the affinity");
}

/// Reports a pod that tolerates none of the nodes it could use, with one such node.
fn not_tolerated(entry: &JobEntry, location: Location<'_>, node: &Node, tolerations: &[Toleration], f: &mut Findings) {
    let path = location.field("tolerations");
    let excludes = |taint: &&Taint| !is_tolerated(std::slice::from_ref(*taint), tolerations);
    let Some(taint) = node.taints.iter().find(excludes) else { return };
    let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
    let taint = format!("{}{value}", taint.key);
    let message = format!(
        "every [node] that {} may use has a taint that it does not tolerate, such as {} of {}; the [job] waits for ever",
        quoted(&entry.name),
        quoted(&taint),
        quoted(&node.name)
    );
    let tolerated: Vec<&str> = entry.tolerations.iter().map(String::as_str).chain([taint.as_str()]).collect();
    f.suggest(codes::NO_MATCH, path, message, tolerated.join(", "), format!("Tolerate {}", quoted(&taint)));
}

/// Whether a pod fits on some empty node, as it is at the start or after a change of its capacity.
#[derive(Clone, Copy)]
enum Answer {
    Fits,
    NoMatch,
    /// The required affinity excludes all nodes with the labels.
    NoAffinity,
    /// Taints exclude all remaining nodes; the position of one of them.
    NotTolerated(usize),
    /// The first resource that is insufficient on every node, and the largest capacity of any node.
    TooBig(Resource, Amount),
}

/// A node as an entry of the timeline changes its capacity.
fn resized(nodes: &Nodes, planned: &Planned) -> Option<Node> {
    let PlanChange::Node { node, capacity: Some(capacity), .. } = &planned.change else { return None };
    Some(Node { capacity: capacity.amounts, pods_max: capacity.pods_max, ..nodes.all[*node].clone() })
}

fn answer(
    (nodes, resized): (&Nodes, &[Node]),
    (selector, pools, reads_taints): (&BTreeMap<String, String>, &[PartitionId], bool),
    rules: Option<&PodRules>,
    set: &Set,
) -> Answer {
    if nodes.kinds.is_empty() {
        return Answer::Fits;
    }
    let mut matching = nodes.matching(selector);
    matching.extend(resized.iter().filter(|node| Nodes::matches(node, selector)));
    matching.retain(|node| pools.contains(&node.partition));
    // A pool without nodes is reported separately.
    if matching.is_empty() && selector.is_empty() {
        return Answer::Fits;
    }
    if matching.is_empty() {
        return Answer::NoMatch;
    }
    let affinity = rules.map_or(&[][..], |rules| &rules.affinity);
    matching.retain(|node| affinity.iter().all(|requirement| requirement.is_met(&node.labels)));
    let Some(first) = matching.first().map(|node| node.name.clone()) else { return Answer::NoAffinity };
    let tolerations = rules.map_or(&[][..], |rules| &rules.tolerations);
    matching.retain(|node| !reads_taints || is_tolerated(&node.taints, tolerations));
    if matching.is_empty() {
        let kind = nodes.kinds.iter().position(|(node, _)| node.name == first);
        return Answer::NotTolerated(kind.unwrap_or_default());
    }
    let matching = || matching.iter().copied();
    if matching().any(|node| lacking(node, set).is_none()) {
        return Answer::Fits;
    }
    let largest = |resource: Resource| matching().map(|n| offer(n, set, resource)).max().unwrap_or_default();
    let lacking = |r: &Resource| largest(*r) < need(set, *r);
    let resource = RESOURCES.into_iter().find(lacking);
    // Each resource suffices somewhere, but never all on one node: name the one that the best node for GPUs lacks.
    let resource = resource.unwrap_or_else(|| {
        let best = matching().max_by_key(|n| offer(n, set, Resource::GPU));
        best.and_then(|n| self::lacking(n, set)).unwrap_or(Resource::GPU)
    });
    let with_others =
        matching().filter(|n| RESOURCES.into_iter().all(|r| r == resource || offer(n, set, r) >= need(set, r)));
    let most_with_others = with_others.map(|n| offer(n, set, resource)).max();
    Answer::TooBig(resource, most_with_others.unwrap_or_else(|| largest(resource)))
}

/// The first resource that is insufficient on a node.
fn lacking(node: &Node, set: &Set) -> Option<Resource> {
    RESOURCES.into_iter().find(|&r| offer(node, set, r) < need(set, r))
}

/// The request of a pod; for GPU memory, MiB on one device.
fn need(set: &Set, resource: Resource) -> Amount {
    match set.request.gpu {
        GpuRequest::Memory { mib, .. } if resource == Resource::GPU => Amount::base_units(mib),
        _ => set.request.resources.get(resource),
    }
}

/// The capacity of a node, in the unit of [`need`].
fn offer(node: &Node, set: &Set, resource: Resource) -> Amount {
    let capacity = node.capacity.get(resource);
    match set.request.gpu {
        GpuRequest::Memory { .. } if resource == Resource::GPU && capacity > Amount::ZERO => {
            Amount::base_units(node.gpu_memory_mib)
        }
        _ => capacity,
    }
}
