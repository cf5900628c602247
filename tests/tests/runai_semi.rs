//! Semi-preemptible workloads under Run:ai, from scenario to decisions: the first `min-available` pods are treated as
//! non-preemptible, those above as preemptible.

use fairground::cluster::Phase;
use fairground::id::Id;
use fairground::scenario::{self, check, codes};
use fairground::sim::Simulation;
use fairground::trace::{Event, EvictReason, Gate};
use fairground::units::Resource;
use fairground_tests::scenarios::under;

/// Runs a scenario for some cycles; returns the evictions with cycle and reason.
fn evicted(simulation: &mut Simulation, cycles: u32) -> Vec<(u32, String, EvictReason)> {
    let mut evicted = Vec::new();
    for _ in 0..cycles {
        let Some(record) = simulation.advance() else { break };
        for recorded in &record.events {
            if let Event::Evicted { pod, reason, .. } = recorded.event {
                evicted.push((record.cycle, simulation.cluster().pods[pod].name.to_string(), reason));
            }
        }
    }
    evicted
}

fn running(simulation: &Simulation) -> Vec<String> {
    let runs = |phase| matches!(phase, Phase::Running { .. });
    let pods = simulation.cluster().pods.values().filter(|pod| runs(pod.phase));
    pods.map(|pod| pod.name.to_string()).collect()
}

/// Non-preemptible allocation of a queue in GPUs.
fn fixed(simulation: &Simulation, queue: usize) -> f64 {
    simulation.ledger().rows[queue].non_preemptible.gpu
}

const TWO_PROJECTS: &str = "
nodes: [{name: n, gpu: 4}]
queues:
- {name: A, gpu: {quota: 2}}
- {name: B, gpu: {quota: 2}}
";

/// Two of four pods are core: B reclaims its quota from the other two only, regardless of its demand.
#[test]
fn reclaim_evicts_only_pods_above_the_minimum() {
    let text = format!(
        "{TWO_PROJECTS}jobs:
- {{name: a, queue: A, pods: 4, min-available: 2, gpu: 1, preemptible: semi}}
- {{name: b, queue: B, count: 4, gpu: 1, submit: 2}}
"
    );
    let mut simulation = under("runai", &text);
    simulation.advance();
    assert_eq!((running(&simulation).len(), fixed(&simulation, 0)), (4, 2.0));
    let evicted = evicted(&mut simulation, 12);
    let names: Vec<&str> = evicted.iter().map(|e| e.1.as_str()).collect();
    assert_eq!(names, ["a/4", "a/3"]);
    assert_eq!(running(&simulation), ["a/1", "a/2", "b-1", "b-2"]);
    assert_eq!(fixed(&simulation, 0), 2.0);
}

/// With a quota lowered below the core, the project stays above its quota: pods above the minimum may be evicted, the
/// core stays, like non-preemptible jobs. A preemptible job is evicted completely.
#[test]
fn the_core_stays_where_preemptible_pods_are_evicted() {
    let text = |preemptible: &str| {
        format!(
            "
nodes: [{{name: n, gpu: 4}}]
queues:
- {{name: A, gpu: {{quota: 2}}}}
- {{name: B, gpu: {{quota: 3}}}}
jobs:
- {{name: a, queue: A, pods: 3, min-available: 2, gpu: 1, preemptible: {preemptible}}}
- {{name: b, queue: B, pods: 3, gpu: 1, submit: 2}}
timeline: [{{at: 1.5, queue: A, gpu: {{quota: 0}}}}]
"
        )
    };
    let mut semi = under("runai", &text("semi"));
    assert_eq!(evicted(&mut semi, 12), vec![]);
    assert_eq!(running(&semi), ["a/1", "a/2", "a/3"]);
    let mut preemptible = under("runai", &text("true"));
    let gone = evicted(&mut preemptible, 12);
    assert_eq!(gone.len(), 3, "{gone:?}");
    assert_eq!(running(&preemptible), ["b/1", "b/2", "b/3"]);
}

