//! The shipped examples of KAI, Run:ai and EGO give the numbers of the worked examples of their documents, and the
//! events announced in their notes.

use std::fmt::Write;
use std::path::Path;

use fairground::scenario;
use fairground::sim::Simulation;
use fairground::trace::{Event, SharePool, UsageOf, UsageRow};

/// A shipped example, with some text replaced.
fn example(id: &str, changes: &[(&str, &str)]) -> Simulation {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/scenarios").join(format!("{id}.yaml"));
    let mut text = std::fs::read_to_string(file).expect("the example is there");
    for (from, to) in changes {
        assert!(text.contains(from), "{id}: {from}");
        text = text.replace(from, to);
    }
    let read = scenario::read(&text);
    assert!(read.is_clean(), "{id}: {:?}", read.diagnostics);
    let checked = scenario::check(&read.scenario.expect("an example is a scenario"));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{id}: {:?}", checked.diagnostics)))
}

/// `queue allocated/quota/fair-share` of every queue, in GPUs.
fn table(simulation: &Simulation) -> String {
    let ledger = simulation.ledger();
    let mut text = String::new();
    for row in &ledger.rows {
        let name = &simulation.cluster().queues[row.queue].name;
        let share = row.fair_share.map_or(-1.0, |share| share.gpu);
        write!(text, "{name} {}/{}/{} ", row.allocated.gpu, row.quota.gpu, share).expect("a string");
    }
    text.trim_end().to_string()
}

/// Events of a cycle: `-a for b` for an eviction, `+a` for a start, in order.
fn events(simulation: &mut Simulation) -> String {
    // A run without further events ends.
    let Some(record) = simulation.advance() else { return String::new() };
    let cluster = simulation.cluster();
    let mut text = String::new();
    for recorded in &record.events {
        match recorded.event {
            Event::Bound { pod, .. } => write!(text, "+{} ", cluster.pods[pod].name),
            Event::Evicted { pod, by, .. } => {
                let by = by.map(|job| cluster.jobs[job].name.to_string()).unwrap_or_default();
                write!(text, "-{} for {by} ", cluster.pods[pod].name)
            }
            _ => Ok(()),
        }
        .expect("a string");
    }
    text.trim_end().to_string()
}

fn events_in(simulation: &mut Simulation, cycles: u32) -> String {
    let all: Vec<String> = (0..cycles).map(|_| events(simulation)).filter(|text| !text.is_empty()).collect();
    all.join(" | ")
}

/// runai.md example 11: states before and after b2.
#[test]
fn run_ai_quick_start() {
    let mut simulation = example("runai-quick-start", &[]);
    assert_eq!(table(&simulation), "department 4/4/4 team-a 3/2/3 team-b 1/2/1");
    assert_eq!(events_in(&mut simulation, 2), "-a1 for b2 | +b2");
    assert_eq!(table(&simulation), "department 4/4/4 team-a 2/2/2 team-b 2/2/2");
    let quotas = [
        ("team-a\n  parent: department\n  gpu: {quota: 2}", "team-a\n  parent: department\n  gpu: {quota: 3}"),
        ("team-b\n  parent: department\n  gpu: {quota: 2}", "team-b\n  parent: department\n  gpu: {quota: 1}"),
    ];
    assert_eq!(events_in(&mut example("runai-quick-start", &quotas), 4), "");
}

/// runai.md example 01: over-quota 7, 10 and 3, fairshares 17, 16 and 3.
#[test]
fn run_ai_projects_1_to_3() {
    let mut simulation = example("runai-projects", &[]);
    let _ = events(&mut simulation);
    assert_eq!(table(&simulation), "department 36/16/36 project-1 17/10/17 project-2 16/6/16 project-3 3/0/3");
}

