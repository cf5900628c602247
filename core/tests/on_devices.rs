//! Initially running pods may name their GPUs, and pod sets may have their own required affinity.

use fairground::cluster::{Cluster, Pod};
use fairground::scenario::{Code, Diagnostic, check, codes, read};

fn findings(policy: &str, jobs: &str) -> (Vec<Diagnostic>, Option<Cluster>) {
    let text = format!(
        "format: fairground-scenario
version: 1
policy: {policy}
nodes: [{{name: n, gpu: 4, labels: {{zone: a}}}}, {{name: m, gpu: 4, labels: {{zone: b}}}}]
queues: [{{name: q, gpu: {{quota: 8, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: {jobs}
"
    );
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it can be read"));
    (checked.diagnostics, checked.plan.map(|plan| plan.cluster.clone()))
}

/// Devices of every running pod.
fn devices(jobs: &str) -> Vec<(String, Vec<u32>)> {
    let (found, cluster) = findings("kai", jobs);
    let cluster = cluster.unwrap_or_else(|| panic!("{found:?}"));
    let running = cluster.pods.values().filter(|pod| pod.node.is_some());
    running.map(|pod| (pod.name.to_string(), pod.devices.iter().collect())).collect()
}

fn expected(all: &[(&str, &[u32])]) -> Vec<(String, Vec<u32>)> {
    all.iter().map(|(pod, devices)| (pod.to_string(), devices.to_vec())).collect()
}

#[test]
fn the_default_is_the_lowest_free_devices() {
    let jobs = "[{name: a, queue: q, gpu: 0.5, on: [n]}, {name: b, queue: q, gpu: 2, on: [n]}, \
                {name: c, queue: q, gpu: 0.5, on: [n]}]";
    assert_eq!(devices(jobs), expected(&[("a", &[0]), ("b", &[1, 2]), ("c", &[0])]));
}

#[test]
fn pods_run_on_the_named_devices() {
    let jobs = "[{name: a, queue: q, gpu: 0.5, pods: 3, on: [n, n, n], on-devices: [3, \"\", 1]}, \
                {name: b, queue: q, gpu: 2, on: [n], on-devices: [0+2]}, \
                {name: c, queue: q, gpu: 0.5, gpu-devices: 2, on: [m], on-devices: [1 + 3]}]";
    let all: &[(&str, &[u32])] = &[("a/1", &[3]), ("a/2", &[3]), ("a/3", &[1]), ("b", &[0, 2]), ("c", &[1, 3])];
    assert_eq!(devices(jobs), expected(all));
}

#[test]
fn missing_and_occupied_devices_are_reported() {
    let one = |rest: &str| -> Vec<(Code, String)> {
        let (found, _) = findings("kai", &format!("[{{name: j, queue: q, {rest}}}]"));
        found.iter().map(|d| (d.code, d.at.to_string())).collect()
    };
    let at = |field: &str| format!("jobs[\"j\"].{field}");
    assert_eq!(one("gpu: 1, on: [n], on-devices: [4]"), [(codes::OVERFULL, at("on"))]);
    assert_eq!(one("gpu: 1, on: [n], on-devices: [0+1]"), [(codes::OVERFULL, at("on"))]);
    assert_eq!(one("gpu: 1, on: [n], on-devices: [first]"), [(codes::NUMBER, at("on-devices"))]);
    assert_eq!(one("gpu: 1, on: [n], on-devices: [64]"), [(codes::NUMBER, at("on-devices"))]);
    assert_eq!(one("gpu: 1, on: [n], on-devices: [0, 1]"), [(codes::TOO_MANY_ON, at("on-devices"))]);
    assert_eq!(one("gpu: 1, on-devices: [0]"), [(codes::TOO_MANY_ON, at("on-devices"))]);
    let twice = "pods: 2, gpu: 0.6, on: [n, n], on-devices: [1, 1]";
    assert_eq!(one(twice), [(codes::OVERFULL, at("on"))]);
}

#[test]
fn pod_sets_have_their_own_affinity() {
    let job = |own: &str| {
        let kinds = format!("[{{name: a, gpu: 1, affinity: [\"{own}\"]}}, {{name: b, gpu: 1}}]");
        format!("[{{name: j, queue: q, pod-sets: {kinds}}}]")
    };
    let (found, cluster) = findings("kai", &job("zone in (b)"));
    assert_eq!(found, []);
    let needs = |pod: &Pod| pod.rules.as_ref().map_or(0, |rules| rules.affinity.len());
    assert_eq!(cluster.expect("it can run").pods.values().map(needs).collect::<Vec<_>>(), [1, 0]);
    let (found, _) = findings("kai", &job("zone in"));
    assert_eq!(found[0].code, codes::PLACEMENT_RULE);
    assert_eq!(found[0].at.to_string(), "jobs[\"j\"].pod-sets[\"a\"].affinity");
    let (found, _) = findings("ego", &job("zone in (b)"));
    let says = found.iter().filter(|d| d.code == codes::NOT_EXPRESSED).map(|d| d.says.as_str());
    assert_eq!(says.collect::<Vec<_>>(), ["EGO ignores affinity (of \"j\")"]);
}
