//! Every rule of Run:ai, EGO and first in, first out decides in at least one named case: a shipped example, or one of
//! the cases below.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use fairground::id::PartitionId;
use fairground::policy::{Policy, ego, runai};
use fairground::scenario;
use fairground::sim::{Explanation, Simulation, explain};
use fairground::trace::{Check, Level, Rule};
use fairground::units::Resource;

/// Cases that the examples lack, by name.
const CASES: &[(&str, &str)] = &[
    (
        "runai: a limit, a quota for what stays, a rank",
        "policy: runai
nodes: [{name: n, count: 1, gpu: 4}]
queues:
- {name: low, priority: 1, gpu: {quota: 1, limit: 1}}
- {name: high, priority: 5, gpu: {quota: 1}}
jobs:
- {name: l, queue: low, count: 2, gpu: 1}
- {name: stays, queue: high, count: 2, gpu: 1, priority: build}
- {name: h, queue: high, count: 4, gpu: 1}
",
    ),
    (
        "runai: the higher rank takes what is unused",
        "policy: runai
nodes: [{name: n, count: 1, gpu: 4}]
queues:
- {name: low, priority: 1, gpu: {quota: 0, weight: 1}}
- {name: high, priority: 5, gpu: {quota: 0, weight: 1}}
jobs:
- {name: l, queue: low, gpu: 1}
- {name: h, queue: high, count: 6, gpu: 1}
",
    ),
    (
        "runai: the urgent one, inside a project",
        "policy: runai
nodes: [{name: n, count: 1, gpu: 2}]
queues: [{name: p, gpu: {quota: 2}}]
jobs:
- {name: train, queue: p, count: 2, gpu: 1, on: [n-1, n-1]}
- {name: build, queue: p, gpu: 1, priority: build}
",
    ),
    (
        "runai: over its fairshare",
        "policy: runai
nodes: [{name: n, count: 1, gpu: 4}]
queues:
- {name: a, gpu: {quota: 1}}
- {name: b, gpu: {quota: 1}}
jobs:
- {name: a, queue: a, count: 3, gpu: 1, on: [n-1, n-1, n-1]}
- {name: more, queue: a, count: 2, gpu: 1}
- {name: b, queue: b, count: 3, gpu: 1}
",
    ),
    (
        "runai: twins",
        "policy: runai
nodes: [{name: n, count: 1, gpu: 1}]
queues:
- {name: a, created: -60s, gpu: {quota: 1}}
- {name: b, created: -60s, gpu: {quota: 1}}
jobs:
- {name: ja, queue: a, gpu: 1}
- {name: jb, queue: b, gpu: 1}
",
    ),
    (
        "ego: priority, ratio and limit",
        "policy: ego
nodes: [{name: n, count: 1, gpu: 6}]
queues:
- {name: first, priority: 2, gpu: {limit: 2}}
- {name: one, gpu: {weight: 1}}
- {name: two, gpu: {weight: 2}}
jobs:
- {name: f, queue: first, count: 4, gpu: 1}
- {name: o, queue: one, count: 6, gpu: 1}
- {name: t, queue: two, count: 6, gpu: 1}
",
    ),
    (
        "ego: a grace that the pool refuses",
        "policy: ego
settings: {grace: 10s, reclaim-grace.slow: 60s}
nodes: [{name: n, count: 1, gpu: 2}]
queues: [{name: slow}]
jobs: [{name: s, queue: slow, gpu: 1}]
",
    ),
    (
        "ego: a share ratio of 0, and a unit larger than a host",
        "policy: ego
nodes: [{name: h, count: 2, gpu: 2}]
queues:
- {name: none, gpu: {quota: 0, weight: 0}}
- {name: one, gpu: {quota: 0, weight: 1}}
jobs:
- {name: nothing, queue: none, gpu: 1}
- {name: large, queue: one, gpu: 3}
",
    ),
    (
        "fifo: a gang of two nodes, scattered GPUs, a queue whose node is down, and one at its quota",
        "policy: fifo
nodes:
- {name: n, count: 4, gpu: 4}
- {name: down, gpu: 4, state: down}
- {name: rest, count: 2, gpu: 4}
queues:
- {name: wide, gpu: {quota: 8}}
- {name: narrow, gpu: {quota: 8}}
- {name: part, gpu: {quota: 6}}
- {name: few, gpu: {quota: 1}}
jobs:
- {name: first, queue: wide, cpu: 1}
- {name: gang, queue: wide, pods: 2, gpu: 4}
- {name: held, queue: narrow, gpu: 3}
- {name: held-2, queue: narrow, gpu: 3}
- {name: waits, queue: narrow, gpu: 2}
- {name: large, queue: part, gpu: 3}
- {name: one, queue: few, gpu: 1}
- {name: two, queue: few, gpu: 1}
",
    ),
];

