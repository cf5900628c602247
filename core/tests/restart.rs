//! A pod that lost its place begins again, or resumes: under every policy.

use fairground::scenario::{Plan, check, read};
use fairground::sim::Simulation;

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

fn plan(text: &str) -> Plan {
    let read = read(&format!("format: fairground-scenario\nversion: 1\ncycle: 1s\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let checked = check(&read.scenario.expect("it can be read"));
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// When a job is over, and the GPU seconds that were lost, in milliseconds and thousandths. The run is continued from a
/// checkpoint after every cycle.
fn outcome(plan: &Plan, job: &str) -> (i64, i64) {
    let mut simulation = Simulation::new(plan);
    while simulation.cycle() < 40 && simulation.advance().is_some() {
        simulation = Simulation::resume(&simulation.checkpoint());
    }
    let job = simulation.cluster().jobs.values().find(|j| &*j.name == job).expect("the job");
    let ended = job
        .ended
        .unwrap_or_else(|| panic!("{} at {:?}: {job:?}", plan.policy.name(), simulation.now()))
        .as_millis();
    (ended, (simulation.summary().all.gpu_seconds_lost * 1000.0).round() as i64)
}

/// The node fails after 4 s, three of which the pod ran; it needs 10 s.
#[test]
fn after_a_node_was_lost() {
    for policy in POLICIES {
        let of = |restart: &str| {
            plan(&format!(
                "policy: {policy}
nodes: [{{name: n, gpu: 2, cpu: 8, memory: 8Gi}}, {{name: m, gpu: 2, cpu: 8, memory: 8Gi}}]
queues: [{{name: a, gpu: {{quota: 4, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: [{{name: j, queue: a, gpu: 2, cpu: 1, memory: 1Gi, on: [n], started: -1s, lasts: 10s{restart}}}]
timeline: [{{at: 4s, node: n, state: down}}]
"
            ))
        };
        let again = outcome(&of(""), "j");
        assert_eq!(again, outcome(&of(", restart: again"), "j"), "{policy}");
        assert_eq!(again.1, 8000, "{policy}: two GPUs for four seconds of the scenario");
        let resumed = outcome(&of(", restart: resume"), "j");
        assert_eq!(resumed, (again.0 - 5000, 0), "{policy}: five seconds were done");
    }
}

/// The pod is told to go after 4 s in which it ran, saves for 3 s, and takes 2 s to start each time.
#[test]
fn after_it_was_reclaimed() {
    for policy in ["kai", "runai"] {
        let of = |restart: &str| {
            plan(&format!(
                "policy: {policy}
delays: {{start: 2s, termination: 3s}}
nodes: [{{name: n, gpu: 1, cpu: 8, memory: 8Gi}}]
queues:
- {{name: a, gpu: {{quota: 0, limit: unlimited, weight: 1}}}}
- {{name: b, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}
jobs:
- {{name: j, queue: a, gpu: 1, lasts: 10s{restart}}}
- {{name: k, queue: b, gpu: 1, submit: 7s, lasts: 5s}}
"
            ))
        };
        let (again, resumed) = (outcome(&of(""), "j"), outcome(&of(", restart: resume"), "j"));
        assert_eq!((again.0 - resumed.0, resumed.1), (4000, 0), "{policy}");
        assert_eq!(again.1, 9000, "{policy}: starting, running and going");
    }
}
