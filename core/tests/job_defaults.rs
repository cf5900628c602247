//! Defaults of priority and preemptibility under each policy (kai.md 1.3, runai.md 6, yunikorn.md
//! 1.7), and their translation to other policies.

use fairground::cluster::Preemptible;
use fairground::policy::Policy;
use fairground::scenario::{Path, Scenario, Severity, check, get, read};
use fairground::sim::Simulation;
use fairground::trace::Event;
use fairground::translate::{NoteKind, translate};

fn written(policy: &str, text: &str) -> Scenario {
    let read = read(&format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\n{text}"));
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    read.scenario.expect("written for this")
}

/// Priority and preemptibility of a job under a policy, or the error.
fn job(policy: &str, said: &str) -> Result<(i32, Preemptible), String> {
    let s = written(
        policy,
        &format!(
            "nodes: [{{name: n, gpu: 8}}]\nqueues: [{{name: a, gpu: {{quota: 1}}}}]\n\
             jobs: [{{name: j, queue: a, gpu: 1{said}}}]\n"
        ),
    );
    let checked = check(&s);
    let wrong = checked.diagnostics.iter().find(|d| d.severity == Severity::Error);
    match (checked.plan.as_ref(), wrong) {
        (Some(plan), None) => {
            Ok(plan.cluster.jobs.values().map(|job| (job.priority, job.preemptible)).next().expect("one job"))
        }
        (_, wrong) => Err(wrong.map(|d| d.says.clone()).unwrap_or_default()),
    }
}

/// Every 32-bit integer is a priority, including the minimum.
#[test]
fn priorities_have_32_bits() {
    for n in [i32::MIN, i32::MAX] {
        assert_eq!(job("yunikorn", &format!(", priority: {n}")), Ok((n, Preemptible::Yes)));
    }
    assert!(job("yunikorn", ", priority: -2147483649").is_err());
    assert!(job("yunikorn", ", priority: 2147483648").is_err());
}

/// Jobs of one application must have one queue and one user, and are created no later than submitted.
#[test]
fn jobs_that_cannot_share_an_application_are_reported() {
    let found = |first: &str, second: &str| {
        let s = written(
            "yunikorn",
            &format!(
                "nodes: [{{name: n, gpu: 8}}]\nqueues: [{{name: a}}, {{name: b}}]\n\
                 jobs:\n- {{name: i, gpu: 1, {first}}}\n- {{name: j, gpu: 1, {second}}}\n"
            ),
        );
        let errors = check(&s).diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| format!("{}: {}", d.at, d.says)).collect::<Vec<String>>()
    };
    assert_eq!(found("queue: a, application: s", "queue: a, application: s"), Vec::<String>::new());
    assert_eq!(
        found("queue: a, application: s", "queue: b, application: s"),
        ["jobs[\"j\"].queue: application \"s\" has one queue: \"a\" of \"i\", not \"b\""]
    );
    assert_eq!(
        found("queue: a, user: x", "queue: a, application: i"),
        ["jobs[\"j\"].user: application \"i\" has one user: \"x\" of \"i\", not \"\""]
    );
    assert_eq!(
        found("queue: a, application: s, groups: [x, y]", "queue: a, application: s, groups: [x]"),
        ["jobs[\"j\"].groups: application \"s\" has one list of groups: \"x, y\" of \"i\", not \"x\""]
    );
    assert_eq!(
        found("queue: a, application: s, gang: soft", "queue: a, originator: perhaps"),
        [
            "jobs[\"j\"].originator: originator \"perhaps\" is neither true nor false",
            "jobs[\"i\"].gang: a gang is an application by itself; remove application or gang"
        ]
    );
    assert_eq!(
        found("queue: a, created: 5s", "queue: a, required-node: m, pods: 2"),
        [
            "jobs[\"i\"].created: created lies after submit; an application is created before it becomes known",
            "jobs[\"j\"].required-node: node \"m\" does not exist; did you mean \"n\"?"
        ]
    );
}

const CLASSIC: [&str; 2] = ["kai", "runai"];

/// 50 under KAI and Run:ai, 0 elsewhere.
#[test]
fn a_job_without_a_priority() {
    for policy in Policy::NAMES {
        let expected = if CLASSIC.contains(policy) { 50 } else { 0 };
        assert_eq!(job(policy, ""), Ok((expected, Preemptible::Yes)), "{policy}");
    }
}

