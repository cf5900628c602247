//! Imports responses of YuniKorn's REST API (queues, applications, nodes, full state dump) as a scenario of the current
//! state.
//!
//! # Rule
//! Queues become a configuration, which is read like `queues.yaml`. Asks are pending, allocations run on their nodes;
//! equal ones of an application form one job. The current time is that of the dump, or the latest time in the
//! responses.
//!
//! # Source
//! Apache YuniKorn, `docs/api/scheduler.md`; yunikorn-core, `pkg/webservice/dao`
//!
//! # Differs
//! No response contains run times: jobs run until the end. Placeholders count as pods of their gang.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use super::amounts::{Amounts, GPUS};
use super::options::Options;
use super::queues_yaml::import_queues_yaml;
use super::reader::{LocatedValue, Reader};
use super::{Imported, NODES, Report, Source, counted, node_group, trees, typed, without_limit};
use crate::policy::yunikorn::DESCRIPTION;
use crate::scenario::{
    Diagnostic, JobEntry, NODES_MAX, NodeEntry, PODS_MAX, Path, QUEUES_MAX, QueueEntry, Scalar, Scenario, Severity,
};

/// Maximum depth of the queue tree.
const LEVELS_MAX: usize = 16;

/// Whether a text is a response of the REST API.
pub fn is_state(text: &str) -> bool {
    let contains = |key: &str| text.contains(key);
    text.starts_with(['{', '['])
        && [
            ["\"queuename\"", "\"isLeaf\""],
            ["\"nodeID\"", "\"capacity\""],
            ["\"applicationID\"", "\"queueName\""],
            ["\"clusterId\"", "\"nodeSortingPolicy\""],
        ]
        .iter()
        .any(|keys| keys.iter().all(|key| contains(key)))
}

/// Objects in the responses.
#[derive(Default)]
struct RestObjects<'a> {
    partitions: Vec<LocatedValue<'a>>,
    queues: Vec<LocatedValue<'a>>,
    applications: Vec<LocatedValue<'a>>,
    nodes: Vec<LocatedValue<'a>>,
    /// Unread keys of a dump.
    others: Vec<String>,
    dumped_ns: Option<i64>,
}

impl<'a> RestObjects<'a> {
    fn collect(&mut self, place: &LocatedValue<'a>) {
        place.items(&[]).iter().for_each(|item| self.collect(item));
        let has = |key| place.get(key).is_some();
        // First, because applications also have a `queueName` and keys are case-insensitive.
        if has("applicationID") {
            self.applications.push(place.clone());
        } else if has("queuename") {
            self.queues.push(place.clone());
        } else if has("nodeID") {
            self.nodes.push(place.clone());
        } else if has("nodeSortingPolicy") {
            self.partitions.push(place.clone());
        } else {
            self.dumped_ns = place.parsed(&["timestamp"]).or(self.dumped_ns);
            for (key, value) in place.entries(&[]) {
                match key {
                    "applications" | "nodes" | "queues" | "partitions" | "nodesInfo" => self.collect(&value),
                    "timestamp" | "partitionName" => {}
                    _ => self.others.push(format!("{}: {key}", value.line())),
                }
            }
        }
    }
}

