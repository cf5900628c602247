//! A configuration of YuniKorn (`queues.yaml`, alone or in the ConfigMap that carries it) as a scenario: the queues with
//! everything that is said of them, without work.
//!
//! Source of the keys: apache/yunikorn-core, `pkg/common/configs/config.go`. What upstream would refuse is refused, with all
//! reasons at their lines.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::csv::Options;
use super::{Imported, Report, assumed_nodes};
use crate::policy::Policy;
use crate::policy::yunikorn::config::{
    self, File, GPU_TYPE, PROPERTIES, Partition, Queue, Resources, Step, TEMPLATE, TYPES_MAX, Types, Written,
    check_all, collect_types, default_of, parse, property_is_known,
};
use crate::scenario::value::{self, Is, Position, Value};
use crate::scenario::yunikorn::{self, Fault, Reader};
use crate::scenario::{
    Diagnostic, NODE_GPUS_MAX, NODES_MAX, Path, QueueEntry, ResourceEntry, Scalar, Scenario, codes, finding,
    nearest, position, quantity, quoted,
};
use crate::units::Resource;

/// GPUs of a node when nothing says how many, and nodes.
const NODE_GPUS: u32 = 8;
const NODES: u32 = 8;

/// The key under which a ConfigMap carries a configuration.
const IN_CONFIG_MAP: &str = "queues.yaml";

/// The property that is a queue's priority here.
const OFFSET: &str = "priority.offset";

/// Whether a text is a configuration of YuniKorn.
pub fn is_queues_yaml(text: &str) -> bool {
    let begins = |line: &str, key: &str| {
        let line = line.trim_start_matches(['{', ' ', '"']);
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
    };
    let has = |key: &str| text.lines().any(|line| begins(line, key));
    has(IN_CONFIG_MAP) && has("data") || text.lines().any(|l| !l.starts_with(' ') && begins(l, "partitions"))
}

/// Makes a scenario of a configuration. Nodes and work are not part of it: nodes are assumed, work is left to the reader.
pub fn import_queues_yaml(text: &str, options: &Options) -> Imported {
    let mut report = Report::default();
    let scenario = match value::parse(text) {
        Err(wrong) => {
            report.diagnostics.push(*wrong);
            None
        }
        Ok(tree) => read(&tree, options, &mut report),
    };
    if scenario.is_none() && report.ignored.is_empty() {
        report
            .ignored
            .push("the whole text: YuniKorn would refuse it and go on with what it had before".into());
    }
    Imported { scenario, report }
}

/// Reads the configuration itself, or the text in a ConfigMap, whose findings are moved to their lines in the whole.
fn read(tree: &Value, options: &Options, report: &mut Report) -> Option<Scenario> {
    let data = tree.get("data").map(|data| (data, data.get(IN_CONFIG_MAP)));
    let Some((data, Some(Value { at, is: Is::Scalar(inner) }))) = data else {
        return configuration(tree, options, report);
    };
    if let Is::Map(entries) = &data.is {
        for (key, value) in entries.iter().filter(|(key, _)| key != IN_CONFIG_MAP) {
            report.ignored.push(format!("line {}: {key}: it decides nothing here", value.at.0));
        }
    }
    let n_before = report.diagnostics.len();
    let scenario = match value::parse(inner) {
        Err(wrong) => {
            report.diagnostics.push(*wrong);
            None
        }
        Ok(tree) => configuration(&tree, options, report),
    };
    for found in &mut report.diagnostics[n_before..] {
        found.position = found.position.map(|(line, column)| (line + at.0 - 1, column));
    }
    scenario
}

