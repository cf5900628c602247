//! Every example of KAI decides as the real scheduler did: recorded binds and evictions of each cycle. Examples of
//! policies without a runnable scheduler follow worked examples of its documentation, which have tests of their own.

use std::collections::BTreeMap;

use fairground::scenario::check;
use fairground::sim::Simulation;
use fairground::trace::Event;
use fairground_web::library::{EXAMPLES, Example};

/// `example | cycle | decisions in order`, and `example | until last recorded cycle`.
const RECORDED: &str = include_str!("examples.txt");

/// Examples that compare policies, show how patterns are drawn, or demonstrate one setting. They were not run on the
/// real scheduler, and the page does not claim so.
const NOT_RECORDED: [&str; 11] = [
    "cpu-and-memory",
    "four-schedulers",
    "morning-rush",
    "restart-storm",
    "three-weeks",
    "priority-within-quota",
    "quota-reclaim",
    "reclaim-multiplier",
    "upgrade-another-team-loses",
    "upgrade-gang-starts",
    "usage-fades",
];

/// The decisions of each cycle with any.
type Decisions = BTreeMap<u32, Vec<String>>;

fn recorded() -> BTreeMap<&'static str, (u32, Decisions)> {
    let mut all: BTreeMap<&str, (u32, Decisions)> = BTreeMap::new();
    for line in RECORDED.lines() {
        let mut parts = line.split(" | ");
        let (Some(example), Some(cycle)) = (parts.next(), parts.next()) else { continue };
        let entry = all.entry(example).or_default();
        match cycle.strip_prefix("until ") {
            Some(last) => entry.0 = last.parse().expect("a number"),
            None => {
                let mut decisions: Vec<String> =
                    parts.next().unwrap_or_default().split("; ").map(str::to_string).collect();
                decisions.sort();
                entry.1.insert(cycle.parse().expect("a number"), decisions);
            }
        }
    }
    all
}

fn run(text: &str, cycles: u32) -> Decisions {
    let scenario = fairground_web::state::document::from_text(text).expect("examples are clean");
    let plan = check(&scenario).plan.expect("examples can run");
    let mut simulation = Simulation::new(&plan);
    let mut decisions = Decisions::new();
    while simulation.cycle() < cycles {
        let Some(record) = simulation.advance() else { break };
        let cluster = simulation.cluster();
        let mut here: Vec<String> = Vec::new();
        for recorded in &record.events {
            match recorded.event {
                Event::Bound { pod, node, .. } => {
                    here.push(format!("bind {} {}", cluster.pods[pod].name, cluster.nodes[node].name));
                }
                Event::Evicted { pod, by, .. } => {
                    let by = by.map(|job| format!(" for {}", cluster.jobs[job].name)).unwrap_or_default();
                    here.push(format!("evict {}{by}", cluster.pods[pod].name));
                }
                _ => {}
            }
        }
        here.sort();
        if !here.is_empty() {
            decisions.insert(record.cycle, here);
        }
    }
    decisions
}

#[test]
fn examples_decide_as_recorded() {
    let recorded = recorded();
    let mut wrong = Vec::new();
    let is_recorded = |example: &&Example| example.head("policy") == "kai" && !NOT_RECORDED.contains(&example.id);
    for example in EXAMPLES.iter().filter(is_recorded) {
        let Some((cycles, expected)) = recorded.get(example.id) else {
            wrong.push(format!("{}: nothing is recorded", example.id));
            continue;
        };
        let got = run(example.text, *cycles);
        if got != *expected {
            wrong.push(format!("{}:\n  recorded {expected:?}\n  decided  {got:?}", example.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every notebook stops the same training job; protected, it is evicted no more.
#[test]
fn the_restart_storm_does_what_it_tells() {
    let text = Example::find("restart-storm").expect("an example").text;
    let evictions = |text: &str| {
        let decisions = run(text, 1000);
        decisions.values().flatten().filter(|d| d.starts_with("evict")).cloned().collect::<Vec<_>>()
    };
    let expected: Vec<String> = (1..=12).map(|n| format!("evict train-2 for notebook-{n}")).collect();
    assert_eq!(evictions(text), expected);
    let protected = text.replace("{name: training,", "{name: training, reclaim-min-runtime: 900s,");
    assert_eq!(evictions(&protected), Vec::<String>::new());
}

#[test]
fn all_jobs_of_three_weeks_run_to_their_end() {
    let text = Example::find("three-weeks").expect("an example").text;
    let scenario = fairground_web::state::document::from_text(text).expect("examples are clean");
    let mut simulation = Simulation::new(&check(&scenario).plan.expect("examples can run"));
    while !simulation.is_quiet() && simulation.advance().is_some() {}
    let all = simulation.summary().all;
    assert_eq!(all.jobs_done, 933);
}

/// The first four jobs of `product` take GPUs back, the others wait; with the edit that the note proposes nothing is
/// lost.
#[test]
fn the_morning_rush_does_what_it_tells() {
    let text = Example::find("morning-rush").expect("an example").text;
    let decisions = run(text, 1000);
    let evicted: Vec<String> = decisions.values().flatten().filter(|d| d.starts_with("evict")).cloned().collect();
    let expected = [8, 7, 6, 5].into_iter().zip(1..).map(|(night, n)| format!("evict night-{night} for people-{n}"));
    assert_eq!(evicted, expected.collect::<Vec<_>>());
    let outcome = |text: &str| {
        let scenario = fairground_web::state::document::from_text(text).expect("examples are clean");
        let mut simulation = Simulation::new(&check(&scenario).plan.expect("examples can run"));
        while !simulation.is_quiet() && simulation.advance().is_some() {}
        let all = simulation.summary().all;
        (all.jobs_done, all.evictions, all.gpu_seconds_lost)
    };
    assert_eq!(outcome(text), (28, 4, 1870.0));
    assert_eq!(outcome(&text.replace("seed: 1}", "seed: 1, restart: resume}")), (28, 4, 0.0));
}
