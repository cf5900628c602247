//! Reloads of YuniKorn's configuration: after each entry of the timeline it is checked as a whole (yunikorn.md 1.6,
//! 2.5).

use fairground::import::{Options, import_queues_yaml, reload};
use fairground::scenario::{Edit, Scenario, apply, check, read};
use fairground::sim::Simulation;
use fairground::time::Time;

/// Findings at entries of the timeline.
fn found(text: &str) -> Vec<String> {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: yunikorn\nnodes: [{{name: n, gpu: 8}}]\n\
         queues: [{{name: p, gpu: {{limit: 4}}}}, {{name: a, parent: p}}, {{name: b, parent: p}}]\n{text}"
    );
    let checked = check(&read(&text).scenario.expect("it has the form of a scenario"));
    assert!(checked.plan.is_some(), "{:?}", checked.diagnostics);
    let at_entries = checked.diagnostics.iter().filter(|found| found.at.to_string().starts_with("timeline"));
    at_entries.map(|found| format!("{} {}: {}", found.code.0, found.at, found.says)).collect()
}

#[test]
fn a_change_of_a_queue_is_checked_with_all_others() {
    let found = found(
        "timeline:\n- {at: 5s, queue: a, gpu: {quota: 3}}\n- {at: 9s, queue: b, gpu: {quota: 3}}\n\
         - {at: 12s, queue: a, gpu: {quota: 1}}\n- {at: 20s, queue: a, gpu: {quota: 1, limit: 6}}\n",
    );
    expect_test::expect![[r#"
        S059 timeline[1]: YuniKorn would refuse this: the queues below p are guaranteed nvidia.com/gpu 6 together, above the maximum nvidia.com/gpu 4; it would keep its previous configuration
        S059 timeline[3].gpu.limit: YuniKorn would refuse this: max of a, nvidia.com/gpu 6, is above the nvidia.com/gpu 4 of a queue above it; it would keep its previous configuration"#]].assert_eq(&found.join("\n"));
}

#[test]
fn changed_settings_are_checked_as_the_scenario_with_them() {
    let found = found(
        "settings: {maxapplications.p: 4, maxapplications.a: 2, maxapplications.b: 2}\n\
         timeline:\n- {at: 5s, settings: {maxapplications.a: 9}}\n\
         - {at: 8s, unset: [maxapplications.b]}\n",
    );
    expect_test::expect![[r#"
        S059 timeline[0].settings.maxapplications.a: YuniKorn would refuse this: maxapplications 9 of a is above the 4 of its parent; it would keep its previous configuration
        S059 timeline[1].unset: YuniKorn would refuse this: p has maxapplications 4, so b needs it too; it would keep its previous configuration"#]].assert_eq(&found.join("\n"));
}

/// Entries at one time form one configuration: errors between them are not reported.
#[test]
fn entries_at_one_time_are_one_configuration() {
    let both = "timeline:\n- {at: 5s, queue: a, gpu: {quota: 6}}\n- {at: 5s, queue: p, gpu: {limit: 8}}\n";
    assert_eq!(found(both), Vec::<String>::new());
    let apart = both.replacen("5s", "4s", 1);
    assert_eq!(found(&apart).len(), 1, "{:?}", found(&apart));
}

/// An initial error is reported there, once.
#[test]
fn earlier_errors_are_not_repeated() {
    let found = found(
        "settings: {maxapplications.root: 1, maxapplications.a: 2}\ntimeline: [{at: 5s, settings: {node-sort: fair}}]\n",
    );
    assert_eq!(found, Vec::<String>::new());
}

const QUEUES: &str = "partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: a
      properties: {priority.offset: '5', application.sort.policy: fifo}
      resources: {guaranteed: {nvidia.com/gpu: 2}, max: {nvidia.com/gpu: 8}}
    - name: b
      maxapplications: 3
      resources: {max: {nvidia.com/gpu: 4}}
    - name: c
";

fn start() -> Scenario {
    import_queues_yaml(QUEUES, &Options::default()).scenario.expect("it can be read")
}

/// Timeline entries of a configuration reloaded at 30 s, as lines of YAML.
fn entries(scenario: &Scenario, text: &str) -> Vec<String> {
    let reload = reload(scenario, "30s", text);
    assert_eq!(reload.diagnostics, vec![]);
    let with = Scenario { timeline: std::sync::Arc::new(reload.entries), ..Scenario::default() };
    let yaml = fairground::scenario::to_yaml(&with);
    let lines = yaml.lines().skip_while(|line| *line != "timeline:").skip(1);
    lines.map(|line| line.strip_prefix("  ").unwrap_or(line).to_string()).collect()
}

#[test]
fn a_configuration_becomes_the_entries_with_what_changed() {
    let scenario = start();
    assert_eq!(entries(&scenario, QUEUES), Vec::<String>::new(), "the same text changes nothing");
    let text = QUEUES
        .replace("priority.offset: '5', application.sort.policy: fifo", "priority.offset: '7', preemption.delay: 10s")
        .replace("max: {nvidia.com/gpu: 8}", "max: {nvidia.com/gpu: 6}")
        .replace("      maxapplications: 3\n      resources: {max: {nvidia.com/gpu: 4}}\n", "")
        .replace("    - name: c\n", "");
    expect_test::expect![[r#"
          - at: 30s
            queue: a
            priority: 7
            gpu: {limit: 6}
          - at: 30s
            queue: b
            gpu: {limit: unlimited}
          - at: 30s
            settings:
              absent.c: true
              preemption.delay.a: 10s
            unset: [application.sort.policy.a, maxapplications.b]"#]]
    .assert_eq(&entries(&scenario, &text).join("\n"));
}

/// The scenario with the entries behaves from then on like one with the new configuration from the start.
#[test]
fn after_the_entries_the_scenario_has_that_configuration() {
    let text = QUEUES.replace("max: {nvidia.com/gpu: 8}", "max: {nvidia.com/gpu: 6}").replace("    - name: c\n", "");
    let scenario = start();
    let edits = reload(&scenario, "30s", &text).entries.into_iter();
    let edits: Vec<Edit> = edits.map(|entry| Edit::AddTimeline { entry: Box::new(entry) }).collect();
    let changed = apply(&scenario, &edits).expect("entries can be added");
    let checked = check(&changed);
    assert!(checked.diagnostics.iter().all(|found| found.code.0 != "S059"), "{:?}", checked.diagnostics);
    let mut simulation = Simulation::new(&checked.plan.expect("it can run"));
    while simulation.next_cycle_at().is_some_and(|at| at <= Time::from_millis(30_000)) {
        simulation.advance();
    }
    let limit = simulation.cluster().queues.values().next().expect("a queue").resources.gpu.limit;
    assert_eq!(limit, fairground::units::Bound::At(fairground::units::Amount::gpus(6)));
    // Reloaded later, the same text changes nothing, and the old one reverts everything.
    assert_eq!(reload(&changed, "40s", &text).entries, vec![]);
    let back = reload(&changed, "40s", QUEUES).entries;
    assert_eq!(back.len(), 2, "{back:?}");
    assert_eq!(back[1].unset, ["absent.c"]);
}

#[test]
fn unsupported_reloads_are_reported() {
    let scenario = start();
    let says = |at: &str, text: &str, scenario: &Scenario| {
        let reload = reload(scenario, at, text);
        assert_eq!(reload.entries, vec![]);
        reload.diagnostics.into_iter().map(|found| found.says).collect::<Vec<_>>().join("; ")
    };
    let new = QUEUES.replace("name: c", "name: d");
    assert!(says("30s", &new, &scenario).contains("add it with the setting absent."));
    assert!(says("soon", QUEUES, &scenario).contains("is not a moment of the run"));
    assert!(says("-5s", QUEUES, &scenario).contains("is not a moment of the run"));
    let refused = QUEUES.replace("guaranteed: {nvidia.com/gpu: 2}", "guaranteed: {nvidia.com/gpu: 9}");
    assert!(!says("30s", &refused, &scenario).is_empty());
    let kai = Scenario { policy: "kai".into(), ..scenario };
    assert!(says("30s", QUEUES, &kai).contains("does not read its configuration anew"));
}
