//! GPU memory of several devices: KAI since version 0.17 counts every device in the test of a pod on a node.

use fairground::scenario::{check, read};
use fairground::sim::Simulation;

/// Where a pod with memory of two devices starts, under a limit that it keeps on the large devices only. It would rather fill the
/// small node.
fn node(limit: &str) -> Option<String> {
    let text = format!(
        "format: fairground-scenario
version: 1
policy: kai
settings: {{version: '0.17'}}
nodes: [{{name: small, gpu: 2, gpu-memory: 40000}}, {{name: large, gpu: 4, gpu-memory: 80000}}]
queues: [{{name: q, gpu: {{quota: 0, limit: {limit}, weight: 1}}}}]
jobs: [{{name: j, queue: q, gpu-memory: 20000, gpu-devices: 2}}]
"
    );
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
    let mut simulation = Simulation::new(&plan);
    simulation.advance();
    let cluster = simulation.cluster();
    let node = cluster.pods.values().find_map(|pod| pod.node);
    node.map(|node| cluster.nodes[node].name.to_string())
}

/// kai-v0.17.md 15.3.
#[test]
fn a_limit_counts_every_device_on_the_node() {
    assert_eq!(node("1").as_deref(), Some("small"));
    assert_eq!(node("0.75").as_deref(), Some("large"));
    assert_eq!(node("0.45"), None);
}
