//! Nodes whose capacity changes, under every policy.

use std::sync::Arc;

use fairground::cluster::audit;
use fairground::moment::{self, Names};
use fairground::scenario::{Severity, check, read};
use fairground::sim::Simulation;
use fairground::trace::{Event, Level};
use fairground::words;

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

fn file(policy: &str, timeline: &str) -> String {
    format!(
        "format: fairground-scenario
version: 1
policy: {policy}
cycle: 1s
nodes: [{{name: n, gpu: 4, cpu: 64, memory: 256Gi}}]
queues: [{{name: a, gpu: {{quota: 8, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs:
- {{name: low, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: -2s, on: [n], on-devices: ['0'], started: -1s, lasts: 7s}}
- {{name: high, queue: a, gpu: 2, cpu: 1, memory: 1Gi, submit: -2s, on: [n], on-devices: [2+3]}}
- {{name: late, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: 4s}}
timeline: [{timeline}]
"
    )
}

/// Starts, evictions and completions with their cycles, one per second, and the devices of `high` on every change.
fn history(policy: &str, timeline: &str) -> Vec<String> {
    let text = file(policy, timeline);
    let read = read(&text);
    assert_eq!(read.diagnostics, vec![], "{policy}");
    let checked = check(&read.scenario.expect("it can be read"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{policy}: {:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    let mut lines = Vec::new();
    let mut known = "[2, 3]".to_owned();
    for _ in 0..12 {
        let Some(record) = simulation.advance() else { break };
        assert_eq!(audit(simulation.world()), vec![], "{policy}");
        let cluster = simulation.cluster();
        let at = record.cycle;
        for recorded in &record.events {
            let of = |pod| &cluster.jobs[cluster.pods[pod].job].name;
            lines.extend(match recorded.event {
                Event::Bound { pod, .. } => Some(format!("{at}: {} starts", of(pod))),
                Event::Evicted { pod, .. } => Some(format!("{at}: {} evicted", of(pod))),
                Event::Finished { pod, .. } => Some(format!("{at}: {} over", of(pod))),
                _ => None,
            });
        }
        let high = cluster.pods.values().find(|pod| &*pod.name == "high").expect("it is there");
        let devices = format!("{:?}", high.devices.iter().collect::<Vec<u32>>());
        if devices != known {
            lines.push(format!("{at}: high has {devices}"));
            known = devices;
        }
    }
    lines
}

/// What the timeline may still change is not said to change by edits only.
#[test]
fn a_refusal_says_when_the_timeline_goes_on() {
    let says = |policy: &str, at: &str| {
        let text =
            file(policy, at).replace("gpu: 2, cpu: 1", "gpu: 5, cpu: 1").replace(", on: [n], on-devices: [2+3]", "");
        let scenario = read(&text).scenario.expect("it can be read");
        let mut simulation = Simulation::new(&check(&scenario).plan.expect("it can run"));
        simulation.set_level(Level::Decisive);
        let record = simulation.advance().expect("a cycle");
        let names = Arc::new(Names::of(policy, simulation.cluster()));
        words::of_job(&moment::frame(&names, &simulation, &record), "high").lines().join("\n")
    };
    for policy in ["kai", "runai", "yunikorn", "fifo"] {
        let [without, with] = ["", "{at: 90s, node: n, capacity: {gpu: 6}}"].map(|at| says(policy, at));
        assert!(without.contains("Only an edit changes this."), "{policy}: {without}");
        assert!(with.contains("an entry of the timeline changes this; its next entry is at 1:30."), "{policy}: {with}");
    }
}

/// The free GPU is removed first, then devices are renumbered; pending pods start when there is room.
#[test]
fn free_devices_are_removed_first() {
    for policy in POLICIES {
        let lines = history(policy, "{at: 2s, node: n, capacity: {gpu: 3}}");
        let expected = ["2: high has [1, 2]", "6: low over", "6: late starts"];
        assert_eq!(lines, expected, "{policy}");
    }
}

/// Pods stay on a node whose capacity is below their requests; it takes no new pods until there is room.
#[test]
fn pods_stay_on_a_node_with_too_little_capacity() {
    for policy in POLICIES {
        let lines = history(
            policy,
            "{at: 2s, node: n, capacity: {gpu: 2, cpu: 2}}, {at: 9s, node: n, capacity: {gpu: 3, cpu: 64}}",
        );
        let expected = ["2: high has [1]", "6: low over", "6: high has [0, 1]", "9: late starts"];
        assert_eq!(lines, expected, "{policy}");
    }
}

#[test]
fn pending_pods_start_on_a_node_that_grows() {
    for policy in POLICIES {
        let lines =
            history(policy, "{at: 1s, node: n, capacity: {pods: 2}}, {at: 5s, node: n, capacity: {pods: unlimited}}");
        let over = lines.get(1).map(|line| line.split_once(": ").map_or("", |(_, what)| what));
        assert_eq!((lines[0].as_str(), over), ("5: late starts", Some("low over")), "{policy}");
    }
}

#[test]
fn a_capacity_is_checked() {
    let found = |timeline: &str| {
        let checked = check(&read(&file("kai", timeline)).scenario.expect("it can be read"));
        let errors = checked.diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| format!("{}: {}", found.at, found.says)).collect::<Vec<String>>()
    };
    assert_eq!(
        found("{at: 1s, node: n, capacity: {gpu: 65, cpu: -1}}"),
        [
            "timeline[0].capacity.cpu: cpu \"-1\" is below zero; it takes a number of cores such as 8, 1.5 or 500m",
            "timeline[0].capacity.gpu: gpu \"65\" is too large; it takes a whole number of GPUs, at most 64",
        ]
    );
    assert_eq!(
        found("{at: 1s, queue: a, priority: 2, capacity: {gpu: 6}}, {at: 1s, job: low, capacity: {gpu: 6}}"),
        [
            "timeline[0].capacity: only nodes have a capacity; remove it",
            "timeline[1].capacity: only nodes have a capacity; remove it",
        ]
    );
}

fn found(policy: &str, more: &str) -> String {
    format!(
        "format: fairground-scenario
version: 1
policy: {policy}
cycle: 1s
nodes: [{{name: n, gpu: 2, cpu: 64, memory: 256Gi}}]
queues: [{{name: a, gpu: {{quota: 8, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs:
- {{name: first, queue: a, gpu: 1, cpu: 1, memory: 1Gi, lasts: 8s}}
- {{name: low, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: 3s, on: [n], lasts: 5s{more}}}
- {{name: high, queue: a, gpu: 1, cpu: 1, memory: 1Gi, submit: 4s}}
"
    )
}

/// Starts, discoveries and completions with their times.
fn history_of(text: &str) -> Vec<String> {
    let checked = check(&read(text).scenario.expect("it can be read"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{text}: {:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    let mut lines = Vec::new();
    while let Some(record) = simulation.advance().filter(|record| record.time.as_millis() <= 12_000) {
        assert_eq!(audit(simulation.world()), vec![], "{text}");
        let cluster = simulation.cluster();
        for recorded in &record.events {
            let of = |pod| &cluster.jobs[cluster.pods[pod].job].name;
            lines.extend(match recorded.event {
                Event::Bound { pod, .. } => Some(format!("{} starts", of(pod))),
                Event::Found { pod, .. } => Some(format!("{} found", of(pod))),
                Event::Finished { pod, .. } => Some(format!("{} over", of(pod))),
                _ => None,
            });
        }
    }
    lines
}

/// A job with `on` that is submitted later is found running at its submission, and its GPU is no longer free.
#[test]
fn a_job_is_found_running() {
    for policy in POLICIES {
        let expected = ["first starts", "low found", "low over", "high starts", "first over"];
        let lines = history_of(&found(policy, ""));
        assert_eq!(lines, expected, "{policy}");
        // It had started two seconds earlier.
        let lines = history_of(&found(policy, ", started: 1s"));
        assert_eq!(lines, expected, "{policy}");
    }
}

/// Two jobs found on one GPU exceed the capacity; both stay, and the node takes no pods until there is room.
#[test]
fn found_jobs_may_exceed_the_capacity() {
    for policy in POLICIES {
        let text = found(policy, "").replace("gpu: 2,", "gpu: 1,").replace("gpu: 1, cpu: 64", "gpu: 1, cpu: 1");
        let lines = history_of(&text);
        assert_eq!(lines, ["first starts", "low found", "low over", "first over", "high starts"], "{policy}");
    }
}

#[test]
fn a_found_job_has_started_and_not_ended() {
    let errors = |more: &str| {
        let checked = check(&read(&found("kai", more)).scenario.expect("it can be read"));
        let errors = checked.diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| format!("{}: {}", found.at, found.says)).collect::<Vec<String>>()
    };
    assert_eq!(
        errors(", started: 4s"),
        ["jobs[\"low\"].started: a job with `on` runs when it becomes known, so it cannot start later"]
    );
    assert_eq!(
        errors(", started: -2s"),
        ["jobs[\"low\"].on: this job is over before it becomes known; let it last longer or start later"]
    );
}
