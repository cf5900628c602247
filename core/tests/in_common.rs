//! Pod sets with a common minimum.

use fairground::link;
use fairground::scenario::{Diagnostic, apply, check, codes, read, to_yaml};
use fairground::sim::Simulation;

fn text(policy: &str, gpus: u32, job: &str) -> String {
    format!(
        "format: fairground-scenario
version: 1
policy: {policy}
nodes: [{{name: n, gpu: {gpus}, cpu: 8, memory: 8Gi}}]
queues: [{{name: q, gpu: {{quota: 8, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: [{{name: j, queue: q, {job}}}]
"
    )
}

const KINDS: &str = "pod-sets: [{name: big, gpu: 2}, {name: small, pods: 2, gpu: 1}]";

/// Pods that run after the first cycles.
fn running(policy: &str, gpus: u32, job: &str) -> Vec<String> {
    let read = read(&text(policy, gpus, job));
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it can be read"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    for _ in 0..3 {
        simulation.advance();
    }
    let pods = simulation.cluster().pods.values().filter(|pod| pod.node.is_some());
    pods.map(|pod| pod.name.to_string()).collect()
}

#[test]
fn the_common_minimum_counts_pods_of_all_sets() {
    for policy in ["kai", "runai", "max-min", "drf"] {
        let with = |gpus, min: u32| running(policy, gpus, &format!("min-available: {min}, {KINDS}"));
        assert_eq!(with(3, 2), ["j/big/1", "j/small/1"], "{policy}: two of three");
        assert!(with(3, 3).is_empty(), "{policy}: all three");
        assert_eq!(with(4, 3), ["j/big/1", "j/small/1", "j/small/2"], "{policy}: all three");
        assert_eq!(with(2, 1), ["j/big/1"], "{policy}: one");
        assert!(with(2, 2).is_empty(), "{policy}: two have no room");
        // Without it each pod set has its own minimum: both small pods.
        assert!(running(policy, 3, KINDS).is_empty(), "{policy}");
    }
}

fn findings(policy: &str, job: &str) -> Vec<Diagnostic> {
    let read = read(&text(policy, 8, job));
    assert_eq!(read.diagnostics, []);
    check(&read.scenario.expect("it can be read")).diagnostics
}

#[test]
fn the_minimum_is_set_in_the_job_or_in_its_pod_sets() {
    let found = findings(
        "kai",
        "min-available: 2, pod-sets: [{name: a, min-available: 1, pods: 2, gpu: 1}, {name: b, gpu: 1}]",
    );
    let places: Vec<(String, String)> = found.iter().map(|d| (d.code.0.to_string(), d.at.to_string())).collect();
    assert_eq!(places, [("S027".into(), "jobs[\"j\"].pod-sets[\"a\"].min-available".into())]);
    let found =
        findings("kai", "min-available: 2, pod-sets: [{name: a, group: g, pods: 2, gpu: 1}, {name: b, gpu: 1}]");
    assert_eq!(found[0].at.to_string(), "jobs[\"j\"].pod-sets[\"a\"].group");
    let found = findings("kai", &format!("min-available: 4, {KINDS}"));
    assert_eq!((found[0].code, found[0].at.to_string()), (codes::MIN_AVAILABLE, "jobs[\"j\"].min-available".into()));
    assert!(found[0].says.contains("the 3 pods there are"), "{}", found[0].says);
}

/// Policies without a common minimum report it, and use one per pod set.
#[test]
fn other_policies_report_how_they_treat_it() {
    let job = format!("min-available: 2, {KINDS}");
    assert_eq!(findings("kai", &job), []);
    let says = |policy: &str, job: &str| -> Vec<String> {
        let found = findings(policy, job).into_iter().filter(|d| d.at.to_string().ends_with("min-available"));
        found.map(|d| d.says).collect()
    };
    let all = |name: &str, pods: &str| {
        format!(
            "{name} has no minimum that {pods} of several kinds have in common; all {pods} of each kind start together"
        )
    };
    assert_eq!(says("ego", &job), [all("EGO", "units")]);
    assert_eq!(says("yunikorn", &format!("gang: soft, {job}"))[0], all("YuniKorn", "pods"));
    assert_eq!(says("yunikorn", &job), ["YuniKorn ignores how many pods must start together (of \"j\")"]);
    assert_eq!(says("fifo", &job), ["first in, first out ignores min-available (of \"j\")"]);
    let read = read(&text("ego", 8, &job));
    let scenario = read.scenario.expect("it can be read");
    let fix = check(&scenario).diagnostics.into_iter().find_map(|d| d.fix).expect("a fix");
    let after = apply(&scenario, &fix.edits).expect("it can be applied");
    assert_eq!(after.jobs[0].min_available, None);
}

#[test]
fn a_semi_preemptible_job_keeps_its_common_minimum() {
    let job = format!("preemptible: semi, min-available: 2, {KINDS}");
    assert_eq!(findings("runai", &job), []);
    let all = findings("runai", &format!("preemptible: semi, min-available: 3, {KINDS}"));
    assert_eq!(all[0].code, codes::NO_EFFECT);
}

#[test]
fn it_survives_writing_and_links() {
    let scenario = read(&text("kai", 4, &format!("min-available: 2, {KINDS}"))).scenario.expect("it can be read");
    assert_eq!(read(&to_yaml(&scenario)).scenario.as_ref(), Some(&scenario));
    assert_eq!(link::decode(&link::encode(&scenario)).as_ref(), Ok(&scenario));
}