/// Imports responses of the REST API.
pub fn import_state(sources: &[Source<'_>], options: &Options) -> Imported {
    let mut report = Report::default();
    let roots = trees(sources, &mut report);
    let mut state = RestObjects::default();
    let reader = Reader::default();
    roots.iter().for_each(|(file, root)| state.collect(&reader.root(file, root)));
    report.limit(state.nodes.len() as u64, NODES_MAX, "nodes");
    if !report.diagnostics.is_empty() {
        return Imported { scenario: None, report };
    }
    report.ignored.append(&mut state.others);
    let mut scenario = queues(&state, options, &mut report);
    if let Some(scenario) = &mut scenario {
        let mut nodes = nodes(&state, &mut report);
        if nodes.is_empty() {
            let (n, gpus) = options.nodes.unwrap_or(NODES);
            report.assume_nodes(format!("{n} nodes with {gpus} GPUs each: no answer lists nodes"));
            nodes.push(node_group("node", n, gpus));
        }
        scenario.nodes = Arc::new(nodes);
        let jobs = jobs(&state, scenario, &mut report);
        scenario.jobs = Arc::new(jobs);
    }
    let is_clean = report.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    Imported { scenario: scenario.filter(|_| is_clean), report }
}

/// Imports the queues through an equivalent configuration.
fn queues(state: &RestObjects<'_>, options: &Options, report: &mut Report) -> Option<Scenario> {
    if state.queues.is_empty() {
        return Some(Scenario { name: options.name.clone(), policy: DESCRIPTION.key.into(), ..Scenario::default() });
    }
    let mut text = "partitions:\n".to_string();
    for root in &state.queues {
        let name = root.scalar(&["partition"]).unwrap_or("default");
        let name = name.rsplit(']').next().unwrap_or(name);
        let _ = writeln!(text, "- name: {}", yaml(if name.is_empty() { "default" } else { name }));
        let is_named = |place: &&LocatedValue<'_>| place.scalar(&["name"]).is_some_and(|full| full.ends_with(name));
        if let Some(partition) = state.partitions.iter().find(is_named) {
            write_partition(&mut text, partition);
        }
        text += "  queues:\n";
        write_queue(&mut text, root, 1, report);
    }
    let imported = import_queues_yaml(&text, options);
    let (n, assumed) = (state.queues.len(), imported.report.assumed_nodes);
    report.assumed.extend(imported.report.assumed.into_iter().filter(|line| Some(line) != assumed.as_ref()));
    report.understood.extend(imported.report.understood);
    // Positions in the generated configuration do not exist in the responses.
    let without_position =
        |diagnostic: Diagnostic| Diagnostic { position: None, at: Path::default(), fix: None, ..diagnostic };
    report.diagnostics.extend(imported.report.diagnostics.into_iter().map(without_position));
    report.has_queues = true;
    let trees = counted(n as u64, "tree");
    report.assume(format!("properties of {trees} of queues are the effective ones, with what is inherited"));
    imported.scenario
}

/// Returns a text as a double-quoted YAML string.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_partition(text: &mut String, partition: &LocatedValue<'_>) {
    if let Some(kind) = partition.scalar(&["nodeSortingPolicy", "type"]) {
        let _ = writeln!(text, "  nodesortpolicy:\n    type: {}", yaml(kind));
    }
    let enabled = partition.scalar(&["preemptionEnabled"]).unwrap_or("true");
    let quota = partition.scalar(&["quotaPreemptionEnabled"]).unwrap_or("false");
    let _ = writeln!(text, "  preemption:\n    enabled: {enabled}\n    quotapreemptionenabled: {quota}");
}

fn write_queue(text: &mut String, queue: &LocatedValue<'_>, level: usize, report: &mut Report) {
    if level > LEVELS_MAX {
        report.diagnostics.push(queue.error(format!("queues are nested more than {LEVELS_MAX} levels deep")));
        return;
    }
    let indent = " ".repeat(level * 4);
    let path = queue.scalar(&["queuename"]).unwrap_or_default();
    let name = path.rsplit('.').next().unwrap_or(path);
    let _ = writeln!(text, "{indent}- name: {}", yaml(name));
    let is_root = level == 1;
    if is_root {
        let _ = writeln!(text, "{indent}  submitacl: \"*\"");
    }
    if queue.scalar(&["isLeaf"]) == Some("false") && !is_root {
        let _ = writeln!(text, "{indent}  parent: true");
    }
    let apps_max = queue.parsed::<u64>(&["maxRunningApps"]).filter(|n| *n > 0);
    if let Some(apps_max) = apps_max {
        let _ = writeln!(text, "{indent}  maxapplications: {apps_max}");
    }
    let properties = queue.entries(&["properties"]);
    if !properties.is_empty() {
        let _ = writeln!(text, "{indent}  properties:");
    }
    for (key, value) in properties {
        let _ = writeln!(text, "{indent}    {}: {}", yaml(key), yaml(value.scalar(&[]).unwrap_or_default()));
    }
    let amounts = [("guaranteed", "guaranteedResource"), ("max", "maxResource")]
        .map(|(key, field)| (key, queue.entries(&[field])));
    // The resources of the root are the capacity of the nodes.
    if !is_root && amounts.iter().any(|(_, entries)| !entries.is_empty()) {
        let _ = writeln!(text, "{indent}  resources:");
        for (key, entries) in amounts.iter().filter(|(_, entries)| !entries.is_empty()) {
            let _ = writeln!(text, "{indent}    {key}:");
            for (resource, n) in entries {
                let unit = if *resource == "vcore" { "m" } else { "" };
                let n = n.scalar(&[]).unwrap_or("0");
                let _ = writeln!(text, "{indent}      {}: {}", yaml(resource), yaml(&format!("{n}{unit}")));
            }
        }
    }
    if let Some(status) = queue.scalar(&["status"]).filter(|status| *status != "Active") {
        report.ignore(format!("{}: {path} is {status}: it counts as active", queue.line()));
    }
    if queue.scalar(&["isManaged"]) == Some("false") {
        report.assume(format!("{}: {path} was made by placement; it stays", queue.line()));
    }
    let children = queue.items(&["children"]);
    if !children.is_empty() {
        let _ = writeln!(text, "{indent}  queues:");
        children.iter().for_each(|child| write_queue(text, child, level + 1, report));
    }
}

