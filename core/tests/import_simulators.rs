//! Import of inputs of KAI's bundled simulators, and usage that grows during a run.

use fairground::import::{Imported, Kind, fairshare, recognise, time_based};
use fairground::scenario::{Plan, Scenario, check, read, to_yaml};
use fairground::sim::Simulation;

const DIVISION: &str = r#"{"totalResource": {"GPU": 100}, "queues": [
  {"uid": "a", "resourceShare": {"gpu": {"deserved": 10, "request": 100, "overQuotaWeight": 3}}},
  {"uid": "b", "resourceShare": {"gpu": {"deserved": 10, "request": 100, "overQuotaWeight": 1}}}]}"#;

const TAKING_TURNS: &str = "
Cycles: 8
WindowSize: 4
HalfLifePeriod: 0
Nodes: [{GPUs: 8}]
Queues: [{Name: a}, {Name: b}]
Jobs:
  a: {GPUs: 8, NumJobs: 8}
  b: {GPUs: 8, NumJobs: 40}
";

fn plan(scenario: &Scenario) -> Plan {
    // The written scenario is read again, as after saving an import.
    let again = read(&to_yaml(scenario));
    assert_eq!(again.diagnostics, []);
    assert_eq!(again.scenario.as_ref(), Some(scenario));
    let checked = check(scenario);
    checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

fn taken(Imported { scenario, report }: Imported) -> Plan {
    assert_eq!(report.diagnostics, []);
    plan(&scenario.expect("it can be understood"))
}

/// Allocation and fair share of each queue in GPUs after the latest cycle.
fn gpus(simulation: &Simulation) -> Vec<(f64, f64)> {
    let rows = simulation.ledger().rows.iter();
    rows.map(|row| (row.allocated.gpu, row.fair_share.expect("KAI has one").gpu)).collect()
}

#[test]
fn simulator_inputs_are_recognised_by_content() {
    assert_eq!(recognise(DIVISION.as_bytes(), ""), Kind::FairShare);
    assert_eq!(recognise(TAKING_TURNS.as_bytes(), ""), Kind::TimeBased);
    assert_eq!(recognise(TAKING_TURNS.to_lowercase().as_bytes(), "x.yaml"), Kind::TimeBased);
    let scenario = "nodes: []\nqueues: []\njobs: []\nsettings: {k-value: 1}\n";
    assert_eq!(recognise(scenario.as_bytes(), ""), Kind::Scenario);
}

#[test]
fn a_division_becomes_a_scenario_with_the_same_shares() {
    let mut simulation = Simulation::new(&taken(fairshare::import(DIVISION)));
    simulation.advance();
    let shares: Vec<f64> = gpus(&simulation).into_iter().map(|q| q.1).collect();
    assert_eq!(shares, [70.0, 30.0]);
}

#[test]
fn a_time_based_run_becomes_an_equivalent_scenario() {
    let mut simulation = Simulation::new(&taken(time_based::import(TAKING_TURNS)));
    let mut held = Vec::new();
    for _ in 0..8 {
        simulation.advance();
        held.push(gpus(&simulation)[0].0);
    }
    // Computed by hand in the runner's test.
    assert_eq!(held, [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0]);
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
