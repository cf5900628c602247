//! Pods that take long to shut down: since version 0.17, KAI does not promise their room to other jobs for ever
//! (kai-v0.17.md 15.6).

use fairground::export::kit;
use fairground::import::{Options, Source, import_kubernetes};
use fairground::policy::kai::STUCK_IN_RELEASING;
use fairground::scenario::{check, codes, read};
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::Event;

/// `next` may claim the room of a pod that shuts down for ten minutes, or reclaim that of `other`.
fn text(settings: &str, cycle: &str) -> String {
    format!(
        "format: fairground-scenario
version: 1
policy: kai
cycle: {cycle}
settings: {{{settings}}}
nodes: [{{name: n1, gpu: 1}}, {{name: n2, gpu: 1}}]
queues:
- {{name: a, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
- {{name: b, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}
jobs:
- {{name: leaving, queue: a, gpu: 1, on: [n1], terminating: [10m], restart: never}}
- {{name: other, queue: a, gpu: 1, on: [n2]}}
- {{name: next, queue: b, gpu: 1}}
"
    )
}

fn simulation(text: &str) -> Simulation {
    let checked = check(&read(text).scenario.expect("a scenario"));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)))
}

/// Seconds of the eviction of `other`, of the first cycle with a mark of the rule, and of the start of `next`.
fn times(settings: &str, cycle: &str, skips: bool) -> [Option<i64>; 3] {
    let mut simulation = simulation(&text(settings, cycle));
    let mut found = [None; 3];
    while simulation.now() < Time::from_seconds(700) {
        if skips {
            simulation.skip_idle(u32::MAX, Time::from_seconds(700));
        }
        let Some(record) = simulation.advance() else { break };
        let now = simulation.now();
        let second = (now - Time::ZERO).as_millis() / 1000;
        for recorded in &record.events {
            match recorded.event {
                Event::Evicted { .. } => found[0] = found[0].or(Some(second)),
                Event::Bound { pod, .. } if &*simulation.cluster().pods[pod].name == "next" => {
                    found[2] = found[2].or(Some(second));
                }
                _ => {}
            }
        }
        let marks = record.marks.iter().filter(|mark| mark.rule == STUCK_IN_RELEASING).count();
        assert!(marks == 0 || found[1].is_none(), "it is marked once");
        found[1] = found[1].or((marks > 0).then_some(second));
    }
    found
}

#[test]
fn the_room_of_a_pod_that_is_stuck_cannot_be_claimed() {
    for cycle in ["1s", "on change"] {
        for skips in [false, true] {
            let of = |settings: &str| times(settings, cycle, skips);
            let found = of("version: '0.17'");
            assert!(matches!(found[0], Some(120 | 121)), "{cycle}: {found:?}");
            assert_eq!(found[1], found[0], "{cycle}");
            let found = of("version: '0.17', stuck-in-releasing-threshold: 30s");
            assert!(matches!(found[0], Some(30 | 31)), "{cycle}: {found:?}");
            let late = [None, None, Some(600)];
            assert_eq!(of("version: '0.17', stuck-in-releasing-threshold: 1h"), late, "{cycle}");
            assert_eq!(of("version: '0.13'"), late, "{cycle}");
        }
    }
}

#[test]
fn the_threshold_is_a_flag_of_newer_schedulers() {
    let found = |text: &str| check(&read(text).scenario.expect("a scenario")).diagnostics;
    let threshold = "stuck-in-releasing-threshold: 30s";
    let has_no_effect = |settings: &str| {
        let found = found(&text(settings, "1s"));
        found.iter().any(|d| d.code == codes::NO_EFFECT && d.says.starts_with("stuck-in-releasing-threshold"))
    };
    assert!(has_no_effect(&format!("version: '0.13', {threshold}")));
    assert!(!has_no_effect(&format!("version: '0.17', {threshold}")));
    let scenario = read(&text(&format!("version: '0.17', {threshold}"), "1s")).scenario.expect("a scenario");
    let files = kit(&scenario).expect("a kit").files;
    let shards = &files.iter().find(|file| file.name == "6-shards.yaml").expect("shards").text;
    let imported = import_kubernetes(&[Source { file: "", text: shards }], &Options::default());
    let settings = imported.scenario.expect("settings").settings;
    let value = |name: &str| settings.get(name).map(|typed| typed.0.clone());
    assert_eq!(value("version"), Some("0.17".into()));
    assert_eq!(value("stuck-in-releasing-threshold"), Some("30s".into()));
}
