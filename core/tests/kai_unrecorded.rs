//! Rules of KAI that changed with version 0.17 and that no recording tells from the older ones.

use fairground::cluster::Phase;
use fairground::scenario::{check, read};
use fairground::sim::Simulation;

/// The names of the pods with their nodes after some cycles, those that are being evicted left out.
fn placed(version: &str, text: &str, cycles: u32) -> Vec<String> {
    placed_with(&format!("version: \"{version}\""), text, cycles)
}

fn placed_with(settings: &str, text: &str, cycles: u32) -> Vec<String> {
    let head = "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s";
    let read = read(&format!("{head}\nsettings: {{{settings}}}\n{text}"));
    assert_eq!(read.diagnostics, []);
    let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
    let mut simulation = Simulation::new(&plan);
    for _ in 0..cycles {
        simulation.advance();
    }
    let cluster = simulation.cluster();
    let holds = |phase: Phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. });
    let pods = cluster.pods.values().filter(|pod| holds(pod.phase));
    pods.filter_map(|pod| Some(format!("{} {}", pod.name, cluster.nodes[pod.node?].name))).collect()
}

/// kai-v0.17.md 15.3. The pod would rather fill the small node, where it counts as twice as much.
#[test]
fn a_limit_counts_every_device_on_the_node() {
    let with_limit = |limit: &str| {
        let text = format!(
            "nodes: [{{name: small, gpu: 2, gpu-memory: 40000}}, {{name: large, gpu: 4, gpu-memory: 80000}}]
queues: [{{name: q, gpu: {{quota: 0, limit: {limit}, weight: 1}}}}]
jobs: [{{name: j, queue: q, gpu-memory: 20000, gpu-devices: 2}}]
"
        );
        placed("0.17", &text, 1)
    };
    assert_eq!(with_limit("1"), ["j small"]);
    assert_eq!(with_limit("0.75"), ["j large"]);
    assert_eq!(with_limit("0.45"), [""; 0]);
}

/// kai-v0.17.md 15.4. Its cores are free only when the other pod is gone.
#[test]
fn a_tiny_pod_waits_for_a_terminating_one() {
    let free = "cpu: {quota: unlimited, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}";
    let text = format!(
        "nodes: [{{name: n, gpu: 2, cpu: 4, memory: 16Gi}}]
queues: [{{name: q, gpu: {{quota: unlimited, limit: unlimited}}, {free}}}]
jobs:
- {{name: ends, queue: q, cpu: 4, memory: 1Gi, on: [n], terminating: [4s]}}
- {{name: tiny, queue: q, cpu: 5m, memory: 1Mi}}
"
    );
    assert_eq!(placed("0.13", &text, 1), ["tiny n"]);
    assert_eq!(placed("0.17", &text, 1), [""; 0]);
}

/// kai-v0.17.md 15.5. Two parts of 0.4 are less than one of 0.9, for which the search has just failed.
#[test]
fn jobs_are_alike_by_their_gpus_in_total() {
    let text = "nodes: [{name: n, gpu: 2}]
queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}}]
jobs:
- {name: h1, queue: q, gpu: 0.6, preemptible: false, on: [n], on-devices: ['0']}
- {name: h2, queue: q, gpu: 0.5, preemptible: false, on: [n], on-devices: ['1']}
- {name: low, queue: q, gpu: 0.4, on: [n], on-devices: ['1']}
- {name: large, queue: q, gpu: 0.9, priority: 100, preemptible: true, submit: 2s}
- {name: pair, queue: q, gpu: 0.4, gpu-devices: 2, priority: 100, preemptible: true, submit: 2s}
";
    assert_eq!(placed("0.13", text, 3), ["h1 n", "h2 n", "low n"]);
    assert_eq!(placed("0.17", text, 3), ["h1 n", "h2 n", "pair n"]);
}

/// kai-v0.17.md 16.5. The first pod takes the node with less room: before, groups of subgroups came before pod sets.
#[test]
fn members_of_a_job_are_placed_by_name() {
    let text = "nodes: [{name: small, gpu: 1}, {name: large, gpu: 4}]
queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}}]
jobs: [{name: j, queue: q, pod-sets: [{name: a, gpu: 1}, {name: s, group: z, gpu: 1}]}]
";
    assert_eq!(placed("0.13", text, 1), ["j/a/1 large", "j/s/1 small"]);
    assert_eq!(placed("0.17", text, 1), ["j/a/1 small", "j/s/1 large"]);
}

/// kai-v0.17.md 16.4. Without the order of subgroups the one that has enough comes first, and used to ask for one more
/// pod.
#[test]
fn a_pod_set_that_has_enough_leaves_room_to_one_that_lacks_pods() {
    let text = "nodes: [{name: n, gpu: 2}]
queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}}]
jobs: [{name: j, queue: q, on: [n], pod-sets: [{name: a, pods: 2, min-available: 1, gpu: 1}, {name: b, gpu: 1}]}]
";
    let of = |version| {
        placed_with(&format!("version: \"{version}\", plugins: \"predicates, proportion, elastic\""), text, 1)
    };
    assert_eq!(of("0.13"), ["j/a/1 n", "j/a/2 n"]);
    assert_eq!(of("0.17"), ["j/a/1 n", "j/b/1 n"]);
}