fn configuration(tree: &Value, options: &Options, report: &mut Report) -> Option<Scenario> {
    let mut reader = Reader::default();
    let file = file(tree, &mut reader, report);
    let Reader { faults, ignored } = reader;
    let place = |line: Position, says: String| format!("line {}: {says}", line.0);
    report.ignored.extend(ignored.into_iter().map(|(at, says)| place(at, says)));
    let mut wrong: Vec<Diagnostic> = faults.into_iter().map(of_fault).collect();
    let mut types = Types::new();
    collect_types(&file, &mut types);
    let types: Types = types.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    // CPU, memory, GPU and pods are always there.
    if types.len() > TYPES_MAX - 4 {
        let says = format!("{} resource types are named; up to {} are simulated", types.len(), TYPES_MAX - 4);
        wrong.push(finding(codes::IMPORT, Path::default(), says));
    } else if wrong.is_empty() {
        wrong.extend(check_all(&file, &types).into_iter().map(|found| {
            let at = path(&found.at);
            let position = Some(position(tree, &at));
            Diagnostic { position, ..finding(codes::IMPORT, at, found.says) }
        }));
    }
    let is_counted = options
        .nodes
        .is_none_or(|(nodes, gpus)| u64::from(nodes) <= NODES_MAX && i64::from(gpus) <= NODE_GPUS_MAX);
    let first = file.partitions.first().filter(|_| wrong.is_empty() && is_counted);
    let scenario = first.map(|partition| {
        for other in &file.partitions[1..] {
            let says = "partitions share nothing, and one is simulated; an export is without it";
            report.ignored.push(format!("partition {}: {says}", other.name));
        }
        let mut writer = Writer::new(tree, partition, &types, options, report);
        writer.write(partition);
        writer.finish(options)
    });
    report.diagnostics.append(&mut wrong);
    scenario
}

