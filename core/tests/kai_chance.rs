//! Nondeterminism of KAI: a seed chooses, and decisions that depend on it are marked.

use fairground::scenario::{check, read, to_yaml};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, Mark};

fn simulation(text: &str) -> Simulation {
    let read = read(&format!("format: fairground-scenario\nversion: 1\n{text}"));
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it is a scenario"));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics)))
}

fn first_cycle(text: &str) -> CycleRecord {
    simulation(text).advance().expect("a first cycle")
}

fn keys(marks: &[Mark]) -> Vec<&'static str> {
    marks.iter().map(|mark| mark.rule.key()).collect()
}

/// Two identical queues, and room for one job.
const TWINS: &str = "nodes: [{name: n, gpu: 1}]
queues:
- {name: a, created: -60s, gpu: {quota: 1, limit: unlimited, weight: 1}}
- {name: b, created: -60s, gpu: {quota: 1, limit: unlimited, weight: 1}}
jobs:
- {name: ja, queue: a, gpu: 1}
- {name: jb, queue: b, gpu: 1}
";

fn started(text: &str) -> Vec<u32> {
    let bound = first_cycle(text).events.into_iter().filter_map(|recorded| match recorded.event {
        Event::Bound { pod, .. } => Some(pod.0),
        _ => None,
    });
    bound.collect()
}

#[test]
fn a_seed_chooses_between_identical_queues() {
    let seeded = |seed: u32| started(&format!("settings: {{seed: {seed}}}\n{TWINS}"));
    let all: Vec<Vec<u32>> = (0..32).map(seeded).collect();
    assert!(all.iter().all(|bound| bound.len() == 1));
    assert!(all.contains(&vec![0]) && all.contains(&vec![1]));
    assert_eq!(all, (0..32).map(seeded).collect::<Vec<_>>());
}

#[test]
fn nondeterministic_decisions_are_marked() {
    assert_eq!(keys(&first_cycle(TWINS).marks), ["kai/chance/queues"]);
    let of_two_ages = TWINS.replacen("-60s", "-61s", 1);
    assert_eq!(keys(&first_cycle(&of_two_ages).marks), [""; 0]);

    let parts = "nodes: [{name: n, gpu: 3}]
queues: [{name: q, gpu: {quota: 3, limit: unlimited, weight: 1}}]
jobs:
- {name: x, queue: q, gpu: 0.6, on: [n]}
- {name: y, queue: q, gpu: 0.6, on: [n]}
- {name: z, queue: q, gpu: 0.3}
";
    assert_eq!(keys(&first_cycle(parts).marks), ["kai/chance/devices"]);
    let one_fuller = parts.replacen("0.6", "0.5", 1);
    assert_eq!(keys(&first_cycle(&one_fuller).marks), [""; 0]);
}

#[test]
fn a_seed_is_written_and_read() {
    let scenario = read(&format!("format: fairground-scenario\nversion: 1\nsettings: {{seed: 7}}\n{TWINS}")).scenario;
    let text = to_yaml(&scenario.expect("it is a scenario"));
    assert!(text.contains("seed: 7"), "{text}");
    let wrong = read("format: fairground-scenario\nversion: 1\nsettings: {seed: -1}\n").scenario;
    assert_eq!(
        check(&wrong.expect("it is a scenario")).diagnostics.iter().filter(|d| d.says.contains("seed")).count(),
        1
    );
}
