//! Reasons of evictions: each from a scenario in which it is the only applicable one.

use fairground::trace::{Event, EvictReason};
use fairground_tests::scenarios::{simulation, under};

/// Evicted jobs of the first cycles with the reasons, in order.
fn evictions(mut simulation: fairground::sim::Simulation) -> Vec<(String, EvictReason)> {
    let mut evicted = Vec::new();
    while simulation.cycle() < 12 {
        let Some(record) = simulation.advance() else { break };
        for recorded in &record.events {
            if let Event::Evicted { pod, reason, .. } = recorded.event {
                let cluster = simulation.cluster();
                evicted.push((cluster.jobs[cluster.pods[pod].job].name.to_string(), reason));
            }
        }
    }
    evicted
}

fn example(text: &str) -> Vec<EvictReason> {
    evictions(simulation(text)).into_iter().map(|(_, reason)| reason).collect()
}

const TWO_NODES: &str = "cycle: 1s
nodes:
- {name: one, gpu: 2, cpu: 4}
- {name: two, gpu: 2, cpu: 64}
queues:
- {name: back, gpu: {quota: 2, limit: unlimited, weight: 0}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: lent, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: wide, queue: back, gpu: 2}
";

/// A queue within its fair share but above its quota loses jobs to one that stays within its quota: here free resources
/// are fragmented, and the evicted job fits nowhere else.
#[test]
fn within_the_fair_share_jobs_are_evicted_for_a_quota() {
    let text = format!(
        "settings: {{max-consolidation-preemptees: 0}}\n{TWO_NODES}- {{name: a, queue: lent, gpu: 1, on: [one]}}\n- {{name: b, queue: lent, gpu: 1, cpu: 8, on: [two]}}\n"
    );
    let evicted = evictions(under("kai", &text));
    assert_eq!(evicted, [("b".to_owned(), EvictReason::ReclaimedForQuota)]);
}

/// A queue above its fair share loses jobs for the fair share of another.
#[test]
fn above_the_fair_share_jobs_are_evicted_for_a_fair_share() {
    let text = format!(
        "settings: {{max-consolidation-preemptees: 0}}\n{TWO_NODES}- {{name: a, queue: lent, gpu: 2, on: [one]}}\n- {{name: b, queue: lent, gpu: 1, cpu: 8, on: [two]}}\n"
    );
    let evicted = evictions(under("kai", &text));
    assert_eq!(evicted, [("b".to_owned(), EvictReason::ReclaimedForFairShare)]);
}

/// Moved, preempted, called back by the owner, evicted for a guarantee: the examples of the page.
#[test]
fn examples_evict_for_their_own_reasons() {
    let moved = example(include_str!("../../assets/scenarios/fragments-movable.yaml"));
    assert_eq!(moved, [EvictReason::Moved]);
    let preempted = example(include_str!("../../assets/scenarios/priority-inside-a-queue.yaml"));
    assert_eq!(preempted, [EvictReason::Preempted; 2]);
    let owned = example(include_str!("../../assets/scenarios/ego-owned-and-lent.yaml"));
    assert!(owned.contains(&EvictReason::ReclaimedForQuota), "{owned:?}");
    let guaranteed = example(include_str!("../../assets/scenarios/preemption-fence.yaml"));
    assert_eq!(guaranteed.first(), Some(&EvictReason::ReclaimedForQuota));
    let shared = example(include_str!("../../assets/scenarios/start.yaml"));
    assert_eq!(shared, [EvictReason::ReclaimedForFairShare]);
}

/// Under YuniKorn and EGO, a limit lowered below the usage evicts jobs without a preemptor.
#[test]
fn above_a_lowered_limit_jobs_are_evicted_for_the_limit() {
    let text = "
settings: {quota-preemption: true, quota.preemption.delay.a: 2s}
nodes: [{name: n, gpu: 4}]
queues: [{name: a, gpu: {limit: 4}}]
jobs:
- {name: j, queue: a, count: 2, gpu: 1, restart: never}
timeline: [{at: 3s, queue: a, gpu: {limit: 1}}]
";
    let for_the_limit = |policy: &str, text: &str| {
        let evicted: Vec<EvictReason> = evictions(under(policy, text)).into_iter().map(|(_, reason)| reason).collect();
        assert_eq!(evicted, [EvictReason::AboveLimit], "{policy}");
    };
    for_the_limit("yunikorn", &format!("cycle: 1s{text}"));
    for_the_limit(
        "ego",
        &text.replace("settings: {quota-preemption: true, quota.preemption.delay.a: 2s}", "cycle: 1s"),
    );
}
