//! Gangs of YuniKorn in scenarios: placeholders hold resources until pods replace them, or the gang times out.

use fairground::scenario;
use fairground::sim::Simulation;
use fairground::trace::{Event, Gate};
use fairground_tests::recording::case_of;
use fairground_tests::scenarios::{simulation, under};
use serde_json::Value;

macro_rules! example {
    ($id:literal) => {
        include_str!(concat!("../../assets/scenarios/", $id, ".yaml"))
    };
}

fn words(text: &str) -> Simulation {
    under("yunikorn", text)
}

/// Events of pods in order, with seconds.
fn run(simulation: &mut Simulation, cycles: u32) -> Vec<String> {
    let mut events = Vec::new();
    for _ in 0..cycles {
        if simulation.is_quiet() {
            break;
        }
        let Some(record) = simulation.advance() else { break };
        let seconds = record.time.as_millis() / 1000;
        let name = |pod| &simulation.cluster().pods[pod].name;
        for recorded in &record.events {
            let what = match recorded.event {
                Event::Bound { pod, .. } => format!("runs {}", name(pod)),
                Event::Claimed { pod, .. } => format!("holds {}", name(pod)),
                Event::Unclaimed { pod, .. } => format!("loses {}", name(pod)),
                Event::Evicted { pod, .. } => format!("goes {}", name(pod)),
                _ => continue,
            };
            events.push(format!("{seconds} {what}"));
        }
    }
    events
}

fn gate(simulation: &Simulation, job: &str) -> Gate {
    let cluster = simulation.cluster();
    let mut again = simulation.clone();
    let record = again.advance().expect("a further cycle");
    let refusal = record.refusals.iter().find(|refusal| *cluster.jobs[refusal.job].name == *job);
    refusal.expect("it waits").gate.clone()
}

/// Decisions of a recording: second, event and pod.
fn recorded(name: &str) -> Vec<(i64, String, String)> {
    let case: Value = case_of("yunikorn/spec-examples.jsonl.gz", "name", name);
    let mut events = Vec::new();
    for decision in case["decisions"].as_array().expect("decisions") {
        let parts: Vec<&str> = decision.as_str().expect("a text").split(':').collect();
        let seconds = parts[0].parse::<i64>().expect("milliseconds") / 1000;
        match parts[1].strip_prefix("timeouts=") {
            Some(all) => events.extend(all.split(',').map(|key| (seconds, "timeout".into(), key.into()))),
            None => events.push((seconds, parts[1].to_string(), parts[2].to_string())),
        }
    }
    events
}

/// The example is the recorded case, except that its pods follow one second after their placeholders are gone.
#[test]
fn a_soft_gang_behaves_like_the_real_scheduler() {
    let events = run(&mut simulation(example!("gang-soft")), 60);
    let real = recorded("gang-timeout-soft-early");
    // Placeholders pa-0 to pa-2 are placed and pb-0 is not; all time out; h-0 is placed, then ga's pods as they fit.
    let n = |second: i64, what: &str, prefix: &str| {
        real.iter().filter(|(s, w, key)| *s == second && w == what && key.starts_with(prefix)).count()
    };
    assert_eq!((n(0, "allocated", "pa-"), n(0, "allocated", "pb-")), (3, 0));
    assert_eq!((n(20, "timeout", "pa-"), n(20, "allocated", "h-")), (3, 1));
    assert_eq!(n(25, "allocated", "ra-"), 2);
    let of = |prefix: &str| events.iter().filter(|line| line.starts_with(prefix)).count();
    assert_eq!((of("0 holds gang/small/"), of("0 holds gang/big/")), (3, 0));
    assert_eq!((of("20 loses gang/small/"), of("20 runs single")), (3, 1));
    assert_eq!(of("21 runs gang/small/"), 2);
    assert_eq!(events.len(), 9, "{events:?}");
}

