//! KAI's scheduling back-off: a job is tried once per node pool.

use fairground::cluster::Phase;
use fairground::scenario::{check, codes, read};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, Gate, Outlook, Refusal};

fn simulation(text: &str) -> Simulation {
    let text = format!("format: fairground-scenario\nversion: 1\n{text}");
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it is a scenario"));
    Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics)))
}

/// Whether each pod is running, starting or terminating.
fn holding(simulation: &Simulation) -> Vec<bool> {
    simulation.cluster().pods.values().map(|pod| pod.phase.holds()).collect()
}

fn refusal<'a>(simulation: &Simulation, record: &'a CycleRecord, job: &str) -> Option<&'a Refusal> {
    record.refusals.iter().find(|r| *simulation.cluster().jobs[r.job].name == *job)
}

fn set_aside(simulation: &Simulation, record: &CycleRecord) -> Vec<String> {
    let jobs = &simulation.cluster().jobs;
    let of = |event: Event| match event {
        Event::SetAside { job } => Some(jobs[job].name.to_string()),
        _ => None,
    };
    record.events.iter().filter_map(|e| of(e.event)).collect()
}

const QUEUE: &str = "queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}}]\n";

#[test]
fn an_unplaced_job_is_not_tried_again() {
    let text = |backoff: &str| {
        format!(
            "nodes: [{{name: n, gpu: 1}}]
{QUEUE}jobs:
- {{name: a, queue: q, gpu: 1, lasts: 2s, on: [n]}}
- {{name: b, queue: q, gpu: 1{backoff}}}
"
        )
    };
    let mut simulation = simulation(&text(", scheduling-backoff: 1"));
    let request = |simulation: &Simulation| simulation.ledger().rows[0].request.gpu;
    assert_eq!(request(&simulation), 2.0);
    let first = simulation.advance().expect("a first cycle");
    assert_eq!(set_aside(&simulation, &first), ["b"]);
    let refused = refusal(&simulation, &first, "b").expect("it waits");
    assert_ne!(refused.gate, Gate::TriedOnce);
    assert_eq!(refused.outlook, Outlook::OnlyByEdit);
    // It is set aside from now on and requests nothing.
    assert_eq!(request(&simulation), 1.0);
    for _ in 0..4 {
        let next = simulation.advance().expect("a further cycle");
        assert_eq!(set_aside(&simulation, &next), [""; 0]);
        let refused = refusal(&simulation, &next, "b").expect("it waits");
        assert_eq!((&refused.gate, refused.outlook), (&Gate::TriedOnce, Outlook::OnlyByEdit));
        let check = &refused.checks[0];
        assert_eq!((check.rule.key(), check.holds), ("kai/backoff", true));
    }
    assert_eq!(holding(&simulation), [false, false]);

    for backoff in ["", ", scheduling-backoff: -1"] {
        let mut simulation = self::simulation(&text(backoff));
        for _ in 0..5 {
            let record = simulation.advance().expect("a cycle");
            assert_eq!(set_aside(&simulation, &record), [""; 0]);
        }
        assert_eq!(holding(&simulation), [false, true]);
    }
}

/// Two queues that share a node.
const TWO: &str = "nodes: [{name: n, gpu: 2}]
delays: {termination: 5s}
queues:
- {name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}
- {name: r, gpu: {quota: 1, limit: unlimited, weight: 1}}
";

#[test]
fn a_claim_counts_as_a_placement() {
    let mut simulation = simulation(&format!(
        "{TWO}jobs:
- {{name: a, queue: q, gpu: 1, count: 2, on: [n, n]}}
- {{name: b, queue: r, gpu: 1, scheduling-backoff: 1}}
"
    ));
    for _ in 0..8 {
        let record = simulation.advance().expect("a cycle");
        assert_eq!(set_aside(&simulation, &record), [""; 0]);
    }
    // It reclaimed its quota.
    assert_eq!(holding(&simulation).last(), Some(&true));
}

