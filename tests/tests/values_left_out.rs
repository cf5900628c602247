//! Meaning of absent values, and state between cycles, each where it alone decides.

use fairground::cluster::audit;
use fairground::trace::Event;
use fairground_tests::scenarios::under;

/// Second, pod name and event, for every start and eviction in the first cycles.
fn moves(policy: &str, text: &str, cycles: u32) -> Vec<String> {
    let mut simulation = under(policy, &format!("cycle: 1s\n{text}"));
    let mut events = Vec::new();
    while simulation.cycle() < cycles
        && let Some(record) = simulation.advance()
    {
        let at = record.time.as_seconds();
        let cluster = simulation.cluster();
        events.extend(record.events.iter().filter_map(|recorded| match recorded.event {
            Event::Bound { pod, .. } => Some(format!("{at} {} starts", cluster.pods[pod].name)),
            Event::Evicted { pod, .. } => Some(format!("{at} {} goes", cluster.pods[pod].name)),
            _ => None,
        }));
    }
    events
}

/// The default priority of a queue is 100: above 50 (kai.md 1.1).
#[test]
fn a_queue_priority_left_out_is_above_50() {
    let of = |priority: u32| {
        let text = format!(
            "nodes: [{{name: n, gpu: 1}}]
queues:
- {{name: said, priority: {priority}, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
- {{name: left-out, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
jobs:
- {{name: of-said, queue: said, gpu: 1}}
- {{name: of-left-out, queue: left-out, gpu: 1}}
"
        );
        moves("kai", &text, 1)
    };
    assert_eq!(of(50), ["1 of-left-out starts"]);
}

/// A job is protected for the minimum runtime from the cycle that started it (kai.md, minimum runtimes).
#[test]
fn the_last_start_of_a_job_is_remembered() {
    let text = |job: &str| {
        format!(
            "nodes: [{{name: n, gpu: 1}}]
queues:
- {{name: lent, reclaim-min-runtime: 5s, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
- {{name: owner, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}
jobs:
- {{name: borrows, queue: lent, gpu: 1{job}}}
- {{name: comes, queue: owner, gpu: 1, submit: 2s}}
"
        )
    };
    let gone = |job: &str| moves("kai", &text(job), 10).into_iter().find(|line| line.ends_with("goes"));
    assert_eq!(gone("").as_deref(), Some("6 borrows goes"));
}

/// The age of a job is given by `created`, regardless of its submission; by default by its submission.
#[test]
fn jobs_are_ordered_by_when_they_were_created() {
    for policy in ["kai", "runai"] {
        let of = |created: &str| {
            let text = format!(
                "nodes: [{{name: n, gpu: 1}}]
queues: [{{name: q, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}]
jobs:
- {{name: runs, queue: q, gpu: 1, on: [n], lasts: 4s}}
- {{name: one, queue: q, gpu: 1, submit: 1s}}
- {{name: other, queue: q, gpu: 1, submit: 2s{created}}}
"
            );
            moves(policy, &text, 8)
        };
        assert_eq!(of(""), ["4 one starts"], "{policy}");
        assert_eq!(of(", created: -5s"), ["4 other starts"], "{policy}");
    }
}

/// An absent GPU quota is 0 under Run:ai: queues with quota are served first (runai.md 2).
#[test]
fn a_gpu_quota_left_out_promises_nothing() {
    let text = "nodes: [{name: n, gpu: 2}]
queues: [{name: without}, {name: promised, gpu: {quota: 2}}]
jobs:
- {name: a, queue: without, count: 2, gpu: 1}
- {name: b, queue: promised, count: 2, gpu: 1}
";
    assert_eq!(moves("runai", text, 1), ["1 b-1 starts", "1 b-2 starts"]);
}

/// A device of 1 TiB is read as bytes and counts as none: its memory gives no finite fraction, and every cycle ends.
#[test]
fn device_memory_that_counts_as_none() {
    for policy in ["kai", "runai"] {
        let text = "nodes: [{name: n0, gpu: 8, gpu-memory: 1Ti}]
queues: [{name: q, gpu: {quota: 2, limit: unlimited, weight: 1}}]
jobs:
- {name: held, queue: q, gpu-memory: 99, gpu-devices: 2, on: [n0]}
- {name: waits, queue: q, gpu-memory: 99, gpu-devices: 2}
- {name: whole, queue: q, gpu: 1}
";
        let mut simulation = under(policy, text);
        for _ in 0..5 {
            simulation.advance().unwrap_or_else(|| panic!("{policy}: a cycle"));
            assert_eq!(audit(simulation.world()), vec![], "{policy}");
        }
    }
}
