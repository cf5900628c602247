//! Pods that join their job later (`after` of a pod set): kai.md 1.3, 5.1.

use fairground::cluster::{Phase, audit};
use fairground::export::kit;
use fairground::link::{decode, encode};
use fairground::scenario::{Checked, Plan, check, read};
use fairground::sim::{Simulation, Stops, drive};
use fairground::trace::{Event, Gate, Outlook};

fn checked(text: &str) -> Checked {
    let text = format!("format: fairground-scenario\nversion: 1\n{text}");
    check(&read(&text).scenario.expect("it has the form of a scenario"))
}

fn plan(text: &str) -> Plan {
    let checked = checked(text);
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

fn found(text: &str) -> Vec<String> {
    checked(text).diagnostics.iter().map(|found| format!("{}: {}", found.at, found.says)).collect()
}

/// Events up to a time, as *second event*. The world is audited after every cycle.
fn course(text: &str, until_s: i64) -> Vec<String> {
    let mut simulation = Simulation::new(&plan(text));
    let mut course = Vec::new();
    let stops = Stops { until: Some(fairground::time::Time::from_millis(until_s * 1000)), ..Stops::default() };
    let each = |simulation: &Simulation, record: &fairground::sim::CycleRecord| {
        assert_eq!(audit(simulation.world()), [], "cycle {}", record.cycle);
        let cluster = simulation.cluster();
        for recorded in &record.events {
            let what = match recorded.event {
                Event::Submitted { job } => format!("submitted {}", cluster.jobs[job].name),
                Event::Joined { job, pods } => format!("{pods} joined {}", cluster.jobs[job].name),
                Event::Bound { pod, .. } => format!("started {}", cluster.pods[pod].name),
                Event::Evicted { pod, .. } => format!("evicted {}", cluster.pods[pod].name),
                Event::JobDone { job } => format!("done {}", cluster.jobs[job].name),
                _ => continue,
            };
            course.push(format!("{} {what}", record.time.as_millis() / 1000));
        }
        Ok::<(), ()>(())
    };
    drive(&mut simulation, stops, each).expect("nothing stops it");
    course
}

fn job(policy: &str, sets: &str) -> String {
    format!(
        "policy: {policy}\nnodes: [{{name: n, gpu: 4}}]\nqueues: [{{name: q, gpu: {{quota: 4, limit: unlimited, weight: 1}}, \
         cpu: {{quota: unlimited, limit: unlimited}}, memory: {{quota: unlimited, limit: unlimited}}}}]\njobs:\n{sets}"
    )
}

/// Two pods start; two more join at 5 s and are placed one by one beyond the minimum.
#[test]
fn pods_beyond_the_minimum_start_once_they_have_joined() {
    for policy in ["kai", "runai"] {
        let text = job(
            policy,
            "- {name: j, queue: q, min-available: 2, pod-sets: [{name: first, pods: 2, gpu: 1}, {name: more, pods: 2, gpu: 1, after: 5s}]}\n",
        );
        let expected = [
            "0 submitted j",
            "1 started j/first/1",
            "1 started j/first/2",
            "5 2 joined j",
            "5 started j/more/1",
            "5 started j/more/2",
        ];
        assert_eq!(course(&text, 9), expected, "{policy}");
    }
}

/// A gang is pending until enough of its pods exist, and WHY announces that more will join.
#[test]
fn a_gang_waits_for_the_pods_that_join() {
    for policy in ["kai", "runai"] {
        let text = job(
            policy,
            "- {name: j, queue: q, submit: 2s, pod-sets: [{name: head, gpu: 1}, {name: workers, pods: 2, gpu: 1, after: 4s}]}\n",
        );
        let expected =
            ["2 submitted j", "6 2 joined j", "6 started j/head/1", "6 started j/workers/1", "6 started j/workers/2"];
        assert_eq!(course(&text, 9), expected, "{policy}");
        let mut simulation = Simulation::new(&plan(&text));
        let record = (0..3).filter_map(|_| simulation.advance()).last().expect("three cycles");
        let refusal = record.refusals.first().expect("it waits");
        assert_eq!((&refusal.gate, refusal.outlook), (&Gate::NotReady, Outlook::NotForeseeable), "{policy}");
        let job = fairground::id::JobId(0);
        assert_eq!(simulation.cluster().joining_of(job).count(), 2);
    }
}

/// A job lasts until its last pod, even while none of its pods exists; each pod has its own runtime.
#[test]
fn a_job_is_done_after_its_last_pod() {
    let text = job(
        "kai",
        "- {name: j, queue: q, lasts: 2s, min-available: 1, pod-sets: [{name: a, gpu: 1}, {name: b, gpu: 1, after: 6s}]}\n",
    );
    let course = course(&text, 12);
    assert_eq!(course, ["0 submitted j", "1 started j/a/1", "6 1 joined j", "6 started j/b/1", "8 done j"]);
}

#[test]
fn pods_of_a_withdrawn_job_do_not_join() {
    let text = job(
        "kai",
        "- {name: j, queue: q, min-available: 1, pod-sets: [{name: a, gpu: 1}, {name: b, gpu: 1, after: 6s}]}\n\
         timeline: [{at: 3s, job: j}]\n",
    );
    assert_eq!(course(&text, 12), ["0 submitted j", "1 started j/a/1", "3 evicted j/a/1", "3 done j"]);
}

/// In a pattern, the delay counts from each job. Pods due before the start exist at the start.
#[test]
fn the_delay_counts_from_each_job() {
    let sets = "pod-sets: [{name: a, gpu: 1}, {name: b, gpu: 1, after: 3s}]";
    let text = job("kai", &format!("- {{name: j, queue: q, count: 2, every: 2s, min-available: 1, {sets}}}\n"));
    let joined: Vec<String> = course(&text, 9).into_iter().filter(|line| line.contains("joined")).collect();
    assert_eq!(joined, ["3 1 joined j-1", "5 1 joined j-2"]);
    let early = job("kai", &format!("- {{name: j, queue: q, submit: -10s, min-available: 1, {sets}}}\n"));
    let simulation = Simulation::new(&plan(&early));
    assert!(simulation.cluster().pods.values().all(|pod| pod.phase == Phase::Pending));
}

/// Nodes in `on` apply to the pods that are submitted with the job.
#[test]
fn pods_that_join_later_do_not_run_at_the_start() {
    let sets = "min-available: 1, pod-sets: [{name: b, gpu: 1, after: 3s}, {name: a, gpu: 1}]";
    let simulation = Simulation::new(&plan(&job("kai", &format!("- {{name: j, queue: q, on: [n], {sets}}}\n"))));
    let phases: Vec<bool> = simulation.cluster().pods.values().map(|pod| pod.phase.holds()).collect();
    assert_eq!(phases, [false, true]);
    let all = found(&job("kai", &format!("- {{name: j, queue: q, on: [n, n], {sets}}}\n")));
    assert!(all.iter().any(|line| line.contains("on names 2 nodes for 1 pods")), "{all:?}");
}

#[test]
fn contradictions_are_reported_at_their_field() {
    let text = |policy: &str, after: &str| {
        job(policy, &format!("- {{name: j, queue: q, pod-sets: [{{name: a, gpu: 1, after: {after}}}]}}\n"))
    };
    let says = |text: &str, at: &str, says: &str| {
        let all = found(text);
        assert!(all.iter().any(|line| line.starts_with(at) && line.contains(says)), "{at} {says}: {all:?}");
    };
    let at = "jobs[\"j\"].pod-sets[\"a\"].after";
    says(&text("kai", "5s"), at, "let one pod set come with the job");
    says(&text("kai", "soon"), at, "is not a time");
    says(&text("ego", "5s"), at, "ignores that units join their allocation later");
    says(&text("yunikorn", "5s"), at, "ignores that pods join their application later");
    for policy in ["fifo", "drf", "max-min"] {
        says(&text(policy, "5s"), at, "ignores that pods join their job later");
    }
}

#[test]
fn translations_and_kits_list_lost_values() {
    let text = job(
        "kai",
        "- {name: j, queue: q, min-available: 1, pod-sets: [{name: a, gpu: 1}, {name: b, gpu: 1, after: 3s}]}\n",
    );
    let text = format!("format: fairground-scenario\nversion: 1\n{text}");
    let scenario = read(&text).scenario.expect("a scenario");
    let translated = fairground::translate::translate(&scenario, "ego").expect("EGO exists");
    assert!(translated.scenario.jobs[0].pod_sets.iter().all(|set| set.after.is_none()));
    let same = fairground::translate::translate(&scenario, "runai").expect("Run:ai exists");
    assert!(same.scenario.jobs[0].pod_sets[1].after.is_some());
    assert_eq!(decode(&encode(&scenario)), Ok(scenario.clone()));
    let left_out = kit(&scenario).expect("a kit of KAI").left_out;
    assert!(left_out.iter().any(|line| line.contains("pods that join later")), "{left_out:?}");
}
