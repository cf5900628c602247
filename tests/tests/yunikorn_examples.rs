//! The shipped examples of YuniKorn behave like the real scheduler, and its settings in scenarios have their effects.

use std::collections::BTreeSet;

use fairground::policy::yunikorn::rules::RULES;
use fairground::sim::Simulation;
use fairground::trace::{Event, Gate, NotAccepted, Protection};
use fairground_tests::recording::case_of;
use fairground_tests::scenarios::{simulation, under};
use serde_json::Value;

fn words(text: &str) -> Simulation {
    under("yunikorn", text)
}

/// Starts and evictions in order, with seconds; and the keys of all rules that decided.
fn run(mut simulation: Simulation, cycles: u32) -> (Vec<String>, BTreeSet<&'static str>) {
    let (mut events, mut rules) = (Vec::new(), BTreeSet::new());
    for _ in 0..cycles {
        let Some(record) = simulation.advance() else { break };
        let seconds = record.time.as_millis() / 1000;
        let cluster = simulation.cluster();
        for recorded in &record.events {
            match recorded.event {
                Event::Bound { pod, node, .. } => {
                    events.push(format!("{seconds} {} {}", cluster.pods[pod].name, cluster.nodes[node].name));
                }
                Event::Evicted { pod, .. } => events.push(format!("{seconds} {} goes", cluster.pods[pod].name)),
                _ => {}
            }
            rules.extend(recorded.checks.iter().map(|check| check.rule.key()));
            // Those of a claim say what its victims leave short.
            let is_claim = matches!(recorded.event, Event::Claimed { .. });
            let holds = recorded.checks.iter().all(|check| check.holds);
            assert!(is_claim || holds, "{:?}", recorded.checks);
        }
        let spared = record.not_selected.iter().filter_map(|not_selected| match &not_selected.why {
            Protection::Failed(check) | Protection::Later(check) => Some(check.rule.key()),
            _ => None,
        });
        rules.extend(spared);
        for refusal in record.refusals.iter() {
            rules.extend(refusal.checks.iter().map(|check| check.rule.key()));
        }
    }
    (events, rules)
}

/// The same for a recording.
fn recorded(file: &str, name: &str) -> Vec<String> {
    let case: Value = case_of(&format!("yunikorn/{file}"), "name", name);
    let mut events = Vec::new();
    for decision in case["decisions"].as_array().expect("decisions") {
        let parts: Vec<&str> = decision.as_str().expect("a text").split(':').collect();
        let seconds = parts[0].parse::<i64>().expect("milliseconds") / 1000;
        if let Some(victims) = parts.last().and_then(|last| last.strip_prefix("victims=")) {
            events.extend(victims.split(',').map(|victim| format!("{seconds} {victim} goes")));
        }
        if parts[1].starts_with("allocated") {
            events.push(format!("{seconds} {} {}", parts[2], parts[3]));
        }
    }
    events
}

macro_rules! example {
    ($id:literal) => {
        include_str!(concat!("../../assets/scenarios/", $id, ".yaml"))
    };
}

const EXAMPLES: [(&str, &str, &str); 7] = [
    (example!("tenants-and-offsets"), "seed-multitenancy.jsonl", "seed-table"),
    (example!("tenants-room-for-five"), "seed-multitenancy.jsonl", "seed-room-for-5"),
    (example!("tenants-fairness-first"), "seed-multitenancy.jsonl", "seed-root-sort-priority-disabled"),
    (example!("tenants-fair-system"), "seed-multitenancy.jsonl", "seed-system-sort-priority-disabled"),
    (example!("preemption-fence"), "spec-examples.jsonl.gz", "q12-running-priority-7"),
    (example!("offsets-against-guarantees"), "spec-examples.jsonl.gz", "e2-high-pri"),
    (example!("offsets-forbid-guarantees"), "spec-examples.jsonl.gz", "e2-low-pri"),
];

#[test]
fn examples_behave_like_the_real_scheduler() {
    for (text, file, name) in EXAMPLES {
        assert_eq!(run(simulation(text), 60).0, recorded(file, name), "{name}");
    }
}

