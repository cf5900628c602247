//! The baselines on the worked examples of their sources, and a case for each of their rules.

use std::collections::BTreeSet;

use fairground::id::PartitionId;
use fairground::policy::Policy;
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::{DivisionRound, DivisionStep, Event, Gate, Level, OrderLevel, Recorded, RiseEnd, Value};
use fairground::units::Resource;
use fairground_tests::scenarios::under;

fn simulation(policy: &str, text: &str) -> Simulation {
    let mut simulation = under(policy, text);
    simulation.set_level(Level::Decisive);
    simulation
}

/// Allocation of each queue after the first cycle: GPUs, cores.
fn held(simulation: &Simulation) -> Vec<(f64, f64)> {
    let rows = &simulation.ledger().rows;
    rows.iter().map(|row| (row.allocated.gpu, row.allocated.cpu / 1000.0)).collect()
}

/// Jobs that start in the first cycle, in order, by the first letter of their names.
fn started(simulation: &mut Simulation) -> String {
    let record = simulation.advance().expect("a first cycle");
    let cluster = simulation.cluster();
    let job = |event| match event {
        Event::Bound { pod, .. } => cluster.jobs[cluster.pods[pod].job].name.chars().next(),
        _ => None,
    };
    record.events.iter().filter_map(|recorded| job(recorded.event)).collect()
}

/// A terminating pod still uses its node but does not count for its queue, which is therefore served next.
#[test]
fn terminating_pods_count_for_no_queue() {
    let text = "
nodes: [{name: n, gpu: 4}]
queues: [{name: a}, {name: b}]
jobs:
- {name: b runs, queue: b, gpu: 1, on: [n]}
- {name: b waits, queue: b, gpu: 1}
- {name: leaves, queue: a, gpu: 1, count: 2, on: [n, n], terminating: [20s, 20s], restart: never}
- {name: a waits, queue: a, gpu: 1}
";
    for policy in ["drf", "max-min"] {
        assert_eq!(started(&mut simulation(policy, text)), "a", "{policy}");
    }
}

/// A node that gains a GPU moves to the first queue, although the second runs pods on it: they still count.
#[test]
fn a_quota_holds_when_nodes_change_their_owner() {
    let text = "
nodes: [{name: n0, gpu: 3}, {name: n1}, {name: n2, gpu: 1}]
queues: [{name: a, gpu: {quota: 4}}, {name: b, gpu: {quota: 1}}]
jobs:
- {name: all, queue: a, count: 4, gpu: 1, lasts: 20s}
- {name: half, queue: a, gpu: 0.5}
timeline: [{at: 6s, node: n1, capacity: {gpu: 1}}]
";
    let mut simulation = simulation("fifo", text);
    let mut most: f64 = 0.0;
    let mut last = None;
    while let Some(record) = simulation.advance() {
        let binds = |r: &Recorded| matches!(r.event, Event::Bound { .. });
        last = record.events.iter().any(binds).then_some(record.time).or(last);
        most = most.max(held(&simulation)[0].0);
    }
    assert_eq!(most, 4.0);
    assert_eq!(last, Some(Time::from_seconds(20)), "half starts once the others are over");
}

/// NSDI 2011, 4.1: 9 CPUs and 18 GB; tasks of A require 1 CPU and 4 GB, those of B 3 CPUs and 1 GB.
const PAPER: &str = "
nodes: [{name: n, cpu: 9, memory: 18Gi}]
queues: [{name: A}, {name: B}]
jobs:
- {name: a, queue: A, count: 20, cpu: 1, memory: 4Gi}
- {name: b, queue: B, count: 20, cpu: 3, memory: 1Gi}
";

#[test]
fn drf_gives_three_and_two_tasks() {
    let mut simulation = simulation("drf", PAPER);
    assert_eq!(started(&mut simulation), "ababa");
    assert_eq!(held(&simulation), [(0.0, 3.0), (0.0, 6.0)]);
    let gib = f64::from(1 << 30);
    for (row, (cores, memory)) in simulation.ledger().rows.iter().zip([(3.0, 12.0), (6.0, 2.0)]) {
        let share = row.fair_share.expect("an entitlement");
        assert!((share.cpu / 1000.0 - cores).abs() < 1e-9, "{share:?}");
        assert!((share.memory / gib - memory).abs() < 1e-9, "{share:?}");
    }
}

