//! Run:ai from scenario to decisions, in the worked examples of runai.md 11.

use fairground::id::Id;
use fairground::scenario;
use fairground::sim::Simulation;
use fairground::trace::{DivisionStep, Event, Gate};
use fairground::units::Resource;
use fairground_tests::scenarios::under;

fn simulation(text: &str) -> Simulation {
    under("runai", text)
}

/// Fairshares of GPUs after some cycles, in the order of the queues.
fn fairshares(text: &str) -> Vec<f64> {
    let mut simulation = simulation(text);
    simulation.advance().expect("a first cycle");
    simulation.ledger().rows.iter().map(|row| row.fair_share.map_or(-1.0, |share| share.gpu)).collect()
}

const TWO_DEPARTMENTS: &str = "
nodes: [{name: n, count: 4, gpu: 8}]
queues:
- {name: X, gpu: {quota: 12}}
- {name: P1, parent: X, gpu: {quota: 4, weight: 1}}
- {name: P2, parent: X, gpu: {quota: 4, weight: 3}}
- {name: Y, gpu: {quota: 4}}
- {name: P3, parent: Y, gpu: {quota: 4}}
jobs:
- {name: p1, queue: P1, count: 100, gpu: 1}
- {name: p2, queue: P2, count: 100, gpu: 1}
- {name: p3, queue: P3, count: 100, gpu: 1}
";

/// Example 05: departments by quota, projects by weight; queues run without explicit limits and weights.
#[test]
fn departments_by_quota_projects_by_weight() {
    assert_eq!(fairshares(TWO_DEPARTMENTS), [24.0, 8.0, 16.0, 8.0, 8.0]);
    let mut simulation = simulation(TWO_DEPARTMENTS);
    simulation.advance();
    let held: Vec<f64> = simulation.ledger().rows.iter().map(|row| row.allocated.gpu).collect();
    assert_eq!(held, [24.0, 8.0, 16.0, 8.0, 8.0]);
}

/// Equal departments although their quotas are 12 and 4; with weights off, the projects of X are equal too.
#[test]
fn the_two_switches() {
    let by_weight = format!("settings: {{department-over-quota: by-weight}}{TWO_DEPARTMENTS}");
    assert_eq!(fairshares(&by_weight), [20.0, 7.0, 13.0, 12.0, 12.0]);
    let off = format!("settings: {{over-quota-weights: \"off\"}}{TWO_DEPARTMENTS}");
    assert_eq!(fairshares(&off), [24.0, 12.0, 12.0, 8.0, 8.0]);
}

/// Over-quota off makes the quota a limit; lowest has no fairshare beyond its quota but may use idle resources.
#[test]
fn none_and_lowest() {
    let text = "
settings: {over-quota.P1: none, over-quota.P2: lowest}
nodes: [{name: n, count: 1, gpu: 8}]
queues:
- {name: P1, gpu: {quota: 2}}
- {name: P2, gpu: {quota: 2}}
jobs:
- {name: p1, queue: P1, count: 4, gpu: 1}
- {name: p2, queue: P2, count: 6, gpu: 1}
";
    let mut simulation = simulation(text);
    let record = simulation.advance().expect("a first cycle");
    let rows = &simulation.ledger().rows;
    let numbers: Vec<_> = rows.iter().map(|r| (r.fair_share.map(|s| s.gpu), r.allocated.gpu)).collect();
    assert_eq!(numbers, [(Some(2.0), 2.0), (Some(2.0), 6.0)]);
    let refused = &record.refusals[0];
    assert!(matches!(refused.gate, Gate::OverLimit { resource: Resource::GPU, .. }), "{refused:?}");
    assert_eq!(refused.checks[0].rule.key(), "runai/limit");
}

/// Example 11, the vendor's quick start: b2 displaces a1, the newest; a2 was submitted before it.
#[test]
fn the_newest_workload_is_displaced() {
    let text = "
nodes: [{name: n, count: 2, gpu: 2}]
queues:
- {name: D1, gpu: {quota: 4}}
- {name: team-a, parent: D1, gpu: {quota: 2}}
- {name: team-b, parent: D1, gpu: {quota: 2}}
jobs:
- {name: a2, queue: team-a, gpu: 2, submit: 0s}
- {name: a1, queue: team-a, gpu: 1, submit: 2s}
- {name: b1, queue: team-b, gpu: 1, submit: 4s}
- {name: b2, queue: team-b, gpu: 1, submit: 6s}
";
    let mut simulation = simulation(text);
    let mut evicted = Vec::new();
    for _ in 0..8 {
        let Some(record) = simulation.advance() else { break };
        for recorded in &record.events {
            if let Event::Evicted { pod, .. } = recorded.event {
                let keys: Vec<&str> = recorded.checks.iter().map(|check| check.rule.key()).collect();
                assert!(keys.iter().any(|key| key.starts_with("runai/reclaim/")), "{keys:?}");
                let cluster = simulation.cluster();
                evicted.push(cluster.jobs[cluster.pods[pod].job].name.to_string());
            }
        }
    }
    assert_eq!(evicted, ["a1"]);
}