/// The single queue of the documentation: priority before age, and age alone with priority disabled.
#[test]
fn a_single_queue_orders_by_priority_then_age() {
    let text = example!("single-queue");
    assert_eq!(run(simulation(text), 5).0, ["0 urgent node-1", "0 early node-1"]);
    let text = text.replace("priority.default: enabled", "priority.default: disabled");
    assert_eq!(run(simulation(&text), 5).0, ["0 early node-1", "0 late node-1"]);
}

/// Jobs of one priority are protected by the fence, those of a lower one are not.
#[test]
fn a_fence_protects_equal_priorities() {
    let text = example!("preemption-fence").replace("priority: 7", "priority: 8");
    assert_eq!(run(simulation(&text), 60).0, recorded("spec-examples.jsonl.gz", "q12-running-priority-8"));
}

const MAX_APPLICATIONS: &str = "
settings: {maxapplications.a: 1}
nodes: [{name: n, gpu: 8}]
queues: [{name: a}]
jobs:
- {name: j1, queue: a, gpu: 1, lasts: 5s}
- {name: j2, queue: a, gpu: 1}
";

#[test]
fn maxapplications_serialises_applications() {
    let (events, rules) = run(words(MAX_APPLICATIONS), 60);
    // A Completing application does not count.
    assert_eq!(events, ["0 j1 n", "5 j2 n"]);
    assert!(rules.contains("yunikorn/max-applications"));
    let refusals = words(MAX_APPLICATIONS).advance().map(|record| record.refusals.to_vec()).unwrap_or_default();
    assert!(refusals.iter().all(|r| matches!(r.gate, Gate::TooManyJobs { .. } | Gate::Behind { .. })));
}

