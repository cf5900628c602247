//! EGO through scenario files: from the file to the plan and its events.

use fairground::scenario::{Plan, check, read};
use fairground::sim::Simulation;
use fairground::trace::{Event, EvictReason, Gate};

fn plan(text: &str) -> Plan {
    let read = read(&format!("format: fairground-scenario\nversion: 1\npolicy: ego\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let checked = check(&read.scenario.expect("it can be read"));
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// Starts (`+ name node`) and evictions (`- name reason`) up to a time.
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

/// A limit is lowered at 5 s below the usage of a unit, then another queue reclaims its fair share: each eviction has
/// its reason.
#[test]
fn an_eviction_above_a_limit_has_its_reason() {
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

/// In a leaf, a job of higher priority precedes jobs earlier in the file; at equal priority the earlier one is first.
#[test]
fn job_priority_orders_the_jobs_of_a_leaf() {
    let text = "nodes: [{name: h, gpu: 2}]
queues: [{name: a}]
jobs: [{name: low, queue: a, gpu: 1, priority: 10}, {name: mid, queue: a, gpu: 1, priority: 20}, {name: high, queue: a, gpu: 1, priority: 30}]
";
    assert_eq!(moves(text, 0), ["+ high h", "+ mid h"]);
}

/// A parent without a quota owns the hosts of its child: no other consumer gets them.
#[test]
fn a_parent_owns_the_hosts_of_its_children() {
    let text = "settings: {lendout: false}
nodes: [{name: h, count: 3, gpu: 1}]
queues: [{name: d}, {name: owner, parent: d, gpu: {quota: 2}}, {name: b}]
jobs: [{name: x, queue: b, count: 3, gpu: 1}]
";
    assert_eq!(moves(text, 0), ["+ x-1 h-3"]);
}

/// Above a GPU limit, the newest unit is not reclaimed if it uses no GPU.
#[test]
fn above_a_limit_only_units_that_help_are_reclaimed() {
    let text = "nodes: [{name: h, gpu: 4}]
queues: [{name: a}]
jobs: [{name: x, queue: a, count: 2, gpu: 1}, {name: y, queue: a, cpu: 1}]
timeline: [{at: 5s, queue: a, gpu: {limit: 1}}]
";
    let all = moves(text, 20);
    assert_eq!(all, ["+ x-1 h", "+ x-2 h", "+ y h", "- x-2 AboveLimit"]);
}

/// Two victims have grace periods of 5 and 20 seconds: the reclaiming job waits for the later one.
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

/// Among units that run initially, the one that started last is the newest, regardless of file order.
#[test]
fn the_newest_unit_is_the_one_that_started_last() {
    let text = "nodes: [{name: h, gpu: 2}]
queues: [{name: a}, {name: b}]
jobs: [{name: new, queue: a, gpu: 1, on: [h], started: -1s}, {name: old, queue: a, gpu: 1, on: [h], started: -60s}, {name: z, queue: b, gpu: 1}]
";
    assert_eq!(moves(text, 0), ["- new ReclaimedForFairShare", "+ z h"]);
}

/// Example of the specification: twelve slots, two branches of two leaves, and the second leaf of the first branch
/// reclaims three.
#[test]
fn a_slot_plan_is_enforced_at_the_leaf_or_at_the_parent() {
    let example = include_str!("../../assets/scenarios/ego-slots.yaml");
    let victims = |text: &str| {
        let checked = check(&read(text).scenario.expect("it can be read"));
        assert_eq!(checked.diagnostics, vec![]);
        let mut simulation = Simulation::new(&checked.plan.expect("it runs"));
        let mut victims = Vec::new();
        while let Some(record) = simulation.advance().filter(|record| record.time.as_millis() <= 3000) {
            let cluster = simulation.cluster();
            victims.extend(record.events.iter().filter_map(|recorded| match recorded.event {
                Event::Evicted { pod, .. } => Some(cluster.pods[pod].name.to_string()),
                _ => None,
            }));
        }
        victims
    };
    assert_eq!(victims(example), ["b1-6", "a1-6", "b1-5"]);
    assert_eq!(victims(&example.replace("enforcement: leaf", "enforcement: parent")), ["a1-6", "a1-5", "a1-4"]);
}

/// Under the static quota a consumer without demand keeps its part, so that others cannot reclaim it; under the dynamic
/// one they can.
#[test]
fn a_static_share_quota_ignores_pending_work() {
    let text = |kind: &str| {
        format!(
            "settings: {{plan: slots, share-quota: {kind}}}
nodes: [{{name: h, gpu: 6}}]
queues: [{{name: a}}, {{name: b}}, {{name: c}}]
jobs: [{{name: x, queue: a, count: 6, gpu: 1}}, {{name: y, queue: b, submit: 1s, count: 6, gpu: 1}}]
"
        )
    };
    let evicted = |kind: &str| moves(&text(kind), 3).iter().filter(|m| m.starts_with('-')).count();
    assert_eq!((evicted("static"), evicted("dynamic")), (2, 3));
}

/// Values without an equivalent in a slot plan are reported at their field; a job that does not request one GPU is an
/// error.
#[test]
fn a_slot_plan_says_what_it_cannot_do() {
    let found = |text: &str| {
        let text = format!("format: fairground-scenario\nversion: 1\npolicy: ego\n{text}");
        let checked = check(&read(&text).scenario.expect("it can be read"));
        checked.diagnostics.iter().map(|found| format!("{}: {}", found.at, found.says)).collect::<Vec<_>>()
    };
    let slots = "settings: {plan: slots, rank.a: 2}\nnodes: [{name: h, gpu: 2}]\n";
    let all = found(&format!(
        "{slots}queues: [{{name: a, priority: 3, gpu: {{quota: 1}}}}]\njobs: [{{name: j, queue: a, gpu: 2}}]\n"
    ));
    let says = |part: &str| all.iter().any(|line| line.contains(part));
    assert!(says("do not ask for gpu: 1") && says("ignores ownership") && says("no share priority"), "{all:?}");
    assert!(says("rank.a has no effect with plan: slots"), "{all:?}");
    let other = found("settings: {enforcement: parent}\nnodes: [{name: h, gpu: 2}]\nqueues: [{name: a}]\n");
    assert!(other.iter().any(|line| line.contains("only with plan: slots")), "{other:?}");
}

/// Consumers are ordered by share priority, then usage over share ratio; jobs of a leaf by priority, then age.
#[test]
fn the_serving_order_is_that_of_the_next_free_pass() {
    let order = |settings: &str| {
        let text = format!(
            "{settings}nodes: [{{name: h, gpu: 6}}]
queues: [{{name: a, gpu: {{weight: 1, limit: 4}}}}, {{name: b, gpu: {{weight: 2}}}}, {{name: c, priority: 1}}]
jobs:
- {{name: x, queue: a, count: 3, gpu: 1, on: [h, h, h]}}
- {{name: y, queue: b, count: 3, gpu: 1, on: [h, h, h]}}
- {{name: later, queue: a, gpu: 1}}
- {{name: sooner, queue: a, gpu: 1, priority: 7}}
- {{name: wants, queue: b, gpu: 1}}
- {{name: too, queue: c, gpu: 1}}
"
        );
        let simulation = Simulation::new(&plan(&text));
        let levels = fairground::moment::orders::orders(&simulation, "a", None);
        let places = |level: &fairground::trace::OrderLevel| {
            let of_place = |place: &fairground::trace::OrderPlace| {
                let rule = place.behind.last().map_or("first", |check| check.rule.key());
                format!("{} {rule}", place.name)
            };
            level.places.iter().map(of_place).collect::<Vec<_>>().join(", ")
        };
        levels.iter().map(places).collect::<Vec<_>>()
    };
    let jobs = "sooner first, later ego/job-order";
    let by_usage = ["c first, b ego/share-priority, a ego/share-ratio", jobs];
    assert_eq!(order(""), by_usage);
    assert_eq!(order("settings: {plan: slots}\n"), ["c first, b ego/slot-ratio, a ego/slot-ratio", jobs]);
}
