//! Every rule of a policy decides in at least one named case.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use fairground::id::{PartitionId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::recorded::nondeterministic_marks;
use fairground::policy::kai::{
    BELOW_QUOTA, PREEMPTION_DELAY, PRIORITY_WITHIN_QUOTA, PRIORITY_WITHIN_QUOTA_ORDER, STUCK_IN_RELEASING, UNFINISHED,
    rules,
};
use fairground::sim::explain;
use fairground::trace::Level;
use fairground::units::Resource;
use fairground_tests::cycle::{Case, laws, openings};
use fairground_tests::recording::{Format, find, read};
use fairground_tests::scenarios::simulation;

/// A shipped example that uses all rules of the division.
const ODD_GPU: &str = include_str!("../../assets/scenarios/odd-gpu.yaml");

/// Recordings are of releases without in-quota reclaim by priority.
const PRIORITY_WITHIN_QUOTA_CASE: &str = include_str!("../../assets/scenarios/priority-within-quota.yaml");

/// Recordings have no queue above its fair share in all three resources at once.
const OVER_IN_EVERYTHING: &str = "
format: fairground-scenario
version: 1
dialect: kai
policy: kai
cycle: 1s
nodes: [{name: n, count: 1, gpu: 4, cpu: 4, memory: 4Gi}]
queues:
- {name: a, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: 1, limit: unlimited, weight: 1}, memory: {quota: 1Gi, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: 1, limit: unlimited, weight: 1}, memory: {quota: 1Gi, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, cpu: 1, memory: 1Gi, on: [n-1]}
- {name: a2, queue: a, gpu: 1, cpu: 1, memory: 1Gi, on: [n-1]}
- {name: a3, queue: a, gpu: 1, cpu: 1, memory: 1Gi, on: [n-1]}
- {name: a4, queue: a, gpu: 1, cpu: 1, memory: 1Gi}
- {name: b1, queue: b, count: 3, gpu: 1, cpu: 1, memory: 1Gi}
";

/// Recordings have no two queues of the same age.
const TWINS: &str = "
format: fairground-scenario
version: 1
nodes: [{name: n, gpu: 1}]
queues:
- {name: a, created: -60s, gpu: {quota: 1, limit: unlimited, weight: 1}}
- {name: b, created: -60s, gpu: {quota: 1, limit: unlimited, weight: 1}}
jobs:
- {name: ja, queue: a, gpu: 1}
- {name: jb, queue: b, gpu: 1}
";

/// Recordings have single cycles, so none shows a job that was tried once and is not tried again.
const TRIED_ONCE: &str = "
format: fairground-scenario
version: 1
nodes: [{name: n, gpu: 1}]
queues: [{name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}]
jobs:
- {name: a, queue: q, gpu: 1, on: [n]}
- {name: b, queue: q, gpu: 1, scheduling-backoff: 1}
";

/// Recordings have no nominated nodes.
const NOMINATED: &str = "
format: fairground-scenario
version: 1
nodes: [{name: a, gpu: 1}, {name: b, gpu: 2}]
queues: [{name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}]
jobs: [{name: j, queue: q, gpu: 1, nominated-node: b}]
";

/// Recordings have no device memory that the scheduler cannot count.
const TOO_LITTLE_MEMORY: &str = "
format: fairground-scenario
version: 1
nodes: [{name: n, gpu: 2, gpu-memory: 80}]
queues: [{name: q, gpu: {quota: 2, limit: unlimited, weight: 1}}]
jobs: [{name: a, queue: q, gpu: 0.5}, {name: b, queue: q, gpu: 2}]
";