/// Derivation of the same example: both dominant shares rise to two thirds, A's of memory and B's of cores, until the
/// cores are exhausted; this gives 12 GB and 2 GB of memory.
#[test]
fn drf_says_how_shares_rise() {
    let mut simulation = simulation("drf", PAPER);
    simulation.advance();
    let [a, b]: [_; 2] = simulation.cluster().queues.ids().collect::<Vec<_>>().try_into().expect("two queues");
    let steps = simulation.derive(a, Resource::MEMORY);
    let gib = f64::from(1 << 30);
    let close = |l: f64, r: f64| (l - r).abs() < 1e-9;
    assert!(matches!(steps[0], DivisionStep::Capacity { amount, .. } if close(amount / gib, 18.0)));
    assert!(matches!(steps.last(), Some(DivisionStep::Result { fair_share, .. }) if close(fair_share / gib, 12.0)));
    let rises = steps.iter().filter_map(|step| match *step {
        DivisionStep::Rise { round, queue, shares: Some((from, to)), dominant, given, end, .. } => {
            assert!(close(from, 0.0) && close(to, 2.0 / 3.0), "{step:?}");
            Some((round, queue, dominant, (given / gib).round() as i64, end))
        }
        _ => None,
    });
    let used_up = RiseEnd::UsedUp(Resource::CPU);
    let expected = [(1, a, Resource::MEMORY, 12, used_up), (1, b, Resource::CPU, 2, used_up)];
    assert_eq!(rises.collect::<Vec<_>>(), expected);
}

/// A queue with a small demand stops at its demand while the others continue; a queue of weight 0 gets the rest.
#[test]
fn drf_continues_without_satisfied_queues() {
    let text = "
nodes: [{name: n, gpu: 8}]
queues: [{name: A}, {name: B}, {name: C, gpu: {weight: 0}, cpu: {weight: 0}, memory: {weight: 0}}]
jobs:
- {name: a, queue: A, gpu: 2}
- {name: b, queue: B, gpu: 5}
- {name: c, queue: C, gpu: 4}
";
    let mut simulation = simulation("drf", text);
    simulation.advance();
    let b = simulation.cluster().queues.ids().nth(1).expect("three queues");
    let rises = simulation.derive(b, Resource::GPU).into_iter().filter_map(|step| match step {
        DivisionStep::Rise { round, queue, shares, given, end, .. } => {
            Some((round, &*simulation.cluster().queues[queue].name, shares, given, end))
        }
        _ => None,
    });
    let all = RiseEnd::HasAll;
    let expected = [
        (1, "A", Some((0.0, 0.25)), 2.0, all),
        (1, "B", Some((0.0, 0.25)), 2.0, RiseEnd::GoesOn),
        (2, "B", Some((0.25, 0.625)), 3.0, all),
        (3, "C", None, 1.0, RiseEnd::UsedUp(Resource::GPU)),
    ];
    assert_eq!(rises.collect::<Vec<_>>(), expected);
}

/// Order: smaller share first, with both numbers; file order for equal shares; jobs by submission.
#[test]
fn the_serving_order_has_reasons() {
    let text = "
nodes: [{name: n, cpu: 10, memory: 10Gi}]
queues: [{name: A}, {name: B}, {name: C}, {name: D}]
jobs:
- {name: ra, queue: A, cpu: 4, memory: 1Gi, on: [n]}
- {name: rb, queue: B, cpu: 1, memory: 2Gi, on: [n]}
- {name: rc, queue: C, cpu: 2, memory: 1Gi, on: [n]}
- {name: a, queue: A, cpu: 1, submit: -2}
- {name: a-later, queue: A, cpu: 1, submit: -1}
- {name: b, queue: B, cpu: 1}
- {name: c, queue: C, cpu: 1}
";
    let simulation = simulation("drf", text);
    let ids: Vec<_> = simulation.cluster().queues.ids().collect();
    let levels = simulation.order_in(PartitionId(0), ids[0], None);
    let names = |level: &OrderLevel| level.places.iter().map(|place| place.name.clone()).collect::<Vec<_>>();
    assert_eq!(levels.iter().map(names).collect::<Vec<_>>(), [vec!["B", "C", "A"], vec!["a", "a-later"]]);
    assert!(levels[0].places[0].behind.is_empty() && levels[0].places[2].is_subject);
    let numbers = |i: usize| {
        let check = &levels[0].places[i].behind[0];
        assert!(check.holds && check.rule.key() == "drf/smallest-dominant-share");
        [&check.left, &check.right].map(|side| match side.value {
            Value::Real(share) => share,
            ref other => panic!("{other:?}"),
        })
    };
    assert_eq!([numbers(1), numbers(2)], [[0.2, 0.2], [0.4, 0.2]]);
    assert_eq!(levels[1].places[1].behind[0].rule.key(), "drf/submit-order");
    let idle = simulation.order_in(PartitionId(0), ids[3], None);
    assert!(idle[0].subject_is_absent, "nothing waits in D");
}

