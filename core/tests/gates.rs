//! A pod with a scheduling gate never starts, not even as the replacement of a running one, under every policy.

use fairground::cluster::Phase;
use fairground::scenario::{check, read};
use fairground::sim::Simulation;

/// Its node fails and returns, and another node has room.
#[test]
fn the_replacement_of_a_gated_pod_is_gated() {
    for policy in ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"] {
        let text = format!(
            "format: fairground-scenario
version: 1
policy: {policy}
cycle: 1s
nodes: [{{name: n, gpu: 2}}, {{name: m, gpu: 2}}]
queues: [{{name: a, gpu: {{quota: 2, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: [{{name: j, queue: a, gpu: 1, on: [n], gated: true}}]
timeline: [{{at: 2s, node: n, state: down}}, {{at: 4s, node: n, state: ready}}]
"
        );
        let read = read(&text);
        assert_eq!(read.diagnostics, vec![]);
        let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
        let mut simulation = Simulation::new(&plan);
        while simulation.cycle() < 10 && simulation.advance().is_some() {}
        let pod = simulation.cluster().pods.values().next().expect("a pod");
        assert_eq!(pod.phase, Phase::Gated, "{policy}");
    }
}
