//! Jobs that need only some of their subgroups, and pod sets that need no pods: KAI since version 0.17.

use fairground::export::kit;
use fairground::import::{Options, Source, import_kubernetes};
use fairground::scenario::{Diagnostic, Scenario, check, codes, read, to_yaml};
use fairground::sim::Simulation;

fn text(policy: &str, settings: &str, gpus: u32, job: &str) -> String {
    format!(
        "format: fairground-scenario
version: 1
policy: {policy}
settings: {{{settings}}}
nodes: [{{name: n, gpu: {gpus}, cpu: 64, memory: 64Gi}}]
queues: [{{name: q, gpu: {{quota: 16, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: [{{name: j, queue: q, {job}}}]
"
    )
}

const NEW: &str = "version: '0.17'";

fn scenario(text: &str) -> Scenario {
    let read = read(text);
    assert_eq!(read.diagnostics, [], "{text}");
    read.scenario.expect("it can be read")
}

fn findings(text: &str) -> Vec<Diagnostic> {
    check(&scenario(text)).diagnostics
}

fn running(text: &str) -> Vec<String> {
    let checked = check(&scenario(text));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    for _ in 0..4 {
        simulation.advance();
    }
    let pods = simulation.cluster().pods.values().filter(|pod| pod.node.is_some());
    pods.map(|pod| pod.name.to_string()).collect()
}

const REPLICAS: &str =
    "pod-sets: [{name: r0, pods: 2, gpu: 1}, {name: r1, pods: 2, gpu: 1}, {name: r2, pods: 2, gpu: 1}]";

/// kai-v0.17.md 16.4.
#[test]
fn as_many_replicas_start_as_fit_beyond_the_minimum() {
    let some = format!("min-subgroups: 2, {REPLICAS}");
    let four = ["j/r0/1", "j/r0/2", "j/r1/1", "j/r1/2"];
    assert_eq!(running(&text("kai", NEW, 5, &some)), four);
    assert!(running(&text("kai", NEW, 3, &some)).is_empty());
    assert!(running(&text("kai", NEW, 5, REPLICAS)).is_empty());
    // Version 0.13 needs all of them.
    assert!(running(&text("kai", "version: '0.13'", 5, &some)).is_empty());
}

#[test]
fn a_group_has_a_minimum_of_its_own() {
    let sets = "pod-sets: [{name: a, group: left, gpu: 1}, {name: b, group: left, gpu: 1}, {name: c, group: right, gpu: 1}, {name: d, \
                group: right, gpu: 1}]";
    let some = |more: &str| text("kai", NEW, 3, &format!("{more}{sets}"));
    assert!(running(&some("")).is_empty());
    assert_eq!(running(&some("min-subgroups-of: {left: 1}, ")), ["j/a/1", "j/c/1", "j/d/1"]);
    assert_eq!(running(&some("min-subgroups: 1, ")), ["j/a/1", "j/b/1"]);
}

/// kai-v0.17.md 16.1.
#[test]
fn a_minimum_of_no_pods_starts_pods_one_by_one() {
    let sets = "pod-sets: [{name: a, pods: 2, min-available: 0, gpu: 1}, {name: b, pods: 2, min-available: 1, gpu: 1}]";
    assert_eq!(running(&text("kai", NEW, 3, sets)), ["j/a/1", "j/b/1", "j/b/2"]);
    assert_eq!(running(&text("kai", NEW, 2, "pods: 3, gpu: 1, min-available: 0")), ["j/1", "j/2"]);
}

#[test]
fn what_an_older_version_or_another_policy_ignores_is_reported() {
    let job = format!(
        "min-subgroups: 2, min-subgroups-of: {{left: 1}}, {REPLICAS}, {{name: x, group: left, min-available: 0}}]"
    )
    .replace("}], {name: x", "}, {name: x");
    let says = |policy: &str, settings: &str| {
        let found = findings(&text(policy, settings, 8, &job));
        let of = |field: &str| {
            let is_it = |d: &&Diagnostic| d.at.to_string().contains(field);
            found.iter().find(is_it).map(|d| d.code.0)
        };
        [of(".min-subgroups"), of(".min-subgroups-of"), of("min-available")]
    };
    assert_eq!(says("kai", NEW), [None, None, None]);
    assert_eq!(says("kai", "version: '0.13'"), [Some("S056"), Some("S056"), Some("S056")]);
    for policy in ["runai", "yunikorn", "ego", "max-min"] {
        assert_eq!(says(policy, ""), [Some("S048"), Some("S048"), Some("S048")], "{policy}");
    }
}

#[test]
fn impossible_minimums_are_refused() {
    let code = |job: &str| {
        let found = findings(&text("kai", NEW, 8, job));
        found.iter().find(|d| d.at.to_string().contains("min-")).map(|d| d.code)
    };
    assert_eq!(code(&format!("min-subgroups: 4, {REPLICAS}")), Some(codes::MIN_AVAILABLE));
    assert_eq!(code(&format!("min-subgroups-of: {{none: 1}}, {REPLICAS}")), Some(codes::CHOICE));
    assert_eq!(code("min-subgroups: 1, pods: 2, gpu: 1"), Some(codes::CONFLICT));
    assert_eq!(code(&format!("min-subgroups: 1, min-available: 2, {REPLICAS}")), Some(codes::CONFLICT));
    assert_eq!(code("pods: 2, min-available: 3, gpu: 1"), Some(codes::MIN_AVAILABLE));
    assert_eq!(code(&format!("min-subgroups: 0, {REPLICAS}")), None);
}

/// Pod groups of a kit have the same minimums, delays and grace periods, and an import reads them again.
#[test]
fn minimums_round_trip_through_pod_groups() {
    let jobs = [
        format!("min-subgroups: 2, {REPLICAS}"),
        "min-subgroups-of: {left: 1}, pod-sets: [{name: a, group: left, gpu: 1}, {name: b, group: left, gpu: 1}, {name: c, gpu: 1}]"
            .to_string(),
        "staleness-grace: unlimited, preemption-delay: 90s, pod-sets: [{name: a, pods: 2, min-available: 0, gpu: 1}, {name: b, gpu: 1}]"
            .to_string(),
        "staleness-grace: 5s, pods: 3, min-available: 0, gpu: 1".to_string(),
    ];
    for job in jobs {
        let before = scenario(&text("kai", NEW, 8, &job));
        let files = kit(&before).expect("a kit").files;
        let of = |file: &&fairground::export::File| ["jobs/", "2-"].iter().any(|start| file.name.starts_with(start));
        let all: Vec<&str> = files.iter().filter(of).map(|file| file.text.as_str()).collect();
        let all = all.join("---\n");
        let imported = import_kubernetes(&[Source { file: "", text: &all }], &Options::default());
        let after = imported.scenario.unwrap_or_else(|| panic!("{:?}", imported.report.diagnostics));
        assert_eq!(after.settings.get("version").map(|typed| typed.0.as_str()), Some("0.17"), "{job}");
        let (old, new) = (&before.jobs[0], &after.jobs[0]);
        assert_eq!((&old.min_subgroups, &old.min_subgroups_of), (&new.min_subgroups, &new.min_subgroups_of), "{all}");
        assert_eq!(old.staleness_grace, new.staleness_grace, "{job}");
        assert_eq!(old.preemption_delay, new.preemption_delay, "{job}");
        let minimums = |job: &fairground::scenario::JobEntry| -> Vec<String> {
            let of_sets = job.pod_sets.iter().map(|set| match (&set.min_available, &set.pods) {
                (Some(min), _) => min.0.clone(),
                (None, pods) => pods.as_ref().map_or("1".to_string(), |pods| pods.0.clone()),
            });
            job.min_available.iter().map(|min| min.0.clone()).chain(of_sets).collect()
        };
        assert_eq!(minimums(old), minimums(new), "{all}");
        assert_eq!(scenario(&to_yaml(&after)), after);
    }
}