fn file(tree: &Value, reader: &mut Reader, report: &mut Report) -> File {
    let mut file = File::default();
    let top = Path::default();
    if let Is::Map(entries) = &tree.is {
        for (key, value) in entries.iter().filter(|(key, _)| key != "partitions") {
            let says = format!("{} is not a key of this place; known here: partitions", quoted(key));
            reader.faults.push(Fault { at: top.clone(), position: value.at, says });
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

fn path(steps: &[Step]) -> Path {
    steps.iter().fold(Path::default(), |path, step| match step {
        Step::Field(name) => path.field(name),
        Step::Key(name) => path.field(name),
        Step::At(position) => path.at(u32::try_from(*position).unwrap_or(u32::MAX)),
        Step::Named(name) => path.named(name),
    })
}

/// Writes a partition as a scenario.
struct Writer<'r> {
    tree: &'r Value,
    report: &'r mut Report,
    scenario: Scenario,
    queues: Vec<QueueEntry>,
    gpu_type: String,
    names: BTreeSet<String>,
    nodes: (u32, u32),
}

impl<'r> Writer<'r> {
    fn new(
        tree: &'r Value,
        partition: &Partition,
        types: &Types,
        options: &Options,
        report: &'r mut Report,
    ) -> Writer<'r> {
        let is_gpu = |name: &&String| name.ends_with("gpu");
        let known = types.iter().find(|name| *name == GPU_TYPE).or_else(|| types.iter().find(is_gpu));
        let name = if partition.name.is_empty() { "queues" } else { &partition.name };
        Writer {
            tree,
            report,
            scenario: Scenario { policy: "yunikorn".into(), name: name.to_string(), ..Scenario::default() },
            queues: Vec::new(),
            gpu_type: known.cloned().unwrap_or_else(|| GPU_TYPE.to_string()),
            names: BTreeSet::new(),
            nodes: options.nodes.unwrap_or((NODES, NODE_GPUS)),
        }
    }

    fn setting(&mut self, key: &str, value: &str) {
        self.scenario.settings.insert(key.to_string(), Scalar(value.to_string()));
    }

    /// A setting that is left out where it says the default.
    fn setting_unless(&mut self, key: &str, value: &str, default: &str) {
        if value != default {
            self.setting(key, value);
        }
    }

    fn write(&mut self, partition: &Partition) {
        self.setting_unless("partition", &partition.name, "");
        self.setting_unless("node-sort", &partition.nodesortpolicy.kind, "");
        let weights = &partition.nodesortpolicy.resourceweights;
        let weights: Vec<String> = weights.iter().map(|(of, weight)| format!("{of} {weight}")).collect();
        self.setting_unless("node-weights", &weights.join(", "), "");
        if let Some(on) = partition.preemption.enabled {
            self.setting("preemption", if on { "true" } else { "false" });
        }
        if partition.preemption.quotapreemptionenabled {
            self.setting("quota-preemption", "true");
        }
        if !partition.placementrules.is_empty() {
            self.setting("placement-rules", &yunikorn::rules(&partition.placementrules).flow());
            self.report
                .assumed
                .push("jobs name their queue, so placement rules decide nothing; they are kept".into());
        }
        self.setting_unless("gpu-type", &self.gpu_type.clone(), GPU_TYPE);
        let root = partition.root();
        let at = Path::default().field("partitions").at(0);
        let is_named = matches!(partition.queues.as_slice(), [only] if only.name == "root");
        let at = if is_named { at.field("queues").named("root") } else { at };
        if root.submitacl != "*" {
            self.setting("submitacl.root", &root.submitacl);
        }
        if root.submitacl != "*" || has_acl(&root) {
            self.report
                .assumed
                .push("everybody may submit anywhere: who may is kept, but decides nothing".into());
        }
        self.words(&root, "root", &at);
        for child in &root.queues {
            self.queue(child, "root", &at);
        }
        self.understood(&root);
    }

    fn understood(&mut self, root: &Queue) {
        let count = |of: &dyn Fn(&Queue) -> bool| count(root, of);
        let n = self.queues.len();
        let mut says = vec![format!("{n} queues with what they are guaranteed and may use")];
        let parts: [(usize, &str); 4] = [
            (count(&|q| !q.properties.is_empty()), "with properties"),
            (count(&|q| q.maxapplications > 0), "with maxapplications"),
            (count(&|q| !q.limits.is_empty()), "with limits of users and groups"),
            (
                count(&|q| q.childtemplate != Default::default()),
                "with a template for queues that placement makes",
            ),
        ];
        says.extend(parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
        self.report.understood.push(says.join(", "));
        let gpu = &self.gpu_type;
        self.report.understood.push(format!("vcore as CPU, memory as memory, {gpu} as GPU"));
    }

    fn queue(&mut self, queue: &Queue, parent: &str, above: &Path) {
        let at = above.field("queues").named(&queue.name);
        let own = queue.name.to_lowercase();
        let is_free = own != "root" && !self.names.contains(&own);
        let name = if is_free { own } else { format!("{parent}.{own}") };
        self.names.insert(name.clone());
        let mut entry = QueueEntry {
            name: name.clone(),
            parent: (parent != "root").then(|| parent.to_string()),
            ..QueueEntry::default()
        };
        let offset = queue.properties.get(OFFSET).filter(|text| is_priority(text));
        entry.priority =
            offset.and_then(|text| text.parse::<i32>().ok()).map(|offset| Scalar(offset.to_string()));
        let guaranteed = queue.resources.guaranteed.clone();
        let max = queue.resources.max.clone();
        for (key, written, is_quota) in [("guaranteed", guaranteed, true), ("max", max, false)] {
            let others = self.amounts(&written, &mut entry, is_quota);
            self.setting_unless(&format!("{key}.{name}"), &others, "");
        }
        self.queues.push(entry);
        if queue.parent && queue.queues.is_empty() {
            self.setting(&format!("parent.{name}"), "true");
        }
        self.setting_unless(&format!("submitacl.{name}"), &queue.submitacl, "");
        self.words(queue, &name, &at);
        for child in &queue.queues {
            self.queue(child, &name, &at);
        }
    }

    /// Quantities with a field of their own go there; the others are returned.
    fn amounts(&self, written: &Written, entry: &mut QueueEntry, is_quota: bool) -> String {
        let mut others = Vec::new();
        for (of, text) in written {
            let (resource, part): (_, &mut ResourceEntry) = match of.as_str() {
                "vcore" => (Resource::CPU, &mut entry.cpu),
                "memory" => (Resource::MEMORY, &mut entry.memory),
                of if of == self.gpu_type => (Resource::GPU, &mut entry.gpu),
                _ => {
                    others.push(format!("{of} {}", text.trim()));
                    continue;
                }
            };
            let Some(typed) = typed(resource, of, text) else {
                // More than a field of a scenario takes.
                others.push(format!("{of} {}", text.trim()));
                continue;
            };
            *(if is_quota { &mut part.quota } else { &mut part.limit }) = Some(Scalar(typed));
        }
        others.join(", ")
    }

    /// Everything that is said of a queue but its quantities.
    fn words(&mut self, queue: &Queue, name: &str, at: &Path) {
        self.setting_unless(&format!("maxapplications.{name}"), &queue.maxapplications.to_string(), "0");
        self.setting_unless(&format!("adminacl.{name}"), &queue.adminacl, "");
        if !queue.limits.is_empty() {
            self.setting(&format!("limits.{name}"), &yunikorn::limits(&queue.limits).flow());
        }
        let has_field =
            |property: &str, text: &str| property == OFFSET && name != "root" && is_priority(text);
        self.properties(&queue.properties, "", name, at, &has_field);
        let template = &queue.childtemplate;
        let at = at.field("childtemplate");
        self.properties(&template.properties, TEMPLATE, name, &at, &|_, _| false);
        let n = template.maxapplications.to_string();
        self.setting_unless(&format!("{TEMPLATE}maxapplications.{name}"), &n, "0");
        let Resources { guaranteed, max } = &template.resources;
        for (key, written) in [("guaranteed", guaranteed), ("max", max)] {
            let all: Vec<String> = written.iter().map(|(of, text)| format!("{of} {}", text.trim())).collect();
            self.setting_unless(&format!("{TEMPLATE}{key}.{name}"), &all.join(", "), "");
        }
    }

    fn properties(
        &mut self,
        written: &Written,
        before: &str,
        name: &str,
        at: &Path,
        has_field: &dyn Fn(&str, &str) -> bool,
    ) {
        for (property, text) in written {
            let at = at.field("properties").field(property);
            let says = if !PROPERTIES.contains(&property.as_str()) {
                let hint = match nearest(property, PROPERTIES.iter().copied()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("known are {}", PROPERTIES.join(", ")),
                };
                format!("YuniKorn has no property {}, and reads past it; {hint}", quoted(property))
            } else if let Err(wanted) = property_is_known(property, text) {
                // Not the same as leaving it out: nothing is inherited then. Offsets never are.
                if property != OFFSET {
                    self.setting(&format!("{before}{property}.{name}"), default_of(property));
                }
                format!("{property} {} is not {wanted}; YuniKorn takes the default", quoted(text))
            } else {
                if !has_field(property, text) {
                    self.setting(&format!("{before}{property}.{name}"), text);
                }
                continue;
            };
            let position = Some(position(self.tree, &at));
            self.report.diagnostics.push(Diagnostic { position, ..finding(codes::NOT_EXPRESSED, at, says) });
        }
    }

    fn finish(mut self, options: &Options) -> Scenario {
        let (n, gpus) = self.nodes;
        self.report.assumed.push(format!(
            "{n} nodes with {gpus} GPUs, 64 cores and 256 GB each, and no work; a configuration names neither"
        ));
        self.scenario.nodes = assumed_nodes("node", n, gpus);
        self.scenario.queues = Arc::new(self.queues);
        if !options.name.is_empty() {
            self.scenario.name.clone_from(&options.name);
        }
        self.scenario
    }
}

/// Whether an offset can stand as a queue's priority.
fn is_priority(text: &str) -> bool {
    text.parse::<i32>().is_ok() && quantity::integer(text).is_ok()
}

fn has_acl(queue: &Queue) -> bool {
    queue.queues.iter().any(|q| !q.submitacl.is_empty() || !q.adminacl.is_empty() || has_acl(q))
}

fn count(queue: &Queue, of: &dyn Fn(&Queue) -> bool) -> usize {
    usize::from(of(queue)) + queue.queues.iter().map(|child| count(child, of)).sum::<usize>()
}

/// A quantity as a scenario says it: as it was typed, if that means the same there.
fn typed(resource: Resource, of: &str, text: &str) -> Option<String> {
    let scale = if resource == Resource::GPU { 1000 } else { 1 };
    let value = parse(of, text)?.checked_mul(scale).filter(|value| *value <= quantity::BASE_UNITS_MAX)?;
    // A number without a unit counts megabytes in the memory of queues.
    let same = quantity::amount(text, resource, 1_000_000).is_ok_and(|a| a.in_base_units() == value);
    let amount = crate::units::Amount::base_units(value);
    Some(if same { text.trim().to_string() } else { quantity::print_amount(amount, resource) })
}

/// The configuration that a scenario amounts to, as `queues.yaml`; `None` if it is not one of YuniKorn, or cannot be run.
pub fn export_queues_yaml(scenario: &Scenario) -> Option<String> {
    partition_of(scenario).map(|partition| yunikorn::partition(&partition).block())
}

fn partition_of(scenario: &Scenario) -> Option<Partition> {
    let plan = crate::scenario::check(scenario).plan?;
    let Policy::YuniKorn(policy) = plan.policy else { return None };
    let queues = &plan.cluster.queues;
    let mut partition = config::partition(queues, &policy);
    let gpu_type = policy.gpu_type.clone();
    let paths = config::paths(queues);
    for (entry, path) in scenario.queues.iter().zip(&paths) {
        if let Some(queue) = find(&mut partition, path) {
            let parts = [("vcore", &entry.cpu), ("memory", &entry.memory), (gpu_type.as_str(), &entry.gpu)];
            for (of, part) in parts {
                as_typed(of, &part.quota, &mut queue.resources.guaranteed);
                as_typed(of, &part.limit, &mut queue.resources.max);
            }
        }
    }
    for root in &mut partition.queues {
        if !policy.queues.get("root").is_some_and(|_| scenario.settings.contains_key("submitacl.root")) {
            root.submitacl = "*".into();
        }
    }
    Some(partition)
}

fn find<'a>(partition: &'a mut Partition, path: &str) -> Option<&'a mut Queue> {
    let mut names = path.split('.').skip(1);
    let root = partition.queues.first_mut()?;
    names.try_fold(root, |queue, name| queue.queues.iter_mut().find(|child| child.name == name))
}

