//! Import of YuniKorn configurations: results, rejections, and round trips.

use fairground::export::export;
use fairground::import::{Options, import_queues_yaml, is_queues_yaml};
use fairground::scenario::{Scenario, Severity, check};
use fairground::sim::Simulation;
use proptest::prelude::*;

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
fn a_configuration_becomes_a_scenario_and_round_trips() {
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
    let quota = |part: &fairground::scenario::ResourceEntry| part.quota.as_ref().map(|s| s.0.clone());
    assert_eq!(quota(&tenants.cpu).as_deref(), Some("1500m"));
    // A number without a unit would mean megabytes.
    assert_eq!(quota(&tenants.memory).as_deref(), Some("1M"));
    let warnings: Vec<_> = imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
    let expected = [
        (
            Some((15, 31)),
            "YuniKorn has no property \"prioriy.offset\", and reads past it; did you mean priority.offset?",
        ),
        (Some((22, 72)), "preemption.delay \"soon\" is not a duration such as 30s; YuniKorn takes the default"),
    ];
    assert_eq!(warnings, expected);
    let exported = export(&scenario, None).map(|written| written.text).expect("a text");
    let again = import_queues_yaml(&exported, &Options::default());
    assert_eq!(again.scenario, Some(scenario));
    assert_eq!(again.report.diagnostics, []);
}

/// The single queue of the documentation equals the shipped example.
#[test]
fn the_documented_single_queue_is_the_example() {
    let documented = "partitions:
- name: default
  queues:
  - name: root
    queues:
    - name: default
      properties:
        application.sort.policy: fifo
        application.sort.priority: enabled
        priority.policy: default
        priority.offset: \"0\"
";
    let imported = import_queues_yaml(documented, &Options::default());
    assert_eq!(imported.report.diagnostics, []);
    let imported = imported.scenario.expect("a scenario");
    let read = fairground::scenario::read(include_str!("../../assets/scenarios/single-queue.yaml"));
    let example = read.scenario.expect("an example is a scenario");
    assert_eq!(imported.queues, example.queues);
    for (name, value) in &example.settings {
        assert_eq!(imported.settings.get(name), Some(value), "{name}");
    }
}

#[test]
fn a_config_map_is_unwrapped_with_line_numbers_of_the_file() {
    let map = "apiVersion: v1\nkind: ConfigMap\ndata:\n  service.schedulingInterval: 1s\n  queues.yaml: |\n    partitions:\n      - name: default\n        queus: []\n";
    assert!(is_queues_yaml(map));
    let imported = import_queues_yaml(map, &Options::default());
    assert!(imported.scenario.is_none());
    let found: Vec<_> = imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0.map(|at| at.0), Some(8));
    assert!(found[0].1.contains("did you mean `queues`?"), "{found:?}");
}

#[test]
fn upstream_rejections_are_reported_completely_with_lines() {
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
    let line = |d: &fairground::scenario::Diagnostic| (d.position.map_or(0, |at| at.0), d.says.clone());
    let mut found: Vec<_> = imported.report.diagnostics.iter().map(line).collect();
    found.sort();
    let lines: Vec<u32> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [8, 9, 10, 12], "{found:?}");
    assert_eq!(found[1].1, "a is guaranteed vcore 12, above its maximum vcore 10");
    assert!(imported.report.diagnostics.iter().all(|d| d.severity == Severity::Error));
}

#[test]
fn unreadable_texts_are_rejected_with_their_position() {
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\npartitions: [*b]\n";
    let texts = [bomb, "partitions:\n\t- name: default\n", "partitions:\n- name: a\n  name: b\n", "partitions: 3"];
    for text in texts {
        let imported = import_queues_yaml(text, &Options::default());
        assert!(imported.scenario.is_none(), "{text}");
        assert!(imported.report.diagnostics.iter().all(|d| d.position.is_some()), "{text}");
        assert_eq!(imported.report.diagnostics.len(), 1, "{text}");
    }
}

const TWO: &str = "partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - {name: shared, resources: {guaranteed: {vcore: 4}, max: {vcore: 8}}}
    - {name: cpu, properties: {priority.offset: '5'}}
- name: gpu
  nodesortpolicy: {type: binpacking}
  preemption: {enabled: false}
  queues:
  - name: root
    submitacl: '*'
    maxapplications: 9
    queues:
    - name: shared
      maxapplications: 4
      queues: [{name: a, maxapplications: 2}, {name: shared, maxapplications: 1}]
    - {name: big, maxapplications: 1, resources: {max: {nvidia.com/gpu: 4}}}