/// runai.md example 14: evicted although within their projects' quotas.
#[test]
fn run_ai_evicts_inside_the_quota() {
    let mut simulation = example("runai-department-empty", &[]);
    assert_eq!(table(&simulation), "prod 0/8/0 serving 0/8/0 shared 8/0/0 alice 4/4/4 bob 4/4/4");
    let evicted = ["b4", "a4", "b3", "a3", "b2", "a2"].map(|name| format!("-{name} for srv")).join(" ");
    assert_eq!(events_in(&mut simulation, 2), format!("{evicted} | +srv"));
    assert_eq!(table(&simulation), "prod 6/8/6 serving 6/8/6 shared 2/0/0 alice 1/4/4 bob 1/4/4");
    let next = ("shared\n  gpu: {quota: 0}", "shared\n  gpu: {quota: 4}");
    assert_eq!(events_in(&mut example("runai-department-empty", &[next]), 4), "");
}

/// runai.md example 18 with the 10 on 7 of section 13: first come, first served with quotas above the capacity.
#[test]
fn run_ai_over_subscribed() {
    let mut simulation = example("runai-over-subscribed", &[]);
    assert_eq!(events_in(&mut simulation, 4), "+b-1 +b-2");
    assert_eq!(table(&simulation), "department 7/10/10 team-a 5/5/5 team-b 2/5/5");
    let next = ("quota: 5", "quota: 3");
    let mut next = example("runai-over-subscribed", &[next]);
    assert_eq!(events_in(&mut next, 2), "+b-1 +b-2 -a-5 for b-3 | +b-3");
}

/// runai.md RC-1: a workload that could not be placed in a cycle is offered to the next pool of its list.
#[test]
fn run_ai_continues_with_the_next_pool() {
    let mut simulation = example("two-pools", &[]);
    assert_eq!(events(&mut simulation), "");
    assert_eq!(events(&mut simulation), "+n1");
    let cluster = simulation.cluster();
    let n1 = cluster.jobs.values().find(|job| &*job.name == "n1").expect("n1");
    assert_eq!(&*cluster.partitions[n1.partition].name, "t4");
    let next = ("pools: [a100, t4]", "pools: [a100]");
    let mut next = example("two-pools", &[next]);
    assert_eq!(events_in(&mut next, 5), "");
}

/// ego.md 3.3: a lent host is called back as a whole, after the borrower's grace.
/// kai.md 6.3 B, example E6.2: 1.25 is below 1.5, and 1.25 × 1.2 is not.
#[test]
fn kai_multiplier_makes_reclaim_more_conservative() {
    assert_eq!(events_in(&mut example("reclaim-multiplier", &[]), 1), "");
    let next = ("\"1.2\"", "\"1\"");
    assert_eq!(events_in(&mut example("reclaim-multiplier", &[next]), 1), "-search-4 for vision-2");
    let name = ("reclaimerUtilizationMultiplier", "relcaimerSaturationMultiplier");
    assert_eq!(events_in(&mut example("reclaim-multiplier", &[name]), 1), "");
}

/// Reclaim depends on fairshares, not on priorities.
#[test]
fn runai_low_priority_reclaims_from_high_priority() {
    let mut simulation = example("runai-low-takes-high", &[]);
    assert_eq!(events(&mut simulation), "-workspace-6 for training-1 -workspace-5 for training-2");
    let next = ("name: training, queue: speech", "name: training, queue: vision");
    assert_eq!(events_in(&mut example("runai-low-takes-high", &[next]), 1), "");
}

/// The second strategy of reclaim: the other queue keeps to its fair share, but is over its quota. With a larger quota
/// nothing is reclaimed, although two GPUs are free.
#[test]
fn a_queue_within_its_quota_reclaims_from_one_within_its_fair_share() {
    for (id, change) in [
        ("quota-reclaim", ("quota: 1, limit", "quota: 2, limit")),
        ("runai-quota-reclaim", ("gpu: {quota: 1}", "gpu: {quota: 2}")),
    ] {
        let (victim, by) = if id == "quota-reclaim" { ("sweep-2", "serve") } else { ("training-2", "assistant") };
        assert_eq!(events_in(&mut example(id, &[]), 2), format!("-{victim} for {by} | +{by}"));
        assert_eq!(events_in(&mut example(id, &[change]), 3), "");
    }
}

