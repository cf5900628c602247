//! Imports a configuration of YuniKorn (`queues.yaml`, alone or in a ConfigMap) as a scenario with queues and settings,
//! without jobs.
//!
//! Source of the keys: apache/yunikorn-core, `pkg/common/configs/config.go`. A configuration that upstream would reject
//! is rejected, with all errors and their lines.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::options::Options;
use super::{Imported, NODES, Report, node_group, push_once, typed};
use crate::policy::yunikorn::DESCRIPTION;
use crate::policy::yunikorn::check::check_all;
use crate::policy::yunikorn::config::{
    File, Partition, Queue, Resources, TYPES_MAX, Types, Written, collect_types, default_of, parse,
};
use crate::policy::yunikorn::file::{self as yunikorn, Fault, Reader};
use crate::policy::yunikorn::settings::{properties, property_is_known};
use crate::policy::yunikorn::words::{GPU_TYPE, TEMPLATE};
use crate::scenario::value::{self, Is, Limit, Position, Value};
use crate::scenario::{
    Diagnostic, NODE_GPUS_MAX, NODES_MAX, NodeEntry, POOLS_MAX, Path, PoolEntry, QUEUES_MAX, QueueEntry, ResourceEntry,
    Scalar, Scenario, codes, finding, nearest, position, quantity, quoted,
};
use crate::units::Resource;

/// Maximum number of entries: the queues, plus a root in each partition.
const LISTS: [Limit; 2] = [
    Limit { key: "queues", anywhere: true, most: QUEUES_MAX as usize + POOLS_MAX },
    Limit { key: "partitions", anywhere: false, most: POOLS_MAX },
];

/// Key of the configuration in a ConfigMap.
pub(super) const IN_CONFIG_MAP: &str = "queues.yaml";

/// Property that becomes the priority of a queue.
const OFFSET: &str = "priority.offset";

/// Whether a text is a configuration of YuniKorn.
pub fn is_queues_yaml(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| begins(line, key));
    has(IN_CONFIG_MAP) && has("data") || has_partitions(text)
}

/// Whether a text has a list of partitions at its top level.
pub(super) fn has_partitions(text: &str) -> bool {
    text.lines().any(|line| !line.starts_with(' ') && begins(line, "partitions"))
}

fn begins(line: &str, key: &str) -> bool {
    let line = line.trim_start_matches(['{', ' ', '"']);
    line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
}

/// Imports a configuration. It contains neither nodes nor jobs: nodes are assumed, jobs are left to the user.
pub fn import_queues_yaml(text: &str, options: &Options) -> Imported {
    let mut report = Report::default();
    let tree = report.keep(value::parse(text, &LISTS));
    let scenario = tree.and_then(|tree| read(&tree, options, &mut report));
    report.bound();
    Imported { scenario, report }
}

/// Reads a configuration, or the one in a ConfigMap with positions relative to the whole text.
fn read(tree: &Value, options: &Options, report: &mut Report) -> Option<Scenario> {
    let data = tree.get("data").map(|data| (data, data.get(IN_CONFIG_MAP)));
    let Some((data, Some(Value { at: position, is: Is::Scalar(inner) }))) = data else {
        return configuration(tree, options, report);
    };
    if let Is::Map(entries) = &data.is {
        for (key, value) in entries.iter().filter(|(key, _)| key != IN_CONFIG_MAP) {
            report.ignore(format!("line {}: {key}: it decides nothing here", value.at.0));
        }
    }
    let n_before = report.diagnostics.len();
    let tree = report.keep(value::parse(inner, &LISTS));
    let scenario = tree.and_then(|tree| configuration(&tree, options, report));
    for diagnostic in &mut report.diagnostics[n_before..] {
        diagnostic.position = diagnostic.position.map(|(line, column)| (line + position.0 - 1, column));
    }
    scenario
}

