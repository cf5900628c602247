//! Imports projects and departments listed by Run:ai's API as a scenario with the organisation tree, without jobs.
//!
//! # Rule
//! `{"departments": [...], "projects": [...]}`, of which either may be missing; a bare list contains projects. An entry
//! has `name`, `id`, `parent.id` or `parentId` or `departmentId`, and `resources`, a list with one entry per node pool:
//! `{nodePool: {name}, gpu: {deserved, limit, overQuotaWeight}, cpu: {...}, memory: {...}, rank}`, CPU in millicores,
//! memory in MiB. Older versions use `nodePoolsResources` and `maxAllowed`, or have a single pool: `deservedGpus`,
//! `maxAllowedGpus`, `gpuOverQuotaWeight`. Missing or negative limits are unlimited.
//!
//! # Source
//! NVIDIA Run:ai, REST API reference, organizations: projects and departments
//!
//! # Differs
//! In a node pool that an entry does not list, its GPU quota is 0, the value that Run:ai sets in a new pool.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::Options;
use super::reader::{LocatedValue, Reader};
use super::{Imported, NODES, Report, counted, decimal, node_group, runai_workloads, typed};
use crate::policy::runai;
use crate::scenario::value::{Is, Limit, Value, parse};
use crate::scenario::{
    NODE_GPUS_MAX, NODES_MAX, NodeEntry, POOLS_MAX, PoolEntry, QUEUES_MAX, QueueEntry, QueuePoolEntry, ResourceEntry,
    Scalar, Scenario,
};

/// Maximum number of entries.
const LISTS: [Limit; 2] = [
    Limit { key: "projects", anywhere: false, most: QUEUES_MAX as usize },
    Limit { key: "departments", anywhere: false, most: QUEUES_MAX as usize },
];

/// Ranks in ascending order; the default is *MediumLow*.
const RANKS: [&str; 7] = ["VeryLow", "Low", "MediumLow", "Medium", "MediumHigh", "High", "VeryHigh"];
const RANK_UNSAID: usize = 2;

/// Default weight, *medium*, and default rank, *MediumLow*.
const USUAL: &str = "2";

/// Whether a text lists projects or departments: by keys near its beginning, or as a bare list of entries with a quota.
pub fn is_organisation(text: &str) -> bool {
    if text.trim_start().starts_with('[') {
        return text.contains("\"deservedGpus\"") || (text.contains("\"deserved\"") && text.contains("\"gpu\""));
    }
    if runai_workloads::is_listed(text) {
        return true;
    }
    let lists = ["\"projects\"", "\"departments\""].iter().any(|key| text.contains(key));
    lists && text.trim_start().starts_with('{') && text.contains("\"deserved")
}

/// Imports projects and departments, from one text or from one each. They contain neither nodes nor jobs: nodes are
/// assumed, jobs are left to the user.
pub fn import_organisation(texts: &[&str], options: &Options) -> Imported {
    let mut report = Report::default();
    let mut roots = Vec::new();
    for text in texts {
        let root = report.keep(parse(text, &LISTS));
        roots.extend(root.map(|root| listed(root, &mut report)));
    }
    if !report.diagnostics.is_empty() {
        return Imported { scenario: None, report };
    }
    let reader = Reader::default();
    let roots: Vec<LocatedValue<'_>> = roots.iter().map(|root| reader.root("", root)).collect();
    let list = |key: &str| -> Vec<LocatedValue<'_>> {
        roots.iter().flat_map(|root| root.list(key, QUEUES_MAX as usize)).collect()
    };
    let (departments, projects) = (list("departments"), list("projects"));
    let mut pools = all_pools(departments.iter().chain(&projects));
    report.ignored.extend(pools.iter().skip(POOLS_MAX).map(|pool| format!("the node pool {pool}")));
    pools.truncate(POOLS_MAX);
    let mut organisation = Organisation { units: Vec::new(), names: BTreeMap::new(), pools };
    for place in &departments {
        let unit = organisation.unit(place, &mut report);
        organisation.add(unit);
    }
    organisation.add_departments(&projects, &mut report);
    for place in &projects {
        let mut unit = organisation.unit(place, &mut report);
        unit.queue.parent = organisation.parent(place);
        organisation.add(unit);
    }
    organisation.fill_ranks();
    report.ignored.extend(unread(&roots, &[departments, projects].concat()));
    report.diagnostics = reader.errors();
    report.bound();
    let queues = organisation.units;
    report.limit(queues.len() as u64, QUEUES_MAX, "departments and projects");
    let is_listed = !queues.is_empty();
    let is_ok = report.diagnostics.is_empty();
    let scenario = (is_ok && is_listed).then(|| finish(queues, &organisation.pools, options, &mut report));
    let scenario =
        runai_workloads::add((&roots, &reader), scenario.flatten(), options.nodes.unwrap_or(NODES), &mut report);
    if !is_listed && scenario.is_none() {
        report.ignore("the text: it lists no projects, departments, workloads or node pools");
    }
    let is_ok = report.diagnostics.is_empty();
    Imported { scenario: scenario.filter(|_| is_ok), report }
}