#[test]
fn kai_reclaims_cores_and_keeps_memory_within_quota() {
    let started = "-load-4 for serve-1 -load-3 for serve-2 | +serve-1 +serve-2";
    assert_eq!(events_in(&mut example("cpu-and-memory", &[]), 4), started);
    let more = ("memory: {quota: 32Gi", "memory: {quota: 64Gi");
    assert_eq!(events_in(&mut example("cpu-and-memory", &[more]), 4), format!("{started} | +cache"));
}

#[test]
fn runai_reclaims_cores_and_keeps_memory_within_quota() {
    let started = "-load-4 for serve-1 -load-3 for serve-2 | +serve-1 +serve-2";
    assert_eq!(events_in(&mut example("runai-cpu-and-memory", &[]), 4), started);
    let more = ("memory: {quota: 32Gi}", "memory: {quota: 40Gi}");
    let department = ("memory: {quota: 64Gi}", "memory: {quota: 80Gi}");
    let started = format!("{started} | +index");
    assert_eq!(events_in(&mut example("runai-cpu-and-memory", &[more, department]), 4), started);
}

#[test]
fn yunikorn_preempts_for_guaranteed_cores_and_keeps_memory_below_the_maximum() {
    let started =
        "+load-1 | +load-2 | +load-3 | +load-4 | -load-1 for serve-1 | +serve-1 | -load-3 for serve-2 | +serve-2";
    assert_eq!(events_in(&mut example("yunikorn-cpu-and-memory", &[]), 15), started);
    let more = ("limit: 32Gi", "limit: 64Gi");
    let started = format!("{started} | +cache");
    assert_eq!(events_in(&mut example("yunikorn-cpu-and-memory", &[more]), 15), started);
}

#[test]
fn runai_preempts_by_priority_inside_a_project() {
    let preempted = "-training-4 for workspace -training-3 for workspace | +workspace";
    assert_eq!(events_in(&mut example("runai-priority-preemption", &[]), 3), preempted);
    let equal = ("interactive-preemptible", "train");
    assert_eq!(events_in(&mut example("runai-priority-preemption", &[equal]), 3), "");
}

#[test]
fn runai_starts_a_gang_as_a_whole() {
    assert_eq!(events_in(&mut example("runai-gang", &[]), 3), "+single");
    let inference = "- {name: inference, queue: speech, submit: -20s, gpu: 1, priority: inference, on: [node-1]}\n";
    let all = "+distributed/1 +distributed/2 +distributed/3 +distributed/4";
    assert_eq!(events_in(&mut example("runai-gang", &[(inference, "")]), 3), all);
}

#[test]
fn runai_runs_only_preemptible_workloads_over_quota() {
    assert_eq!(events_in(&mut example("runai-within-quota", &[]), 3), "+training");
    let more = ("gpu: {quota: 2}", "gpu: {quota: 3}");
    assert_eq!(events_in(&mut example("runai-within-quota", &[more]), 3), "+workspace-3 | +training");
}

#[test]
fn runai_moves_a_preemptible_workload_to_join_free_gpus() {
    let moved = "-training-3 for wide | +training-3 +wide";
    assert_eq!(events_in(&mut example("runai-consolidation", &[]), 2), moved);
    let fixed = ("count: 3, gpu: 1, priority: train", "count: 3, gpu: 1, priority: build");
    assert_eq!(events_in(&mut example("runai-consolidation", &[fixed]), 3), "");
}