/// Recordings have no pods that take long to shut down, and no reasons of pending jobs.
const SLOW_AND_DELAYED: &str = "
format: fairground-scenario
version: 1
policy: kai
cycle: 1s
delays: {termination: 5s}
settings: {version: \"0.17\", stuck-in-releasing-threshold: 1s}
nodes: [{name: n, gpu: 2}]
queues:
- {name: a, gpu: {quota: 0, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 2, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, on: [n]}
- {name: a2, queue: a, gpu: 1, on: [n]}
- {name: b1, queue: b, gpu: 1}
- {name: b2, queue: b, gpu: 1, preemption-delay: 9s}
";

/// Recordings have no reasons of pending jobs. Only a queue above its quota of cores could lose something.
const BELOW_QUOTA_OF_GPUS: &str = "
format: fairground-scenario
version: 1
policy: kai
cycle: 1s
settings: {version: \"0.17\"}
nodes: [{name: n, gpu: 2, cpu: 4}]
queues:
- {name: a, gpu: {quota: 4, limit: unlimited}, cpu: {quota: 1, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
- {name: b, gpu: {quota: 2, limit: unlimited}, cpu: {quota: 1, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
jobs:
- {name: a1, queue: a, cpu: 2, on: [n]}
- {name: a2, queue: a, gpu: 2, on: [n]}
- {name: b1, queue: b, gpu: 1}
";

/// The order of jobs shows in the serving order of a queue, not in events.
const JOBS_IN_ORDER: &str = "
format: fairground-scenario
version: 1
nodes: [{name: n, gpu: 2}]
queues: [{name: q, gpu: {quota: 2, limit: unlimited, weight: 1}}]
jobs:
- {name: elastic, queue: q, gpu: 1, pods: 2, min-available: 1, on: [n]}
- {name: urgent, queue: q, gpu: 1, priority: 75}
- {name: old, queue: q, gpu: 1, submit: -60s}
- {name: twin-a, queue: q, gpu: 1}
- {name: twin-b, queue: q, gpu: 1}
";

/// The rules that decide in the scenarios above, each with the first of them.
fn named_cases() -> BTreeMap<&'static str, String> {
    let mut first: BTreeMap<&'static str, String> = BTreeMap::new();
    for key in rules_of_the_division(ODD_GPU) {
        first.insert(key, "example odd-gpu".into());
    }
    for key in rules_of_all_checks(OVER_IN_EVERYTHING) {
        first.entry(key).or_insert_with(|| "over in everything".into());
    }
    for (text, name) in [(TWINS, "twins"), (TOO_LITTLE_MEMORY, "too little memory")] {
        for mark in simulation(text).advance().expect("a first cycle").marks {
            first.entry(mark.rule.key()).or_insert_with(|| name.into());
        }
    }
    for (text, name) in [(TRIED_ONCE, "tried once"), (NOMINATED, "nominated")] {
        for key in rules_of_events(text) {
            first.entry(key).or_insert_with(|| name.into());
        }
    }
    for key in rules_of_order(JOBS_IN_ORDER) {
        first.entry(key).or_insert_with(|| "jobs in order".into());
    }
    let of_example = [rules_of_events, rules_of_all_checks].map(|of| of(PRIORITY_WITHIN_QUOTA_CASE));
    for key in of_example.into_iter().flatten() {
        first.entry(key).or_insert_with(|| "example priority-within-quota".into());
    }
    for (text, name) in [(SLOW_AND_DELAYED, "slow and delayed"), (BELOW_QUOTA_OF_GPUS, "below quota of GPUs")] {
        for key in rules_of_marks_and_reasons(text, 5) {
            first.entry(key).or_insert_with(|| name.into());
        }
    }
    first
}

#[test]
fn every_rule_of_kai_decides_somewhere() {
    let mut first = named_cases();
    let further = [
        UNFINISHED,
        STUCK_IN_RELEASING,
        PREEMPTION_DELAY,
        BELOW_QUOTA,
        PRIORITY_WITHIN_QUOTA,
        PRIORITY_WITHIN_QUOTA_ORDER,
    ];
    let all = || rules().into_iter().chain(further);
    let is_missing = |first: &BTreeMap<_, _>| all().any(|rule| !first.contains_key(rule.key()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    for path in find(&folder).expect("the folder of recordings") {
        let recording = read(&path).unwrap_or_else(|says| panic!("{says}"));
        for (_, text) in recording.cases.iter().filter(|_| recording.format == Format::KaiCycle) {
            if !is_missing(&first) {
                break;
            }
            let case: Case = serde_json::from_str(text).expect("a case");
            let case = case.recorded_at(&recording.revision);
            for opening in openings(&case).unwrap_or_default() {
                for key in laws::rules_used(&opening) {
                    first.entry(key).or_insert_with(|| case.id.clone());
                }
                // The effect of insertion order shows in no check.
                let depends = if case.strict { Vec::new() } else { nondeterministic_marks(&opening) };
                for mark in depends {
                    first.entry(mark.rule.key()).or_insert_with(|| case.id.clone());
                }
            }
        }
    }
    let mut table = String::new();
    for rule in all() {
        let case = first.get(rule.key()).map_or("NONE", String::as_str);
        writeln!(table, "{:<40} {case}", rule.key()).expect("a string");
    }
    assert!(!is_missing(&first), "some rules decide in no case:\n{table}");
    let book = Policy::rulebook("kai").expect("a policy").rules;
    let unknown: Vec<_> = first.keys().filter(|key| book.iter().all(|rule| rule.key() != **key)).collect();
    assert!(unknown.is_empty(), "rules that decide but are not listed: {unknown:?}");
}

/// Keys of the rules of all checks in a scenario's first cycle.
fn rules_of_all_checks(scenario: &str) -> Vec<&'static str> {
    let explained = explain(&simulation(scenario), Level::Every).expect("a first cycle");
    explained.trace.checks.iter().map(|check| check.rule.key()).collect()
}

/// Keys of the rules behind events in a scenario's first cycle.
fn rules_of_events(scenario: &str) -> Vec<&'static str> {
    let record = simulation(scenario).advance().expect("a first cycle");
    record.events.iter().flat_map(|event| event.checks.iter()).map(|check| check.rule.key()).collect()
}

/// Keys of the rules of marks and of the reasons of pending jobs in a scenario's first cycles.
fn rules_of_marks_and_reasons(scenario: &str, cycles: usize) -> Vec<&'static str> {
    let mut simulation = simulation(scenario);
    let mut keys = Vec::new();
    for record in (0..cycles).map_while(|_| simulation.advance()) {
        keys.extend(record.marks.iter().map(|mark| mark.rule.key()));
        keys.extend(record.refusals.iter().flat_map(|refusal| &refusal.checks).map(|check| check.rule.key()));
    }
    keys
}

/// Keys of the rules behind the serving order of jobs in a scenario's first queue.
fn rules_of_order(scenario: &str) -> Vec<&'static str> {
    let simulation = simulation(scenario);
    let levels = simulation.order_in(PartitionId(0), QueueId(0), None);
    let places = levels.iter().flat_map(|level| &level.places);
    places.flat_map(|place| &place.behind).map(|check| check.rule.key()).collect()
}

/// Keys of the rules behind the fair shares of a scenario's queues, before its last cycle.
fn rules_of_the_division(scenario: &str) -> Vec<&'static str> {
    let mut simulation = simulation(scenario);
    simulation.advance().expect("a first cycle");
    let queues = simulation.cluster().queues.ids();
    let steps = queues.flat_map(|queue| simulation.derive(queue, Resource::GPU));
    steps.filter_map(|step| step.rule_key()).collect()
}