/// Wraps a bare list into a map with the key `projects`.
fn listed(root: Value, report: &mut Report) -> Value {
    let Is::List(_) = root.is else { return root };
    report.assume("the list is one of projects");
    Value { at: root.at, is: Is::Map(vec![("projects".into(), root)]) }
}

/// Lists that are read.
const LISTED: [&str; 4] = ["projects", "departments", "workloads", "nodepools"];

/// Returns the unread fields, each with the number of its occurrences.
fn unread(roots: &[LocatedValue<'_>], units: &[LocatedValue<'_>]) -> Vec<String> {
    let mut fields: BTreeMap<String, u32> = BTreeMap::new();
    for (key, value) in units.iter().flat_map(|unit| unit.entries(&[])) {
        value.unread(&mut vec![key], &is_known, &mut |keys| *fields.entry(keys.join(".")).or_default() += 1);
    }
    let line = |(field, n): (String, u32)| match n {
        1 => format!("{field}, in one place"),
        n => format!("{field}, in {n} places"),
    };
    let fields = fields.into_iter().take(super::LINES_MAX + 1).map(line);
    let beside = roots.iter().flat_map(|root| root.entries(&[])).map(|(key, _)| key.to_owned());
    fields.chain(beside.filter(|key| !LISTED.contains(&key.as_str()))).collect()
}

/// Fields that need not be read: the department of a department, and other ways to say what is read.
fn is_known(keys: &[&str], _: &LocatedValue<'_>) -> bool {
    const UNIT: [&str; 8] = [
        "id",
        "parentId",
        "parentName",
        "departmentId",
        "departmentName",
        "deservedGpus",
        "maxAllowedGpus",
        "gpuOverQuotaWeight",
    ];
    match keys {
        [key] => UNIT.contains(key),
        ["parent", key] | ["resources", "nodePool", key] => ["id", "name"].contains(key),
        ["resources", "gpu" | "cpu" | "memory", key] => ["limit", "maxAllowed"].contains(key),
        _ => false,
    }
}

/// A department or project.
struct Unit {
    id: String,
    queue: QueueEntry,
    /// Quota in each pool, in GPUs.
    gpus: Vec<f64>,
}

struct Organisation {
    units: Vec<Unit>,
    /// Names of the units, each with the last number appended to it.
    names: BTreeMap<String, u32>,
    /// Names of all node pools; a single empty name if no entry names a pool.
    pools: Vec<String>,
}

/// Values of a queue in one pool.
#[derive(Default)]
struct Terms {
    priority: Option<Scalar>,
    gpu: ResourceEntry,
    cpu: ResourceEntry,
    memory: ResourceEntry,
    gpus: f64,
}

/// Returns the names of all pools. *default* comes first, because workloads without a pool use it.
fn all_pools<'a>(units: impl Iterator<Item = &'a LocatedValue<'a>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for unit in units {
        for pool in pools(unit) {
            let name = pool_name(&pool);
            if names.insert(name.clone()) {
                all.push(name);
            }
        }
    }
    if all.len() > 1 {
        all.retain(|name| !name.is_empty());
    }
    if let Some(position) = all.iter().position(|name| name == "default") {
        all[..=position].rotate_right(1);
    }
    if all.is_empty() {
        all.push(String::new());
    }
    all
}

/// Reads the first number that exists.
fn first(keys: &[(Option<&LocatedValue<'_>>, &str)]) -> Option<f64> {
    let mut places = keys.iter().filter_map(|(place, key)| Some(((*place)?, key)));
    places.find(|(place, key)| place.get(key).is_some()).map(|(place, key)| place.number(key, 0.0))
}

/// Returns the entries for node pools.
fn pools<'a>(unit: &LocatedValue<'a>) -> Vec<LocatedValue<'a>> {
    let key = ["resources", "nodePoolsResources"].into_iter().find(|key| {
        // Older versions have a group of fields there, not a list.
        unit.get(key).is_some_and(|place| place.entries(&[]).is_empty())
    });
    key.map(|key| unit.list(key, 1000)).unwrap_or_default()
}

