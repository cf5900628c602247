//! Pods that are terminating when the scenario begins: `terminating`, and `evicted-for`.

use fairground::cluster::{Phase, audit};
use fairground::scenario::{Code, Diagnostic, Edit, Path, Plan, apply, check, codes, read, to_yaml};
use fairground::sim::Simulation;
use fairground::trace::Event;

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

fn findings(policy: &str, rest: &str) -> (Vec<Diagnostic>, Option<Plan>) {
    let text = format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n{rest}");
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it can be read"));
    (checked.diagnostics, checked.plan)
}

fn simulation(policy: &str, rest: &str) -> Simulation {
    let (found, plan) = findings(policy, rest);
    Simulation::new(&plan.unwrap_or_else(|| panic!("{found:?}")))
}

/// Events up to a time: `second + pod node` (starts), `- pod` (evicted), `gone`, `again`, `over`, `= pod node` (claim).
fn moves(mut simulation: Simulation, until: i64) -> Vec<String> {
    let mut all = Vec::new();
    let mut take = |simulation: &Simulation, time: fairground::time::Time, event: Event| {
        let cluster = simulation.cluster();
        let at = time.as_millis() / 1000;
        let pod = |pod| &cluster.pods[pod].name;
        let node = |node| &cluster.nodes[node].name;
        all.extend(match event {
            Event::Bound { pod: p, node: n, .. } => Some(format!("{at} + {} {}", pod(p), node(n))),
            Event::Claimed { pod: p, node: n } => Some(format!("{at} = {} {}", pod(p), node(n))),
            Event::Evicted { pod: p, .. } => Some(format!("{at} - {}", pod(p))),
            Event::Gone { pod: p, .. } => Some(format!("{at} gone {}", pod(p))),
            Event::Requeued { pod: p } => Some(format!("{at} again {}", pod(p))),
            Event::NotReplaced { pod: p } => Some(format!("{at} over {}", pod(p))),
            _ => None,
        });
    };
    for recorded in simulation.opening().events.clone() {
        take(&simulation, simulation.now(), recorded.event);
    }
    while let Some(record) = simulation.advance() {
        assert_eq!(audit(simulation.world()), []);
        if record.time.as_millis() > until * 1000 {
            break;
        }
        for recorded in record.events {
            take(&simulation, record.time, recorded.event);
        }
    }
    all
}

const QUEUES: &str = "queues: [{name: q, gpu: {quota: 8, limit: unlimited, weight: 1}, cpu: {quota: unlimited, \
                      limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}]";

