//! Fairness and WHY agree with the moments of the run on whole runs.

use crate::run::{ADAPTERS, Page, RESTART, lines};
use expect_test::expect;
use fairground::units::{Resource, ShownResource};
use fairground::words::Selection;
use fairground_web::engine::report::{Fairness, GanttBy, Report, ReportRequest};
use fairground_web::library::EXAMPLES;
use fairground_web::views::fairness::view::fairness;
use fairground_web::views::gantt::view::gantt;
use fairground_web::words::{announce, why};

fn tally(page: &mut Page) -> Fairness {
    match page.report(ReportRequest::Fairness { resource: Resource::GPU }) {
        Report::Fairness(tally) => *tally,
        other => panic!("{other:?}"),
    }
}

/// Long because the tally it expects is.
#[test]
fn what_was_owed_and_lost_is_counted() {
    let (mut page, ..) = Page::open(RESTART, 40);
    let tally = tally(&mut page);
    // a1 runs from 1 to 21 s, a2 from 1 to 3 s and, after b1's 4 to 9 s, from 9 to 17 s: of 35 GPU seconds 2 are lost.
    // One GPU is free while a1 waits for the first cycle, and one while b1 and a2 wait for the fourth.
    expect![[r#"
        Fairness {
            resource: Resource(
                2,
            ),
            summary: Summary {
                all: Totals {
                    queue: None,
                    jobs_done: 3,
                    jobs_evicted: 0,
                    jobs_unfinished: 0,
                    jobs_never_started: 0,
                    waits: Waits {
                        n: 3,
                        mean_s: 0.6666666666666666,
                        median_s: 1.0,
                        p90_s: 1.0,
                        max_s: 1.0,
                    },
                    waits_until_now: Waits {
                        n: 3,
                        mean_s: 0.6666666666666666,
                        median_s: 1.0,
                        p90_s: 1.0,
                        max_s: 1.0,
                    },
                    wait_now_s: None,
                    gpu_seconds_used: 35.0,
                    gpu_seconds_owed: 2.0,
                    short_s: 0.0,
                    gpu_seconds_borrowed: 10.0,
                    gpu_seconds_lost: 2.0,
                    evictions: 1,
                    restarts: 1,
                    restart_wait_mean_s: 6.0,
                    first_submit_s: Some(
                        0.0,
                    ),
                    last_end_s: Some(
                        21.0,
                    ),
                    utilisation: 0.7954545454545454,
                    pools: [],
                },
                queues: [
                    Totals {
                        queue: Some(
                            QueueId(
                                0,
                            ),
                        ),
                        jobs_done: 2,
                        jobs_evicted: 0,
                        jobs_unfinished: 0,
                        jobs_never_started: 0,
                        waits: Waits {
                            n: 2,
                            mean_s: 0.5,
                            median_s: 0.5,
                            p90_s: 1.0,
                            max_s: 1.0,
                        },
                        waits_until_now: Waits {
                            n: 2,
                            mean_s: 0.5,
                            median_s: 0.5,
                            p90_s: 1.0,
                            max_s: 1.0,
                        },
                        wait_now_s: None,
                        gpu_seconds_used: 30.0,
                        gpu_seconds_owed: 1.0,
                        short_s: 1.0,
                        gpu_seconds_borrowed: 10.0,
                        gpu_seconds_lost: 2.0,
                        evictions: 1,
                        restarts: 1,
                        restart_wait_mean_s: 6.0,
                        first_submit_s: Some(
                            0.0,
                        ),
                        last_end_s: Some(
                            21.0,
                        ),
                        utilisation: 0.6818181818181818,
                        pools: [],
                    },
                    Totals {
                        queue: Some(
                            QueueId(
                                1,
                            ),
                        ),
                        jobs_done: 1,
                        jobs_evicted: 0,
                        jobs_unfinished: 0,
                        jobs_never_started: 0,
                        waits: Waits {
                            n: 1,
                            mean_s: 1.0,
                            median_s: 1.0,
                            p90_s: 1.0,
                            max_s: 1.0,
                        },
                        waits_until_now: Waits {
                            n: 1,
                            mean_s: 1.0,
                            median_s: 1.0,
                            p90_s: 1.0,
                            max_s: 1.0,
                        },
                        wait_now_s: None,
                        gpu_seconds_used: 5.0,
                        gpu_seconds_owed: 1.0,
                        short_s: 1.0,
                        gpu_seconds_borrowed: 0.0,
                        gpu_seconds_lost: 0.0,
                        evictions: 0,
                        restarts: 0,
                        restart_wait_mean_s: 0.0,
                        first_submit_s: Some(
                            3.0,
                        ),
                        last_end_s: Some(
                            9.0,
                        ),
                        utilisation: 0.11363636363636363,
                        pools: [],
                    },
                ],
                gpu_seconds_capacity: 44.0,
                gpu_seconds_idle_wanted: 2.0,
                jain: Some(
                    0.9944616747895437,
                ),
                until: Time(
                    22000,
                ),
                cycles: 22,
            },
            stranded: 0.0,
            free: 2.0,
            ping_pong: [],
        }"#]]
    .assert_eq(&format!("{tally:#?}"));
}

#[test]
fn fairness_is_described() {
    let (mut page, frame, _) = Page::open(RESTART, 40);
    let view = fairness(&tally(&mut page), &frame, None);
    let facts: Vec<String> = view.facts.iter().map(|f| format!("{}: {} ({})", f.name, f.value, f.reading)).collect();
    expect![[r#"
        From 0:00 to 0:22, cycle 22: team-a was owed most and was below its share for 0:01.
        Used: 79.5 % (35 of 44 GPU-seconds)
        Idle while work waited: 4.5 % (2 GPU-seconds free while jobs waited)
        Free but too scattered: 0 GPUs (of 2 GPUs free: too small for any waiting job)
        Restarts: 1 (1 restart in 0:22)
        Work lost: 2 GPU-seconds (work that is done again)
        Evenness (Jain index): 0.99 (all queues got nearly the same fraction of their share)
        queue	below share	owed, GPU-seconds	borrowed, GPU-seconds	used, GPU-seconds	median wait	P90 wait	longest wait now	evictions	lost, GPU-seconds
        team-a	0:01	1	10	30	0:00	0:01	–	1	2
        team-b	0:01	1	0	5	0:01	0:01	–	0	0
        all	–	2	10	35	0:01	0:01	–	1	2
    "#]].assert_eq(&(view.summary + "\n" + &facts.join("\n") + "\n" + &view.table.tsv()));
}

/// The warnings of Fairness for an example in a cycle.
fn warnings(id: &str, cycle: u32) -> Vec<String> {
    let example = EXAMPLES.iter().find(|e| e.id == id).expect("an example");
    let (mut page, frame, _) = Page::open(example.text, cycle);
    let view = fairness(&tally(&mut page), &frame, None);
    view.warnings.iter().map(|warning| format!("{}: {}{}", warning.name, warning.job, warning.says)).collect()
}

#[test]
fn a_job_that_goes_back_and_forth_is_warned_of() {
    let of =
        |cycle| warnings("tug-of-war", cycle).into_iter().filter(|says| says.starts_with("Evicted again and again"));
    assert_eq!(of(3).count(), 0, "evicted twice, started again once");
    expect!["Evicted again and again: stretch was evicted 11 times and started again 10 times in 0:12."]
        .assert_eq(&of(12).collect::<String>());
}

#[test]
fn a_job_that_starves_is_warned_of() {
    let of = |id, cycle| warnings(id, cycle).into_iter().filter(|says| says.starts_with("Starvation"));
    assert_eq!(of("tug-of-war", 8).count(), 0, "not yet long");
    expect![
        "Starvation: build has been waiting for 0:12; red uses 1 GPU, below its fair share of 2; 1 other job as well."
    ]
    .assert_eq(&of("tug-of-war", 12).collect::<String>());
    for example in ["quota-is-a-floor", "limit-is-a-ceiling", "priority-before-weight"] {
        assert_eq!(warnings(example, 40), [""; 0], "{example}: all have what they are due");
    }
}

#[test]
fn free_amounts_that_fit_no_pending_pod_are_stranded() {
    let stranded = |id: &str, cycle: u32| {
        let example = EXAMPLES.iter().find(|e| e.id == id).expect("an example");
        let tally = tally(&mut Page::open(example.text, cycle).0);
        (tally.free, tally.stranded)
    };
    // One GPU is free on each of four nodes; the pending pod needs two on one.
    assert_eq!(stranded("fragments-pinned", 2), (4.0, 4.0));
    assert_eq!(stranded("start", 0), (0.0, 0.0));
}

/// Fairness uses the displayed resource, and counts from the start of the scenario.
#[test]
fn fairness_counts_what_is_shown() {
    let (mut page, frame, _) = Page::open(ADAPTERS, 5);
    let mut tally = |resource: Resource| match page.report(ReportRequest::Fairness { resource }) {
        Report::Fairness(tally) => fairness(&tally, &frame, None),
        other => panic!("{other:?}"),
    };
    let used =
        |view: &fairground_web::views::fairness::view::FairnessView| view.facts[0].reading.replace('\u{a0}', " ");
    // Placed at 0:01, so held for four seconds of five.
    assert_eq!(used(&tally(Resource::GPU)), "4 of 40 GPU-seconds");
    assert_eq!(used(&tally(Resource::CPU)), "16 of 400 core-seconds");
    let rdma = tally(Resource::named(0));
    assert_eq!(used(&rdma), "8 of 10 rdma-seconds");
    assert_eq!(rdma.facts[2].value, "0 rdma");
    assert_eq!(rdma.table.head[4], "used, rdma-seconds");
}

/// Work and waits before the start are not counted.
#[test]
fn fairness_has_one_span() {
    let text = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: n, gpu: 2}]
queues:
- {name: a, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, on: [n], submit: -2m, started: -2m}
- {name: a2, queue: a, gpu: 1, on: [n], submit: -1m, started: -1m}
- {name: b1, queue: b, gpu: 1, submit: -30s}
- {name: b2, queue: b, gpu: 1, submit: -20s}
";
    let (mut page, frame, _) = Page::open(text, 4);
    let tally = tally(&mut page);
    let all = &tally.summary.all;
    let (lost, used) = (all.gpu_seconds_lost, all.gpu_seconds_used);
    assert!(all.evictions == 1 && lost > 0.0 && lost <= used, "{lost} of {used}");
    assert_eq!(all.waits.n, 1, "those that ran before have no wait");
    assert!(all.waits.median_s <= 3.0, "{}", all.waits.median_s);
    assert_eq!(
        (tally.summary.until.as_millis(), all.wait_now_s),
        (3000, Some(3.0)),
        "the span began three seconds ago"
    );
    let summary = fairness(&tally, &frame, None).summary;
    assert!(summary.starts_with("From 0:00 to 0:03, cycle 3: "), "{summary}");
}

/// A failed hard gang of YuniKorn remains in the run, but is not waiting.
#[test]
fn a_gang_that_failed_does_not_wait() {
    let text = fairground_web::library::Example::find("gang-hard").expect("an example").text;
    let (mut page, frame, run) = Page::open(text, 60);
    let report = page.gantt(GanttBy::Job, 0, 100, "");
    let view = gantt(&report, &run, &frame, None);
    expect![[r#"
        [team]
        gang (team): submitted in cycle 0; failed by cycle 8
        single (team): submitted in cycle 6; runs since cycle 8
        2 applications; in cycle 9: 1 running, 0 waiting, 0 finished, 1 failed or refused.
        application	queue	pods	submitted	first start	ended	cycles run	lost cycles	evictions
        gang	team	4	0	–	failed by 8	0	0	0
        single	team	1	6	8	–	2	0	0
    "#]]
    .assert_eq(&(lines(&view) + "\n" + &view.table.tsv()));
    let svg = fairground_web::views::gantt::draw::gantt(&view, 600.0);
    assert!(svg.contains(">failed</text>"), "{svg}");
    let queue = Selection::Queue("team".into());
    let why = fairground_web::words::why(&frame, Some(&run), &queue, None, Resource::GPU);
    let (_, jobs) = why.list.expect("its jobs");
    let listed: Vec<String> = jobs.iter().map(|entry| entry.text.to_string()).collect();
    expect![[r#"
        `gang` failed, 5 GPUs
        `single` is running, 1 GPU"#]]
    .assert_eq(&listed.join("\n"));
    let job = Selection::Job("gang".into());
    let about = fairground_web::words::why(&frame, Some(&run), &job, None, Resource::GPU).about.to_string();
    assert!(about.ends_with(" · failed"), "{about}");
    let cards = fairground_web::views::cluster::view::cluster(&frame, 600.0, ShownResource::GPU);
    assert!(cards.summary.ends_with("; gang failed") && !cards.summary.contains("wait"), "{}", cards.summary);
}

/// What is said at a moment of the job whose pod is evicted in the third cycle.
fn said_of_a2(restart: &str, cycle: u32) -> String {
    let (_, frame, run) = Page::open(&RESTART.replace("lasts: 8s", &format!("lasts: 8s{restart}")), cycle);
    let why = why(&frame, Some(&run), &Selection::Job("a2".into()), None, Resource::GPU);
    let history: Vec<String> =
        why.history.iter().map(|entry| format!("{}: {}", entry.when, entry.text.spoken())).collect();
    [
        why.about.spoken(),
        why.verdict.spoken(),
        why.outlook.spoken(),
        history.join("; "),
        announce(&frame, Resource::GPU),
    ]
    .join("\n")
}

#[test]
fn an_evicted_pod_may_not_be_replaced() {
    expect![[r#"
        a2 · reclaimed, cycle 3
        a2 was evicted so that b1 can run. team-a was using 2 GPUs, 1 over its fair share of 1; with b1, team-b uses exactly its fair share of 1.
        The pod is not recreated, and its work is lost.
        cycle 1: submitted; cycle 1: started; cycle 3: reclaimed
        Cycle 3: team-a gives up 1 GPU: a2 makes room for b1. team-a 1, team-b 0."#]].assert_eq(&said_of_a2(", restart: never", 3));
    expect![[r#"
        a2 · evicted
        a2 was evicted at 0:03 for b1: another queue reclaims its fair share. Its pods are not recreated, so the job is over and its work is lost.

        cycle 1: submitted; cycle 1: started; cycle 3: reclaimed; cycle 4: gone, and not recreated
        Cycle 4: b1 started on node-1; a2 is not recreated. team-a 1, team-b 1."#]].assert_eq(&said_of_a2(", restart: never", 4));
    assert!(
        said_of_a2(", restart: never", 12).starts_with("a2 · evicted\na2 was evicted at 0:03 for b1"),
        "later, too"
    );
    assert!(said_of_a2("", 12).contains("runs"), "without it, it began again");
    let (mut page, ..) = Page::open(&RESTART.replace("lasts: 8s", "lasts: 8s, restart: never"), 40);
    let row = page.gantt(GanttBy::Pod, 0, 100, "").rows.into_iter().find(|row| row.name == "a2").expect("a2");
    assert_eq!((row.known, row.bars.len(), row.bars[0].lost), ((1, Some(4)), 1, 1), "{row:?}");
    let all = tally(&mut page).summary.all;
    assert_eq!((all.evictions, all.restarts, all.gpu_seconds_lost, all.gpu_seconds_used), (1, 0, 2.0, 27.0));
}