/// From 100 on under KAI and Run:ai; under other policies a priority never makes a job non-preemptible.
#[test]
fn only_kai_derives_preemptibility_from_priority() {
    for policy in Policy::NAMES {
        let expected = if CLASSIC.contains(policy) { Preemptible::No } else { Preemptible::Yes };
        assert_eq!(job(policy, ", priority: 100"), Ok((100, expected)), "{policy}");
        assert_eq!(job(policy, ", priority: 99"), Ok((99, Preemptible::Yes)), "{policy}");
        for (said, expected) in [("true", Preemptible::Yes), ("false", Preemptible::No)] {
            let said = format!(", priority: 100, preemptible: {said}");
            assert_eq!(job(policy, &said), Ok((100, expected)), "{policy}");
        }
    }
}

/// Other policies have no priority classes; the message gives the number.
#[test]
fn only_kai_has_priority_classes() {
    for policy in Policy::NAMES {
        let train = job(policy, ", priority: train");
        if CLASSIC.contains(policy) {
            assert_eq!(train, Ok((50, Preemptible::Yes)), "{policy}");
        } else {
            let says = train.expect_err("no class of that name");
            let wanted = match *policy {
                "yunikorn" => "neither an integer nor a priority class whose value is in the settings",
                _ => "not an integer; this policy has no priority classes",
            };
            assert!(says.starts_with(&format!("priority \"train\" is {wanted}")), "{policy}: {says}");
        }
    }
}

/// YuniKorn uses the priority classes of the cluster; a job without one is given the number.
/// KAI and Run:ai accept any class of the cluster; the preset of value 75 has a name in each product.
#[test]
fn presets_and_classes_of_the_scenario_are_read_side_by_side() {
    for policy in ["kai", "runai"] {
        let s = written(
            policy,
            "nodes: [{name: n, gpu: 8}]\nqueues: [{name: a}]\nsettings: {priority-class.night: 20, priority-class.train: 60, priority-class.bad: x}\n\
             jobs:\n- {name: a, queue: a, priority: night}\n- {name: b, queue: a, priority: build-preemptible}\n\
             - {name: c, queue: a, priority: interactive-preemptible}\n- {name: d, queue: a, priority: train}\n",
        );
        let found = check(&s).diagnostics;
        let wrong: Vec<String> =
            found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.at.to_string()).collect();
        assert_eq!(wrong, ["settings.priority-class.bad"], "{policy}: {found:?}");
        let without = fairground::scenario::Scenario {
            settings: s
                .settings
                .iter()
                .filter(|(name, _)| !name.ends_with("bad"))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
            ..s
        };
        let plan = check(&without).plan.expect("it can run");
        let priorities: Vec<i32> = plan.cluster.jobs.values().map(|job| job.priority).collect();
        assert_eq!(priorities, [20, 75, 75, 60], "{policy}: a class of the cluster replaces a preset of its name");
    }
}

#[test]
fn classes_of_the_scenario_have_its_values() {
    let s = written(
        "yunikorn",
        "nodes: [{name: n, gpu: 8}]\nqueues: [{name: a}]\nsettings: {priority-class.urgent: 1000, priority-class.odd: x}\n\
         jobs:\n- {name: i, queue: a, gpu: 1, priority: urgent}\n- {name: j, queue: a, gpu: 1, priority: urgnt}\n",
    );
    let found = check(&s).diagnostics;
    let says: Vec<String> = found.iter().map(|d| format!("{}: {}", d.at, d.says)).collect();
    assert!(says.iter().any(|says| says.contains("priority-class.odd") && says.contains("32 bits")), "{says:?}");
    assert!(says.iter().any(|says| says.contains("jobs[\"j\"]") && says.contains("priority-class.NAME")), "{says:?}");
    assert!(!says.iter().any(|says| says.contains("jobs[\"i\"]")), "{says:?}");
    let fifo = translate(&s, "fifo").expect("another policy").scenario;
    assert_eq!(get(&fifo, &Path::default().field("jobs").named("i").field("priority")).as_deref(), Some("1000"));
}

