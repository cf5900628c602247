//! Usage that is measured during a run.

use fairground::scenario::{Plan, Scenario, check, read, to_yaml};
use fairground::sim::Simulation;

fn plan(scenario: &Scenario) -> Plan {
    // The written scenario is read again, as after saving an import.
    let again = read(&to_yaml(scenario));
    assert_eq!(again.diagnostics, []);
    assert_eq!(again.scenario.as_ref(), Some(scenario));
    let checked = check(scenario);
    checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

/// Allocation and fair share of each queue in GPUs after the latest cycle.
fn gpus(simulation: &Simulation) -> Vec<(f64, f64)> {
    let rows = simulation.ledger().rows.iter();
    rows.map(|row| (row.allocated.gpu, row.fair_share.expect("KAI has one").gpu)).collect()
}

const MEASURED: &str = "
format: fairground-scenario
version: 1
settings: {k-value: 1, usage-client: prometheus, usage-window: 40s, usage-resolution: 10s, usage-fetch-interval: 20s}
nodes: [{name: n, gpu: 8}]
queues:
  - {name: a, gpu: {quota: 0, limit: unlimited, weight: 1}}
  - {name: b, gpu: {quota: 0, limit: unlimited, weight: 1}}
jobs:
  - {name: old, queue: a, gpu: 8, on: [n]}
  - {name: new, queue: b, gpu: 8}
";

#[test]
fn measured_usage_reverses_the_order() {
    let scenario = read(MEASURED).scenario.expect("it is a scenario");
    let mut simulation = Simulation::new(&plan(&scenario));
    let mut seen = Vec::new();
    while simulation.now().as_millis() < 40_000 {
        let record = simulation.advance().expect("KAI is asked every second");
        let usage = record.ledger.rows[0].usage.map_or(0.0, |usage| usage.gpu);
        let now = (record.time.as_millis() / 1000, usage, gpus(&simulation));
        if seen.last().is_none_or(|(_, last, shares)| (*last, shares) != (usage, &now.2)) {
            seen.push(now);
        }
    }
    // At 20 s the first samples arrive: a held everything, so its part is 0.5 + (0.5 - 1) = 0, and b gets the node.
    let expected = [
        (1, 0.0, vec![(8.0, 4.0), (0.0, 4.0)]),
        (20, 1.0, vec![(0.0, 0.0), (0.0, 8.0)]),
        (21, 1.0, vec![(0.0, 0.0), (8.0, 8.0)]),
        // Samples at 10 and 20 s count for a, those at 30 and 40 s for b.
        (40, 0.5, vec![(0.0, 4.0), (8.0, 4.0)]),
    ];
    assert_eq!(seen, expected);
}
