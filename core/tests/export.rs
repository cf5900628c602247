//! Exports import unchanged, and differ only where the scenario was edited.

use fairground::export::{Refused, changes, export, formats, formats_of, original};
use fairground::scenario::{Scenario, read};
use proptest::prelude::*;

fn scenario(text: &str) -> Scenario {
    let read = read(text);
    assert!(read.is_clean(), "{:?}", read.diagnostics);
    read.scenario.expect("a scenario")
}

/// Queues with values that every format supports: two levels, whole hosts, whole MiB.
fn drawn(policy: &'static str) -> impl Strategy<Value = String> {
    let queue = (0..8u32, prop::option::of(0..4u32), 0..4u32, prop::option::of(1..7u32), any::<bool>());
    prop::collection::vec((queue, prop::collection::vec(queue_below(), 0..3)), 1..4).prop_map(move |tops| {
        let mut text = format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n");
        text += "nodes:\n- {name: host, count: 8, gpu: 8}\nqueues:\n";
        for (i, (top, below)) in tops.iter().enumerate() {
            text += &line(&format!("top-{i}"), None, *top);
            for (j, queue) in below.iter().enumerate() {
                text += &line(&format!("team-{i}.{j}"), Some(&format!("top-{i}")), *queue);
            }
        }
        text
    })
}

type Drawn = (u32, Option<u32>, u32, Option<u32>, bool);

fn queue_below() -> impl Strategy<Value = Drawn> {
    (0..3u32, prop::option::of(0..4u32), 0..4u32, prop::option::of(1..7u32), any::<bool>())
}

fn line(name: &str, parent: Option<&str>, (quota, limit, weight, priority, is_wide): Drawn) -> String {
    let parent = parent.map_or(String::new(), |parent| format!(", parent: {parent}"));
    let limit = limit.map_or("unlimited".to_string(), |more| (8 * (quota + more + 1)).to_string());
    let priority = priority.map_or(String::new(), |priority| format!(", priority: {priority}"));
    let cpu = if is_wide { ", cpu: {limit: 1500m}, memory: {limit: 512Mi}" } else { "" };
    format!(
        "- {{name: {name}{parent}{priority}, gpu: {{quota: {}, limit: {limit}, weight: {weight}}}{cpu}}}\n",
        8 * quota
    )
}

/// Exports a scenario in its policy's own format, imports it, and exports it again.
fn there_and_back(text: &str) -> Result<(), TestCaseError> {
    let before = scenario(text);
    let written = export(&before, None).map_err(|refused| TestCaseError::fail(format!("{refused:?}\n{text}")))?;
    let imported = original(&written.text).expect("a format that is imported");
    let found = format!("{text}\n{}\n{:?}", written.text, imported.report.diagnostics);
    let Some(mut again) = imported.scenario else { return Err(TestCaseError::fail(found)) };
    again.policy.clone_from(&before.policy);
    again.nodes = before.nodes.clone();
    prop_assert_eq!(export(&again, None).map(|written| written.text).ok(), Some(written.text), "{}", found);
    let names = |s: &Scenario| s.queues.iter().map(|q| (q.name.clone(), q.parent.clone())).collect::<Vec<_>>();
    let (mut was, mut is) = (names(&before), names(&again));
    was.sort();
    is.sort();
    prop_assert_eq!(was, is);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn kai_queues_round_trip(text in drawn("kai")) {
        there_and_back(&text)?;
    }

    #[test]
    fn departments_and_projects_round_trip(text in drawn("runai")) {
        there_and_back(&text)?;
    }

    #[test]
    fn a_plan_round_trips(text in drawn("ego")) {
        there_and_back(&text)?;
    }

    #[test]
    fn a_yunikorn_configuration_round_trips(text in drawn("yunikorn")) {
        // YuniKorn rejects a parent with less than its children.
        let open = |line: &str| match line.split_once(", gpu") {
            Some((name, _)) if line.starts_with("- {name: top-") => format!("{name}}}\n"),
            _ => format!("{line}\n"),
        };
        let text: String = text.lines().map(open).collect();
        there_and_back(&text.replace("team-", "t-").replace('.', "-"))?;
    }
}

