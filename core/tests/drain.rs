//! Drained nodes under every policy: running pods stay, new ones are not placed, and the node returns.

use fairground::scenario::{Scenario, check, read};
use fairground::sim::Simulation;
use fairground::trace::Event;

/// Two nodes; `n-2` is drained after 2 s (or gets another `state`) and ready again after 7 s. Initially one job
/// runs on each; at 4 s two more are submitted, for which only the drained node would have room; the job on it
/// completes after 5 s.
fn scenario(policy: &str, state: &str) -> Scenario {
    let text = format!(
        "format: fairground-scenario
version: 1
policy: {policy}
cycle: 1s
nodes: [{{name: n, count: 2, gpu: 2, cpu: 64, memory: 256Gi}}]
queues: [{{name: a, gpu: {{quota: 4, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs:
- {{name: first, queue: a, gpu: 2, cpu: 1, memory: 1Gi, submit: -2s, on: [n-1]}}
- {{name: second, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: -2s, on: [n-2], started: -1s, lasts: 6s}}
- {{name: late, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: 4s}}
- {{name: last, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: 4s}}
timeline: [{{at: 2s, node: n-2, state: {state}}}, {{at: 7s, node: n-2, state: ready}}]
"
    );
    let read = read(&text);
    assert_eq!(read.diagnostics, vec![], "{policy}");
    read.scenario.expect("it can be read")
}

/// Placements, evictions, completions and losses with their cycles, one per second.
fn history(policy: &str, state: &str) -> Vec<String> {
    let checked = check(&scenario(policy, state));
    let plan = checked.plan.unwrap_or_else(|| panic!("{policy}: {:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    let mut lines = Vec::new();
    for _ in 0..12 {
        let Some(record) = simulation.advance() else { break };
        let cluster = simulation.cluster();
        for recorded in &record.events {
            let of = |pod| &cluster.jobs[cluster.pods[pod].job].name;
            let at = record.cycle;
            lines.extend(match recorded.event {
                Event::Bound { pod, node, .. } => Some(format!("{at}: {} on {}", of(pod), cluster.nodes[node].name)),
                Event::Evicted { pod, .. } => Some(format!("{at}: {} evicted", of(pod))),
                Event::Requeued { pod } => Some(format!("{at}: {} waits again", of(pod))),
                _ => None,
            });
        }
    }
    lines
}

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

#[test]
fn pods_stay_on_a_drained_node_and_none_are_added() {
    for policy in POLICIES {
        let lines = history(policy, "draining");
        assert!(!lines.iter().any(|l| l.contains("evicted") || l.contains("waits again")), "{policy}: {lines:?}");
        // A pass of YuniKorn places one pod.
        let since = |line: &String| line.split_once(':').and_then(|(cycle, _)| cycle.parse::<u32>().ok());
        let placed = lines.iter().filter(|line| line.ends_with(" on n-2") && since(line) >= Some(7)).count();
        assert_eq!((placed, lines.len()), (2, 2), "{policy}: {lines:?}");
    }
}

#[test]
fn pods_on_a_failed_node_are_lost() {
    for policy in POLICIES {
        let lines = history(policy, "down");
        assert!(lines.contains(&"2: second waits again".to_string()), "{policy}: {lines:?}");
        assert!(lines.iter().all(|l| !l.contains("first")), "{policy}: {lines:?}");
    }
}