/// Keeps a quantity as it was typed where that means the same.
fn as_typed(of: &str, typed: &Option<Scalar>, written: &mut Written) {
    let Some(typed) = typed.as_ref().map(|scalar| scalar.0.trim()) else { return };
    if let Some(text) = written.get_mut(of).filter(|text| parse(of, text) == parse(of, typed)) {
        *text = typed.to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, export_queues_yaml, import_queues_yaml, is_queues_yaml};
    use crate::scenario::{Severity, check};

    const CONFIGURATION: &str = "partitions:
  - name: default
    placementrules:
      - name: provided
        create: true
        parent: {name: user}
    nodesortpolicy: {type: binpacking, resourceweights: {vcore: 2, memory: 1.0}}
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: Tenants
            properties:
              priority.policy: fence
              prioriy.offset: \"5\"
            resources:
              guaranteed: {vcore: 1500m, memory: 1000000, nvidia.com/gpu: 4}
              max: {vcore: 10, memory: 16Gi, nvidia.com/gpu: 8, pods: 100}
            queues:
              - name: dev
                maxapplications: 3
                properties: {priority.offset: \"-10\", preemption.delay: soon}
                limits:
                  - {limit: per user, users: [alice, '*'], maxresources: {vcore: 2}, maxapplications: 2}
          - name: ops
            queues:
              - name: dev
              - name: people
                parent: true
                childtemplate: {maxapplications: 2, resources: {max: {vcore: 4}}}
";

    #[test]
    fn a_configuration_becomes_a_scenario_and_comes_back() {
        assert!(is_queues_yaml(CONFIGURATION));
        let imported = import_queues_yaml(CONFIGURATION, &Options::default());
        let scenario = imported.scenario.expect("a scenario");
        assert!(check(&scenario).plan.is_some(), "{:?}", check(&scenario).diagnostics);
        let settings: Vec<_> = scenario.settings.iter().map(|(k, v)| format!("{k}: {}", v.0)).collect();
        let expected = [
            "childtemplate.max.people: vcore 4",
            "childtemplate.maxapplications.people: 2",
            "limits.dev: [{limit: per user, users: [alice, \"*\"], maxapplications: 2, maxresources: {vcore: 2}}]",
            "max.tenants: pods 100",
            "maxapplications.dev: 3",
            "node-sort: binpacking",
            "node-weights: memory 1, vcore 2",
            "parent.people: true",
            "partition: default",
            "placement-rules: [{name: provided, create: true, parent: {name: user}}]",
            "preemption.delay.dev: 30s",
            "priority.policy.tenants: fence",
        ];
        assert_eq!(settings, expected);
        let queues: Vec<_> = scenario.queues.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(queues, ["tenants", "dev", "ops", "ops.dev", "people"]);
        let tenants = &scenario.queues[0];
        let quota = |part: &crate::scenario::ResourceEntry| part.quota.as_ref().map(|s| s.0.clone());
        assert_eq!(quota(&tenants.cpu).as_deref(), Some("1500m"));
        // A number without a unit would count megabytes.
        assert_eq!(quota(&tenants.memory).as_deref(), Some("1M"));
        let warnings: Vec<_> =
            imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
        let expected = [
            (
                Some((15, 31)),
                "YuniKorn has no property \"prioriy.offset\", and reads past it; did you mean priority.offset?",
            ),
            (
                Some((22, 72)),
                "preemption.delay \"soon\" is not a duration such as 30s; YuniKorn takes the default",
            ),
        ];
        assert_eq!(warnings, expected);
        let exported = export_queues_yaml(&scenario).expect("a text");
        let again = import_queues_yaml(&exported, &Options::default());
        assert_eq!(again.scenario, Some(scenario));
        assert_eq!(again.report.diagnostics, []);
    }

    #[test]
    fn a_config_map_is_opened_and_its_lines_are_those_of_the_whole() {
        let map = "apiVersion: v1\nkind: ConfigMap\ndata:\n  service.schedulingInterval: 1s\n  queues.yaml: |\n    partitions:\n      - name: default\n        queus: []\n";
        assert!(is_queues_yaml(map));
        let imported = import_queues_yaml(map, &Options::default());
        assert!(imported.scenario.is_none());
        let found: Vec<_> =
            imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0.map(|at| at.0), Some(8));
        assert!(found[0].1.contains("did you mean `queues`?"), "{found:?}");
    }

    #[test]
    fn what_upstream_refuses_is_refused_with_all_reasons_at_their_lines() {
        let wrong = "partitions:
- name: default
  queues:
  - name: root
    maxapplications: 4
    queues:
    - name: a
      maxapplications: 9
      resources: {guaranteed: {vcore: 12}, max: {vcore: 10}}
    - name: a b
      maxapplications: 1
      resources: {max: {memory: 1.5Gi}}
";
        let imported = import_queues_yaml(wrong, &Options::default());
        assert!(imported.scenario.is_none());
        let line = |d: &crate::scenario::Diagnostic| (d.position.map_or(0, |at| at.0), d.says.clone());
        let mut found: Vec<_> = imported.report.diagnostics.iter().map(line).collect();
        found.sort();
        let lines: Vec<u32> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [8, 9, 10, 12], "{found:?}");
        assert_eq!(found[1].1, "a is guaranteed vcore 12, above its maximum vcore 10");
        assert!(imported.report.diagnostics.iter().all(|d| d.severity == Severity::Error));
    }

    #[test]
    fn texts_that_cannot_be_read_are_refused_at_their_place() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\npartitions: [*b]\n";
        let texts = [
            bomb,
            "partitions:\n\t- name: default\n",
            "partitions:\n- name: a\n  name: b\n",
            "partitions: 3",
        ];
        for text in texts {
            let imported = import_queues_yaml(text, &Options::default());
            assert!(imported.scenario.is_none(), "{text}");
            assert!(imported.report.diagnostics.iter().all(|d| d.position.is_some()), "{text}");
            assert_eq!(imported.report.diagnostics.len(), 1, "{text}");
        }
    }
}