/// Returns the queue names of a YuniKorn scenario by queue path; empty for other policies.
pub fn names_by_path(scenario: &Scenario) -> BTreeMap<String, String> {
    if scenario.policy != DESCRIPTION.key {
        return BTreeMap::new();
    }
    let queues = &scenario.queues;
    let parents: BTreeMap<&str, Option<&str>> =
        queues.iter().map(|queue| (queue.name.as_str(), queue.parent.as_deref())).collect();
    let leaf = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
    let path = |name: &str| {
        let mut parts = vec![leaf(name)];
        let mut current = name;
        while let Some(Some(parent)) = parents.get(current)
            && parts.len() < LEVELS_MAX
        {
            parts.push(leaf(parent));
            current = parent;
        }
        parts.push("root".into());
        parts.reverse();
        parts.join(".")
    };
    queues.iter().map(|queue| (path(&queue.name), queue.name.clone())).collect()
}

/// Reads amounts in YuniKorn's units: millicores, bytes and whole devices.
fn amounts(place: Option<LocatedValue<'_>>) -> Amounts {
    let mut read = Amounts::default();
    for (key, value) in place.map(|place| place.entries(&[])).unwrap_or_default() {
        let n = value.scalar(&[]).and_then(|n| n.parse::<i64>().ok()).unwrap_or(0).max(0);
        match key {
            "vcore" => read.cpu = n,
            "memory" => read.memory = n,
            _ if GPUS.contains(&key) => read.gpu = read.gpu.saturating_add(n.saturating_mul(1000)),
            _ if key.contains('/') => *read.others.entry(key.to_string()).or_default() = n,
            _ => {}
        }
    }
    read
}

fn nodes(state: &RestObjects<'_>, report: &mut Report) -> Vec<NodeEntry> {
    let mut n_occupied = 0;
    let mut node = |place: &LocatedValue<'_>| {
        let mut free = amounts(place.get("capacity"));
        let occupied = amounts(place.get("occupied"));
        n_occupied += u64::from(occupied != Amounts::default());
        free.less(&occupied);
        let slots = place.scalar(&["capacity", "pods"]).map(Scalar::from);
        let ([gpu, cpu, memory], resources) = free.written();
        let is_off = place.scalar(&["schedulable"]) == Some("false");
        NodeEntry {
            name: place.scalar(&["nodeID"]).unwrap_or_default().to_string(),
            gpu,
            cpu: cpu.or_else(|| Some("0".into())),
            memory: memory.or_else(|| Some("0".into())),
            pods: slots,
            resources,
            state: is_off.then(|| "cordoned".into()),
            ..NodeEntry::default()
        }
    };
    let nodes: Vec<NodeEntry> = state.nodes.iter().map(&mut node).collect();
    if !nodes.is_empty() {
        report.understand(counted(nodes.len() as u64, "node"));
    }
    if n_occupied > 0 {
        let nodes = counted(n_occupied, "node");
        report.assume(format!("what pods of other schedulers occupy is taken off {nodes}"));
    }
    nodes
}

/// Equivalence class of the asks and allocations of an application.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct BatchKey {
    task_group: String,
    priority: i64,
    written: Vec<(String, i64)>,
}

/// Equivalent asks and allocations.
#[derive(Default)]
struct Batch {
    amounts: Amounts,
    n_waiting: u64,
    on: Vec<String>,
    submit_ns: Option<i64>,
    started_ns: Option<i64>,
    is_gang: bool,
}

/// States of finished applications.
const OVER: [&str; 5] = ["Completed", "Failed", "Rejected", "Expired", "Failing"];