";

fn imported(text: &str) -> Scenario {
    let imported = import_queues_yaml(text, &Options::default());
    imported.scenario.unwrap_or_else(|| panic!("{:?}", imported.report.diagnostics))
}

#[test]
fn partitions_become_pools_and_round_trip() {
    let scenario = imported(TWO);
    let pools: Vec<_> = scenario.pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(pools, ["default", "gpu"]);
    let lines_of_settings: Vec<_> = scenario.pools[1].settings.iter().map(|(k, v)| format!("{k}: {}", v.0)).collect();
    assert_eq!(lines_of_settings, ["maxapplications.root: 9", "node-sort: binpacking", "preemption: false"]);
    let queues: Vec<_> = scenario.queues.iter().map(|q| (q.name.as_str(), q.default_pools.join(" "))).collect();
    let expected = [
        ("shared", "default"),
        ("cpu", "default"),
        ("gpu.shared", "gpu"),
        ("a", ""),
        ("gpu.shared.shared", ""),
        ("big", "gpu"),
    ];
    assert_eq!(queues, expected.map(|(name, pools)| (name, pools.to_string())));
    let exported = export(&scenario, None).map(|written| written.text).expect("a text");
    assert_eq!(imported(&exported), scenario, "{exported}");
}

/// A job runs in the partition of its queue, under its rules: here one application at a time.
#[test]
fn jobs_run_in_the_partition_of_their_queue() {
    let mut scenario = imported(TWO);
    let job = |name: &str, queue: &str| fairground::scenario::JobEntry {
        name: name.into(),
        queue: queue.into(),
        gpu: Some("1".into()),
        ..Default::default()
    };
    let jobs = vec![job("c", "cpu"), job("b1", "big"), job("b2", "big"), job("s", "gpu.shared.shared")];
    scenario.jobs = std::sync::Arc::new(jobs);
    let plan = check(&scenario).plan.unwrap_or_else(|| panic!("{:?}", check(&scenario).diagnostics));
    let mut simulation = Simulation::new(&plan);
    while !simulation.is_quiet() {
        simulation.advance().expect("a further cycle");
    }
    let cluster = simulation.cluster();
    let place = |name: &str| {
        let job = cluster.jobs.iter().find(|(_, job)| *job.name == *name).expect("a job").0;
        let (_, pod) = cluster.pods_of(job).next().expect("a pod");
        pod.node.map(|node| cluster.partitions[cluster.nodes[node].partition].name.to_string())
    };
    assert_eq!(place("c").as_deref(), Some("default"));
    assert_eq!(place("b1").as_deref(), Some("gpu"));
    assert_eq!(place("b2"), None, "big runs one application");
    assert_eq!(place("s").as_deref(), Some("gpu"));
}

#[test]
fn partitions_with_equal_names_are_rejected() {
    let text = "partitions:\n- name: a\n  queues: [{name: root}]\n- name: a\n  queues: [{name: root}]\n";
    let imported = import_queues_yaml(text, &Options::default());
    assert!(imported.scenario.is_none());
    let found: Vec<_> = imported.report.diagnostics.iter().map(|d| (d.position, d.says.as_str())).collect();
    assert_eq!(found, [(Some((4, 3)), "two partitions are called \"a\"")]);
}

/// Lines of a mapping at an indentation depth.
fn block(depth: usize, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}{line}\n", " ".repeat(depth))).collect()
}