/// Derivations use the terms of Run:ai.
#[test]
fn derivations_use_the_terms_of_the_product() {
    let mut simulation = simulation(TWO_DEPARTMENTS);
    simulation.advance();
    let p2 = simulation.cluster().queues.ids().find(|q| q.index() == 2).expect("P2");
    let steps = simulation.derive(p2, Resource::GPU);
    let of = |step: &DivisionStep| match step {
        DivisionStep::Quota { .. } | DivisionStep::Round(_) => step.rule_key(),
        _ => None,
    };
    let mut keys: Vec<&str> = steps.iter().filter_map(of).collect();
    keys.dedup();
    let level = ["runai/fairshare/quota", "runai/fairshare/over-quota"];
    assert_eq!(keys, [level, level].concat());
}

/// Numbers of the documentation, without departments.
const PROJECTS: &str = "
nodes: [{name: n, count: 3, gpu: 12}]
queues:
- {name: P1, gpu: {quota: 10, weight: 2}}
- {name: P2, gpu: {quota: 6, weight: 3}}
- {name: P3, gpu: {quota: 0, weight: 1}}
jobs:
- {name: p1, queue: P1, count: 100, gpu: 1}
- {name: p2, queue: P2, count: 100, gpu: 1}
- {name: p3, queue: P3, count: 100, gpu: 1}
";

/// Alternative fairshares of a queue: exact, and by the published formula.
fn alternative_shares(simulation: &Simulation, name: &str) -> Vec<(&'static str, f64)> {
    let queues = &simulation.cluster().queues;
    let (queue, _) = queues.iter().find(|(_, q)| &*q.name == name).expect("a queue");
    let of = |step: DivisionStep| match step {
        DivisionStep::AlternativeShare { rule, fair_share, .. } => Some((rule.key(), fair_share)),
        _ => None,
    };
    simulation.derive(queue, Resource::GPU).into_iter().filter_map(of).collect()
}

/// Examples 02 and 05: the exact values are 50/3, 16 and 10/3; the published formula ignores departments.
#[test]
fn exact_and_published_values_stand_beside() {
    let mut one = simulation(PROJECTS);
    one.advance();
    let both = |share: f64| vec![("runai/fairshare/exact", share), ("runai/fairshare/published-formula", share)];
    assert_eq!(alternative_shares(&one, "P1"), both(50.0 / 3.0));
    assert_eq!(alternative_shares(&one, "P2"), both(16.0));
    assert_eq!(alternative_shares(&one, "P3"), both(10.0 / 3.0));

    let mut two = simulation(TWO_DEPARTMENTS);
    two.advance();
    assert_eq!(alternative_shares(&two, "X"), [("runai/fairshare/exact", 24.0)], "the formula is about projects");
    let on_paper = ["P1", "P2", "P3"].map(|name| alternative_shares(&two, name)[1].1);
    assert_eq!(on_paper, [22.0 / 3.0, 14.0, 32.0 / 3.0]);
    let exact = ["P1", "P2", "P3"].map(|name| alternative_shares(&two, name)[0].1);
    assert_eq!(exact, [8.0, 16.0, 8.0]);
}

/// Without departments all queues are projects of one, by weight.
#[test]
fn a_tree_of_one_level() {
    // Numbers of the documentation, example 01.
    assert_eq!(fairshares(PROJECTS), [17.0, 16.0, 3.0]);
}

#[test]
fn settings_are_checked() {
    let text = "format: fairground-scenario\nversion: 1\ndialect: kai\npolicy: runai\n\
        settings: {over-quota.P: most, department-over-quota: often, over-quota.nobody: low, actions: allocate}\n\
        queues: [{name: P}]\n";
    let checked = scenario::check(&scenario::read(text).scenario.expect("written for this"));
    let says: Vec<&str> = checked.diagnostics.iter().map(|d| d.says.as_str()).collect();
    for part in ["over-quota.P", "by-quota or by-weight", "over-quota.nobody", "actions"] {
        assert!(says.iter().any(|s| s.contains(part)), "{part}: {says:?}");
    }
}
