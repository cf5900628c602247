//! Scenarios with several node pools, by example.

use fairground::id::JobId;
use fairground::scenario::{Edit, Path, Plan, Severity, apply, check, read, to_yaml};
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::Event;

const HEAD: &str = "format: fairground-scenario\nversion: 1\n";

fn plan(text: &str) -> Plan {
    let read = read(&format!("{HEAD}{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let checked = check(&read.scenario.expect("a scenario"));
    let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(checked.plan.is_some(), "{errors:?}");
    checked.plan.expect("a plan")
}

/// Findings as path, code and label of the fix; every fix removes its finding.
fn findings(text: &str) -> Vec<String> {
    let scenario = read(&format!("{HEAD}{text}")).scenario.expect("a scenario");
    let found = check(&scenario).diagnostics;
    let line = |d: &fairground::scenario::Diagnostic| {
        if let Some(fix) = &d.fix {
            let mended = apply(&scenario, &fix.edits).expect("fixes apply");
            let left = check(&mended).diagnostics;
            assert!(!left.iter().any(|l| l.code == d.code && l.at == d.at), "{} stays: {left:?}", d.says);
        }
        format!("{} {}: {} [{}]", d.code.0, d.at, d.says, d.fix.as_ref().map_or("", |fix| &fix.label))
    };
    found.iter().map(line).collect()
}

/// Placements as `job@node`, in order.
fn places(simulation: &Simulation) -> Vec<String> {
    let cluster = simulation.cluster();
    let on = |pod: &fairground::cluster::Pod| Some(format!("{}@{}", pod.name, cluster.nodes[pod.node?].name));
    cluster.pods.values().filter_map(on).collect()
}

fn run_to(simulation: &mut Simulation, by_ms: i64) {
    while simulation.next_cycle_at().is_some_and(|at| at <= Time::from_millis(by_ms)) {
        simulation.advance();
    }
}

const SHARDS: &str = "
pools:
- {name: packed}
- {name: wide, cycle: 2s, settings: {gpu-placement: spread}}
nodes:
- {name: p, count: 2, gpu: 4, pool: packed}
- {name: w, count: 2, gpu: 4, pool: wide}
queues:
- name: team
  gpu: {quota: 4, limit: unlimited, weight: 1}
  pools:
  - {name: wide, gpu: {quota: 1, limit: 2}}
jobs:
- {name: a, count: 2, queue: team, gpu: 1, pools: packed}
- {name: b, count: 3, queue: team, gpu: 1, pools: [wide]}
";

/// kai.md 1.2: shards are independent schedulers with independent configuration.
#[test]
fn two_shards_place_by_their_own_strategies() {
    let plan = plan(SHARDS);
    let mut simulation = Simulation::new(&plan);
    let first = simulation.advance().expect("a cycle");
    // After one second only the first shard runs: it fills one node.
    assert_eq!(first.time, Time::from_millis(1000));
    assert_eq!(places(&simulation), ["a-1@p-1", "a-2@p-1"]);
    let second = simulation.advance().expect("a cycle");
    // After two seconds both run in one cycle; the second shard spreads, within its limit.
    assert_eq!(second.time, Time::from_millis(2000));
    assert_eq!(places(&simulation), ["a-1@p-1", "a-2@p-1", "b-1@w-1", "b-2@w-2"]);
    let waiting: Vec<JobId> = second.refusals.iter().map(|refusal| refusal.job).collect();
    assert_eq!(waiting, [JobId(4)]);
    let shares = |pool: usize| {
        let row = &second.pools[pool].rows[0];
        (row.quota.gpu, row.limit.gpu, row.allocated.gpu, second.pools[pool].total.gpu)
    };
    assert_eq!(shares(0), (4.0, f64::INFINITY, 2.0, 8.0));
    assert_eq!(shares(1), (1.0, 2.0, 2.0, 8.0));
    assert_eq!((second.ledger.rows[0].allocated.gpu, second.ledger.total.gpu), (4.0, 16.0));
}

/// A refusal stays valid until the next cycle of its shard.
#[test]
fn a_refusal_stays_valid_between_the_cycles_of_its_shard() {
    let mut simulation = Simulation::new(&plan(SHARDS));
    run_to(&mut simulation, 2000);
    let third = simulation.advance().expect("a cycle");
    assert_eq!(third.time, Time::from_millis(3000));
    assert_eq!(third.refusals.len(), 1);
}

#[test]
fn a_queue_changes_in_one_pool_only() {
    let text = format!("{SHARDS}timeline:\n- {{at: 3, queue: team, pool: wide, gpu: {{limit: 3}}}}\n");
    let mut simulation = Simulation::new(&plan(&text));
    run_to(&mut simulation, 4000);
    let record = simulation.ledgers();
    assert_eq!((record[0].rows[0].limit.gpu, record[1].rows[0].limit.gpu), (f64::INFINITY, 3.0));
    assert_eq!(places(&simulation).len(), 5);
}

#[test]
fn written_files_have_the_reading_order() {
    let scenario = read(&format!("{HEAD}{SHARDS}")).scenario.expect("a scenario");
    let yaml = to_yaml(&scenario);
    assert_eq!(read(&yaml).scenario, Some(scenario));
    assert!(yaml.find("pools:") < yaml.find("nodes:"), "{yaml}");
}

/// A pool is moved before another; objects without a pool stay in the pool that was the first.
#[test]
fn moving_a_pool_does_not_move_nodes() {
    let text = format!(
        "{HEAD}pools: [{{name: a}}, {{name: b}}, {{name: c}}]\nnodes: [{{name: n, gpu: 1}}, {{name: m, gpu: 1, pool: b}}]\n"
    );
    let scenario = read(&text).scenario.expect("a scenario");
    let moved = |pool: &str, before: &str| {
        let at = Path::default().field("pools").named(pool);
        let after = apply(&scenario, &[Edit::MovePool { at, before: before.into() }]).expect("it can be moved");
        let pools: Vec<String> = after.pools.iter().map(|pool| pool.name.clone()).collect();
        let nodes: Vec<Option<String>> = after.nodes.iter().map(|node| node.pool.clone()).collect();
        (pools.join(" "), nodes)
    };
    let in_b = Some("b".to_string());
    assert_eq!(moved("c", "b"), ("a c b".to_string(), vec![None, in_b.clone()]));
    assert_eq!(moved("c", "a"), ("c a b".to_string(), vec![Some("a".to_string()), in_b.clone()]));
    assert_eq!(moved("a", "c"), ("b a c".to_string(), vec![Some("a".to_string()), in_b]));
    let at = Path::default().field("nodes").named("n");
    apply(&scenario, &[Edit::MovePool { at, before: "a".into() }]).expect_err("a node is no pool");
}

#[test]
fn errors_about_pools_have_fixes() {
    let found = findings(
        "
pools: [{name: train, settings: {k-valu: 1}, cycle: often}, {name: dev}, {name: spare}]
nodes: [{name: n, count: 2, gpu: 4}, {name: m, gpu: 2, pool: dev}, {name: o, gpu: 2, pool: tran}]
queues:
- name: a
  gpu: {quota: 2, limit: unlimited, weight: 1}
  pools: [{name: dev, gpu: {limit: 1}}, {name: nowhere}]
jobs:
- {name: big, queue: a, gpu: 3, pools: dev}
- {name: other, queue: a, gpu: 1, pools: [train, dev]}
timeline:
- {at: 1, node: m, state: down, pool: dev}
",
    );
    let expected = expect_test::expect![[r#"
        S012 pools["train"].settings.k-valu: the policy has no setting "k-valu"; did you mean `k-value`? [Use k-value]
        S017 pools["train"].cycle: cycle "often" is neither a period such as `1s` or `120s, first at 1s`, nor `on change` or `on events` [Use the default cycle]
        S057 nodes["o"].pool: pool "tran" is not in the list of pools; did you mean "train"? [Use "train"]
        S057 queues["a"].pools["nowhere"].name: pool "nowhere" is not in the list of pools; add it or name another [Add the pool "nowhere"]
        S048 jobs["other"].pools: KAI offers a job to one pool only, here "train" [Name only "train"]
        S027 timeline[0].pool: only a change of a queue has a pool; remove it [Remove the pool]
        S058 pools["spare"]: no node is in the pool "spare", so nothing runs there [Remove the pool]
        S039 queues["a"].pools["dev"].gpu.limit: "a" has a gpu limit of 1 below its quota of 2; the limit wins [Raise the gpu limit to 2]
        S046 jobs["big"].gpu: "big" asks for more gpu than any node it may use has (2), so it waits for ever [Request 2]
        S067 queues["a"].pools["dev"].gpu.limit: "big" needs gpu 3 to start, more than the limit of "a" (1), so it waits until the limit is raised [Set the gpu limit to 3]"#]];
    expected.assert_eq(&found.join("\n"));
}

/// Two pools of one node with 2 GPUs each.
const POOLS: &str = "policy: runai
pools: [{name: a}, {name: b}]
nodes:
- {name: na, gpu: 2, pool: a}
- {name: nb, gpu: 2, pool: b}
";

fn events(simulation: &mut Simulation, cycles: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..cycles {
        let Some(record) = simulation.advance() else { break };
        let cluster = simulation.cluster();
        for recorded in &record.events {
            lines.extend(match recorded.event {
                Event::Bound { pod, node, .. } => {
                    Some(format!("{}: {} on {}", record.cycle, cluster.pods[pod].name, cluster.nodes[node].name))
                }
                Event::Evicted { pod, .. } => Some(format!("{}: {} evicted", record.cycle, cluster.pods[pod].name)),
                Event::Offered { job, partition } => {
                    let pool = &cluster.partitions[partition].name;
                    Some(format!("{}: {} offered to {pool}", record.cycle, cluster.jobs[job].name))
                }
                _ => None,
            });
        }
    }
    lines
}

/// RC-1: one pool per cycle, then the next in the list, and the first again after the last; the workload runs as soon
/// as the pool to which it is offered has room.
#[test]
fn a_workload_is_offered_to_its_pools_in_turn() {
    let text = format!(
        "{POOLS}queues: [{{name: D, gpu: {{quota: 4}}}}, {{name: P, parent: D, gpu: {{quota: 4}}}}]
jobs:
- {{name: hold-a, queue: P, gpu: 2, pools: a, on: na, lasts: 20, priority: build}}
- {{name: hold-b, queue: P, gpu: 2, pools: b, on: nb, lasts: 3500ms, priority: build}}
- {{name: w, queue: P, gpu: 1, pools: [a, b]}}
"
    );
    let mut simulation = Simulation::new(&plan(&text));
    let lines = events(&mut simulation, 5);
    // After both pools it is offered to a again; further rounds repeat the first and are not recorded. In cycle 4, when
    // b has room, it is offered to b.
    assert_eq!(lines, ["1: w offered to b", "2: w offered to a", "4: w on nb"]);
}

/// The workload's own list, else the project's, else the department's, else the first pool.
#[test]
fn the_list_is_its_own_or_the_projects_or_the_departments() {
    let text = format!(
        "{POOLS}queues:
- {{name: D, gpu: {{quota: 4}}, default-pools: [b]}}
- {{name: P, parent: D, gpu: {{quota: 1}}, default-pools: [b, a]}}
- {{name: Q, parent: D, gpu: {{quota: 1}}}}
- {{name: E, gpu: {{quota: 4}}}}
- {{name: R, parent: E, gpu: {{quota: 1}}}}
jobs:
- {{name: own, queue: P, gpu: 1, pools: a}}
- {{name: projects, queue: P, gpu: 1}}
- {{name: departments, queue: Q, gpu: 1}}
- {{name: none, queue: R, gpu: 1}}
"
    );
    let mut simulation = Simulation::new(&plan(&text));
    simulation.advance();
    assert_eq!(places(&simulation), ["own@na", "projects@nb", "departments@nb", "none@na"]);
}

/// Quotas are per project and pool: P owns pool a, Q pool b; Q reclaims its quota there, and while resources are
/// claimed for its workload in b, it is not offered to a.
#[test]
fn a_workload_stays_in_a_pool_with_a_claim() {
    let text = format!(
        "{POOLS}delays: {{termination: 3s}}
queues:
- {{name: D, gpu: {{quota: 2}}}}
- {{name: P, parent: D, gpu: {{quota: 0}}, pools: [{{name: a, gpu: {{quota: 2}}}}]}}
- {{name: Q, parent: D, gpu: {{quota: 0}}, pools: [{{name: b, gpu: {{quota: 2}}}}]}}
jobs:
- {{name: pa, queue: P, gpu: 2, pools: a, on: na}}
- {{name: pb, queue: P, gpu: 2, pools: b, on: nb}}
- {{name: w, queue: Q, gpu: 2, pools: [b, a]}}
"
    );
    let mut simulation = Simulation::new(&plan(&text));
    let lines = events(&mut simulation, 5);
    assert_eq!(lines, ["1: pb evicted", "4: w on nb"]);
}

/// A workload is queued in exactly one pool at a time: only the pool to which it is offered counts its request.
#[test]
fn a_workload_is_requested_in_one_pool_only() {
    let text = format!(
        "{POOLS}queues: [{{name: P, gpu: {{quota: 4}}}}]
jobs: [{{name: w, queue: P, gpu: 4, pools: [a, b]}}]
"
    );
    let mut simulation = Simulation::new(&plan(&text));
    let mut asked = Vec::new();
    for _ in 0..4 {
        let record = simulation.advance().expect("a cycle");
        asked.push([record.pools[0].rows[0].request.gpu, record.pools[1].rows[0].request.gpu]);
    }
    // After each cycle it is queued where it is offered next.
    assert_eq!(asked, [[0.0, 4.0], [4.0, 0.0], [0.0, 4.0], [4.0, 0.0]]);
    assert!(simulation.is_quiet(), "nothing will come of further rounds");
}

/// Every pool has the over-quota settings of the scenario, or its own.
#[test]
fn settings_of_a_queue_may_differ_by_pool() {
    let text = "policy: runai
settings: {over-quota.P: none}
pools: [{name: a}, {name: b, settings: {over-quota.P: high}}]
nodes: [{name: na, gpu: 2, pool: a}, {name: nb, gpu: 2, pool: b}]
queues: [{name: P, gpu: {quota: 1}}]
jobs: [{name: a, count: 2, queue: P, gpu: 1, pools: a}, {name: b, count: 2, queue: P, gpu: 1, pools: b}]
";
    let mut simulation = Simulation::new(&plan(text));
    simulation.advance();
    assert_eq!(places(&simulation), ["a-1@na", "b-1@nb", "b-2@nb"]);
}

/// With cycles on change, the rounds of an unplaceable workload end, and restart with the next change.
#[test]
fn rounds_end_when_nothing_changes() {
    let text = format!(
        "cycle: on change
{POOLS}queues: [{{name: P, gpu: {{quota: 4}}}}]
jobs:
- {{name: hold-a, queue: P, gpu: 2, pools: a, on: na, lasts: 100, priority: build}}
- {{name: hold-b, queue: P, gpu: 2, pools: b, on: nb, lasts: 50, priority: build}}
- {{name: w, queue: P, gpu: 1, pools: [a, b]}}
"
    );
    let mut simulation = Simulation::new(&plan(&text));
    run_to(&mut simulation, 49_000);
    let at_rest = simulation.cycle();
    assert!(at_rest <= 6, "{at_rest} cycles without any change");
    run_to(&mut simulation, 60_000);
    assert_eq!(places(&simulation), ["hold-a@na", "w@nb"]);
}

/// A queue is below its quota in one pool and above it in another: 2 of 2 missing there, 4 above a quota of 0 here.
/// Both count, per pool and in total; the sum would cancel.
#[test]
fn owed_in_one_pool_and_borrowed_in_another() {
    let text = "
pools: [{name: p}, {name: d}]
nodes: [{name: n, gpu: 2, pool: p}, {name: m, gpu: 4, pool: d}]
queues:
- {name: top, gpu: {quota: unlimited, limit: unlimited, weight: 1}}
- name: a
  parent: top
  gpu: {quota: 2, limit: unlimited, weight: 0}
  pools: [{name: d, gpu: {quota: 0}}]
- {name: b, parent: top, gpu: {quota: 2, limit: unlimited, weight: 0}, pools: [{name: p, gpu: {quota: 0}}]}
jobs:
- {name: stays, queue: b, gpu: 2, preemptible: false, on: [n]}
- {name: waits, queue: a, gpu: 2, pools: [p]}
- {name: borrows, queue: a, gpu: 4, pools: [d], on: [m]}
";
    let mut simulation = Simulation::new(&plan(text));
    run_to(&mut simulation, 11_000);
    let seconds = simulation.now().as_seconds();
    let summary = simulation.summary();
    let a = &summary.queues[1];
    let per_second = |totals: f64| totals / seconds;
    assert_eq!((per_second(a.gpu_seconds_owed), per_second(a.gpu_seconds_borrowed)), (2.0, 4.0));
    assert_eq!((per_second(a.gpu_seconds_used), per_second(a.short_s)), (4.0, 1.0));
    let pools: Vec<[f64; 4]> = a
        .pools
        .iter()
        .map(|p| [p.gpu_seconds_used, p.gpu_seconds_owed, p.gpu_seconds_borrowed, p.short_s].map(per_second))
        .collect();
    assert_eq!(pools, [[0.0, 2.0, 0.0, 1.0], [4.0, 0.0, 4.0, 0.0]]);
    // In total, `b` borrows 2 in p, where its quota is 0.
    assert_eq!((per_second(summary.all.gpu_seconds_owed), per_second(summary.all.gpu_seconds_borrowed)), (2.0, 6.0));
    let one_pool = "
nodes: [{name: n, gpu: 2}]
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]
jobs: [{name: j, queue: a, gpu: 2}]
";
    let mut simulation = Simulation::new(&plan(one_pool));
    run_to(&mut simulation, 3000);
    assert!(simulation.summary().queues[0].pools.is_empty());
}