/// The illustration of the scheduler page: 20 of 40 GPUs unused, and 6 + 3 / 6 × 20 = 16 for project 2.
#[test]
fn runai_divides_each_node_pool() {
    let simulation = example("runai-departments-and-pools", &[]);
    let shares = |pool: usize| -> String {
        let row = |row: &fairground::trace::LedgerRow| {
            let name = &simulation.cluster().queues[row.queue].name;
            format!("{name} {}", row.fair_share.map_or(-1.0, |share| share.gpu))
        };
        simulation.ledgers()[pool].rows.iter().map(row).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(shares(0), "department-1 40, project-1 21, project-2 16, project-3 3, department-2 0, project-4 0");
    assert_eq!(shares(1), "department-1 5, project-1 0, project-2 5, project-3 0, department-2 11, project-4 11");
}

#[test]
fn ego_lends_and_calls_back() {
    let mut simulation = example("ego-owned-and-lent", &[]);
    assert_eq!(events(&mut simulation), "+a-1 +a-2 +b1 +a-3");
    assert_eq!(events(&mut simulation), "-a-3 for b2");
    assert_eq!(events(&mut simulation), "");
    assert_eq!(events(&mut simulation), "+b2");
    assert_eq!(table(&simulation), "team-a 2/2/2 team-b 2/2/2");
    let next = ("grace: 10s", "grace: 10s, lendout: false");
    assert_eq!(events_in(&mut example("ego-owned-and-lent", &[next]), 6), "+a-1 +a-2 +b1 | +b2");
}

/// ego.md example 9: 8, 8 and 2, one slot from B, then one from A.
#[test]
fn ego_eighteen_slots() {
    let mut simulation = example("ego-eighteen-slots", &[]);
    assert_eq!(events_in(&mut simulation, 2), "-b-9 for c-1 -a-9 for c-2 | +c-1 +c-2");
    assert_eq!(table(&simulation), "A 8/0/8 B 8/0/8 C 2/0/2");
    let next = ("queue: C, count: 2", "queue: C, count: 6");
    let mut next = example("ego-eighteen-slots", &[next]);
    let _ = events_in(&mut next, 2);
    assert_eq!(table(&next), "A 6/0/6 B 6/0/6 C 6/0/6");
}

/// ego.md example 1, from an empty pool: one unit at a time, the first in the tree on a tie.
#[test]
fn ego_assigns_by_share_usage() {
    let mut simulation = example("ego-share-usage", &[]);
    assert_eq!(
        events(&mut simulation),
        "+a1/1 +b1/1 +b1/2 +a2/1 +b1/3 +b1/4 +a2/2 +b1/5 +b1/6 +a1/2 +b1/7 +b1/8 +a2/3 +b1/9 +b1/10 +a2/4 +b1/11 +b1/12"
    );
    assert_eq!(events_in(&mut simulation, 3), "");
    let next = ("name: C, priority: 1", "name: C, priority: 2");
    let mut next = example("ego-share-usage", &[next]);
    let _ = events(&mut next);
    let pools = next.share_pools_in(fairground::id::PartitionId(0));
    let usage = |name: &str| pools[0].rows.iter().find(|row| row.name == name).map(|row| row.usage.fraction);
    assert_eq!(["A", "B", "C"].map(usage), [Some((5, 18)), Some((1, 2)), Some((2, 9))].map(Some));
}

/// ego.md 4 to 6: the numbers of Share usage add up according to the rules, in every example of the policy.
#[test]
fn ego_share_usage_adds_up() {
    for name in ["ego-owned-and-lent", "ego-eighteen-slots", "ego-share-usage", "ego-grace"] {
        let mut simulation = example(name, &[]);
        for _ in 0..8 {
            for pool in simulation.share_pools_in(fairground::id::PartitionId(0)) {
                adds_up(&pool);
            }
            let _ = simulation.advance();
        }
    }
}

fn adds_up(pool: &SharePool) {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b} in {pool:?}");
    for size in &pool.sizes {
        let on_hosts: u64 = size.hosts.iter().map(|(hosts, units)| u64::from(*hosts) * units).sum();
        assert_eq!(on_hosts, size.capacity);
    }
    for (at, row) in pool.rows.iter().enumerate() {
        let below = pool.rows[at + 1..].iter().take_while(|other| other.depth > row.depth);
        let children: Vec<&UsageRow> = below.filter(|other| other.depth == row.depth + 1).collect();
        if !children.is_empty() {
            near(row.usage.real, children.iter().map(|child| child.usage.real).sum());
            near(row.projected.real, children.iter().map(|child| child.projected.real).sum());
            near(row.demand.real, children.iter().map(|child| child.demand.real).sum());
        } else if let Some(size) = row.size {
            near(row.usage.real, f64::from(row.units) / pool.sizes[size as usize].capacity as f64);
        }
        assert!(row.of != UsageOf::SubAllocation || row.demand.real <= 1.0);
        let Some(consumer) = &row.consumer else { continue };
        let Some(steps) = &pool.division else {
            near(consumer.quota.real, row.projected.real);
            continue;
        };
        // The quota is the smaller of offer and demand; without an offer there is none.
        let own = steps.iter().find(|step| row.of == UsageOf::Consumer && step.queue == row.queue);
        let offered = own.map_or(0.0, |step| step.offer.real.min(step.demand.real));
        near(consumer.quota.real, if row.of == UsageOf::Pool { row.projected.real } else { offered });
        if let Some(step) = own {
            near(step.offer.real, step.rest.real * step.ratio.0 as f64 / step.ratio.1 as f64);
        }
    }
}

