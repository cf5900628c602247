//! R-P10 of runai.md: at the end of every cycle a gang runs with no pod at all, or with at least as many as it needs.

use std::fmt::Write;

use fairground::cluster::Phase;
use fairground::scenario;
use fairground::sim::Simulation;
use proptest::prelude::*;

/// A workload: project, pods, pods it needs, GPUs of each, priority, second of submission.
type Workload = (usize, u32, u32, u32, u32, u32);

fn workloads() -> impl Strategy<Value = Vec<Workload>> {
    let pods = (1..5u32).prop_flat_map(|pods| (Just(pods), 1..=pods));
    let priority = prop::sample::select(vec![50u32, 50, 75, 100, 125]);
    let workload = (0..4usize, pods, 1..3u32, priority, 0..8u32);
    let flat = workload
        .prop_map(|(project, (pods, least), gpus, priority, at)| (project, pods, least, gpus, priority, at));
    prop::collection::vec(flat, 3..14)
}

/// Two departments with two projects each on some nodes of four GPUs.
fn simulation(nodes: u32, quotas: &[u32], workloads: &[Workload]) -> Simulation {
    let mut text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: runai\ncycle: 1s\n\
         nodes: [{{name: n, count: {nodes}, gpu: 4}}]\nqueues:\n\
         - {{name: D0, gpu: {{quota: {}}}}}\n- {{name: D1, gpu: {{quota: {}}}}}\n",
        quotas[0] + quotas[1],
        quotas[2] + quotas[3]
    );
    for (i, quota) in quotas.iter().enumerate() {
        writeln!(
            text,
            "- {{name: P{i}, parent: D{}, gpu: {{quota: {quota}, weight: {}}}}}",
            i / 2,
            i % 3 + 1
        )
        .expect("a string");
    }
    text.push_str("jobs:\n");
    for (i, (project, pods, least, gpus, priority, at)) in workloads.iter().enumerate() {
        writeln!(
            text,
            "- {{name: w{i}, queue: P{project}, pods: {pods}, min-available: {least}, gpu: {gpus}, \
             priority: {priority}, submit: {at}s}}"
        )
        .expect("a string");
    }
    let read = scenario::read(&text);
    let checked = scenario::check(&read.scenario.expect("written for this"));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:?}\n{text}", checked.diagnostics)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn gangs_run_whole_or_not_at_all(
        nodes in 1..4u32,
        quotas in prop::collection::vec(0..5u32, 4),
        workloads in workloads(),
    ) {
        let mut simulation = simulation(nodes, &quotas, &workloads);
        for _ in 0..14 {
            let Some(record) = simulation.advance() else { break };
            let cluster = simulation.cluster();
            for &job in &cluster.live_jobs {
                let runs = |phase: Phase| matches!(phase, Phase::Running { .. } | Phase::Starting { .. });
                let running = cluster.pods_of(job).filter(|(_, pod)| runs(pod.phase)).count() as u32;
                let least = workloads[job.0 as usize].2;
                let name = &cluster.jobs[job].name;
                prop_assert!(
                    running == 0 || running >= least,
                    "cycle {}: {name} runs with {running} of at least {least}", record.cycle
                );
            }
        }
    }
}