#[test]
fn resources_of_a_job_set_aside_stay_allocated() {
    // The elastic job loses its only running pod; its other pod is pending, so it is set aside while the first
    // terminates.
    let mut simulation = simulation(&format!(
        "{TWO}jobs:
- {{name: a, queue: q, gpu: 1, on: [n]}}
- {{name: e, queue: q, gpu: 1, pods: 2, min-available: 1, on: [n], scheduling-backoff: 1}}
- {{name: b, queue: r, gpu: 1}}
"
    ));
    let first = simulation.advance().expect("a first cycle");
    assert_eq!(set_aside(&simulation, &first), ["e"]);
    let leaves = |simulation: &Simulation| {
        let mut phases = simulation.cluster().pods.values().map(|pod| pod.phase);
        phases.any(|phase| matches!(phase, Phase::Terminating { .. }))
    };
    for _ in 0..3 {
        assert!(leaves(&simulation));
        assert_eq!(holding(&simulation), [true, true, false, false]);
        simulation.advance().expect("a further cycle");
    }
    for _ in 0..4 {
        simulation.advance();
    }
    assert_eq!(holding(&simulation), [true, false, false, true]);
}

#[test]
fn a_partly_running_job_is_tried_again() {
    let mut simulation = simulation(&format!(
        "nodes: [{{name: n, gpu: 2}}]
{QUEUE}jobs:
- {{name: a, queue: q, gpu: 1, lasts: 3s, on: [n]}}
- {{name: e, queue: q, gpu: 1, pods: 2, min-available: 1, scheduling-backoff: 1}}
"
    ));
    for _ in 0..5 {
        let record = simulation.advance().expect("a cycle");
        assert_eq!(set_aside(&simulation, &record), [""; 0]);
    }
    assert_eq!(holding(&simulation), [false, true, true]);
}

#[test]
fn its_request_counts_once() {
    let mut simulation = simulation(
        "nodes: [{name: n, gpu: 2}]
queues:
- {name: q, gpu: {quota: 0, limit: unlimited, weight: 1}}
- {name: r, gpu: {quota: 0, limit: unlimited, weight: 1}}
jobs:
- {name: a, queue: q, gpu: 1, on: [n]}
- {name: b, queue: r, gpu: 2, scheduling-backoff: 1, selector: {zone: none}}
",
    );
    let share = |simulation: &Simulation| simulation.ledger().rows[0].fair_share.expect("KAI has them").gpu;
    assert_eq!(share(&simulation), 1.0);
    simulation.advance().expect("a first cycle");
    assert_eq!(share(&simulation), 1.0);
    assert_eq!(simulation.ledger().rows[1].request.gpu, 0.0);
    assert_eq!(simulation.ledger().rows[1].fair_share.map(|share| share.gpu), Some(0.0));
}

#[test]
fn a_job_with_a_list_of_pools_rotates() {
    let text = |backoff: &str| {
        format!(
            "policy: runai
pools: [{{name: x}}, {{name: y}}]
nodes: [{{name: n, gpu: 1, pool: x}}, {{name: m, gpu: 1, pool: y}}]
queues: [{{name: q, gpu: {{quota: 1}}}}]
jobs:
- {{name: a, queue: q, gpu: 1, lasts: 4s, on: [n], pools: [x]}}
- {{name: c, queue: q, gpu: 1, on: [m], pools: [y]}}
- {{name: b, queue: q, gpu: 1, pools: [x, y]{backoff}}}
"
        )
    };
    let mut with = simulation(&text(", scheduling-backoff: 1"));
    let mut without = simulation(&text(""));
    for _ in 0..10 {
        with.advance();
        without.advance();
        assert_eq!(with.digest(), without.digest());
    }
    assert_eq!(holding(&with), [false, true, true]);
}

#[test]
fn other_numbers_count_as_one() {
    let found = |backoff: &str| {
        let text = format!(
            "format: fairground-scenario\nversion: 1\nnodes: [{{name: n, gpu: 1}}]
{QUEUE}jobs: [{{name: j, queue: q, gpu: 1, scheduling-backoff: {backoff}}}]
"
        );
        let checked = check(&read(&text).scenario.expect("it is a scenario"));
        let once = checked.plan.map(|plan| plan.cluster.jobs.values().any(|job| job.is_tried_once));
        (checked.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), once)
    };
    assert_eq!(found("-1"), (vec![], Some(false)));
    assert_eq!(found("1"), (vec![], Some(true)));
    assert_eq!(found("0"), (vec![codes::BACKOFF], Some(true)));
    assert_eq!(found("3"), (vec![codes::BACKOFF], Some(true)));
    assert_eq!(found("often"), (vec![codes::NUMBER], None));
}
