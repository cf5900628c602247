//! A displaced pod restarts, resumes, or is not replaced, under every policy.

use fairground::cluster::audit;
use fairground::id::PodId;
use fairground::scenario::{Plan, check, read};
use fairground::sim::Simulation;
use fairground::trace::Event;

const POLICIES: [&str; 7] = ["kai", "runai", "yunikorn", "ego", "fifo", "max-min", "drf"];

fn plan(text: &str) -> Plan {
    let read = read(&format!("format: fairground-scenario\nversion: 1\ncycle: 1s\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let checked = check(&read.scenario.expect("it can be read"));
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// End of a job in milliseconds, and lost GPU-seconds in thousandths.
fn outcome(plan: &Plan, job: &str) -> (i64, i64) {
    let mut simulation = Simulation::new(plan);
    while simulation.cycle() < 40 && simulation.advance().is_some() {}
    let job = simulation.cluster().jobs.values().find(|j| &*j.name == job).expect("the job");
    let ended =
        job.ended.unwrap_or_else(|| panic!("{} at {:?}: {job:?}", plan.policy.key(), simulation.now())).as_millis();
    (ended, (simulation.summary().all.gpu_seconds_lost * 1000.0).round() as i64)
}

/// The node fails after 4 s, of which the pod ran three; it needs 10 s.
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

/// The pod is evicted after 4 s of running, terminates for 3 s, and starts for 2 s each time.
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

/// Outcome of a job whose pods are not replaced.
#[derive(Debug, PartialEq)]
struct End {
    /// End of the job; `None` if it has not ended.
    ended_ms: Option<i64>,
    /// Numbers of done, evicted and unfinished jobs.
    jobs: (u32, u32, u32),
    /// Its events, from the first eviction on.
    history: Vec<String>,
}

fn end(plan: &Plan, job: &str, cycles: u32) -> End {
    let mut simulation = Simulation::new(plan);
    let mut events = Vec::new();
    while simulation.cycle() < cycles
        && let Some(record) = simulation.advance()
    {
        assert_eq!(audit(simulation.world()), vec![]);
        events.extend(record.events.into_iter().map(|recorded| recorded.event));
    }
    let cluster = simulation.cluster();
    let (id, j) = cluster.jobs.iter().find(|(_, j)| &*j.name == job).expect("the job");
    let is_of = |pod: PodId| cluster.pods[pod].job == id;
    let said = |event: Event| match event {
        Event::Evicted { pod, reason, .. } if is_of(pod) => Some(format!("{} {reason:?}", cluster.pods[pod].name)),
        Event::Gone { pod, .. } if is_of(pod) => Some(format!("{} gone", cluster.pods[pod].name)),
        Event::NotReplaced { pod } if is_of(pod) => Some(format!("{} not replaced", cluster.pods[pod].name)),
        Event::Requeued { pod } if is_of(pod) => Some(format!("{} waits again", cluster.pods[pod].name)),
        Event::Bound { pod, .. } if is_of(pod) => Some(format!("{} started", cluster.pods[pod].name)),
        Event::Finished { pod, .. } if is_of(pod) => Some(format!("{} finished", cluster.pods[pod].name)),
        Event::JobDone { job } if job == id => Some("done".to_owned()),
        Event::JobEvicted { job } if job == id => Some("evicted".to_owned()),
        _ => None,
    };
    let history = events.into_iter().filter_map(said).skip_while(|said| said.ends_with("started")).collect();
    let all = simulation.summary().all;
    let jobs = (all.jobs_done, all.jobs_evicted, all.jobs_unfinished);
    End { ended_ms: j.ended.map(|at| at.as_millis()), jobs, history }
}

#[test]
fn pods_lost_with_a_node_are_not_replaced() {
    for policy in POLICIES {
        let plan = plan(&format!(
            "policy: {policy}
nodes: [{{name: n, gpu: 2, cpu: 8, memory: 8Gi}}, {{name: m, gpu: 2, cpu: 8, memory: 8Gi}}]
queues: [{{name: a, gpu: {{quota: 4, limit: unlimited, weight: 1}}, cpu: {{quota: unlimited, limit: unlimited}},
  memory: {{quota: unlimited, limit: unlimited}}}}]
jobs: [{{name: j, queue: a, gpu: 2, cpu: 1, memory: 1Gi, on: [n], started: -1s, lasts: 10s, restart: never}}]
timeline: [{{at: 4s, node: n, state: down}}]
"
        ));
        let history = ["j NodeLost", "j gone", "j not replaced", "evicted"].map(String::from).to_vec();
        assert_eq!(end(&plan, "j", 40), End { ended_ms: Some(4000), jobs: (0, 1, 0), history }, "{policy}");
        assert_eq!(outcome(&plan, "j"), (4000, 8000), "{policy}: two GPUs for four seconds");
    }
}

/// The reclaimed pod has a grace period of three seconds; under each policy that evicts pods for others.
#[test]
fn pods_reclaimed_by_another_queue_are_not_replaced() {
    let queues = |policy: &str| match policy {
        "ego" => "queues: [{name: a, gpu: {weight: 1}}, {name: b, gpu: {quota: 1, weight: 1}}]",
        _ => {
            "queues: [{name: a, gpu: {quota: 0, limit: unlimited, weight: 1}}, {name: b, gpu: {quota: 1, limit: unlimited, \
             weight: 1}}]"
        }
    };
    for policy in ["kai", "runai", "yunikorn", "ego"] {
        let text = format!(
            "policy: {policy}
delays: {{termination: 3s}}
nodes: [{{name: n, gpu: 1, cpu: 8, memory: 8Gi}}]
{}
jobs:
- {{name: j, queue: a, gpu: 1, lasts: 100s, restart: never}}
- {{name: k, queue: b, gpu: 1, submit: 7s, lasts: 5s}}
",
            queues(policy)
        );
        let got = end(&plan(&text), "j", 90);
        let why = if matches!(policy, "yunikorn" | "ego") { "ReclaimedForQuota" } else { "ReclaimedForFairShare" };
        let history = [&format!("j {why}"), "j gone", "j not replaced", "evicted"].map(String::from).to_vec();
        assert_eq!((got.jobs, got.history), ((1, 1, 0), history), "{policy}");
    }
}

/// Three pods of the elastic job are reclaimed; the other five finish the job.
#[test]
fn an_elastic_job_continues_with_fewer_pods() {
    let text = |n: u32, lasts: &str| {
        format!(
            "policy: kai
nodes: [{{name: n, gpu: 4}}]
queues:
- {{name: a, gpu: {{quota: 1, limit: unlimited, weight: 0}}}}
- {{name: b, gpu: {{quota: 3, limit: unlimited, weight: 0}}}}
jobs:
- {{name: e, queue: a, submit: -9s, pods: 4, min-available: 1, gpu: 1, on: [n, n, n, n], started: -8s, lasts: {lasts}, restart: never}}
- {{name: b, queue: b, count: {n}, gpu: 1}}
"
        )
    };
    let few = end(&plan(&text(2, "30s")), "e", 60);
    assert_eq!((few.ended_ms, few.jobs), (Some(22_000), (1, 0, 2)));
    let gone = few.history.iter().filter(|said| said.ends_with("not replaced")).count();
    let finished = few.history.iter().filter(|said| said.ends_with("finished")).count();
    assert_eq!((gone, finished), (2, 2));
    assert!(!few.history.iter().any(|said| said.ends_with("started") || said.ends_with("again")), "{:?}", few.history);
}

/// One pod of a gang of two is lost with its node; the policy decides about the other.
#[test]
fn a_gang_that_lost_a_pod_for_good() {
    let text = |policy: &str, settings: &str| {
        format!(
            "policy: {policy}
{settings}
nodes: [{{name: n, gpu: 1, cpu: 8, memory: 8Gi}}, {{name: m, gpu: 1, cpu: 8, memory: 8Gi}}, {{name: o, gpu: 2, cpu: 8, memory: 8Gi}}]
queues: [{{name: a, gpu: {{quota: 4, limit: unlimited, weight: 1}}}}]
jobs: [{{name: g, queue: a, gpu: 1, pods: 2, min-available: 2, on: [n, m], started: -1s, lasts: 40s, restart: never}}]
timeline: [{{at: 4s, node: n, state: down}}]
"
        )
    };
    let lost = ["g/1 NodeLost", "g/1 gone", "g/1 not replaced"].map(String::from).to_vec();
    for policy in ["kai", "runai"] {
        let got = end(&plan(&text(policy, "settings: {staleness-grace: 10s}")), "g", 60);
        assert_eq!((got.ended_ms, got.jobs), (Some(14_000), (0, 1, 0)), "{policy}");
        let rest = ["g/2 StaleGang", "g/2 gone", "g/2 not replaced", "evicted"].map(String::from).to_vec();
        assert_eq!(got.history, [lost.clone(), rest].concat(), "{policy}");
    }
    for policy in ["yunikorn", "ego", "fifo", "max-min", "drf"] {
        let got = end(&plan(&text(policy, "")), "g", 60);
        assert_eq!((got.ended_ms, got.jobs), (Some(39_000), (0, 1, 0)), "{policy}: one of two is not enough");
        let rest = ["g/2 finished", "evicted"].map(String::from).to_vec();
        assert_eq!(got.history, [lost.clone(), rest].concat(), "{policy}");
    }
}

/// KAI deletes the pod that it moves and relies on a controller to recreate it.
#[test]
fn a_moved_pod_is_gone_without_a_controller() {
    let text = |restart: &str| {
        format!(
            "policy: kai
nodes: [{{name: n, count: 2, gpu: 2}}]
queues: [{{name: a, gpu: {{quota: 4, limit: unlimited, weight: 1}}}}]
jobs:
- {{name: r, queue: a, submit: -9s, gpu: 1, on: [n-1], started: -8s}}
- {{name: s, queue: a, submit: -8s, gpu: 1, on: [n-2], started: -7s, lasts: 30s{restart}}}
- {{name: wide, queue: a, gpu: 2, lasts: 5s}}
"
        )
    };
    let again = end(&plan(&text("")), "s", 60);
    assert_eq!(again.history[..4], ["s Moved", "s gone", "s waits again", "s started"].map(String::from));
    let never = end(&plan(&text(", restart: never")), "s", 60);
    assert_eq!(never.history, ["s Moved", "s gone", "s not replaced", "evicted"].map(String::from));
    assert_eq!(never.jobs, (1, 1, 1), "the wide job runs all the same");
}