fn jobs(state: &RestObjects<'_>, scenario: &mut Scenario, report: &mut Report) -> Vec<JobEntry> {
    let names = names_by_path(scenario);
    let latest = state.applications.iter().flat_map(|place| {
        let times = |list: &str, key: &str| {
            place.items(&[list]).iter().filter_map(|item| item.parsed(&[key])).collect::<Vec<_>>()
        };
        [
            times("allocations", "allocationTime"),
            times("requests", "requestTime"),
            vec![place.parsed(&["submissionTime"]).unwrap_or(0)],
        ]
        .concat()
    });
    let now = state.dumped_ns.or(latest.max()).unwrap_or(0);
    if now > 0 {
        let source = if state.dumped_ns.is_some() { "the time of the dump" } else { "the latest time in the text" };
        report.assume(format!("now is {} s since 1970, {source}", now / 1_000_000_000));
    }
    let mut jobs = Vec::new();
    let (mut n_over, mut n_pods) = (0, 0);
    let mut missing: Vec<QueueEntry> = Vec::new();
    for application in &state.applications {
        if OVER.contains(&application.scalar(&["applicationState"]).unwrap_or_default()) {
            n_over += 1;
            continue;
        }
        let path = application.scalar(&["queueName"]).unwrap_or_default();
        let queue = names.get(path).or_else(|| names.get(&path.to_lowercase())).cloned();
        let queue = queue.unwrap_or_else(|| path.trim_start_matches("root.").to_string());
        if !names.values().chain(missing.iter().map(|queue| &queue.name)).any(|name| *name == queue) {
            missing.push(without_limit(&queue));
        }
        let id = application.scalar(&["applicationID"]).unwrap_or_default();
        for (i, (key, batch)) in batches(application).into_iter().enumerate() {
            n_pods += batch.n_waiting + batch.on.len() as u64;
            jobs.push(JobEntry {
                name: if i == 0 { id.to_string() } else { format!("{id}-{}", i + 1) },
                user: application.scalar(&["user"]).map(str::to_string),
                queue: queue.clone(),
                ..batch.job(&key, application, now)
            });
        }
        if n_pods > PODS_MAX {
            report.limit(n_pods, PODS_MAX, "pods");
            return Vec::new();
        }
    }
    if n_over > 0 {
        report.ignore(format!("{}: completed, failed or rejected", counted(n_over, "application")));
    }
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|queue| queue.name.as_str()).collect();
        report.assume(format!("queues that only applications name, at the top: {}", names.join(", ")));
        let mut queues = (*scenario.queues).clone();
        queues.extend(missing);
        report.limit(queues.len() as u64, QUEUES_MAX, "queues");
        scenario.queues = Arc::new(queues);
    }
    if !jobs.is_empty() {
        let (jobs, pods) = (counted(jobs.len() as u64, "job"), counted(n_pods, "pod"));
        report.understand(format!("{jobs} with {pods}, from applications with asks and allocations"));
        report.assume("no durations: jobs run to the end");
    }
    jobs
}

/// Returns the asks and allocations of an application by equivalence class, running ones first.
fn batches(application: &LocatedValue<'_>) -> Vec<(BatchKey, Batch)> {
    let mut all: BTreeMap<BatchKey, Batch> = BTreeMap::new();
    for list in ["allocations", "requests"] {
        for item in application.items(&[list]) {
            let key = if list == "allocations" { "resourcePerAlloc" } else { "resource" };
            let requested = amounts(item.get("resource").or_else(|| item.get(key)));
            let written = [("cpu", requested.cpu), ("memory", requested.memory), ("gpu", requested.gpu)];
            let others = requested.others.iter().map(|(name, n)| (name.clone(), *n));
            let key = BatchKey {
                task_group: item.scalar(&["taskGroupName"]).unwrap_or_default().to_string(),
                priority: item.parsed(&["priority"]).unwrap_or(0),
                written: written.map(|(name, n)| (name.to_string(), n)).into_iter().chain(others).collect(),
            };
            let batch = all.entry(key).or_default();
            batch.amounts = requested;
            batch.is_gang |= item.scalar(&["placeholder"]) == Some("true");
            let time = item.parsed(&["requestTime"]);
            batch.submit_ns = [batch.submit_ns, time].into_iter().flatten().min();
            if list == "allocations" {
                batch.on.push(item.scalar(&["nodeId"]).unwrap_or_default().to_string());
                let time = item.parsed(&["allocationTime"]);
                batch.started_ns = [batch.started_ns, time].into_iter().flatten().min();
            } else {
                batch.n_waiting += 1;
            }
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, batch)| batch.on.is_empty());
    all
}

impl Batch {
    fn job(self, key: &BatchKey, application: &LocatedValue<'_>, now: i64) -> JobEntry {
        let since = |ns: Option<i64>| {
            let seconds = ns.map(|ns| (ns - now).min(0) / 1_000_000_000)?;
            Some(Scalar(format!("{seconds}s")))
        };
        let submit = application.parsed(&["submissionTime"]).or(self.submit_ns).filter(|ns| *ns < now);
        let ([gpu, cpu, memory], resources) = self.amounts.written();
        let n = self.n_waiting + self.on.len() as u64;
        let least = if self.is_gang { n } else { 1 };
        JobEntry {
            submit: since(submit),
            priority: typed(key.priority).filter(|_| key.priority != 0),
            pods: typed(n),
            min_available: typed(least),
            gpu,
            cpu,
            memory,
            resources,
            started: since(self.started_ns).filter(|_| !self.on.is_empty()),
            on: self.on,
            note: match key.task_group.as_str() {
                "" => String::new(),
                name => format!("task group {name}"),
            },
            gang: (self.is_gang && self.n_waiting > 0).then(|| "soft".into()),
            ..JobEntry::default()
        }
    }
}