/// Inside a project, higher priority preempts the pods above the minimum, and then waits.
#[test]
fn preemption_stops_at_the_minimum() {
    let text = "
nodes: [{name: n, gpu: 3}]
queues: [{name: A, gpu: {quota: 3}}]
jobs:
- {name: low, queue: A, pods: 3, min-available: 1, gpu: 1, preemptible: semi}
- {name: high, queue: A, count: 3, gpu: 1, priority: 75, submit: 2}
";
    let mut simulation = under("runai", text);
    let gone = evicted(&mut simulation, 12);
    let expected = [("low/3", EvictReason::Preempted), ("low/2", EvictReason::Preempted)];
    assert_eq!(gone.iter().map(|e| (e.1.as_str(), e.2)).collect::<Vec<_>>(), expected);
    assert_eq!(running(&simulation), ["low/1", "high-1", "high-2"]);
}

/// Consolidation moves the pod above the minimum, not the core; in the second case the pod that could make room is
/// core.
#[test]
fn consolidation_does_not_move_the_core() {
    let text = |min: u32| {
        format!(
            "
nodes: [{{name: n, count: 2, gpu: 2}}]
queues: [{{name: A, gpu: {{quota: 4}}}}]
jobs:
- {{name: a, queue: A, pods: 2, min-available: {min}, gpu: 1, preemptible: semi, on: [n-1, n-2]}}
- {{name: w, queue: A, gpu: 2, submit: 2}}
"
        )
    };
    let mut one = under("runai", &text(1));
    let gone = evicted(&mut one, 8);
    assert_eq!(gone.iter().map(|e| (e.1.as_str(), e.2)).collect::<Vec<_>>(), [("a/2", EvictReason::Moved)]);
    assert_eq!(running(&one), ["a/1", "a/2", "w"]);
    let mut two = under("runai", &text(2));
    assert_eq!(evicted(&mut two, 8), vec![]);
    assert_eq!(running(&two), ["a/1", "a/2"]);
}

/// The core must fit in the quota of the project and of its department; pods above the minimum need not.
#[test]
fn only_the_core_must_fit_in_quota() {
    let text = |min: u32, department: u32| {
        format!(
            "
nodes: [{{name: n, gpu: 4}}]
queues:
- {{name: D, gpu: {{quota: {department}}}}}
- {{name: A, parent: D, gpu: {{quota: 2}}}}
jobs:
- {{name: a, queue: A, pods: 4, min-available: {min}, gpu: 1, preemptible: semi}}
"
        )
    };
    let after = |min, department| {
        let mut simulation = under("runai", &text(min, department));
        let record = simulation.advance().expect("a first cycle");
        (running(&simulation).len(), fixed(&simulation, 1), record)
    };
    let (n, np, _) = after(2, 2);
    assert_eq!((n, np), (4, 2.0));
    for (min, department, queue) in [(3, 4, 1), (2, 1, 0)] {
        let (n, _, record) = after(min, department);
        assert_eq!(n, 0);
        match record.refusals[0].gate {
            Gate::NonPreemptibleOverQuota { queue: q, resource } => {
                assert_eq!((q.index(), resource), (queue, Resource::GPU));
            }
            ref other => panic!("{other:?}"),
        }
    }
}

/// A lost core pod is replaced by the next running one: two remain core while two run, and the replacement is above the
/// minimum.
#[test]
fn the_core_is_a_number_of_pods() {
    let text = "
nodes: [{name: n, gpu: 2}, {name: m, gpu: 2}]
queues: [{name: A, gpu: {quota: 2}}, {name: B, gpu: {quota: 2}}]
jobs:
- {name: a, queue: A, pods: 3, min-available: 2, gpu: 1, preemptible: semi, on: [n, m, m]}
timeline:
- {at: 1.5, node: n, state: down}
- {at: 3.5, node: n, state: ready}
";
    let mut simulation = under("runai", text);
    let cores = |simulation: &Simulation| {
        let job = fairground::id::JobId::from_index(0);
        let cluster = simulation.cluster();
        cluster.fixed_pods(job).iter().map(|&pod| cluster.pods[pod].name.to_string()).collect::<Vec<_>>()
    };
    simulation.advance();
    assert_eq!((cores(&simulation), fixed(&simulation, 0)), (vec!["a/1".into(), "a/2".into()], 2.0));
    simulation.advance();
    assert_eq!((cores(&simulation), fixed(&simulation, 0)), (vec!["a/2".into(), "a/3".into()], 2.0));
    simulation.advance();
    simulation.advance();
    assert_eq!((running(&simulation).len(), fixed(&simulation, 0)), (3, 2.0));
}