const USER_LIMIT: &str = "
settings:
  limits.a: [{users: [alice], maxresources: {nvidia.com/gpu: 2}}, {users: [\"*\"], maxresources: {nvidia.com/gpu: 1}}]
  limits.root: [{groups: [students], maxresources: {nvidia.com/gpu: 3}}]
  groups.carol: [students]
nodes: [{name: n, gpu: 16}]
queues: [{name: a}, {name: b}]
jobs:
- {name: alice, queue: a, count: 3, gpu: 1, user: alice}
- {name: bob, queue: a, count: 3, gpu: 1, user: bob}
- {name: carol, queue: b, count: 5, gpu: 1, user: carol}
";

#[test]
fn limits_of_users_and_groups_with_wildcards() {
    let (mut events, rules) = run(words(USER_LIMIT), 60);
    events.sort();
    assert_eq!(events, ["0 alice-1 n", "0 alice-2 n", "0 bob-1 n", "0 carol-1 n", "0 carol-2 n", "0 carol-3 n"]);
    assert!(rules.contains("yunikorn/user-limit"));
}

/// Groups of a job take precedence over those of the user in the settings.
const OWN_GROUPS: &str = "
settings:
  limits.root: [{groups: [students], maxresources: {nvidia.com/gpu: 1}}]
  groups.carol: [students]
nodes: [{name: n, gpu: 16}]
queues: [{name: a}]
jobs:
- {name: carol, queue: a, count: 2, gpu: 1, user: carol}
- {name: staff, queue: a, count: 2, gpu: 1, user: carol, groups: [staff]}
- {name: dave, queue: a, count: 2, gpu: 1, user: dave, groups: [staff, students]}
";

#[test]
fn groups_of_a_job() {
    let (mut events, _) = run(words(OWN_GROUPS), 60);
    events.sort();
    assert_eq!(events, ["0 carol-1 n", "0 staff-1 n", "0 staff-2 n"]);
}

/// A reload puts `b` before `a`, allows one running application of `a`, and later reverts both.
const RELOAD: &str = "
cycle: on events
nodes: [{name: n, gpu: 1}]
queues: [{name: a}, {name: b}]
jobs:
- {name: a1, queue: a, gpu: 1, lasts: 5s, created: -9s}
- {name: a2, queue: a, gpu: 1, lasts: 5s, created: -8s}
- {name: b1, queue: b, gpu: 1, lasts: 5s, created: -1s}
- {name: b2, queue: b, gpu: 1, lasts: 5s, created: -1s}
settings: {priority.policy.b: fence}
timeline:
- {at: 1s, settings: {priority.offset.b: 7, maxapplications.a: 1}}
- {at: 7s, unset: [priority.offset.b, maxapplications.a]}
";

#[test]
fn a_configuration_is_reloaded() {
    let (events, _) = run(words(RELOAD), 60);
    assert_eq!(events, ["0 a1 n", "5 b1 n", "10 a2 n", "15 b2 n"]);
}

/// A queue that is not configured yet accepts no jobs; one that is no longer configured keeps its jobs.
const ABSENT: &str = "
cycle: on events
nodes: [{name: n, gpu: 4}]
queues: [{name: a}, {name: b}]
jobs:
- {name: old, queue: a, gpu: 1}
- {name: more, queue: a, gpu: 1, submit: 2s, application: old}
- {name: new, queue: a, gpu: 1, submit: 2s}
- {name: b1, queue: b, gpu: 1}
settings: {absent.b: true}
timeline:
- {at: 1s, settings: {absent.a: true}}
- {at: 3s, settings: {absent.b: false}}
";

#[test]
fn queues_are_added_and_removed() {
    let (events, _) = run(words(ABSENT), 60);
    assert_eq!(events, ["0 old n", "2 more n", "3 b1 n"]);
}

#[test]
fn a_rejected_job_has_a_reason() {
    let mut simulation = words(ABSENT);
    let mut events = Vec::new();
    while let Some(record) = simulation.advance() {
        let cluster = simulation.cluster();
        for refusal in record.refusals.iter() {
            if let Gate::NotAccepted { why } = refusal.gate {
                events.push((record.time.as_millis() / 1000, cluster.jobs[refusal.job].name.to_string(), why));
            }
        }
    }
    let mut known = BTreeSet::new();
    events.retain(|(_, job, _)| known.insert(job.clone()));
    let expected = [(0, "b1", NotAccepted::NoQueue), (2, "new", NotAccepted::Draining)];
    assert_eq!(events, expected.map(|(at, job, why)| (at, job.to_owned(), why)));
}

#[test]
fn only_yunikorn_reloads_settings() {
    let text = |policy: &str, entry: &str| {
        format!(
            "format: fairground-scenario\nversion: 1\npolicy: {policy}\nnodes: [{{name: n, gpu: 4}}]\nqueues: [{{name: a}}]\n\
             timeline: [{{at: 1s, {entry}}}]\n"
        )
    };
    let errors = |policy: &str, entry: &str| {
        let loaded = fairground::scenario::load(&text(policy, entry), |scenario| scenario);
        let errors =
            loaded.findings.into_iter().filter(|found| found.severity == fairground::scenario::Severity::Error);
        errors.map(|found| format!("{}: {}", found.at, found.says)).collect::<Vec<String>>()
    };
    assert_eq!(errors("yunikorn", "settings: {maxapplications.a: 1, preemption: false}"), Vec::<String>::new());
    assert_eq!(
        errors("kai", "settings: {k-value: 1}"),
        ["timeline[0].settings: KAI does not read its settings anew during a run; remove the entry"]
    );
    assert_eq!(
        errors("yunikorn", "settings: {gpu-type: gpu, maxapplications.a: many}, unset: [node-sort]"),
        [
            "timeline[0].settings: gpu-type cannot change during a run; remove it",
            "timeline[0].unset: \"node-sort\" is not set at this moment; remove it",
            "timeline[0].settings.maxapplications.a: maxapplications.a \"many\" is not a whole number",
        ]
    );
}

const TEMPLATE: &str = "
settings:
  parent.people: true
  childtemplate.max.people: nvidia.com/gpu 2
nodes: [{name: n, gpu: 16}]
queues: [{name: people}]
jobs:
- {name: a, queue: people, count: 3, gpu: 1, user: alice}
- {name: b, queue: people, count: 3, gpu: 1, user: bob}
";

#[test]
fn queues_by_user_use_the_template() {
    let (mut events, _) = run(words(TEMPLATE), 60);
    events.sort();
    assert_eq!(events, ["0 a-1 n", "0 a-2 n", "0 b-1 n", "0 b-2 n"]);
}

const LOWERED: &str = "
settings: {quota-preemption: true, quota.preemption.delay.a: 30s}
nodes: [{name: n, gpu: 8}]
queues: [{name: a, gpu: {limit: 6}}]
jobs:
- {name: j, queue: a, count: 6, gpu: 1}
timeline:
- {at: 10s, queue: a, gpu: {limit: 4}}
";

#[test]
fn a_lowered_limit_is_enforced_after_its_delay() {
    let (events, rules) = run(words(LOWERED), 60);
    let gone: Vec<&String> = events.iter().filter(|line| line.ends_with("goes")).collect();
    assert_eq!(gone.len(), 2, "{events:?}");
    assert!(gone.iter().all(|line| line.starts_with("40 ")), "{events:?}");
    assert!(rules.contains("yunikorn/lowered-max"));
}

const LIMITED: &str = "
nodes: [{name: n, gpu: 8}]
queues: [{name: a, gpu: {limit: 1}}]
jobs:
- {name: j, queue: a, count: 2, gpu: 1}
";

/// Each child frees its part, rounded down (yunikorn.md 5.8): of 3 excess GPUs, one of each, and the third stays.
#[test]
fn quota_preemption_rounds_down() {
    let text = "
settings: {quota-preemption: true, quota.preemption.delay.p: 30s}
nodes: [{name: n, gpu: 8}]
queues: [{name: p, gpu: {limit: 8}}, {name: a, parent: p}, {name: b, parent: p}]
jobs:
- {name: ja, queue: a, count: 4, gpu: 1, restart: never}
- {name: jb, queue: b, count: 4, gpu: 1, restart: never}
timeline:
- {at: 10s, queue: p, gpu: {limit: 5}}
";
    let (events, _) = run(words(text), 60);
    let gone = |prefix: &str| events.iter().filter(|line| line.starts_with(prefix) && line.ends_with("goes")).count();
    assert_eq!((gone("40 ja"), gone("40 jb"), gone("")), (1, 1, 2), "{events:?}");
}

const REQUIRED: &str = "
nodes: [{name: n, gpu: 1}, {name: m, gpu: 1}]
queues: [{name: a}]
jobs:
- {name: low, queue: a, gpu: 1, on: [n]}
- {name: daemon, queue: a, gpu: 1, priority: 5, required-node: n, submit: 1s}
";

/// Its victims are marked in a cycle without another result.
#[test]
fn tasks_on_a_required_node_are_evicted() {
    let (events, rules) = run(words(REQUIRED), 60);
    let has = |line: &str| events.iter().any(|events| events == line);
    assert!(has("1 low goes") && has("1 daemon n") && has("1 low m"), "{events:?}");
    assert!(rules.contains("yunikorn/required-node"));
    let (events, _) = run(words(&REQUIRED.replace("priority: 5", "priority: -5")), 60);
    assert!(!events.iter().any(|line| line.ends_with("goes")), "{events:?}");
}

/// A reservation on a lost node is dropped: `big`, which waited for `n`, is not first on `m`.
#[test]
fn reservations_on_a_lost_node_are_dropped() {
    let text = "
nodes: [{name: n, gpu: 2}, {name: m, gpu: 2, state: down}]
queues: [{name: a}]
jobs:
- {name: there, queue: a, gpu: 2, on: [n], restart: never}
- {name: big, queue: a, gpu: 2}
- {name: urgent, queue: a, gpu: 2, priority: 5, submit: 4s}
timeline:
- {at: 3s, node: n, state: down}
- {at: 5s, node: m, state: ready}
";
    let (events, _) = run(words(text), 60);
    let has = |line: &str| events.iter().any(|events| events == line);
    assert!(has("5 urgent m") && !has("5 big m"), "{events:?}");
}

/// A job that requires a node that is down is skipped; the next one of its application runs.
#[test]
fn a_required_node_that_is_down_blocks_no_other_job() {
    let text = "
nodes: [{name: n, gpu: 1}, {name: m, gpu: 1, state: down}]
queues: [{name: a}]
jobs:
- {name: daemon, queue: a, gpu: 1, priority: 5, required-node: m, application: x}
- {name: plain, queue: a, gpu: 1, application: x}
";
    let (events, _) = run(words(text), 60);
    assert!(events.iter().any(|line| line.ends_with(" plain n")), "{events:?}");
    assert!(!events.iter().any(|line| line.contains(" daemon ")), "{events:?}");
}

/// A driver and its executors are one application: both run where one application is allowed, and another waits.
#[test]
fn jobs_of_one_application_count_once() {
    let text = |application: &str| {
        format!(
            "
settings: {{maxapplications.a: 1}}
nodes: [{{name: n, gpu: 8}}]
queues: [{{name: a}}]
jobs:
- {{name: driver, queue: a, gpu: 1, application: spark}}
- {{name: executor, queue: a, gpu: 1, count: 2, submit: 1s{application}}}
"
        )
    };
    let n = |application| run(words(&text(application)), 60).0.iter().filter(|line| line.ends_with(" n")).count();
    assert_eq!((n(", application: spark"), n("")), (3, 1));
}

/// The search for victims ends after two of three, which are more pods than `large`; its node stays reserved.
const TWO_OF_THREE: &str = "
settings: {preemption.delay.c2: 2s}
nodes: [{name: n, cpu: 6, pods: 110}]
queues:
- {name: top, cpu: {limit: 6}}
- {name: c1, parent: top, cpu: {quota: 3}}
- {name: c2, parent: top, cpu: {quota: 3}}
jobs:
- {name: small, queue: c1, pods: 10, min-available: 1, cpu: 1}
- {name: large, queue: c2, cpu: 3, submit: 30s}
";

/// Of the tasks outside of `x`, one of `lost` is preempted; the others are spared, each by another rule.
const SPARED: &str = "
settings: {preemption.policy.tenant: fence, preemption.policy.quiet: disabled, preemption.delay.root: 1s}
nodes: [{name: n, gpu: 7}]
queues:
- {name: tenant}
- {name: x, parent: tenant, gpu: {quota: 2}}
- {name: quiet, parent: tenant}
- {name: lost, parent: tenant}
- {name: outside}
jobs:
- {name: own, queue: x, gpu: 1}
- {name: quiet, queue: quiet, gpu: 1}
- {name: bound, queue: lost, gpu: 1, required-node: n}
- {name: old, queue: lost, gpu: 1, submit: 1s}
- {name: new, queue: lost, gpu: 1, submit: 2s}
- {name: far, queue: outside, gpu: 2}
- {name: asks, queue: x, gpu: 1, submit: 10s}
";

/// Two requests of one application; the later one has the higher priority.
const TWO_REQUESTS: &str = "
nodes: [{name: n, gpu: 2}]
queues: [{name: q}]
jobs:
- {name: first, queue: q, application: etl, priority: 10, gpu: 1}
- {name: urgent, queue: q, application: etl, priority: 20, gpu: 1}
";

/// Every rule decides in a named case.
#[test]
fn every_rule_decides_in_a_named_case() {
    let mut decided: BTreeSet<&'static str> = BTreeSet::new();
    for (text, ..) in EXAMPLES {
        decided.extend(run(simulation(text), 60).1);
    }
    for text in [MAX_APPLICATIONS, USER_LIMIT, TEMPLATE, LOWERED, LIMITED, REQUIRED, TWO_OF_THREE, SPARED, TWO_REQUESTS]
    {
        decided.extend(run(words(text), 60).1);
    }
    let all: BTreeSet<&'static str> = RULES.iter().map(|rule| rule.key()).collect();
    assert_eq!(decided, all);
}
