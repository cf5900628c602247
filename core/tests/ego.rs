//! EGO through scenario files: what the file says, what the plan makes of it, and what the events say.

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

/// A unit is above a limit that is lowered at 5 s, then another queue takes its fair share: each eviction has its reason.
#[test]
fn an_eviction_above_a_limit_says_so() {
    let text = "nodes: [{name: h, gpu: 6}]
queues: [{name: a, gpu: {weight: 1}}, {name: c, gpu: {weight: 1}}]
jobs: [{name: x, queue: a, count: 5, gpu: 1}, {name: z, queue: c, submit: 9s, count: 6, gpu: 1}]
timeline: [{at: 5s, queue: a, gpu: {limit: 4}}]
";
    let evictions: Vec<String> = moves(text, 20).into_iter().filter(|m| m.starts_with('-')).collect();
    let above = format!("{:?}", EvictReason::AboveLimit);
    let fair = format!("{:?}", EvictReason::ReclaimedForFairShare);
    assert_eq!(evictions, [format!("- x-5 {above}"), format!("- x-4 {fair}")]);
}

/// In a leaf the job of the higher priority is first, though it comes later in the file; at equal priority the earlier one.
#[test]
fn job_priority_orders_the_jobs_of_a_leaf() {
    let text = "nodes: [{name: h, gpu: 2}]
queues: [{name: a}]
jobs: [{name: low, queue: a, gpu: 1, priority: 10}, {name: mid, queue: a, gpu: 1, priority: 20}, {name: high, queue: a, gpu: 1, priority: 30}]
";
    assert_eq!(moves(text, 0), ["+ high h", "+ mid h"]);
}

/// The parent says nothing of a quota, and still owns what its child owns: no other consumer gets the hosts.
#[test]
fn a_parent_owns_what_its_children_own() {
    let text = "settings: {lendout: false}
nodes: [{name: h, count: 3, gpu: 1}]
queues: [{name: d}, {name: owner, parent: d, gpu: {quota: 2}}, {name: b}]
jobs: [{name: x, queue: b, count: 3, gpu: 1}]
";
    assert_eq!(moves(text, 0), ["+ x-1 h-3"]);
}

/// Above a limit of GPUs, the newest unit is spared: it uses none.
#[test]
fn above_a_limit_only_units_that_help_are_taken() {
    let text = "nodes: [{name: h, gpu: 4}]
queues: [{name: a}]
jobs: [{name: x, queue: a, count: 2, gpu: 1}, {name: y, queue: a, cpu: 1}]
timeline: [{at: 5s, queue: a, gpu: {limit: 1}}]
";
    let all = moves(text, 20);
    assert_eq!(all, ["+ x-1 h", "+ x-2 h", "+ y h", "- x-2 AboveLimit"]);
}

/// Two victims with graces of 5 and 20 seconds: the job they make room for waits for the later one.
#[test]
fn a_job_waits_for_the_last_of_its_victims() {
    let text = "settings: {grace: 20s, reclaim-grace.a: 5s}
nodes: [{name: h, gpu: 2}]
queues: [{name: a}, {name: b}, {name: c, priority: 1}]
jobs: [{name: x, queue: a, gpu: 1}, {name: y, queue: b, gpu: 1}, {name: z, queue: c, submit: 10s, gpu: 2}]
";
    let mut simulation = Simulation::new(&plan(text));
    let mut waits = Vec::new();
    while let Some(record) = simulation.advance().filter(|record| record.time.as_millis() <= 12_000) {
        waits.extend(record.refusals.iter().map(|refusal| (record.time.as_millis(), refusal.gate.clone())));
    }
    let until = Some(fairground::time::Time::from_seconds(30));
    assert_eq!(waits, [(10_000, Gate::WaitingForVictims { until })]);
}

/// Of the units that run from the start the one that started last is the newest, wherever it stands in the file.
#[test]
fn the_newest_unit_is_the_one_that_started_last() {
    let text = "nodes: [{name: h, gpu: 2}]
queues: [{name: a}, {name: b}]
jobs: [{name: new, queue: a, gpu: 1, on: [h], started: -1s}, {name: old, queue: a, gpu: 1, on: [h], started: -60s}, {name: z, queue: b, gpu: 1}]
";
    assert_eq!(moves(text, 0), ["- new ReclaimedForFairShare", "+ z h"]);
}