/// Each pod is gone at its time; only then are its resources used again, and it is not evicted again.
#[test]
fn a_pod_is_gone_at_its_time_under_every_policy() {
    for policy in POLICIES {
        let text = format!(
            "cycle: 1s
nodes: [{{name: n, gpu: 3}}]
{QUEUES}
jobs:
- {{name: a, queue: q, pods: 3, min-available: 1, gpu: 1, on: [n, n, n], terminating: [\"\", 4s], restart: never}}
- {{name: b, queue: q, gpu: 1}}
"
        );
        let simulation = simulation(policy, &text);
        let phases: Vec<bool> =
            simulation.cluster().pods.values().map(|pod| matches!(pod.phase, Phase::Terminating { .. })).collect();
        assert_eq!(phases, [false, true, false, false], "{policy}");
        let moves = moves(simulation, 8);
        let moves: Vec<&String> = moves.iter().filter(|m| !m.contains('=')).collect();
        assert_eq!(moves, ["4 gone a/2", "4 over a/2", "4 + b n"], "{policy}");
    }
}

/// `restart` decides about the pod; its runtime before the start counts if it resumes.
#[test]
fn a_replaced_pod_is_pending_again() {
    let of = |restart: &str| {
        let text = format!(
            "cycle: 1s
nodes: [{{name: n, gpu: 1}}]
{QUEUES}
jobs: [{{name: a, queue: q, gpu: 1, lasts: 10s, on: [n], started: -7s, terminating: [2s], restart: {restart}}}]
"
        );
        let mut simulation = simulation("fifo", &text);
        while !simulation.is_quiet() && simulation.advance().is_some() {}
        simulation.cluster().jobs.values().next().and_then(|job| job.ended).map(|at| at.as_millis() / 1000)
    };
    assert_eq!((of("again"), of("resume"), of("never")), (Some(12), Some(5), Some(2)));
}

/// A pod that is gone at the start is pending in the first cycle.
#[test]
fn a_pod_may_be_gone_at_the_start() {
    let text = format!(
        "nodes: [{{name: n, gpu: 1}}]
{QUEUES}
jobs: [{{name: a, queue: q, gpu: 1, on: [n], terminating: [0s]}}, {{name: b, queue: q, gpu: 1, submit: -5s}}]
"
    );
    assert_eq!(moves(simulation("ego", &text), 0), ["0 gone a", "0 again a", "0 + b n"]);
}

/// Under EGO resources are held for the job for which pods are evicted, although another leaf is served first.
#[test]
fn resources_are_held_for_the_preemptor() {
    let text = |evicted_for: &str| {
        format!(
            "nodes: [{{name: n, gpu: 4}}, {{name: m, gpu: 1}}]
queues: [{{name: a}}, {{name: b, priority: 5}}, {{name: c}}]
jobs:
- {{name: a, queue: a, gpu: 1, count: 2, on: [n, n], terminating: [3s, 5s], restart: never{evicted_for}}}
- {{name: c, queue: c, gpu: 3, preemptible: false}}
- {{name: b, queue: b, gpu: 2, submit: 1s}}
"
        )
    };
    let starts = |text: &str| -> Vec<String> {
        moves(simulation("ego", text), 9).into_iter().filter(|m| m.contains(['+', '='])).collect()
    };
    assert_eq!(starts(&text("")), ["1 + b n"]);
    assert_eq!(starts(&text(", evicted-for: c")), ["5 + c n"]);
}

/// Two pods on one node each have the resources that they need; the excess is not assigned.
#[test]
fn every_pod_has_a_sufficient_claim() {
    let text = "nodes: [{name: n, gpu: 5}]
queues: [{name: a}, {name: c}, {name: d, priority: 5}]
jobs:
- {name: a, queue: a, gpu: 1, count: 5, on: [n, n, n, n, n], terminating: [2s, 2s, 4s, 4s, 4s], restart: never, evicted-for: c}
- {name: c, queue: c, gpu: 2, pods: 2, min-available: 1, preemptible: false}
- {name: d, queue: d, gpu: 1, count: 2}
";
    let starts: Vec<String> = moves(simulation("ego", text), 9).into_iter().filter(|m| m.contains('+')).collect();
    assert_eq!(starts, ["2 + c/1 n", "4 + c/2 n", "4 + d-1 n"]);
}

/// A host used by borrowers is lent to the pool above its owner and all of them, so that its units count there.
#[test]
fn a_borrowed_host_is_in_the_pool_of_its_borrowers() {
    let text = "nodes: [{name: h, gpu: 2}, {name: k, gpu: 2}]
queues: [{name: d}, {name: owner, parent: d, gpu: {quota: 2}}, {name: other}, {name: third}]
jobs:
- {name: x, queue: other, gpu: 1, count: 4, on: [h, h, k, k]}
- {name: y, queue: third, gpu: 1, count: 2}
";
    let moves = moves(simulation("ego", text), 0);
    let evicted: Vec<&String> = moves.iter().filter(|m| m.contains('-') && !m.contains(['+', '='])).collect();
    assert_eq!(evicted[..2], ["0 - x-4", "0 - x-3"]);
}

#[test]
fn contradictions_are_reported() {
    let one = |policy: &str, rest: &str| -> Vec<(Code, String)> {
        let text = format!("nodes: [{{name: n, gpu: 8}}]\n{QUEUES}\njobs: [{{name: j, queue: q, gpu: 1, {rest}}}]\n");
        let (found, _) = findings(policy, &text);
        let of_job = found.iter().map(|d| (d.code, d.at.to_string())).filter(|d| d.1.starts_with("jobs"));
        of_job.collect()
    };
    let at = |field: &str| format!("jobs[\"j\"].{field}");
    assert_eq!(one("ego", "on: [n], terminating: [30s]"), []);
    assert_eq!(one("ego", "on: [n], terminating: [soon]"), [(codes::DURATION, at("terminating"))]);
    assert_eq!(one("ego", "on: [n], terminating: [-1s]"), [(codes::NOT_AT_START, at("terminating"))]);
    let later = one("ego", "on: [n], terminating: [9s], submit: 5s");
    assert_eq!(later, [(codes::NOT_AT_START, at("terminating"))]);
    assert_eq!(one("ego", "on: [n], terminating: [1s, 2s]"), [(codes::TOO_MANY_ON, at("terminating"))]);
    assert_eq!(one("ego", "terminating: [1s]"), [(codes::TOO_MANY_ON, at("terminating"))]);
    let unknown = one("ego", "on: [n], terminating: [1s], evicted-for: k");
    assert_eq!(unknown, [(codes::NO_JOB, at("evicted-for"))]);
    assert_eq!(one("ego", "on: [n], evicted-for: j"), [(codes::NO_EFFECT, at("evicted-for"))]);
    for policy in POLICIES.iter().filter(|policy| **policy != "ego") {
        let found = one(policy, "on: [n], terminating: [1s], evicted-for: j");
        assert_eq!(found, [(codes::NOT_EXPRESSED, at("evicted-for"))], "{policy}");
    }
}

/// The job for which pods are evicted can be renamed and removed.
#[test]
fn edits_follow_the_name() {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: ego\nnodes: [{{name: n, gpu: 4}}]\n{QUEUES}
jobs: [{{name: a, queue: q, gpu: 1, on: [n], terminating: [1s], evicted-for: b}}, {{name: b, queue: q, gpu: 1}}]\n"
    );
    let scenario = read(&text).scenario.expect("it can be read");
    assert!(to_yaml(&scenario).contains("evicted-for: b"));
    let b = Path::default().field("jobs").named("b");
    let renamed = apply(&scenario, &[Edit::Rename { at: b.clone(), to: "c".into() }]).expect("it can be renamed");
    assert_eq!(renamed.jobs[0].evicted_for.as_deref(), Some("c"));
    let removed = apply(&scenario, &[Edit::Remove { at: b }]).expect("it can be removed");
    assert_eq!(removed.jobs[0].evicted_for, None);
    let copied = apply(&scenario, &[Edit::Duplicate { at: Path::default().field("jobs").named("a") }]);
    let copied = copied.expect("it can be copied");
    assert_eq!((&copied.jobs[1].terminating, &copied.jobs[1].evicted_for), (&Vec::new(), &None));
}
