//! Every kind of finding has an example that shows it, and only it.

use expect_test::expect;
use fairground::scenario::{Diagnostic, Severity, apply, check, codes, read};

fn findings(text: &str) -> Vec<Diagnostic> {
    let read = read(text);
    let mut all = read.diagnostics;
    if let Some(scenario) = read.scenario {
        all.extend(check(&scenario).diagnostics);
    }
    all
}

#[test]
fn every_example_shows_exactly_its_code() {
    let mut wrong = Vec::new();
    for about in codes::ALL.iter().filter(|about| !codes::NOT_OF_SCENARIOS.contains(&about.code)) {
        let found = findings(&about.example());
        let own = found.len() == 1 && found[0].code == about.code && found[0].severity == about.severity;
        if !own {
            wrong.push(format!("{} {}: {found:#?}", about.code.0, about.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_are_unique_and_in_order() {
    assert!(codes::ALL.windows(2).all(|pair| pair[0].code < pair[1].code));
    assert!(codes::ALL.iter().all(|about| about.about.len() > 30));
}

#[test]
fn the_start_scenario_is_clean() {
    let text = "\
format: fairground-scenario
version: 1
name: Two teams, four GPUs
policy: kai
nodes:
  - {name: node, count: 2, gpu: 2}
queues:
  - name: team-a
    gpu: {quota: 2, limit: unlimited, weight: 1}
    cpu: {quota: unlimited, limit: unlimited, weight: 1}
    memory: {quota: unlimited, limit: unlimited, weight: 1}
  - name: team-b
    gpu: {quota: 2, limit: unlimited, weight: 1}
    cpu: {quota: unlimited, limit: unlimited, weight: 1}
    memory: {quota: unlimited, limit: unlimited, weight: 1}
jobs:
  - {name: a1, queue: team-a, gpu: 2, submit: -2, on: [node-1]}
  - {name: a2, queue: team-a, gpu: 1, submit: -1, on: [node-2]}
  - {name: b1, queue: team-b, gpu: 1, on: [node-2]}
  - {name: b2, queue: team-b, gpu: 1, submit: 1}
";
    let read = read(text);
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it is a scenario"));
    assert_eq!(checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).count(), 0);
    assert_eq!(checked.diagnostics, []);
    let plan = checked.plan.expect("nothing is wrong");
    assert_eq!(plan.cluster.nodes.len(), 2);
    assert_eq!(plan.cluster.live_jobs.len(), 3);
    let devices: Vec<u64> = plan.cluster.pods.values().map(|pod| pod.devices.0).collect();
    assert_eq!(devices, [3, 1, 2, 0]);
}

#[test]
fn applying_a_fix_removes_its_finding() {
    let mut without = Vec::new();
    for about in codes::ALL {
        let Some(scenario) = read(&about.example()).scenario else { continue };
        for found in check(&scenario).diagnostics {
            let Some(fix) = &found.fix else {
                without.push(found.code.0);
                continue;
            };
            let mended = apply(&scenario, &fix.edits).expect("a fix can be applied");
            let left = check(&mended).diagnostics;
            let same = |d: &&Diagnostic| d.code == found.code && d.at == found.at && d.says == found.says;
            assert_eq!(left.iter().find(same), None, "{}: {}", found.says, fix.label);
        }
    }
    expect![[r#"
        [
            "S014",
            "S016",
            "S017",
            "S038",
            "S044",
            "S048",
            "S059",
        ]
    "#]]
    .assert_debug_eq(&without);
}