/// 4.3: with three times the weight for every resource, A's dominant share is three times B's.
#[test]
fn drf_with_weights() {
    let text = "
nodes: [{name: n, cpu: 100, memory: 100Gi}]
queues:
- {name: A, cpu: {weight: 3}, memory: {weight: 3}}
- {name: B}
jobs:
- {name: a, queue: A, count: 100, cpu: 1, memory: 1Gi}
- {name: b, queue: B, count: 100, cpu: 1, memory: 1Gi}
";
    let mut simulation = simulation("drf", text);
    simulation.advance();
    assert_eq!(held(&simulation), [(0.0, 75.0), (0.0, 25.0)]);
}

/// A queue with a small demand leaves the rest to the others, in proportion to their weights.
const WANTS: &str = "
nodes: [{name: n, count: 2, gpu: 5}]
queues:
- {name: A, gpu: {weight: 1}}
- {name: B, gpu: {weight: 1}}
- {name: C, gpu: {weight: 2}}
jobs:
- {name: a, queue: A, count: 1, gpu: 1}
- {name: b, queue: B, count: 10, gpu: 1}
- {name: c, queue: C, count: 10, gpu: 1}
";

#[test]
fn max_min_by_weight() {
    let mut simulation = simulation("max-min", WANTS);
    assert_eq!(started(&mut simulation), "abccbccbcc");
    assert_eq!(held(&simulation).iter().map(|held| held.0).collect::<Vec<_>>(), [1.0, 3.0, 6.0]);
    let shares: Vec<_> = simulation.ledger().rows.iter().filter_map(|row| row.fair_share).collect();
    assert_eq!(shares.iter().map(|share| share.gpu).collect::<Vec<_>>(), [1.0, 3.0, 6.0]);
    let c = simulation.cluster().queues.ids().last().expect("three queues");
    let rounds = simulation.derive(c, Resource::GPU);
    let given = |step: &DivisionStep| match *step {
        DivisionStep::Round(DivisionRound { round, queue, given, .. }) if queue == c => Some((round, given)),
        _ => None,
    };
    assert_eq!(rounds.iter().filter_map(given).collect::<Vec<_>>(), [(2, 6.0)]);
    assert!(matches!(rounds.last(), Some(DivisionStep::Result { fair_share: 6.0, .. })));
}

/// Division by level: departments first, then teams; a department with one team gets as much as one with two.
#[test]
fn departments_come_before_teams() {
    let text = "
nodes: [{name: n, gpu: 8}]
queues:
- {name: X}
- {name: x1, parent: X}
- {name: x2, parent: X}
- {name: Y}
- {name: y1, parent: Y}
jobs:
- {name: a, queue: x1, count: 8, gpu: 1}
- {name: b, queue: x2, count: 8, gpu: 1}
- {name: c, queue: y1, count: 8, gpu: 1}
";
    for policy in ["max-min", "drf"] {
        let mut simulation = simulation(policy, text);
        simulation.advance();
        let held: Vec<f64> = held(&simulation).iter().map(|held| held.0).collect();
        assert_eq!(held, [4.0, 2.0, 2.0, 4.0, 4.0], "{policy}");
    }
}