/// Properties of a queue besides its children, as lines; upstream rejects some combinations.
fn words() -> impl Strategy<Value = Vec<String>> {
    let amounts = prop::option::of((0i64..40, 0i64..40, prop::bool::ANY));
    let properties = prop::collection::btree_map(
        prop::sample::select(vec![
            ("priority.offset", "7"),
            ("priority.offset", "-12"),
            ("priority.policy", "fence"),
            ("application.sort.policy", "fair"),
            ("application.sort.priority", "disabled"),
            ("preemption.policy", "disabled"),
            ("preemption.delay", "1m30s"),
            ("quota.preemption.delay", "5s"),
            ("application.unschedasks.backoff", "3"),
        ])
        .prop_map(|(key, value)| (key, value)),
        Just(()),
        0..4,
    );
    let limit = prop::option::of(("[a-c]{1,3}", 1u32..9));
    (amounts, properties, limit, prop::option::of("[a-d]{1,4}( g)?"), prop::bool::ANY).prop_map(
        |(amounts, properties, limit, acl, has_template)| {
            let mut lines = Vec::new();
            if let Some((guaranteed, more, others)) = amounts {
                let others = if others { ", pods: 12, ephemeral-storage: 5Gi" } else { "" };
                lines.push("resources:".to_string());
                lines.push(format!("  guaranteed: {{vcore: {guaranteed}, memory: {guaranteed}Gi}}"));
                let max = guaranteed + more;
                lines.push(format!("  max: {{vcore: {max}, memory: {max}Gi, nvidia.com/gpu: {more}{others}}}"));
            }
            let mut lines_of_settings: Vec<String> = Vec::new();
            for ((key, value), ()) in properties {
                if lines_of_settings.iter().all(|line| !line.starts_with(&format!("  {key}:"))) {
                    lines_of_settings.push(format!("  {key}: \"{value}\""));
                }
            }
            if !lines_of_settings.is_empty() {
                lines.push("properties:".to_string());
                lines.extend(lines_of_settings);
            }
            if let Some((user, most)) = limit {
                lines.push(format!("limits: [{{users: [{user}], maxresources: {{vcore: {most}m}}}}]"));
            }
            if let Some(acl) = acl {
                lines.push(format!("submitacl: \"{acl}\""));
            }
            if has_template {
                lines
                    .push("childtemplate: {properties: {priority.policy: fence}, resources: {max: {vcore: 3}}}".into());
            }
            lines
        },
    )
}

#[derive(Clone, Debug)]
struct Tree {
    words: Vec<String>,
    parent: bool,
    children: Vec<Tree>,
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (words(), prop::bool::ANY).prop_map(|(words, parent)| Tree { words, parent, children: Vec::new() });
    leaf.prop_recursive(3, 12, 3, |inner| {
        (words(), prop::collection::vec(inner, 1..4)).prop_map(|(words, children)| Tree {
            words,
            parent: true,
            children,
        })
    })
}

fn queue(tree: &Tree, name: &str, depth: usize) -> String {
    let mut text = block(depth, &[format!("- name: {name}")]);
    if tree.parent {
        text += &block(depth + 2, &["parent: true".to_string()]);
    }
    text += &block(depth + 2, &tree.words);
    text + &queues(&tree.children, depth + 2)
}

fn queues(all: &[Tree], depth: usize) -> String {
    if all.is_empty() {
        return String::new();
    }
    // Names also occur on other levels.
    let each = all.iter().zip(["a", "b", "root", "d"]).map(|(child, name)| queue(child, name, depth));
    block(depth, &["queues:".to_string()]) + &each.collect::<String>()
}

fn configuration() -> impl Strategy<Value = String> {
    let partition = (prop::collection::vec(tree(), 1..4), prop::bool::ANY, prop::option::of(prop::bool::ANY));
    prop::collection::vec(partition, 1..4).prop_map(|partitions| {
        let mut text = "partitions:\n".to_string();
        for ((tops, bins, preempts), name) in partitions.iter().zip(["default", "gpu", "spot"]) {
            text += &block(0, &[format!("- name: {name}")]);
            if *bins {
                text += &block(2, &["nodesortpolicy: {type: binpacking, resourceweights: {vcore: 0.5}}".into()]);
            }
            if let Some(enabled) = preempts {
                text += &block(2, &[format!("preemption: {{enabled: {enabled}, quotapreemptionenabled: true}}")]);
            }
            text += "  queues:\n  - name: root\n    submitacl: '*'\n";
            text += &queues(tops, 4);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 40_000, ..ProptestConfig::default() })]
    #[test]
    fn accepted_configurations_round_trip(text in configuration()) {
        let first = import_queues_yaml(&text, &Options::default());
        let Some(scenario) = first.scenario else {
            prop_assert!(!first.report.diagnostics.is_empty(), "{text}");
            return Err(TestCaseError::reject("upstream would refuse it"));
        };
        let exported = export(&scenario, None).map(|written| written.text).expect("an imported scenario can be written");
        let again = import_queues_yaml(&exported, &Options::default());
        prop_assert_eq!(again.scenario.as_ref(), Some(&scenario), "{}\n{}\n{:?}", text, exported, again.report.diagnostics);
        prop_assert_eq!(export(&scenario, None).map(|written| written.text), Ok(exported));
    }
}