const KAI: &str = "format: fairground-scenario
version: 1
policy: kai
nodes:
- {name: n, count: 2, gpu: 8}
queues:
- {name: Research, display-name: Research & more, gpu: {quota: 8, limit: unlimited, weight: 1}}
- {name: vision, parent: Research, priority: 200, reclaim-min-runtime: 90s, created: -1d,
   gpu: {quota: 1.5, limit: 4, weight: 2.5, usage: 0.25}, cpu: {quota: 500m, limit: unlimited},
   memory: {quota: 1Gi, limit: unlimited, weight: 1}}
";

#[test]
fn a_queue_object_has_all_supported_fields() {
    let written = export(&scenario(KAI), None).expect("a file");
    let expected = "apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: research
spec:
  displayName: Research & more
  priority: 100
  resources:
    gpu:
      quota: 8
      limit: -1
      overQuotaWeight: 1
    cpu:
      quota: 0
      limit: 0
      overQuotaWeight: 0
    memory:
      quota: 0
      limit: 0
      overQuotaWeight: 0
";
    let start = expected.replace("Research & more", "\"Research & more\"");
    assert!(written.text.starts_with(&start), "{}", written.text);
    for line in [
        "parentQueue: research",
        "reclaimMinRuntime: 90s",
        "quota: 1.5",
        "overQuotaWeight: 2.5",
        "quota: 500",
        "quota: 1073.741824",
    ] {
        assert!(written.text.contains(line), "{line}\n{}", written.text);
    }
    let left_out = written.left_out.join("\n");
    for part in ["past usage", "vision", "age", "Research"] {
        assert!(left_out.contains(part), "{left_out}");
    }
}

/// Fields and types of the custom resource definition `queues.scheduling.run.ai`, version `v2`, with nesting depth and
/// numeric fields.
#[test]
fn queue_objects_have_the_fields_of_the_definition() {
    let written = export(&scenario(KAI), None).expect("a file");
    let known = [
        (0, "apiVersion kind metadata spec"),
        (2, "name displayName parentQueue priority preemptMinRuntime reclaimMinRuntime resources"),
        (4, "gpu cpu memory"),
        (6, "quota limit overQuotaWeight"),
    ];
    for line in written.text.lines().filter(|line| *line != "---") {
        let depth = line.len() - line.trim_start().len();
        let (key, value) = line.trim_start().split_once(':').expect("a key");
        let fields = known.iter().find(|(known, _)| *known == depth).expect("a depth").1;
        assert!(fields.split(' ').any(|field| field == key), "{line}");
        let is_number = depth == 6 || key == "priority";
        assert!(!is_number || value.trim().parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn only_edited_values_differ() {
    for (policy, edit, line) in [
        ("kai", ("quota: 1.5", "quota: 2"), "+      quota: 2"),
        ("runai", ("quota: 1.5", "quota: 2"), "+            \"deserved\": 2,"),
    ] {
        let text = KAI.replace("policy: kai", &format!("policy: {policy}")).replace("priority: 200", "priority: 2");
        let text = text.replace("usage: 0.25", "weight: 1").replace("weight: 2.5, weight: 1", "weight: 2.5");
        let before = scenario(&text);
        let after = scenario(&text.replace(edit.0, edit.1));
        let imported = original(&export(&before, None).expect("a file").text).and_then(|i| i.scenario);
        let imported = imported.expect("a scenario");
        let diff = changes(&imported, &after, formats_of(&after).first().map(|f| f.file), ["a", "b"]);
        let diff = diff.expect("a difference");
        let changed: Vec<&str> = diff.lines().skip(3).filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(changed.len(), 2, "{diff}");
        assert_eq!(changed[1], line, "{diff}");
    }
}

#[test]
fn unsupported_values_are_rejected() {
    let baseline = scenario(&KAI.replace("policy: kai", "policy: max-min"));
    assert_eq!(export(&baseline, None), Err(Refused::NoFormat));
    let wrong = KAI.replace("parent: Research", "parent: nobody");
    let wrong = read(&wrong).scenario.expect("a shape");
    assert!(matches!(export(&wrong, None), Err(Refused::Mistakes(all)) if !all.is_empty()));
    for (_, format) in formats() {
        assert!(export(&baseline, Some(format.file)).is_ok(), "{}", format.file);
    }
}