/// Examples in which the rules decide.
const EXAMPLES: [&str; 10] = [
    "runai-quick-start",
    "runai-projects",
    "runai-department-empty",
    "runai-over-subscribed",
    "ego-owned-and-lent",
    "ego-eighteen-slots",
    "ego-share-usage",
    "ego-grace",
    "ego-slots",
    "ego-over-commit",
];

fn text_of(example: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/scenarios").join(format!("{example}.yaml"));
    std::fs::read_to_string(file).expect("the example is there")
}

/// Keys of the rules of all checks in the first cycles of a scenario.
fn keys(name: &str, text: &str) -> Vec<&'static str> {
    let read = scenario::read(text);
    let checked = scenario::check(&read.scenario.unwrap_or_else(|| panic!("{name}")));
    let plan = checked.plan.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    let mut keys = Vec::new();
    for _ in 0..6 {
        if let Some(explained) = explain(&simulation, Level::Every) {
            keys.extend(of_explanation(&explained));
        }
        let Some(record) = simulation.advance() else { break };
        keys.extend(record.events.iter().flat_map(|event| event.checks.iter()).map(|check| check.rule.key()));
        for queue in simulation.cluster().queues.ids() {
            let order = simulation.order_in(PartitionId(0), queue, None);
            let places = order.iter().flat_map(|level| &level.places);
            keys.extend(places.flat_map(|place| &place.behind).map(|check| check.rule.key()));
            keys.extend(simulation.derive(queue, Resource::GPU).into_iter().filter_map(|step| step.rule_key()));
        }
    }
    keys
}

fn of_explanation(Explanation { record, trace }: &Explanation) -> Vec<&'static str> {
    let of_refusals = record.refusals.iter().flat_map(|refusal| &refusal.checks);
    of_refusals.chain(&trace.checks).map(|check: &Check| check.rule.key()).collect()
}

fn first_uses() -> BTreeMap<&'static str, String> {
    let mut first = BTreeMap::new();
    let examples = EXAMPLES.iter().map(|example| (*example, text_of(example)));
    let cases = CASES.iter().map(|(name, text)| (*name, format!("format: fairground-scenario\nversion: 1\n{text}")));
    for (name, text) in examples.chain(cases) {
        for key in keys(name, &text) {
            first.entry(key).or_insert_with(|| name.to_string());
        }
    }
    first
}

/// `own` are the rules of this policy alone; its rule book may have others, which the cases of another policy cover.
fn all_decide(own: &[Rule], policy: &str) {
    let first = first_uses();
    let mut table = String::new();
    for rule in own {
        let case = first.get(rule.key()).map_or("NONE", String::as_str);
        writeln!(table, "{:<30} {case}", rule.key()).expect("a string");
    }
    assert!(own.iter().all(|rule| first.contains_key(rule.key())), "some rules decide in no case:\n{table}");
    let book = Policy::rulebook(policy).expect("a policy").rules;
    let is_listed = |key: &str| book.iter().any(|rule| rule.key() == key);
    let is_own = |key: &str| key.split('/').next() == Some(policy);
    let unknown: Vec<_> = first.keys().filter(|key| is_own(key) && !is_listed(key)).collect();
    assert!(unknown.is_empty(), "rules that decide but are not listed: {unknown:?}");
}

#[test]
fn every_rule_of_run_ai_decides_somewhere() {
    let rules: Vec<Rule> = runai::own_rules().collect();
    all_decide(&rules, runai::DESCRIPTION.key);
}

#[test]
fn every_rule_of_ego_decides_somewhere() {
    all_decide(&ego::RULES, ego::DESCRIPTION.key);
}

#[test]
fn every_rule_of_first_in_first_out_decides_somewhere() {
    let book = Policy::rulebook("fifo").expect("a policy").rules;
    assert_eq!(book.len(), 7);
    all_decide(&book, "fifo");
}