fn configuration(tree: &Value, options: &Options, report: &mut Report) -> Option<Scenario> {
    let mut reader = Reader::default();
    let file = file(tree, &mut reader, report);
    let Reader { faults, ignored, n_more } = reader;
    let place = |line: Position, message: String| format!("line {}: {message}", line.0);
    report.ignored.extend(ignored.into_iter().map(|(position, message)| place(position, message)));
    let mut wrong: Vec<Diagnostic> = faults.into_iter().map(of_fault).collect();
    let mut is_refused = !wrong.is_empty();
    if n_more > 0 {
        wrong.push(finding(codes::IMPORT, Path::default(), format!("and {n_more} more")));
    }
    let n_queues: usize = file.partitions.iter().map(|partition| count(&partition.root(), &|_| true) - 1).sum();
    if n_queues as u64 > QUEUES_MAX {
        let message = format!("there are {n_queues} queues; up to {QUEUES_MAX} are simulated");
        wrong.push(finding(codes::TOO_MANY, Path::default().field("partitions"), message));
    }
    let mut types = Types::new();
    collect_types(&file.partitions, &mut types);
    let types: Types = types.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    // CPU, memory, GPU and pods always exist.
    if types.len() > TYPES_MAX - 4 {
        let message = format!("{} resource types are named; up to {} are simulated", types.len(), TYPES_MAX - 4);
        wrong.push(finding(codes::IMPORT, Path::default(), message));
    } else if wrong.is_empty() {
        wrong.extend(check_all(&file, &types).into_iter().map(|diagnostic| {
            let position = Some(position(tree, &diagnostic.at));
            Diagnostic { position, ..finding(codes::IMPORT, diagnostic.at, diagnostic.says) }
        }));
        is_refused = !wrong.is_empty();
    }
    if is_refused {
        report.ignore("the whole configuration: YuniKorn would refuse it and keep the previous one");
    }
    let (n_nodes, gpus) = options.nodes.unwrap_or(NODES);
    let n_nodes = u64::from(n_nodes).saturating_mul(file.partitions.len() as u64);
    let is_counted = n_nodes <= NODES_MAX && i64::from(gpus) <= NODE_GPUS_MAX;
    report.limit(n_nodes, NODES_MAX, "nodes");
    wrong.extend(partition_errors(tree, &file));
    let can_be_written = wrong.is_empty() && is_counted && !file.partitions.is_empty();
    let scenario = can_be_written.then(|| {
        let mut writer = Writer::new(tree, &file, &types, options, report);
        for (i, partition) in (0u32..).zip(&file.partitions) {
            writer.write(partition, i);
        }
        writer.finish(options)
    });
    report.diagnostics.append(&mut wrong);
    scenario
}

/// Returns the name of a partition, `default` if it has none, because a node pool needs a name.
fn name_of(partition: &Partition) -> &str {
    if partition.name.is_empty() { "default" } else { &partition.name }
}

/// Reports duplicate names of partitions and too many partitions.
fn partition_errors(tree: &Value, file: &File) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    let names: Vec<&str> = file.partitions.iter().map(name_of).collect();
    let mut refuse = |i: usize, message: String| {
        let path = Path::default().field("partitions").at(u32::try_from(i).unwrap_or(u32::MAX));
        let position = Some(position(tree, &path));
        wrong.push(Diagnostic { position, ..finding(codes::IMPORT, path, message) });
    };
    for (i, name) in names.iter().enumerate().filter(|(i, name)| names[..*i].contains(name)) {
        refuse(i, format!("two partitions are called {}", quoted(name)));
    }
    if names.len() > POOLS_MAX {
        let message = format!("{} partitions are named; up to {POOLS_MAX} are simulated", names.len());
        refuse(POOLS_MAX, message);
    }
    wrong
}

fn file(tree: &Value, reader: &mut Reader, report: &mut Report) -> File {
    let mut file = File::default();
    let top = Path::default();
    if let Is::Map(entries) = &tree.is {
        for (key, value) in entries.iter().filter(|(key, _)| key != "partitions") {
            let message = format!("unknown field {}; known here: partitions", quoted(key));
            reader.faults.push(Fault { at: top.clone(), position: value.at, says: message });
        }
    }
    match tree.get("partitions").map(|value| &value.is) {
        Some(Is::List(items)) if !items.is_empty() => {
            for (i, value) in (0u32..).zip(items) {
                file.partitions.push(reader.partition(value, &top.field("partitions").at(i)));
            }
        }
        _ => report.diagnostics.push(Diagnostic {
            position: Some(tree.at),
            ..finding(codes::IMPORT, top.field("partitions"), "there is no list of partitions".into())
        }),
    }
    file
}