/// Every rule decides a case; pending jobs have reasons.
#[test]
fn rules_and_refusals() {
    let text = "
nodes: [{name: n, gpu: 4, cpu: 8}, {name: small, cpu: 1}]
queues: [{name: A, gpu: {limit: 2}}, {name: B}, {name: C}, {name: D}]
jobs:
- {name: a, queue: A, count: 4, gpu: 1}
- {name: g, queue: B, pods: 3, gpu: 1}
- {name: h, queue: C, gpu: 1}
- {name: i, queue: C, gpu: 1, count: 2}
- {name: k, queue: D, gpu: 8}
";
    for policy in ["max-min", "drf"] {
        let rules = Policy::rulebook(policy).expect("a policy").rules;
        let mut simulation = simulation(policy, text);
        let record = simulation.advance().expect("a first cycle");
        let cluster = simulation.cluster();
        let gates: Vec<(String, Gate)> =
            record.refusals.iter().map(|r| (cluster.jobs[r.job].name.to_string(), r.gate.clone())).collect();
        let gate = |job: &str| gates.iter().find(|(name, _)| name == job).map(|(_, gate)| gate.clone());
        assert!(matches!(gate("k"), Some(Gate::TooLarge { resource: Resource::GPU })), "{gates:?}");
        assert!(matches!(gate("h"), Some(Gate::NoNode { placed: 0, of: 1, .. })), "{gates:?}");
        assert!(matches!(gate("i-1"), Some(Gate::Behind { .. })), "{gates:?}");
        assert!(matches!(gate("a-3"), Some(Gate::Behind { .. })), "{gates:?}");
        let mut used: BTreeSet<&str> = BTreeSet::new();
        let events = record.events.iter().flat_map(|recorded| recorded.checks.iter());
        used.extend(events.chain(record.refusals.iter().flat_map(|r| &r.checks)).map(|c| c.rule.key()));
        let alone = simulation_of_limit(policy);
        used.extend(alone);
        let queue = cluster.queues.ids().next().expect("four queues");
        let steps = simulation.derive(queue, Resource::GPU);
        used.extend(steps.iter().filter_map(|step| match step {
            DivisionStep::Round(_) | DivisionStep::Rise { .. } => step.rule_key(),
            _ => None,
        }));
        assert_eq!(used, rules.iter().map(|rule| rule.key()).collect(), "{policy}");
    }
}

/// Keys of the rules that decide for a queue at its limit.
fn simulation_of_limit(policy: &str) -> Vec<&'static str> {
    let text = "
nodes: [{name: n, gpu: 4}]
queues: [{name: A, gpu: {limit: 2}}]
jobs: [{name: a, queue: A, count: 4, gpu: 1}]
";
    let mut simulation = simulation(policy, text);
    let record = simulation.advance().expect("a first cycle");
    assert_eq!(held(&simulation)[0].0, 2.0);
    assert!(matches!(record.refusals[0].gate, Gate::OverLimit { resource: Resource::GPU, .. }));
    record.refusals[0].checks.iter().map(|check| check.rule.key()).collect()
}

/// A gang starts as a whole or not at all; further pods start singly; the same under both policies.
#[test]
fn gangs_are_whole() {
    let text = "
nodes: [{name: n, gpu: 4}]
queues: [{name: A}, {name: B}]
jobs:
- {name: a, queue: A, pods: 6, min_available: 2, gpu: 1}
- {name: b, queue: B, pods: 3, gpu: 1}
";
    let text = text.replace("min_available", "min-available");
    for policy in ["max-min", "drf"] {
        let mut simulation = simulation(policy, &text);
        assert_eq!(started(&mut simulation), "aaaa", "{policy}: three do not fit beside two");
    }
}

/// With a weight of 2 the dominant share rises twice as far: fair shares of 4 and 2 GPUs, followed by the starts.
#[test]
fn drf_counts_weights() {
    let text = "
nodes: [{name: n, gpu: 6}]
queues: [{name: A, gpu: {weight: 2}}, {name: B}]
jobs:
- {name: a, queue: A, count: 6, gpu: 1}
- {name: b, queue: B, count: 6, gpu: 1}
";
    let mut simulation = simulation("drf", text);
    assert_eq!(started(&mut simulation).matches('a').count(), 4);
    let shares = simulation.ledger().rows.iter().map(|row| row.fair_share.map(|share| share.gpu));
    assert_eq!(shares.collect::<Vec<_>>(), [Some(4.0), Some(2.0)]);
}

/// A queue whose demand equals its offer is served and leaves the division; the rest is offered to the others.
#[test]
fn max_min_serves_demands_equal_to_the_offer_first() {
    let text = "
nodes: [{name: n, gpu: 10}]
queues: [{name: A}, {name: B}]
jobs:
- {name: a, queue: A, gpu: 5}
- {name: b, queue: B, count: 9, gpu: 1}
";
    let mut simulation = simulation("max-min", text);
    simulation.advance();
    let a = simulation.cluster().queues.ids().next().expect("two queues");
    let rounds = simulation.derive(a, Resource::GPU).into_iter().filter_map(|step| match step {
        DivisionStep::Round(DivisionRound { round, queue, offer, given, .. }) => {
            Some((round, &*simulation.cluster().queues[queue].name, offer, given))
        }
        _ => None,
    });
    assert_eq!(rounds.collect::<Vec<_>>(), [(1, "A", 5.0, 5.0), (2, "B", 5.0, 5.0)]);
}
