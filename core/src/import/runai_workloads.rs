//! Imports workloads and node pools listed by Run:ai's API as jobs and the pools in which they may run.
//!
//! # Rule
//! `{"workloads": [...]}`: pending and running workloads become jobs of their project. `{"nodepools": [...]}`:
//! placement strategies and node names; no response contains node sizes.
//!
//! # Source
//! NVIDIA Run:ai, REST API reference: workloads, node pools
//!
//! # Differs
//! The list of workloads does not contain the nodes on which they run: the simulation places them again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::amounts::amount;
use super::date::date;
use super::reader::{LocatedValue, Reader};
use super::{Report, counted, node, node_group, typed, without_limit};
use crate::policy::runai::DESCRIPTION;
use crate::scenario::quantity::{self, print_decimal};
use crate::scenario::{
    JobEntry, NODES_MAX, NodeEntry, PODS_MAX, POOLS_MAX, Path, PoolEntry, Scalar, Scenario, codes, finding,
};
use crate::units::{Amount, Resource};

/// Whether a text lists workloads or node pools.
pub fn is_listed(text: &str) -> bool {
    let has_all = |keys: &[&str]| keys.iter().all(|key| text.contains(key));
    text.starts_with('{')
        && (has_all(&["\"workloads\"", "\"projectName\""]) || has_all(&["\"nodepools\"", "\"labelKey\""]))
}

