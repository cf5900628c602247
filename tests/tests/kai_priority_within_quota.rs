//! In-quota reclaim by queue priority, a switch of KAI v0.18: the cases of kai-v0.18.md 2.9, and what the switch needs.

use fairground::scenario::{Diagnostic, check, codes, read};
use fairground::trace::{Event, EvictReason, Level};
use fairground_tests::scenarios::simulation;

/// Evicted jobs with the reason, and started ones, of the first six cycles, without repetitions.
fn events(text: &str) -> Vec<String> {
    let mut simulation = simulation(text);
    let mut events: Vec<String> = Vec::new();
    while simulation.cycle() < 6 {
        let Some(record) = simulation.advance() else { break };
        let cluster = simulation.cluster();
        let name = |pod| &cluster.jobs[cluster.pods[pod].job].name;
        for recorded in &record.events {
            let event = match recorded.event {
                Event::Bound { pod, .. } => format!("+{}", name(pod)),
                Event::Evicted { pod, reason, .. } => format!("-{} {}", name(pod), reason.key()),
                _ => continue,
            };
            if !events.contains(&event) {
                events.push(event);
            }
        }
    }
    events
}

/// 12 GPUs; `a` and `b` have a quota of 8 GPUs each, CPU and memory are unlimited.
fn scenario(switch: bool, priorities: [i32; 2], jobs: &str) -> String {
    let [a, b] = priorities;
    let rest = "limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
                memory: {quota: unlimited, limit: unlimited, weight: 1}}";
    format!(
        "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s
settings: {{version: '0.17', queue-priority-in-quota-reclaim: {switch}}}
nodes: [{{name: n, gpu: 12, cpu: 64, memory: 64Gi}}]
queues:
- {{name: a, priority: {a}, gpu: {{quota: 8, {rest}
- {{name: b, priority: {b}, gpu: {{quota: 8, {rest}
jobs:
{jobs}"
    )
}

const ONE: &str = "- {name: b1, queue: b, submit: -60s, gpu: 8, cpu: 1, memory: 1Gi, on: [n]}\n";
const ASKS_EIGHT: &str = "- {name: a1, queue: a, submit: 1s, gpu: 8, cpu: 1, memory: 1Gi}\n";

/// Events with the switch off or on.
type Expected = &'static [&'static str];

#[test]
fn only_a_higher_priority_takes_what_is_within_a_quota() {
    let stays = format!("{}{ASKS_EIGHT}", ONE.replace("gpu: 8", "gpu: 8, preemptible: false"));
    let over = "- {name: b1, queue: b, submit: -60s, gpu: 8, cpu: 1, memory: 1Gi, on: [n]}\n\
                - {name: b2, queue: b, submit: -50s, gpu: 4, cpu: 1, memory: 1Gi, on: [n]}\n\
                - {name: a1, queue: a, submit: 1s, gpu: 4, cpu: 1, memory: 1Gi}\n";
    let beyond = "- {name: b1, queue: b, submit: -60s, gpu: 4, cpu: 1, memory: 1Gi, on: [n]}\n\
                  - {name: a1, queue: a, submit: -60s, gpu: 8, cpu: 1, memory: 1Gi, on: [n]}\n\
                  - {name: a2, queue: a, submit: 1s, gpu: 4, cpu: 1, memory: 1Gi}\n";
    let eight = format!("{ONE}{ASKS_EIGHT}");
    let cases: [([i32; 2], &str, Expected, Expected); 6] = [
        ([90, 80], &eight, &[], &["-b1 reclaimed-for-priority", "+a1"]),
        ([90, 80], &stays, &[], &[]),
        ([80, 80], &eight, &[], &[]),
        ([90, 80], over, &["-b2 reclaimed-for-fair-share", "+a1"], &["-b2 reclaimed-for-fair-share", "+a1"]),
        ([90, 80], beyond, &[], &[]),
        ([80, 90], &eight, &[], &[]),
    ];
    for (priorities, jobs, off, on) in cases {
        for (switch, expected) in [(false, off), (true, on)] {
            let text = scenario(switch, priorities, jobs);
            assert_eq!(events(&text), expected, "{text}");
        }
    }
}

/// Of the three strategies the first that holds is named, and the last is tested only if the others fail.
#[test]
fn the_numbers_of_the_priorities_are_recorded() {
    let mut simulation = simulation(&scenario(true, [90, 80], &format!("{ONE}{ASKS_EIGHT}")));
    while simulation.cycle() < 3 {
        let Some(record) = simulation.advance() else { break };
        for recorded in &record.events {
            if let Event::Evicted { reason, .. } = recorded.event {
                assert_eq!(reason, EvictReason::ReclaimedForPriority);
                let keys: Vec<(&str, bool)> =
                    recorded.checks.iter().map(|check| (check.rule.key(), check.holds)).collect();
                let expected = [
                    ("kai/reclaim/maintain-fair-share", false),
                    ("kai/reclaim/guarantee-quota", true),
                    ("kai/reclaim/guarantee-quota", false),
                    ("kai/reclaim/priority-within-quota", true),
                ];
                assert_eq!(keys[..4], expected, "{keys:?}");
                return;
            }
        }
    }
    panic!("nothing was evicted");
}

/// Rule 0 of the queue order: `a` is above its fair share in all resources and within its unlimited quota.
#[test]
fn within_their_quotas_the_higher_priority_is_served_first() {
    let text = "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s
settings: {version: '0.17', queue-priority-in-quota-reclaim: SWITCH}
nodes: [{name: n, gpu: 4, cpu: 4, memory: 4Gi}]
queues:
- {name: a, priority: 90, gpu: {quota: unlimited, limit: 1}, cpu: {quota: unlimited, limit: 1}, memory: {quota: unlimited, limit: 1Gi}}
- {name: b, priority: 80, gpu: {quota: 2, limit: unlimited}, cpu: {quota: 2, limit: unlimited}, memory: {quota: 2Gi, limit: unlimited}}
jobs:
- {name: a1, queue: a, count: 2, gpu: 1, cpu: 1, memory: 1Gi, on: [n, n]}
- {name: a2, queue: a, gpu: 1, cpu: 1, memory: 1Gi}
- {name: b1, queue: b, gpu: 1, cpu: 1, memory: 1Gi}
";
    for (switch, rule) in [("false", "kai/queue-order/1"), ("true", "kai/queue-order/0")] {
        let simulation = simulation(&text.replace("SWITCH", switch));
        let explained = fairground::sim::explain(&simulation, Level::Every).expect("a first cycle");
        let compared = |check: &&fairground::trace::Check| check.rule.key().starts_with("kai/queue-order/");
        let first = explained.trace.checks.iter().find(compared).expect("two queues are compared");
        assert_eq!(first.rule.key(), rule);
    }
}

fn findings(text: &str) -> Vec<Diagnostic> {
    check(&read(text).scenario.expect("a scenario")).diagnostics
}

#[test]
fn the_switch_needs_the_rules_of_v0_17() {
    let text = scenario(true, [90, 80], ASKS_EIGHT).replace("'0.17'", "'0.13'");
    let found = findings(&text);
    let refused = found.iter().find(|finding| finding.code == codes::CONFLICT).expect("a finding");
    assert!(refused.says.contains("an alpha feature of KAI v0.18"), "{}", refused.says);
    let upstream = text.replace("queue-priority-in-quota-reclaim", "queuePriorityInQuotaReclaim");
    assert!(findings(&upstream).iter().any(|finding| finding.says.starts_with("queuePriorityInQuotaReclaim")));
    assert!(!findings(&text.replace("true", "false")).iter().any(|f| f.code == codes::CONFLICT));
}

/// A quota left out is 0, so that a queue whose pods need CPU never stays within its quota.
#[test]
fn a_quota_left_out_keeps_the_switch_from_working() {
    let text = scenario(true, [90, 80], &format!("{ONE}{ASKS_EIGHT}"));
    let trap = |found: &[Diagnostic]| {
        found.iter().filter(|f| f.says.contains("queue-priority-in-quota-reclaim has no effect for")).count()
    };
    assert_eq!(trap(&findings(&text)), 0);
    let lacks = text.replacen("cpu: {quota: unlimited, ", "cpu: {", 1);
    assert_eq!(trap(&findings(&lacks)), 1);
    assert_eq!(events(&lacks), [""; 0]);
    let zero = text.replacen("memory: {quota: unlimited, ", "memory: {quota: 0, ", 1);
    assert_eq!(trap(&findings(&zero)), 1);
    // Only the queue that may take is warned.
    let of_lower = text.replace("- {name: b,", "- {name: b, note: x,").replace(
        "name: b, note: x, priority: 80, gpu: {quota: 8, limit: unlimited, weight: 1}, cpu: {quota: unlimited, ",
        "name: b, note: x, priority: 80, gpu: {quota: 8, limit: unlimited, weight: 1}, cpu: {",
    );
    assert_ne!(of_lower, text);
    assert_eq!(trap(&findings(&of_lower)), 0);
}

/// Without a difference in priority below one parent the switch is reported as having no effect.
#[test]
fn equal_priorities_leave_the_switch_without_effect() {
    let no_effect = |text: &str| {
        let found = findings(text);
        found.iter().any(|f| f.code == codes::NO_EFFECT && f.says.contains("differ in priority"))
    };
    assert!(no_effect(&scenario(true, [80, 80], ASKS_EIGHT)));
    assert!(!no_effect(&scenario(true, [90, 80], ASKS_EIGHT)));
}

/// kai-v0.17.md 18.1: the search for jobs to evict consists of plugins.
#[test]
fn a_list_of_plugins_without_a_search_is_reported() {
    let jobs = format!("{ONE}{ASKS_EIGHT}");
    let with = |plugins: &str| {
        let text = scenario(true, [90, 80], &jobs);
        text.replace(
            "{version: '0.17',",
            &format!("{{version: '0.17', plugins: 'predicates, proportion, priority{plugins}',"),
        )
    };
    let lost = "reclaim, preempt never find anything";
    let reported = |text: &str| findings(text).iter().filter(|f| f.says.contains(lost)).count();
    let without = with("").replace("'0.17',", "'0.17', actions: 'allocate, reclaim, preempt',");
    assert_eq!((reported(&without), events(&without).len()), (1, 0));
    let searching = with(", sg-nodelocalgreedy");
    assert_eq!((reported(&searching), events(&searching).len()), (0, 2));
    let old = searching.replace("'0.17'", "'0.13'").replace("in-quota-reclaim: true", "in-quota-reclaim: false");
    assert!(findings(&old).iter().any(|f| f.says.contains("sg-nodelocalgreedy has no effect")));
}