/// yunikorn.md 7.6: a hard gang that times out fails with all its allocations.
#[test]
fn a_hard_gang_fails() {
    let mut simulation = simulation(example!("gang-hard"));
    let events = run(&mut simulation, 60);
    assert_eq!(events.len(), 7, "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("20 runs single"));
    assert!(simulation.held().is_empty());
    let waits = simulation.cluster().live_jobs.len();
    assert_eq!(waits, 2, "a job that has failed waits in vain");
}

#[test]
fn a_pending_gang_has_a_reason() {
    let mut soft = simulation(example!("gang-soft"));
    for _ in 0..4 {
        soft.advance().expect("a further cycle");
    }
    assert_eq!(soft.held().len(), 3);
    match gate(&soft, "gang") {
        Gate::GangIncomplete { held: 3, of: 4, until } => {
            assert_eq!(until.map(|until| until.as_millis()), Some(20_000));
        }
        other => panic!("{other:?}"),
    }
    let mut hard = simulation(&example!("gang-hard").replace("submit: 15s", "submit: 30s"));
    while hard.now().as_millis() < 20_000 {
        hard.advance().expect("a further cycle");
    }
    assert_eq!(gate(&hard, "gang"), Gate::GangFailed);
}

/// All placeholders are placed: each pod replaces a placeholder of its pod set, further pods follow.
#[test]
fn a_complete_gang_starts_together() {
    let text = "
nodes: [{name: n, gpu: 4}]
queues: [{name: q}]
jobs:
- {name: first, queue: q, gpu: 2, on: [n], lasts: 10s}
- {name: gang, queue: q, gang: hard, pods: 5, min-available: 3, gpu: 1, lasts: 5s}
";
    let mut simulation = words(text);
    let events = run(&mut simulation, 60);
    let expected = [
        "0 holds gang/1",
        "0 holds gang/2",
        "10 holds gang/3",
        "10 runs gang/1",
        "10 runs gang/2",
        "10 runs gang/3",
        "10 runs gang/4",
        "15 runs gang/5",
    ];
    assert_eq!(events, expected);
    assert!(simulation.cluster().live_jobs.is_empty());
}

/// yunikorn.md 1.8: a leaf with sort policy fair rejects gangs, and so does a maximum on the path below the gang's
/// size.
#[test]
fn a_queue_may_reject_a_gang() {
    let text = "
settings: {application.sort.policy.q: fair}
nodes: [{name: n, gpu: 4}]
queues: [{name: q}]
jobs: [{name: gang, queue: q, gang: soft, pods: 2, gpu: 1}]
";
    assert_eq!(gate(&words(text), "gang"), Gate::GangRefused);
    let limited = text.replace("fair", "fifo").replace("{name: q}", "{name: q, gpu: {limit: 1}}");
    assert_eq!(gate(&words(&limited), "gang"), Gate::GangRefused);
    let fits = limited.replace("limit: 1", "limit: 2");
    assert_eq!(run(&mut words(&fits), 9).len(), 4);
}

/// A gang with a preempted, withdrawn or lost pod holds no resources afterwards.
#[test]
fn no_resources_are_held_for_removed_pods() {
    let withdrawn = "
nodes: [{name: n, gpu: 2}]
queues: [{name: q}]
jobs:
- {name: gang, queue: q, gang: soft, pods: 3, gpu: 1}
- {name: next, queue: q, gpu: 2, submit: 1s}
timeline: [{at: 5s, job: gang}]
";
    let mut simulation = words(withdrawn);
    assert_eq!(run(&mut simulation, 60), ["0 holds gang/1", "0 holds gang/2", "5 runs next"]);
    assert!(simulation.held().is_empty());
    let lost = "
nodes: [{name: n, gpu: 2}, {name: m, gpu: 1}]
queues: [{name: q}]
jobs: [{name: gang, queue: q, gang: soft, placeholder-timeout: 10s, pods: 4, gpu: 1}]
timeline: [{at: 5s, node: m, state: down}]
";
    let events = run(&mut words(lost), 60);
    assert_eq!(events.iter().filter(|line| line.contains("holds")).count(), 3, "{events:?}");
    assert_eq!(events.iter().filter(|line| line.starts_with("10 loses")).count(), 2, "{events:?}");
    assert_eq!(events.iter().filter(|line| line.starts_with("11 runs")).count(), 2, "{events:?}");
}

/// A placeholder can be preempted like any task; its resources go to the preemptor.
#[test]
fn a_placeholder_can_be_preempted() {
    let text = "
nodes: [{name: n, gpu: 2}]
queues:
- {name: a}
- {name: b, gpu: {quota: 1}}
jobs:
- {name: gang, queue: a, gang: soft, pods: 3, gpu: 1}
- {name: due, queue: b, gpu: 1, submit: 1s}
";
    let events = run(&mut words(text), 60);
    assert_eq!(events[..2], ["0 holds gang/1", "0 holds gang/2"]);
    assert_eq!(events[2], "31 holds due");
    assert!(events[3].starts_with("31 loses gang/"), "{events:?}");
    assert_eq!(events[4], "31 runs due");
}

#[test]
fn gang_settings_are_checked() {
    let codes = |policy: &str, job: &str| -> Vec<String> {
        let text = format!(
            "format: fairground-scenario\nversion: 1\npolicy: {policy}\nnodes: [{{name: n, gpu: 4}}]\n\
             queues: [{{name: q, gpu: {{quota: 4, limit: unlimited, weight: 1}}}}]\njobs: [{{name: j, queue: q, pods: 2, gpu: 1, {job}}}]\n"
        );
        let read = scenario::read(&text);
        let checked = scenario::check(&read.scenario.expect("a scenario"));
        let about = |d: &fairground::scenario::Diagnostic| {
            d.at.to_string().contains("gang") || d.at.to_string().contains("timeout")
        };
        checked.diagnostics.iter().filter(|d| about(d)).map(|d| d.code.0.to_string()).collect()
    };
    assert_eq!(codes("yunikorn", "gang: soft, placeholder-timeout: 60s"), [""; 0]);
    assert_eq!(codes("yunikorn", "gang: softly"), ["S030"]);
    assert_eq!(codes("yunikorn", "placeholder-timeout: 60s"), ["S056"]);
    assert_eq!(codes("yunikorn", "gang: hard, placeholder-timeout: 0s"), ["S056"]);
    assert_eq!(codes("kai", "gang: soft"), ["S048"]);
}

/// A placeholder stays on a node that loses its GPUs; its pod finds none there and is placed elsewhere.
#[test]
fn a_node_without_gpus_does_not_admit_the_pod_of_a_placeholder() {
    let text = "\
format: fairground-scenario
version: 1
policy: yunikorn
nodes: [{name: n, count: 3, gpu: 3}]
queues: [{name: a, gpu: {limit: 4}}, {name: b, parent: a}, {name: c, parent: a}]
jobs:
  - {name: gang, queue: b, pods: 2, gpu: 1, gang: hard}
  - {name: j1, queue: c, lasts: 20, gpu: 1, on: [n-2]}
  - {name: j5, queue: c, pods: 3, gpu: 1, on: [n-1, n-2]}
timeline: [{at: 10, node: n-1, capacity: {gpu: 0}}]
";
    let checked = fairground::scenario::check(&fairground::scenario::read(text).scenario.expect("a scenario"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    assert_eq!(fairground_tests::laws::hold(&plan, 0, None), Ok(()));
    let mut simulation = fairground::sim::Simulation::new(&plan);
    while simulation.cycle() < 60 && simulation.advance().is_some() {}
    let pods = simulation.cluster().pods.values();
    let gang: Vec<_> = pods.filter(|pod| pod.name.starts_with("gang/")).collect();
    assert!(gang.iter().all(|pod| pod.phase.holds()), "{gang:?}");
}