/// ego.md example 5, all times 5 s later: units held after 0, 10, 15, 20 and 35 s.
#[test]
fn ego_grace_over_several_cycles() {
    let mut simulation = example("ego-grace", &[]);
    assert_eq!(events(&mut simulation), "-a10 for b-1 -a-9 for b-2 -a-8 for b-3 -a-7 for b-4");
    assert_eq!(events_in(&mut simulation, 2), "+b-1");
    assert_eq!(events(&mut simulation), "-a-6 for late-1");
    assert_eq!(events(&mut simulation), "+b-2 +b-3 +b-4");
    assert_eq!(events_in(&mut simulation, 3), "+late-1");
    assert_eq!(table(&simulation), "A 5/0/5 B 5/0/5");
    assert_eq!(events_in(&mut simulation, 4), "");
    let mut at_once = example("ego-grace", &[("grace: 20s", "grace: 0s")]);
    assert_eq!(events(&mut at_once), "-a10 for b-1 -a-9 for b-2 -a-8 for b-3 -a-7 for b-4");
    assert_eq!(events(&mut at_once), "+b-1 +b-2 +b-3 +b-4");
}

/// An evicted pod is pending only once it is gone: no pod is started in its place in the same cycle.
#[test]
fn ego_does_not_replace_a_terminating_pod() {
    let text = "\
format: fairground-scenario
version: 1
name: two called back at once
policy: ego
cycle: 1s
nodes:
- {name: down, count: 1, gpu: 2, cpu: 64, memory: 256Gi, state: down}
- {name: wide, count: 1, gpu: 4, cpu: 64, memory: 256Gi}
- {name: small, count: 1, gpu: 2, cpu: 64, memory: 256Gi}
queues:
- {name: a, gpu: {quota: 4, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 2, limit: unlimited, weight: 1}}
- {name: b-0, parent: b, gpu: {quota: 4, limit: unlimited, weight: 1}}
jobs:
- {name: a-waits, queue: a, gpu: 1}
- {name: b-waits, queue: b-0, gpu: 1}
- {name: a-runs, queue: a, gpu: 1, submit: -2s, lasts: 7s, on: [small-1]}
- {name: b-runs, queue: b-0, gpu: 0, cpu: 1, submit: -2s, on: [wide-1]}
";
    let read = scenario::read(text).scenario.expect("is a scenario");
    let mut simulation = Simulation::new(&scenario::check(&read).plan.expect("can be run"));
    let (first, second) = (events(&mut simulation), events(&mut simulation));
    assert!(first.contains("-b-runs"), "{first}");
    assert!(!first.contains("+b-runs") && second.contains("+b-runs"), "{first}; {second}");
}