fn of_fault(fault: Fault) -> Diagnostic {
    Diagnostic { position: Some(fault.position), ..finding(codes::IMPORT, fault.at, fault.says) }
}

/// Converts partitions to a scenario: a single one to the whole cluster, several to node pools. One tree holds the
/// queues of all partitions, because a queue has jobs in the pool of its own partition only.
struct Writer<'r> {
    tree: &'r Value,
    report: &'r mut Report,
    scenario: Scenario,
    queues: Vec<QueueEntry>,
    gpu_type: String,
    names: BTreeSet<String>,
    nodes: (u32, u32),
    /// Node pools so far; none if there is a single partition.
    pools: Vec<PoolEntry>,
    has_pools: bool,
    /// Whether settings apply to the whole partition that is being written.
    is_of_partition: bool,
}

impl<'r> Writer<'r> {
    fn new(tree: &'r Value, file: &File, types: &Types, options: &Options, report: &'r mut Report) -> Writer<'r> {
        let is_gpu = |name: &&String| name.ends_with("gpu");
        let gpu_type = types.iter().find(|name| *name == GPU_TYPE).or_else(|| types.iter().find(is_gpu));
        let name = match file.partitions.as_slice() {
            [only] if !only.name.is_empty() => only.name.as_str(),
            _ => "queues",
        };
        Writer {
            tree,
            report,
            scenario: Scenario { policy: DESCRIPTION.key.into(), name: name.to_string(), ..Scenario::default() },
            queues: Vec::new(),
            gpu_type: gpu_type.cloned().unwrap_or_else(|| GPU_TYPE.to_string()),
            names: BTreeSet::new(),
            nodes: options.nodes.unwrap_or(NODES),
            pools: Vec::new(),
            has_pools: file.partitions.len() > 1,
            is_of_partition: false,
        }
    }

    fn setting(&mut self, key: &str, value: &str) {
        let pool = self.pools.last_mut().filter(|_| self.is_of_partition);
        let settings = pool.map_or(&mut self.scenario.settings, |pool| &mut pool.settings);
        settings.insert(key.to_string(), Scalar(value.to_string()));
    }

    /// Adds a setting unless it has the default value.
    fn setting_unless(&mut self, key: &str, value: &str, default: &str) {
        if value != default {
            self.setting(key, value);
        }
    }

    fn write(&mut self, partition: &Partition, i: u32) {
        self.setting_unless("gpu-type", &self.gpu_type.clone(), GPU_TYPE);
        if self.has_pools {
            self.pools.push(PoolEntry { name: name_of(partition).to_string(), ..PoolEntry::default() });
        }
        self.is_of_partition = true;
        // The pool already carries the name.
        let own_name = if self.has_pools { "" } else { &partition.name };
        self.setting_unless("partition", own_name, "");
        self.setting_unless("node-sort", &partition.nodesortpolicy.kind, "");
        let weights = &partition.nodesortpolicy.resourceweights;
        let weights: Vec<String> = weights.iter().map(|(resource, weight)| format!("{resource} {weight}")).collect();
        self.setting_unless("node-weights", &weights.join(", "), "");
        if let Some(is_enabled) = partition.preemption.enabled {
            self.setting("preemption", if is_enabled { "true" } else { "false" });
        }
        if partition.preemption.quotapreemptionenabled {
            self.setting("quota-preemption", "true");
        }
        if !partition.placementrules.is_empty() {
            self.setting("placement-rules", &yunikorn::rules(&partition.placementrules).flow());
            let message = "jobs name their queue, so placement rules decide nothing; they are kept";
            push_once(&mut self.report.assumed, message);
        }
        let root = partition.root();
        let path = Path::default().field("partitions").at(i);
        let is_named = matches!(partition.queues.as_slice(), [only] if only.name == "root");
        let path = if is_named { path.field("queues").named("root") } else { path };
        if root.submitacl != "*" {
            self.setting("submitacl.root", &root.submitacl);
        }
        if root.submitacl == "*" {
            let message = "submitacl \"*\" of root: everybody may submit, as always here";
            push_once(&mut self.report.understood, message);
        }
        if root.submitacl != "*" || !root.adminacl.is_empty() || has_acl(&root) {
            let message = "everybody may submit anywhere: submitacl and adminacl are kept, but decide nothing";
            push_once(&mut self.report.assumed, message);
        }
        self.queue_settings(&root, "root", &path);
        self.is_of_partition = false;
        for child in &root.queues {
            self.queue(child, "root", &path);
        }
        self.understood(&root);
    }

    fn understood(&mut self, root: &Queue) {
        let count = |predicate: &dyn Fn(&Queue) -> bool| count(root, predicate);
        let n = count(&|_| true) - 1;
        let partition = self.pools.last().map_or(String::new(), |pool| format!("partition {}: ", pool.name));
        let mut message = vec![format!("{partition}{n} queues with what they are guaranteed and may use")];
        let parts: [(usize, &str); 4] = [
            (count(&|q| !q.properties.is_empty()), "with properties"),
            (count(&|q| q.maxapplications > 0), "with maxapplications"),
            (count(&|q| !q.limits.is_empty()), "with limits of users and groups"),
            (count(&|q| q.childtemplate != Default::default()), "with a template for queues that placement makes"),
        ];
        message.extend(parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
        self.report.understand(message.join(", "));
    }

    fn queue(&mut self, queue: &Queue, parent: &str, parent_path: &Path) {
        let path = parent_path.field("queues").named(&queue.name);
        let own_name = queue.name.to_lowercase();
        let is_free = own_name != "root" && !self.names.contains(&own_name);
        let pool = self.pools.last().map(|pool| pool.name.clone());
        let name = match &pool {
            _ if is_free => own_name,
            Some(pool) if parent == "root" => format!("{pool}.{own_name}"),
            _ => format!("{parent}.{own_name}"),
        };
        self.names.insert(name.clone());
        let mut entry = QueueEntry {
            name: name.clone(),
            parent: (parent != "root").then(|| parent.to_string()),
            default_pools: pool.into_iter().filter(|_| parent == "root").collect(),
            ..QueueEntry::default()
        };
        let offset = queue.properties.get(OFFSET).filter(|text| is_priority(text));
        entry.priority = offset.and_then(|text| text.parse::<i32>().ok()).and_then(typed);
        let Resources { guaranteed, max } = &queue.resources;
        for (key, written, is_quota) in [("guaranteed", guaranteed, true), ("max", max, false)] {
            let others = self.amounts(written, &mut entry, is_quota);
            self.setting_unless(&format!("{key}.{name}"), &others, "");
        }
        self.queues.push(entry);
        if queue.parent && queue.queues.is_empty() {
            self.setting(&format!("parent.{name}"), "true");
        }
        self.setting_unless(&format!("submitacl.{name}"), &queue.submitacl, "");
        self.queue_settings(queue, &name, &path);
        for child in &queue.queues {
            self.queue(child, &name, &path);
        }
    }

    /// Sets the quantities that have a field of their own; returns the others as text.
    fn amounts(&self, written: &Written, entry: &mut QueueEntry, is_quota: bool) -> String {
        let mut others = Vec::new();
        for (name, text) in written {
            let (resource, part): (_, &mut ResourceEntry) = match name.as_str() {
                "vcore" => (Resource::CPU, &mut entry.cpu),
                "memory" => (Resource::MEMORY, &mut entry.memory),
                name if name == self.gpu_type => (Resource::GPU, &mut entry.gpu),
                _ => {
                    others.push(format!("{name} {}", text.trim()));
                    continue;
                }
            };
            let Some(typed) = quantity_of(resource, name, text) else {
                // Above the maximum of a field.
                others.push(format!("{name} {}", text.trim()));
                continue;
            };
            *(if is_quota { &mut part.quota } else { &mut part.limit }) = Some(Scalar(typed));
        }
        others.join(", ")
    }

    /// Adds the settings of a queue, except its quantities.
    fn queue_settings(&mut self, queue: &Queue, name: &str, path: &Path) {
        self.setting_unless(&format!("maxapplications.{name}"), &queue.maxapplications.to_string(), "0");
        self.setting_unless(&format!("adminacl.{name}"), &queue.adminacl, "");
        if !queue.limits.is_empty() {
            self.setting(&format!("limits.{name}"), &yunikorn::limits(&queue.limits).flow());
        }
        let has_field = |property: &str, text: &str| property == OFFSET && name != "root" && is_priority(text);
        self.properties(&queue.properties, "", name, path, &has_field);
        let template = &queue.childtemplate;
        let path = path.field("childtemplate");
        self.properties(&template.properties, TEMPLATE, name, &path, &|_, _| false);
        let n = template.maxapplications.to_string();
        self.setting_unless(&format!("{TEMPLATE}maxapplications.{name}"), &n, "0");
        let Resources { guaranteed, max } = &template.resources;
        for (key, written) in [("guaranteed", guaranteed), ("max", max)] {
            let all: Vec<String> =
                written.iter().map(|(resource, text)| format!("{resource} {}", text.trim())).collect();
            self.setting_unless(&format!("{TEMPLATE}{key}.{name}"), &all.join(", "), "");
        }
    }

    fn properties(
        &mut self,
        written: &Written,
        prefix: &str,
        name: &str,
        path: &Path,
        has_field: &dyn Fn(&str, &str) -> bool,
    ) {
        for (property, text) in written {
            let path = path.field("properties").field(property);
            let message = if !properties().contains(&property.as_str()) {
                let hint = match nearest(property, properties().into_iter()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("known are {}", properties().join(", ")),
                };
                format!("YuniKorn has no property {}, and reads past it; {hint}", quoted(property))
            } else if let Err(expected) = property_is_known(property, text) {
                // Unlike a missing property, an invalid one is not inherited. Offsets are never inherited.
                if property != OFFSET {
                    self.setting(&format!("{prefix}{property}.{name}"), default_of(property));
                }
                format!("{property} {} is not {expected}; YuniKorn takes the default", quoted(text))
            } else {
                if !has_field(property, text) {
                    self.setting(&format!("{prefix}{property}.{name}"), text);
                }
                continue;
            };
            let position = Some(position(self.tree, &path));
            self.report.diagnostics.push(Diagnostic { position, ..finding(codes::NOT_EXPRESSED, path, message) });
        }
    }

    fn finish(mut self, options: &Options) -> Scenario {
        let (n, gpus) = self.nodes;
        let gpu = &self.gpu_type;
        self.report.understand(format!("vcore as CPU, memory as memory, {gpu} as GPU"));
        let per_partition = if self.has_pools { " in each partition" } else { "" };
        self.report.has_queues = true;
        self.report.assume_nodes(format!(
            "{n} nodes with {gpus} GPUs, 64 cores and 256 GB each{per_partition}, and no jobs (the configuration does not define either)"
        ));
        let in_pool = |pool: &PoolEntry| NodeEntry {
            pool: Some(pool.name.clone()),
            ..node_group(&format!("{}-node", pool.name), n, gpus)
        };
        self.scenario.nodes = Arc::new(if self.has_pools {
            self.pools.iter().map(in_pool).collect()
        } else {
            vec![node_group("node", n, gpus)]
        });
        self.scenario.pools = Arc::new(self.pools);
        self.scenario.queues = Arc::new(self.queues);
        if !options.name.is_empty() {
            self.scenario.name.clone_from(&options.name);
        }
        self.scenario
    }
}

/// Whether an offset is a valid priority of a queue.
fn is_priority(text: &str) -> bool {
    text.parse::<i32>().is_ok() && quantity::integer(text).is_ok()
}

fn has_acl(queue: &Queue) -> bool {
    queue.queues.iter().any(|q| !q.submitacl.is_empty() || !q.adminacl.is_empty() || has_acl(q))
}

fn count(queue: &Queue, predicate: &dyn Fn(&Queue) -> bool) -> usize {
    usize::from(predicate(queue)) + queue.queues.iter().map(|child| count(child, predicate)).sum::<usize>()
}

/// Converts a quantity to a scenario value: as typed if that has the same meaning there.
fn quantity_of(resource: Resource, resource_name: &str, text: &str) -> Option<String> {
    let scale = if resource == Resource::GPU { 1000 } else { 1 };
    let value = parse(resource_name, text)?.checked_mul(scale).filter(|value| *value <= quantity::BASE_UNITS_MAX)?;
    // Memory of queues without a unit is in megabytes.
    let same = quantity::amount(text, resource, 1_000_000).is_ok_and(|a| a.in_base_units() == value);
    let amount = crate::units::Amount::base_units(value);
    Some(if same { text.trim().to_string() } else { quantity::print_amount(amount, resource) })
}