/// Returns id and name of a project's department; empty if unknown.
fn department(place: &LocatedValue<'_>) -> (String, String) {
    let parent = place.map("parent");
    let first = |keys: [(Option<&LocatedValue<'_>>, &str); 3]| {
        let mut places = keys.into_iter().filter_map(|(place, key)| Some((place?, key)));
        places.find(|(place, key)| place.get(key).is_some()).map(|(place, key)| place.text(key)).unwrap_or_default()
    };
    let project = Some(place);
    (
        first([(parent.as_ref(), "id"), (project, "parentId"), (project, "departmentId")]),
        first([(parent.as_ref(), "name"), (project, "parentName"), (project, "departmentName")]),
    )
}

fn pool_name(pool: &LocatedValue<'_>) -> String {
    pool.map("nodePool").map(|pool| pool.text("name")).unwrap_or_default()
}

/// Reads the values of a department or project in one pool. `pool` is the entry for the pool; `unit` is the project
/// itself, which holds the values in older versions.
fn terms(pool: Option<&LocatedValue<'_>>, unit: Option<&LocatedValue<'_>>, name: &str, report: &mut Report) -> Terms {
    let gpu = pool.and_then(|pool| pool.map("gpu"));
    let (gpu, unit) = (gpu.as_ref(), unit.filter(|_| gpu.is_none()));
    let deserved = first(&[(gpu, "deserved"), (unit, "deservedGpus")]).unwrap_or(0.0);
    let limit = first(&[(gpu, "limit"), (gpu, "maxAllowed"), (unit, "maxAllowedGpus")]);
    let weight = first(&[(gpu, "overQuotaWeight"), (unit, "gpuOverQuotaWeight")]);
    let rank = pool.map(|pool| pool.text("rank")).filter(|rank| !rank.is_empty());
    let priority = rank.and_then(|rank| {
        let position = RANKS.iter().position(|name| name.eq_ignore_ascii_case(&rank));
        if position.is_none() {
            report.ignore(format!("rank {rank} of {name}"));
        }
        position
    });
    let bound = |n: f64| Scalar(if n < 0.0 { "unlimited".into() } else { decimal(n) });
    Terms {
        priority: priority.and_then(typed),
        gpu: ResourceEntry {
            quota: Some(bound(deserved)),
            limit: Some(bound(limit.unwrap_or(-1.0))),
            weight: weight.map(|w| Scalar(decimal(w.max(0.0)))),
            usage: None,
        },
        cpu: beside_gpus(pool, "cpu", "m"),
        memory: beside_gpus(pool, "memory", "Mi"),
        gpus: deserved.max(0.0),
    }
}

/// Reads the CPU or memory values of an entry, present only in clusters with such quotas; missing values are unlimited.
fn beside_gpus(pool: Option<&LocatedValue<'_>>, key: &str, unit: &str) -> ResourceEntry {
    let group = pool.and_then(|pool| pool.map(key));
    let group = group.as_ref();
    let bound = |n: f64| Scalar(if n < 0.0 { "unlimited".into() } else { format!("{}{unit}", n.round()) });
    ResourceEntry {
        quota: first(&[(group, "deserved")]).map(bound),
        limit: first(&[(group, "limit"), (group, "maxAllowed")]).map(bound),
        weight: first(&[(group, "overQuotaWeight")]).map(|w| Scalar(decimal(w.max(0.0)))),
        usage: None,
    }
}

/// Makes a missing value explicit for a further pool, which would otherwise inherit that of the first.
fn explicit(value: Option<Scalar>, first: &Option<Scalar>, default: &str) -> Option<Scalar> {
    value.or_else(|| first.as_ref().map(|_| default.into()))
}

/// Makes missing values explicit for a further pool.
fn in_further_pool(entry: ResourceEntry, first: &ResourceEntry) -> ResourceEntry {
    ResourceEntry {
        quota: explicit(entry.quota, &first.quota, "unlimited"),
        limit: explicit(entry.limit, &first.limit, "unlimited"),
        weight: explicit(entry.weight, &first.weight, USUAL),
        usage: None,
    }
}

impl Organisation {
    fn unit(&self, place: &LocatedValue<'_>, report: &mut Report) -> Unit {
        let name = place.text("name");
        let mut listed: BTreeMap<String, LocatedValue<'_>> = BTreeMap::new();
        for entry in pools(place) {
            listed.entry(pool_name(&entry)).or_insert(entry);
        }
        let old_entry = place.get("resources").filter(|place| !place.entries(&[]).is_empty());
        let mut queue = QueueEntry { name, ..QueueEntry::default() };
        let mut gpus = Vec::with_capacity(self.pools.len());
        for (i, pool) in self.pools.iter().enumerate() {
            let pool_entry = listed.get(pool).or(old_entry.as_ref().filter(|_| i == 0));
            let unit = Some(place).filter(|_| i == 0);
            let Terms { priority, gpu, cpu, memory, gpus: deserved } = terms(pool_entry, unit, &queue.name, report);
            gpus.push(deserved);
            if i == 0 {
                (queue.priority, queue.gpu, queue.cpu, queue.memory) = (priority, gpu, cpu, memory);
            } else {
                // Quota and limit of GPUs are never missing.
                queue.pools.push(QueuePoolEntry {
                    name: pool.clone(),
                    priority: explicit(priority, &queue.priority, USUAL),
                    gpu: in_further_pool(gpu, &queue.gpu),
                    cpu: in_further_pool(cpu, &queue.cpu),
                    memory: in_further_pool(memory, &queue.memory),
                    ..QueuePoolEntry::default()
                });
            }
        }
        Unit { id: place.text("id"), queue, gpus }
    }

    /// Adds the departments that only projects name, each with the sum of its projects' quotas: over-quota is shared
    /// among departments by quota, so a department with a smaller quota would get too little.
    fn add_departments(&mut self, projects: &[LocatedValue<'_>], report: &mut Report) {
        let mut missing: Vec<(String, String, Vec<f64>)> = Vec::new();
        for place in projects {
            let (id, name) = department(place);
            if name.is_empty() || self.named(&id, &name).is_some() {
                continue;
            }
            let gpus = self.unit(place, &mut Report::default()).gpus;
            match missing.iter_mut().find(|(_, listed, _)| *listed == name) {
                Some((_, _, sums)) => sums.iter_mut().zip(gpus).for_each(|(sum, gpus)| *sum += gpus),
                None => missing.push((id, name, gpus)),
            }
        }
        for (id, name, gpus) in missing {
            let promised = decimal(gpus.iter().sum());
            report.assume(format!(
                "department {name} has a quota of {promised} GPUs, the sum of its projects' quotas, because it is not listed"
            ));
            let terms = |gpus: f64| ResourceEntry {
                quota: Some(Scalar(decimal(gpus))),
                limit: Some(Scalar("unlimited".into())),
                ..ResourceEntry::default()
            };
            let mut queue = QueueEntry { name, gpu: terms(gpus[0]), ..QueueEntry::default() };
            for (pool, &gpus) in self.pools.iter().zip(&gpus).skip(1) {
                let gpu = terms(gpus);
                queue.pools.push(QueuePoolEntry { name: pool.clone(), gpu, ..QueuePoolEntry::default() });
            }
            self.add(Unit { id, queue, gpus });
        }
    }

    /// Returns the name of a project's department; `None` makes it a top-level project.
    fn parent(&self, place: &LocatedValue<'_>) -> Option<String> {
        let (id, name) = department(place);
        self.named(&id, &name)
    }

    /// Finds a department by id or else by name.
    fn named(&self, id: &str, name: &str) -> Option<String> {
        let tops = || self.units.iter().filter(|unit| unit.queue.parent.is_none());
        let by_id = tops().find(|unit| !id.is_empty() && unit.id == id);
        let department = by_id.or_else(|| tops().find(|unit| !name.is_empty() && unit.queue.name == name));
        department.map(|unit| unit.queue.name.clone())
    }

    /// Sets the API's default rank where it is missing, if any unit has a rank.
    fn fill_ranks(&mut self) {
        if self.units.iter().any(|unit| unit.queue.priority.is_some()) {
            for unit in &mut self.units {
                unit.queue.priority = unit.queue.priority.take().or(typed(RANK_UNSAID));
            }
        }
    }

    /// Adds a unit under a unique name: a duplicate is prefixed with its department's name, and numbered if that is
    /// also in use.
    fn add(&mut self, mut unit: Unit) {
        if self.names.contains_key(&unit.queue.name) {
            let parent = unit.queue.parent.as_deref().unwrap_or("another");
            let base = format!("{parent}/{}", unit.queue.name);
            let mut n = self.names.get(&base).copied().unwrap_or(0);
            unit.queue.name.clone_from(&base);
            while self.names.contains_key(&unit.queue.name) {
                n += 1;
                unit.queue.name = format!("{base}-{n}");
            }
            self.names.insert(base, n.max(1));
        }
        self.names.insert(unit.queue.name.clone(), 1);
        self.units.push(unit);
    }
}

fn finish(units: Vec<Unit>, pools: &[String], options: &Options, report: &mut Report) -> Option<Scenario> {
    let n_projects = units.iter().filter(|unit| unit.queue.parent.is_some()).count();
    let promised: Vec<f64> = (0..pools.len())
        .map(|pool| {
            let (top, nested): (Vec<&Unit>, Vec<&Unit>) = units.iter().partition(|unit| unit.queue.parent.is_none());
            let sum = |level: Vec<&Unit>| level.iter().map(|unit| unit.gpus[pool]).sum::<f64>();
            sum(top).max(sum(nested)).clamp(0.0, 1e9)
        })
        .collect();
    let node_gpus = options.nodes.map_or(NODES.1, |(_, gpus)| gpus);
    let counts = node_counts(&promised, options.nodes.map(|(n, _)| n));
    let n_nodes: u64 = counts.iter().copied().map(u64::from).sum();
    report.limit(n_nodes, NODES_MAX, "nodes");
    if n_nodes > NODES_MAX || i64::from(node_gpus) > NODE_GPUS_MAX {
        return None;
    }
    let n_top = units.len() - n_projects;
    let levels = match n_projects {
        0 => counted(n_top as u64, "project"),
        n => {
            let (departments, projects) = (counted(n_top as u64, "department"), counted(n as u64, "project"));
            format!("{departments} with {projects}")
        }
    };
    report.understand(format!("{levels}, with quota, limit, over-quota weight and rank"));
    match pools {
        [one] if one.is_empty() => {}
        [one] => report.understand(format!("the node pool {one}")),
        several => report.understand(format!("the node pools {}", several.join(", "))),
    }
    report.has_queues = true;
    report.assume_nodes(format!(
        "{} of {}, because the file does not define nodes",
        counted(n_nodes, "node"),
        counted(u64::from(node_gpus), "GPU")
    ));
    report.assume("no jobs: add jobs, or import a trace");
    let is_one = pools.len() == 1;
    let node = |(pool, n): (&String, u32)| NodeEntry {
        pool: (!is_one).then(|| pool.clone()),
        ..node_group(if is_one { "node" } else { pool }, n, node_gpus)
    };
    let listed = pools.iter().filter(|_| !is_one);
    Some(Scenario {
        name: options.name.clone(),
        policy: runai::DESCRIPTION.key.into(),
        nodes: Arc::new(pools.iter().zip(counts).map(node).collect()),
        queues: Arc::new(units.into_iter().map(|unit| unit.queue).collect()),
        pools: Arc::new(listed.map(|name| PoolEntry { name: name.clone(), ..PoolEntry::default() }).collect()),
        ..Scenario::default()
    })
}

/// Returns the number of nodes per pool: as many as its quotas need, or the given total in the same proportion; at
/// least one.
fn node_counts(promised: &[f64], total: Option<u32>) -> Vec<u32> {
    let sufficient = |gpus: &f64| (gpus / f64::from(NODES.1)).ceil().max(1.0) as u32;
    let Some(total) = total else { return promised.iter().map(sufficient).collect() };
    if promised.len() == 1 {
        return vec![total];
    }
    let all: f64 = promised.iter().sum();
    let share = |gpus: &f64| if all > 0.0 { (f64::from(total) * gpus / all).floor().max(1.0) as u32 } else { 1 };
    let mut counts: Vec<u32> = promised.iter().map(share).collect();
    counts[0] += total.saturating_sub(counts.iter().sum());
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_listed() {
        let text = r#"{"projects": [
            {"id": "1", "name": "a", "schedulingRules": {"x": 1}, "description": null, "resources": [
                {"nodePool": {"name": "default", "id": "7"}, "gpu": {"deserved": 2, "spare": 1}, "priority": 3}]},
            {"id": "2", "name": "b", "schedulingRules": {}, "resources": [
                {"nodePool": {"name": "default"}, "gpu": {"deserved": 1}}]}], "next": "page 2"}"#;
        let imported = import_organisation(&[text], &Options::default());
        assert!(imported.scenario.is_some(), "{:?}", imported.report.diagnostics);
        let expected = [
            "schedulingRules, in one place",
            "resources.gpu.spare, in one place",
            "resources.priority, in one place",
            "next",
        ];
        let mut ignored = imported.report.ignored;
        ignored.sort();
        let mut expected = expected.map(String::from);
        expected.sort();
        assert_eq!(ignored, expected);
    }
}
