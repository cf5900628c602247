//! Every setting of EGO has an effect under every plan, or a warning says that it has none.

use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::{Event, Level};

/// Events and checks of a run as text, and the findings.
fn run(text: &str) -> (String, Vec<String>) {
    let read = read(&format!("format: fairground-scenario\nversion: 1\npolicy: ego\ncycle: 1s\n{text}"));
    let checked = check(&read.scenario.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics)));
    let findings = checked.diagnostics.iter().map(|found| format!("{}: {}", found.at, found.says)).collect();
    let Some(plan) = checked.plan else { panic!("{findings:?}\n{text}") };
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let mut events = String::new();
    while let Some(record) = (simulation.cycle() < 40).then(|| simulation.advance()).flatten() {
        for recorded in &record.events {
            if !matches!(recorded.event, Event::Submitted { .. }) {
                events.push_str(&format!("{} {:?}\n", record.time.as_millis(), recorded.event));
            }
        }
    }
    (events, findings)
}

/// Two parents with two leaves each; an owner lends its hosts; hosts of eight slots.
fn scenario(plan: &str, setting: &str, value: &str) -> String {
    format!(
        "settings: {{plan: {plan}, grace: 2s{setting}}}
nodes: [{{name: host, count: 3, gpu: 8, cpu: 8, memory: 8Gi}}]
queues:
- {{name: p, gpu: {{quota: {owned}}}}}
- {{name: a, parent: p, gpu: {{quota: {owned}, weight: 1}}}}
- {{name: b, parent: p, gpu: {{weight: 1}}}}
- {{name: q{value}}}
- {{name: c, parent: q, gpu: {{weight: 2}}}}
- {{name: d, parent: q, gpu: {{weight: 1}}}}
jobs:
- {{name: b, queue: b, count: 7, gpu: 1, cpu: 1, memory: 1Gi, duration: 20s}}
- {{name: c, queue: c, count: 12, gpu: 1, cpu: 1, memory: 1Gi}}
- {{name: d, queue: d, count: 9, gpu: 1, cpu: 1, memory: 1Gi, submit: 5s}}
- {{name: a, queue: a, count: 9, gpu: 1, cpu: 1, memory: 1Gi, submit: 10s}}
",
        owned = if plan == "slots" { 0 } else { 8 },
    )
}

/// Settings with a value other than the default.
const SETTINGS: [(&str, &str); 15] = [
    ("placement", "balanced"),
    ("placement", "exclusive"),
    ("lendout", "off"),
    ("over-commit.cpu", "2"),
    ("over-commit.memory", "2"),
    ("over-commit.gpu", "2"),
    ("share-quota", "static"),
    ("enforcement", "parent"),
    ("rank.a", "3"),
    ("lendout.a", "off"),
    ("lendout-grace.a", "7s"),
    ("private-pool-grace.p", "7s"),
    ("reclaim-grace.c", "1s"),
    ("reserved.a", "1"),
    ("grace", "7s"),
];

/// Settings that act only where others make them act; the scenario of this test does not.
const ELSEWHERE: [(&str, &str, &str); 0] = [];

#[test]
fn every_setting_has_an_effect_or_a_warning() {
    let mut silent = Vec::new();
    for plan in ["multidimensional", "slots"] {
        let (plain, _) = run(&scenario(plan, "", ""));
        for (name, value) in SETTINGS {
            let text = scenario(plan, &format!(", {name}: {value}"), "");
            let text = if name == "grace" { text.replace("grace: 2s, ", "") } else { text };
            let (events, findings) = run(&text);
            let is_named = findings.iter().any(|found| found.contains(name));
            let is_elsewhere = ELSEWHERE.iter().any(|(of, setting, _)| *of == plan && *setting == name);
            if events == plain && !is_named && !is_elsewhere {
                silent.push(format!("{plan}: {name}: {value}"));
            }
        }
    }
    assert_eq!(silent, [""; 0]);
}

/// Values of queues beyond those that a slot plan reads.
#[test]
fn values_of_queues_that_a_slot_plan_ignores_are_named() {
    for (value, field) in
        [(", cpu: {limit: 4}", "cpu"), (", memory: {limit: 4Gi}", "memory"), (", priority: 5", "priority")]
    {
        let (_, findings) = run(&scenario("slots", "", value));
        assert!(findings.iter().any(|found| found.contains(field)), "{value}: {findings:?}");
    }
}

/// Three hosts of eight slots; A takes 5, then B asks for 6 (IBM, *three different slot allocation policies*).
#[test]
fn a_slot_plan_places_slots_as_ibm_describes() {
    for (placement, hosts) in [("stacked", [3, 3, 0]), ("balanced", [2, 2, 2]), ("exclusive", [0, 6, 0])] {
        let text = format!(
            "settings: {{plan: slots, placement: {placement}}}
nodes: [{{name: host, count: 3, gpu: 8}}]
queues: [{{name: A}}, {{name: B}}]
jobs:
- {{name: a, queue: A, count: 5, gpu: 1}}
- {{name: b, queue: B, count: 6, gpu: 1, submit: 10s}}
"
        );
        let (events, _) = run(&text);
        let late = events.lines().filter(|line| line.contains("Bound") && !line.starts_with("1000 "));
        let late: Vec<&str> = late.collect();
        let on = |host: u32| late.iter().filter(|line| line.contains(&format!("NodeId({host})"))).count();
        assert_eq!([on(0), on(1), on(2)], hosts, "{placement}: {events}");
    }
}