/// Adds workloads and node pools to a scenario, or to a new one. `None` if there is neither a scenario nor anything to
/// add.
pub fn add(
    (roots, reader): (&[LocatedValue<'_>], &Reader),
    scenario: Option<Scenario>,
    (n_nodes, gpus): (u32, u32),
    report: &mut Report,
) -> Option<Scenario> {
    let list = |key: &str| -> Vec<LocatedValue<'_>> { roots.iter().flat_map(|root| root.items(&[key])).collect() };
    let (workloads, pools) = (list("workloads"), list("nodepools"));
    if workloads.is_empty() && pools.is_empty() {
        return scenario;
    }
    let has_scenario = scenario.is_some();
    let mut scenario = scenario.unwrap_or_else(|| Scenario { policy: DESCRIPTION.key.into(), ..Scenario::default() });
    add_pools(&pools, gpus, &mut scenario, report);
    add_jobs(&workloads, &mut scenario, report);
    let live = workloads.iter().filter(|place| is_live(place)).cloned().collect::<Vec<_>>();
    for (what, places, known_fields) in [("workloads", &live, WORKLOAD), ("node pools", &pools, POOL)] {
        unused(what, places, known_fields, report);
    }
    report.assumed.extend(reader.not_numbers());
    if roots.iter().any(|root| root.get("next").is_some_and(|next| !next.is_empty())) {
        report.assume("the list goes on in a further page (next), which is not in the text");
    }
    if scenario.nodes.is_empty() {
        report.assume_nodes(format!("{n_nodes} nodes with {gpus} GPUs each: the text lists no nodes"));
        scenario.nodes = Arc::new(vec![node_group("node", n_nodes, gpus)]);
    }
    (has_scenario || !scenario.queues.is_empty() || !scenario.pools.is_empty()).then_some(scenario)
}

fn add_pools(pools: &[LocatedValue<'_>], gpus: u32, scenario: &mut Scenario, report: &mut Report) {
    if pools.is_empty() {
        return;
    }
    let mut entries = (*scenario.pools).clone();
    let mut nodes: Vec<NodeEntry> = Vec::new();
    for place in pools.iter().take(POOLS_MAX) {
        let Some(name) = place.scalar(&["name"]) else { continue };
        let mut settings = std::collections::BTreeMap::new();
        for (key, setting) in [("gpu", "gpu-placement"), ("cpu", "cpu-placement")] {
            if let Some(way) = place.scalar(&["placementStrategy", key]) {
                settings.insert(setting.to_string(), Scalar(way.to_ascii_lowercase()));
            }
        }
        if place.scalar(&["overProvisioningRatio"]).is_some_and(|ratio| ratio != "1") {
            report.ignore(format!("{}: overProvisioningRatio of {name}", place.line()));
        }
        match entries.iter_mut().find(|pool| pool.name == name) {
            Some(pool) => pool.settings.extend(settings),
            None => entries.push(PoolEntry { name: name.to_string(), settings, ..PoolEntry::default() }),
        }
        let named = place.scalars(&["status", "nodes"]);
        let in_pool = |pool: &str| NodeEntry { pool: Some(name.to_string()), ..node(pool, gpus) };
        nodes.extend(named.into_iter().map(in_pool));
    }
    report.understand(format!("{} with placement strategies", counted(pools.len() as u64, "node pool")));
    report.limit(nodes.len() as u64, NODES_MAX, "nodes");
    if nodes.len() as u64 > NODES_MAX {
        return;
    }
    // A single pool is the whole cluster.
    if let [only] = entries.as_mut_slice() {
        scenario.settings.append(&mut only.settings);
        nodes.iter_mut().for_each(|node| node.pool = None);
        entries.clear();
    }
    if !nodes.is_empty() {
        let assumed = report.assumed_nodes.take();
        report.assumed.retain(|line| Some(line) != assumed.as_ref());
        let n = counted(nodes.len() as u64, "node");
        report.assume_nodes(format!("{n} named by node pools, with {gpus} GPUs each: no answer says sizes"));
        scenario.nodes = Arc::new(nodes);
    }
    scenario.pools = Arc::new(entries);
}

/// Fields of a workload that tell its state, or decide nothing about where and when it runs.
const WORKLOAD: &str = "allocatedResources arguments category childrenIds clusterId clusterName command conditions currentNodePool \
     currentNodePools datasources departmentId departmentName environment environmentVariables environments id images k8sPhase \
     k8sPhaseUpdatedAt namespace phaseMessage phaseUpdatedAt ports priorityClassName projectId runningPods source tenantId type updatedAt \
     urls";

/// Fields of a node pool that decide nothing.
const POOL: &str = "clusterId createdAt createdBy id isDefault labelKey labelValue phase phaseMessage status updatedAt";

/// Reports the fields that were not read.
fn unused(what: &str, places: &[LocatedValue<'_>], known_fields: &str, report: &mut Report) {
    let is_known = |keys: &[&str], _: &LocatedValue<'_>| match keys {
        [key] => known_fields.split_whitespace().any(|known_fields| known_fields == *key),
        [.., "limit"] => true,
        [part, "gpuRequestType"] => part.ends_with("RequestedResources"),
        _ => false,
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for place in places {
        for (key, value) in place.entries(&[]) {
            value.unread(&mut vec![key], &is_known, &mut |keys| *counts.entry(keys.join(".")).or_default() += 1);
        }
    }
    let line = |(field, n)| format!("{field} of {what}, in {}", counted(n, "place"));
    report.ignored.extend(counts.into_iter().map(line));
}

/// Whether a workload is neither over nor deleted.
fn is_live(place: &LocatedValue<'_>) -> bool {
    !OVER.contains(&place.scalar(&["phase"]).unwrap_or_default()) && place.get("deletedAt").is_none()
}

/// Phases of finished workloads.
const OVER: [&str; 5] = ["Completed", "Failed", "Stopped", "Deleted", "Deleting"];

fn add_jobs(workloads: &[LocatedValue<'_>], scenario: &mut Scenario, report: &mut Report) {
    let times = |place: &LocatedValue<'_>| {
        ["createdAt", "phaseUpdatedAt"].iter().filter_map(|key| date(place.scalar(&[*key])?)).max()
    };
    let now = workloads.iter().filter_map(times).max().unwrap_or(0);
    let (mut n_over, mut n_running, mut n_pods) = (0, 0, 0);
    let mut jobs: Vec<JobEntry> = (*scenario.jobs).clone();
    let mut names: BTreeSet<String> = scenario.queues.iter().map(|queue| queue.name.clone()).collect();
    let mut missing = Vec::new();
    let pools: BTreeSet<&str> = scenario.pools.iter().map(|pool| pool.name.as_str()).collect();
    for place in workloads {
        if !is_live(place) {
            n_over += 1;
            continue;
        }
        n_running += u64::from(place.scalar(&["phase"]) == Some("Running"));
        let mut job = job(place, now, report);
        job.pools.retain(|pool| pools.contains(pool.as_str()));
        n_pods += job.pods.as_ref().and_then(|n| n.0.parse::<u64>().ok()).unwrap_or(1);
        if names.insert(job.queue.clone()) {
            missing.push(job.queue.clone());
        }
        jobs.push(job);
    }
    if n_pods > PODS_MAX {
        let message = format!("the workloads have {n_pods} pods; up to {PODS_MAX} are simulated");
        report.diagnostics.push(finding(codes::TOO_MANY, Path::default(), message));
        return;
    }
    if workloads.is_empty() {
        return;
    }
    report.assumed.retain(|line| !line.starts_with("no jobs"));
    report.understand(counted(jobs.len() as u64, "workload"));
    if n_over > 0 {
        report.ignore(format!("{}: over or deleted", counted(n_over, "workload")));
    }
    if n_running > 0 {
        let running = counted(n_running, "running workload");
        report.assume(format!("{running}: placed again, because the list does not say on which nodes they run"));
    }
    if !missing.is_empty() {
        report.assume(format!("projects that only workloads name, without limits: {}", missing.join(", ")));
        let mut queues = (*scenario.queues).clone();
        queues.extend(missing.iter().map(|name| without_limit(name)));
        scenario.queues = Arc::new(queues);
    }
    report.assume("no durations: jobs run to the end");
    scenario.jobs = Arc::new(jobs);
}

/// Returns the requests of other resources for each pod.
fn extended(
    (of_pod, whole): (&Option<LocatedValue<'_>>, &Option<LocatedValue<'_>>),
    pods: u64,
) -> BTreeMap<String, Scalar> {
    let mut resources = BTreeMap::new();
    for (source, n_pods) in [(whole, i64::try_from(pods).unwrap_or(1)), (of_pod, 1)] {
        for extended in source.iter().flat_map(|source| source.items(&["extendedResources"])) {
            let quantity = extended.whole::<i64>(&["quantity"]).map(|total| total / n_pods);
            if let (Some(name), Some(n)) = (extended.scalar(&["resource"]), quantity.filter(|n| *n > 0)) {
                resources.insert(name.to_string(), Scalar(n.to_string()));
            }
        }
    }
    resources
}

fn job<'a>(place: &LocatedValue<'a>, now: i64, report: &mut Report) -> JobEntry {
    let name = place.scalar(&["name"]).unwrap_or_default().to_string();
    let pods = [&["requestedPods", "number"][..], &["requestedPods"], &["runningPods"]];
    let pods = pods.iter().find_map(|keys| place.whole::<u64>(keys));
    let pods = pods.filter(|n| *n > 0).unwrap_or(1);
    let (of_pod, whole) = (place.get("podsRequestedResources"), place.get("workloadRequestedResources"));
    // Each request is that of a pod, or else the share of a pod in that of all.
    let text = |keys: &[&str]| {
        let text_of = |place: &Option<LocatedValue<'a>>| place.as_ref().and_then(|place| place.scalar(keys));
        let (of_one, of_all) = (text_of(&of_pod), text_of(&whole));
        of_one.map(|text| (text, true)).or(of_all.map(|text| (text, false)))
    };
    let mut ignore = |what: &str, text: &str| {
        report.ignore(format!("{}: {what} {text} of {name}", place.line()));
    };
    let share = |total: i64, is_each: bool| if is_each { total } else { total / i64::try_from(pods).unwrap_or(1) };
    let number = |(text, is_each): (&'a str, bool), resource: Resource| {
        let total = quantity::amount(text, resource, 1).ok().map(|total| total.in_base_units());
        (text, total.map(|total| share(total, is_each)))
    };
    let gpu = text(&["gpu", "request"]).map(|typed| number(typed, Resource::GPU));
    let cpu = text(&["cpu", "request"]).map(|typed| number(typed, Resource::CPU));
    let bytes =
        |(text, is_each): (&'a str, bool)| (text, amount(text, Resource::MEMORY).map(|total| share(total, is_each)));
    let memory = text(&["cpuMemory", "request"]).map(bytes);
    let resources = extended((&of_pod, &whole), pods);
    let mut written = |what: &str, request: Option<(&str, Option<i64>)>, resource: Resource| match request? {
        (_, Some(0)) => None,
        (_, Some(n)) => Some(Scalar(quantity::print_amount(Amount::base_units(n), resource))),
        (text, None) => {
            ignore(what, text);
            None
        }
    };
    let gpu_memory = text(&["gpuMemory", "request"]).filter(|_| gpu.is_none()).map(bytes);
    let gpu_memory = gpu_memory.and_then(|(_, bytes)| bytes).filter(|bytes| *bytes > 0);
    let submitted = place.scalar(&["createdAt"]).and_then(date).map(|ms| (ms - now).min(0) / 1000);
    let is_distributed = place.scalar(&["type"]).is_some_and(|kind| kind.contains("Distributed"));
    JobEntry {
        queue: place.scalar(&["projectName"]).unwrap_or("default").to_string(),
        submit: submitted.filter(|n| *n < 0).map(|n| Scalar(format!("{n}s"))),
        priority: place.whole::<i64>(&["priority"]).and_then(typed),
        preemptible: match place.scalar(&["preemptibility"]) {
            Some("preemptible") => Some("true".into()),
            Some("non-preemptible") => Some("false".into()),
            _ => None,
        },
        user: place.scalar(&["submittedBy"]).map(str::to_string),
        pods: typed(pods),
        min_available: typed(if is_distributed { pods } else { 1 }),
        gpu: written("gpu", gpu, Resource::GPU),
        cpu: written("cpu", cpu, Resource::CPU),
        memory: written("memory", memory, Resource::MEMORY),
        // In MiB, like the annotation of a pod.
        gpu_memory: gpu_memory.map(|bytes| Scalar(print_decimal((bytes >> 20).max(1) * 1000, 3))),
        pools: place.scalars(&["requestedNodePools"]).into_iter().map(str::to_string).collect(),
        resources,
        name,
        ..JobEntry::default()
    }
}
