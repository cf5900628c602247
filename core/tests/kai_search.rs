//! Explanations of KAI's search for victims, and of jobs that may not search yet.

use std::sync::Arc;

use fairground::moment::{self, Frame, Names};
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::words::{self, Text};

/// The frame of the last of some cycles.
fn frame(text: &str, cycles: u32) -> Frame {
    let head = "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s\nsettings: {version: \"0.17\"}";
    let read = read(&format!("{head}\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
    let mut simulation = Simulation::new(&plan);
    let names = Arc::new(Names::of("kai", simulation.cluster()));
    let record = (0..cycles).map_while(|_| simulation.advance()).last();
    moment::frame(&names, &simulation, &record.expect("a cycle"))
}

fn also(frame: &Frame, job: &str) -> Vec<String> {
    words::of_job(frame, job).also.iter().map(Text::spoken).collect()
}

const THREE_NODES: &str = "nodes: [{name: n, count: 3, gpu: 4}]
queues:
- {name: a, gpu: {quota: 4, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 8, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 2, on: [n-1]}
- {name: a2, queue: a, gpu: 2, on: [n-1]}
- {name: a3, queue: a, gpu: 2, on: [n-2]}
- {name: a4, queue: a, gpu: 2, on: [n-2]}
- {name: a5, queue: a, gpu: 4, on: [n-3]}
";

/// The nodes and the number of sets that were tried, and what a smaller or larger set would have meant.
#[test]
fn an_eviction_says_what_the_search_tried() {
    let frame = frame(&format!("{THREE_NODES}- {{name: train, queue: b, pods: 2, gpu: 4}}\n"), 1);
    assert_eq!(
        also(&frame, "a4"),
        [
            "train needs room for 2 pods at once. 3 sets of evictions were tried, on n-3 and n-2; the last one is the first \
             that is allowed and frees enough, and larger ones were not tried."
        ]
    );
}

/// A search without result says how far it came.
#[test]
fn a_waiting_gang_says_for_how_many_pods_a_set_sufficed() {
    let text = THREE_NODES.replace("gpu: 4, on: [n-3]", "gpu: 4, on: [n-3], preemptible: false").replace(
        "{name: a3, queue: a, gpu: 2, on: [n-2]}",
        "{name: a3, queue: a, gpu: 2, on: [n-2], preemptible: false}",
    );
    let text = text.replace("quota: 4", "quota: 6");
    let frame = frame(&format!("{text}- {{name: train, queue: b, pods: 2, gpu: 4}}\n"), 1);
    let all = also(&frame, "train");
    assert!(all.iter().any(|says| says.contains("sufficed for 1 of them at most")), "{all:?}");
}

/// Four of the six pods get room in earlier steps; for the other two, two nodes have to be emptied at once.
#[test]
fn nodes_that_are_emptied_say_why_not_fewer() {
    let nodes = 1..=6;
    let running: String = nodes.map(|n| format!("- {{name: a{n}, queue: a, gpu: 4, on: [n-{n}]}}\n")).collect();
    let text = format!(
        "nodes: [{{name: n, count: 6, gpu: 4}}]
queues:
- {{name: a, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
- {{name: b, gpu: {{quota: 24, limit: unlimited, weight: 1}}}}
jobs:
{running}- {{name: train, queue: b, pods: 6, gpu: 4}}
"
    );
    assert_eq!(
        also(&frame(&text, 1), "a1")[1],
        "Counted as free on the smallest of these nodes, with the pods there that may be evicted: n-2 (4 GPUs) and n-1 (4 GPUs); \
         train lacks 8 GPUs elsewhere. One node fewer counts 4 GPUs."
    );
}

/// One node would have room enough, but the limit of the queue allows the job only if both are emptied.
#[test]
fn nodes_that_are_emptied_say_why_the_first_did_not_suffice() {
    let text = "nodes: [{name: large, gpu: 4}, {name: small, gpu: 2}]
queues:
- {name: team, gpu: {quota: unlimited, limit: 6, weight: 1}}
jobs:
- {name: v1, queue: team, gpu: 4, priority: 50, on: [large]}
- {name: v2, queue: team, gpu: 2, priority: 40, on: [small]}
- {name: claims, queue: team, gpu: 2, priority: 100, preemptible: false, submit: 2s}
timeline:
- {at: 1s, queue: team, gpu: {limit: 3}}
";
    assert_eq!(
        also(&frame(text, 2), "v1")[1],
        "Counted as free on the smallest of these nodes, with the pods there that may be evicted: small (2 GPUs) and large (4 \
         GPUs); claims lacks 2 GPUs elsewhere. The first alone counts that many, but evictions there were not enough or not \
         allowed."
    );
}

#[test]
fn a_job_in_its_preemption_delay_says_until_when() {
    let text = "nodes: [{name: n, gpu: 2}]
queues:
- {name: a, gpu: {quota: 0, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 2, limit: unlimited, weight: 1}}
jobs:
- {name: runs, queue: a, gpu: 2, on: [n]}
- {name: late, queue: b, gpu: 2, preemption-delay: 20s}
";
    let explained = |cycles| words::of_job(&frame(text, cycles), "late");
    assert_eq!(
        explained(3).verdict.spoken(),
        "late is waiting: no GPU is free, and it may not evict other jobs before 0:20, when its preemption delay of 0:20 ends."
    );
    assert_eq!(
        explained(3).outlook.spoken(),
        "At 0:20 its preemption delay ends; from then on evictions are tried for it."
    );
    assert_eq!(explained(19).verdict, explained(3).verdict);
    assert!(explained(20).verdict.spoken().contains("runs to shut down"), "{:?}", explained(20).verdict.spoken());
}

/// A claim that the scheduler only counts as made names the pods that stay.
#[test]
fn a_claim_that_is_not_made_names_the_pods_that_stay() {
    let text = "nodes: [{name: n, gpu: 4}]
queues:
- {name: a, gpu: {quota: 0, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 4, limit: unlimited, weight: 1}}
jobs:
- {name: v1, queue: a, gpu: 1, on: [n]}
- {name: v2, queue: a, gpu: 1, on: [n]}
- {name: v3, queue: a, gpu: 1, on: [n]}
- {name: v4, queue: a, gpu: 1, on: [n]}
- name: s
  queue: b
  min-subgroups: 2
  pod-sets: [{name: r0, gpu: 1}, {name: r1, gpu: 1}, {name: r2, gpu: 1}, {name: r3, gpu: 1}]
";
    let frame = frame(text, 1);
    assert_eq!(
        also(&frame, "s"),
        [
            "One set of evictions was enough, but was not carried out. Until the end of the cycle these pods counted as evicted, \
             and stay: v3 and v4."
        ]
    );
}

/// The rule of v0.17 by which another team loses after an upgrade.
#[test]
fn a_queue_below_its_quota_of_what_is_requested_is_kept() {
    let waiting = "nodes: [{name: n, gpu: 2, cpu: 4}]
queues:
- {name: a, gpu: {quota: 4, limit: unlimited}, cpu: {quota: 1, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
- {name: b, gpu: {quota: 2, limit: unlimited}, cpu: {quota: 1, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
jobs:
- {name: a1, queue: a, cpu: 2, on: [n]}
- {name: a2, queue: a, gpu: 2, on: [n]}
- {name: b1, queue: b, gpu: 1}
";
    assert_eq!(
        also(&frame(waiting, 1), "b1"),
        [
            "b1 is waiting: no eviction that the rules allow frees enough. a uses 2 GPUs, which is within its quota of 4 GPUs."
        ]
    );
    let upgrade = include_str!("../../assets/scenarios/upgrade-another-team-loses.yaml");
    let (_, body) = upgrade.split_once("nodes:").expect("nodes");
    let frame = frame(&format!("nodes:{body}"), 3);
    let kept = words::of_job(&frame, "trial-5").others;
    let first = kept.first().map(|entry| entry.text.spoken());
    assert_eq!(first.as_deref(), Some("analytics uses 3 GPUs, which is within its quota of 4 GPUs"));
}
