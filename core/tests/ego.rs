//! EGO through scenario files: what the file says, what the plan makes of it, and what the events say.

use fairground::id::Id;
use fairground::scenario::{Plan, check, read};
use fairground::sim::Simulation;
use fairground::trace::{Event, EvictReason, Gate};

fn plan(text: &str) -> Plan {
    let read = read(&format!("format: fairground-scenario\nversion: 1\npolicy: ego\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let checked = check(&read.scenario.expect("it can be read"));
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// What happened to pods until the given moment: starts (`+ name node`), evictions (`- name reason`).
fn moves(text: &str, until: i64) -> Vec<String> {
    let mut simulation = Simulation::new(&plan(text));
    let mut moves = Vec::new();
    while let Some(record) = simulation.advance() {
        if record.time.as_millis() > until * 1000 {
            break;
        }
        let cluster = simulation.cluster();
        for recorded in record.events {
            match recorded.event {
                Event::Bound { pod, node, .. } => {
                    moves.push(format!("+ {} {}", cluster.pods[pod].name, cluster.nodes[node].name));
                }
                Event::Evicted { pod, reason, .. } => {
                    moves.push(format!("- {} {reason:?}", cluster.pods[pod].name));
                }
                _ => {}
            }
        }
    }
    moves
}

/// Two units are above a limit that is lowered at 5 s, then another queue takes its fair share: each eviction has its reason.
#[test]
fn an_eviction_above_a_limit_says_so() {
    let text = "nodes: [{name: h, gpu: 4}]
queues: [{name: a, gpu: {weight: 1}}, {name: b, gpu: {weight: 1}}, {name: c, gpu: {weight: 1}}]
jobs: [{name: x, queue: a, count: 3, gpu: 1}, {name: y, queue: b, gpu: 1}, {name: z, queue: c, submit: 9s, count: 3, gpu: 1}]
timeline: [{at: 5s, queue: a, gpu: {limit: 2}}]
";
    let evictions: Vec<String> = moves(text, 20).into_iter().filter(|m| m.starts_with('-')).collect();
    let above = format!("{:?}", EvictReason::AboveLimit);
    let fair = format!("{:?}", EvictReason::ReclaimedForFairShare);
    assert_eq!(evictions, [format!("- x-3 {above}"), format!("- x-2 {fair}")]);
}