fn found(policy: &str, job: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: {policy}
nodes: [{{name: n, gpu: 8}}]
queues: [{{name: q, gpu: {{quota: 4, limit: unlimited, weight: 1}}}}]
jobs: [{{name: j, queue: q, gpu: 1, {job}}}]
"
    );
    let read = scenario::read(&text);
    let found = check(&read.scenario.expect("it is a scenario")).diagnostics;
    let relevant = [codes::NO_EFFECT, codes::NOT_EXPRESSED, codes::CHOICE];
    found.into_iter().filter(|d| relevant.contains(&d.code)).map(|d| (d.code.0, d.says)).collect()
}

#[test]
fn semi_needs_pods_above_the_minimum_and_a_policy_that_knows_it() {
    let elastic = "pods: 3, min-available: 2, preemptible: semi";
    assert_eq!(found("runai", elastic), vec![]);
    let gang = found("runai", "pods: 3, preemptible: semi");
    assert_eq!(gang.len(), 1);
    assert!(gang[0].0 == "S056" && gang[0].1.contains("the same as false here"), "{gang:?}");
    for (policy, words) in [
        ("kai", "which v0.18.0 has as alpha"),
        ("ego", "only Run:ai has semi-preemptible jobs"),
        ("yunikorn", "only Run:ai has semi-preemptible jobs"),
        ("fifo", "ignores preemptible"),
        ("drf", "ignores preemptible"),
        ("max-min", "ignores preemptible"),
    ] {
        let relevant = found(policy, elastic);
        assert!(relevant.iter().any(|(code, says)| *code == "S048" && says.contains(words)), "{policy}: {relevant:?}");
    }
    let wrong = found("runai", "preemptible: half");
    assert_eq!(wrong, vec![("S030", "preemptible \"half\" is none of true, false and semi".to_string())]);
}

/// Files and links preserve the value.
#[test]
fn files_and_links_preserve_semi_preemptibility() {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: runai{TWO_PROJECTS}\
         jobs: [{{name: j, queue: A, gpu: 1, pods: 2, min-available: 1, preemptible: semi}}]\n"
    );
    let scenario = scenario::read(&text).scenario.expect("it is a scenario");
    for written in [scenario::to_yaml(&scenario), scenario::to_json(&scenario)] {
        assert_eq!(scenario::read(&written).scenario.as_ref(), Some(&scenario), "{written}");
    }
    let linked = fairground::link::decode(&fairground::link::encode(&scenario));
    assert_eq!(linked.as_ref(), Ok(&scenario));
}

/// Under KAI the priority decides, regardless of the job's minimum.
#[test]
fn kai_uses_the_priority() {
    use fairground::cluster::Preemptible;
    let of = |policy: &str, priority: u32| {
        let text = format!(
            "{TWO_PROJECTS}jobs: [{{name: j, queue: A, gpu: 1, pods: 2, min-available: 1, preemptible: semi, \
             priority: {priority}}}]\n"
        );
        under(policy, &text).cluster().jobs.values().next().map(|job| job.preemptible)
    };
    assert_eq!(of("kai", 50), Some(Preemptible::Yes));
    assert_eq!(of("kai", 100), Some(Preemptible::No));
    assert_eq!([of("runai", 50), of("runai", 125)], [Some(Preemptible::Semi); 2]);
}