/// A job without a priority has 0, so it comes after a fence with an offset of 10 (yunikorn.md 1.7, 2.1).
#[test]
fn under_yunikorn_a_fence_of_10_comes_before_a_job_without_priority() {
    let s = written(
        "yunikorn",
        "nodes: [{name: n, cpu: 1}]\nqueues: [{name: plain}, {name: fenced, priority: 10}]\n\
         settings: {priority.policy.fenced: fence}\n\
         jobs:\n- {name: a, queue: plain, cpu: 1}\n- {name: b, queue: fenced, cpu: 1}\n",
    );
    let mut simulation = Simulation::new(&check(&s).plan.expect("no errors"));
    let record = simulation.advance().expect("a first cycle");
    let bound = record.events.iter().find_map(|recorded| match recorded.event {
        Event::Bound { pod, .. } => Some(simulation.cluster().pods[pod].name.to_string()),
        _ => None,
    });
    assert_eq!(bound.as_deref(), Some("b"));
}

/// The youngest task is evicted regardless of its priority, unless it opted out (yunikorn.md 5.5 b).
#[test]
fn under_yunikorn_a_high_priority_is_no_opt_out() {
    let first_victim = |said: &str| {
        let s = written(
            "yunikorn",
            &format!(
                "nodes: [{{name: n, cpu: 2}}]\nsettings: {{preemption.delay.low: 1s}}\n\
                 queues: [{{name: high, priority: -500}}, {{name: low, cpu: {{quota: 1}}}}]\n\
                 jobs:\n- {{name: old, queue: high, cpu: 1, on: [n], submit: -2s}}\n\
                 - {{name: young, queue: high, cpu: 1, priority: 100, on: [n], submit: -1s{said}}}\n\
                 - {{name: taker, queue: low, cpu: 1, priority: 1000}}\n"
            ),
        );
        let mut simulation = Simulation::new(&check(&s).plan.expect("no errors"));
        while simulation.cycle() < 20 {
            let Some(record) = simulation.advance() else { break };
            for recorded in &record.events {
                if let Event::Evicted { pod, .. } = recorded.event {
                    return simulation.cluster().pods[pod].name.to_string();
                }
            }
        }
        "nobody".to_owned()
    };
    assert_eq!(first_victim(""), "young");
    assert_eq!(first_victim(", preemptible: false"), "old");
}

fn at(s: &Scenario, job: &str, field: &str) -> Option<String> {
    get(s, &Path::default().field("jobs").named(job).field(field))
}

/// Translation preserves the number and which jobs may be evicted.
#[test]
fn translation_preserves_priority_and_preemptibility() {
    let jobs = "nodes: [{name: n, gpu: 4}]\nqueues: [{name: a}]\njobs:\n- {name: unset, queue: a}\n\
                - {name: class, queue: a, priority: build}\n- {name: high, queue: a, priority: 120}\n\
                - {name: said, queue: a, priority: 120, preemptible: true}\n";
    let old = written("kai", jobs);
    for to in ["yunikorn", "ego"] {
        let new = translate(&old, to).expect("known");
        let of = |job: &str| (at(&new.scenario, job, "priority"), at(&new.scenario, job, "preemptible"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of("unset"), (some("50"), None), "{to}");
        assert_eq!(of("class"), (some("100"), some("false")), "{to}");
        assert_eq!(of("high"), (some("120"), some("false")), "{to}");
        assert_eq!(of("said"), (some("120"), some("true")), "{to}");
        let changed = |part: &str| new.notes.iter().any(|n| n.kind == NoteKind::Changed && n.says.contains(part));
        assert!(changed("a class becomes its number") && changed("50 is written out"), "{:?}", new.notes);
        assert!(changed("preemptible false is written out"), "{:?}", new.notes);
    }
    let fifo = translate(&old, "fifo").expect("known").scenario;
    assert_eq!(at(&fifo, "class", "priority").as_deref(), Some("100"));
    assert_eq!((at(&fifo, "unset", "priority"), at(&fifo, "high", "preemptible")), (None, None));
    let runai = translate(&old, "runai").expect("known").scenario;
    assert_eq!(runai.jobs, old.jobs);
    let numbers = jobs.replace("priority: build", "priority: 75");
    let kai = translate(&written("yunikorn", &numbers), "kai").expect("known").scenario;
    assert_eq!(at(&kai, "unset", "priority").as_deref(), Some("0"));
    assert_eq!(at(&kai, "class", "preemptible"), None);
    assert_eq!(at(&kai, "high", "preemptible").as_deref(), Some("true"));
}
