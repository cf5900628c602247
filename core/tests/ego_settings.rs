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

/// Two owners below different parents lend their hosts, and a private pool is shared by two consumers; hosts of eight
/// slots.
fn shared(plan: &str, settings: &str, of_queue: &str) -> String {
    let owned = |gpus: u32| if plan == "slots" { 0 } else { gpus };
    format!(
        "settings: {{plan: {plan}{settings}}}
nodes: [{{name: host, count: 4, gpu: 8, cpu: 8, memory: 8Gi}}]
queues:
- {{name: p, gpu: {{quota: {}}}}}
- {{name: a, parent: p, gpu: {{quota: {}}}}}
- {{name: b, parent: p}}
- {{name: q, gpu: {{quota: {}}}{of_queue}}}
- {{name: c, parent: q, gpu: {{weight: 2}}}}
- {{name: d, parent: q, gpu: {{quota: {}}}}}
jobs:
- {{name: b, queue: b, count: 7, gpu: 1, cpu: 1, memory: 1Gi, duration: 20s}}
- {{name: c, queue: c, count: 22, gpu: 1, cpu: 1, memory: 1Gi}}
- {{name: d, queue: d, count: 9, gpu: 1, cpu: 1, memory: 1Gi, submit: 5s}}
- {{name: a, queue: a, count: 14, gpu: 1, cpu: 1, memory: 1Gi, submit: 10s}}
",
        owned(16),
        owned(8),
        owned(8),
        owned(8)
    )
}

/// Both branches hold their quota of six slots, and one consumer of the first asks for three.
fn branches(plan: &str, settings: &str) -> String {
    format!(
        "settings: {{plan: {plan}{settings}}}
nodes: [{{name: host, gpu: 12}}]
queues:
- {{name: A}}
- {{name: A1, parent: A}}
- {{name: A2, parent: A}}
- {{name: B}}
- {{name: B1, parent: B}}
- {{name: B2, parent: B}}
jobs:
- {{name: a1, queue: A1, count: 6, gpu: 1}}
- {{name: b1, queue: B1, count: 6, gpu: 1}}
- {{name: a2, queue: A2, count: 3, gpu: 1, submit: 2s}}
"
    )
}

/// A scenario in which the setting matters where the plan reads it.
fn scenario(plan: &str, name: &str, settings: &str) -> String {
    let shared = shared(plan, settings, "");
    match name {
        // The dynamic quota gives nothing to consumers without work.
        "enforcement" => branches(plan, &format!(", share-quota: static{settings}")),
        // The least value on the path of the owner counts.
        "lendout-grace.a" => shared.replace("settings: {", "settings: {lendout-grace.p: 9s, "),
        "over-commit.cpu" => shared.replace("cpu: 1,", "cpu: 2,"),
        "over-commit.memory" => shared.replace("memory: 1Gi", "memory: 2Gi"),
        "over-commit.gpu" => shared.replace("cpu: 8, memory: 8Gi", "cpu: 16, memory: 16Gi"),
        _ => shared,
    }
}

/// Settings with a value other than the default.
const SETTINGS: [(&str, &str); 15] = [
    ("grace", "7s"),
    ("placement", "balanced"),
    ("placement", "exclusive"),
    ("lendout", "false"),
    ("over-commit.cpu", "2"),
    ("over-commit.memory", "2"),
    ("over-commit.gpu", "2"),
    ("share-quota", "static"),
    ("enforcement", "parent"),
    ("rank.p", "3"),
    ("lendout.a", "false"),
    ("lendout-grace.a", "7s"),
    ("private-pool-grace.p", "7s"),
    ("reclaim-grace.c", "7s"),
    ("reserved.a", "1"),
];

#[test]
fn every_setting_has_an_effect_or_a_warning() {
    let mut silent = Vec::new();
    for plan in ["multidimensional", "slots"] {
        for (name, value) in SETTINGS {
            let (plain, _) = run(&scenario(plan, name, ""));
            let (events, findings) = run(&scenario(plan, name, &format!(", {name}: {value}")));
            if events == plain && !findings.iter().any(|found| found.contains(name)) {
                silent.push(format!("{plan}: {name}: {value}"));
            }
        }
    }
    assert_eq!(silent, [""; 0]);
}

#[test]
fn values_of_queues_that_a_slot_plan_ignores_are_named() {
    for (value, field) in
        [(", cpu: {limit: 4}", "CPU"), (", memory: {limit: 4Gi}", "memory"), (", priority: 5", "priority")]
    {
        let (_, findings) = run(&shared("slots", "", value));
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
        let is_late = |line: &&str| line.split(' ').next().is_some_and(|ms| ms.len() >= 5);
        let late: Vec<&str> = events.lines().filter(|line| line.contains("Bound")).filter(is_late).collect();
        let on = |host: u32| late.iter().filter(|line| line.contains(&format!("NodeId({host})"))).count();
        assert_eq!([on(0), on(1), on(2)], hosts, "{placement}: {events}");
    }
}
