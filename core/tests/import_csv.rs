//! Importing job traces.

use expect_test::expect;
use fairground::import::{FileKind, Imported, Mapping, Options, import, recognise};
use fairground::link::encode;
use fairground::scenario::{Severity, check, to_json, to_yaml};
use proptest::prelude::*;

const JOBS: &str = "\
id,submit_s,duration_s,gpus,vc
31096,115,108,1,11cb48
76297,2891,649291,32,6214e9
29804,2003,73249,8,6214e9
1211,-5,60,2,103959
";
const SIZES: &str = "vc,nodes,gpus\n6214e9,64,512\n103959,8,64\n11cb48,16,128\n";

fn quarter() -> Options {
    Options { nodes: Some((22, 8)), quota_scale: (1, 4), ..Options::default() }
}

fn messages(imported: &Imported) -> String {
    let report = &imported.report;
    let parts = [("understood", &report.understood), ("assumed", &report.assumed), ("ignored", &report.ignored)];
    let mut text = String::new();
    for (what, lines) in parts {
        for line in lines {
            text.push_str(&format!("{what}: {line}\n"));
        }
    }
    for found in &report.diagnostics {
        text.push_str(&format!("{} {:?} {}\n", found.code.0, found.position, found.says));
    }
    text
}

#[test]
fn a_trace_and_its_queue_sizes_become_a_scenario() {
    let imported = import(JOBS.as_bytes(), Some(SIZES.as_bytes()), &quarter());
    expect![[r#"
        understood: column id as the name of a job
        understood: column vc as its queue
        understood: column submit_s as the time of its submission
        understood: column duration_s as how long it runs
        understood: column gpus as its GPUs
        understood: 4 jobs with 7 pods
        understood: times of submission are numbers of seconds
        understood: durations are numbers of seconds
        understood: queue sizes: column vc as the queue, gpus as its GPUs
        understood: 3 queues
        assumed: 1 jobs larger than a node became pods of 8 GPUs each, all of which must start together
        assumed: 1 jobs submitted before 0 wait from the start
        assumed: all jobs have the default priority and may be preempted
        assumed: the quota of a queue is 1/4 of its listed size
        assumed: weights are proportional to quotas; limits, CPU and memory are unlimited
        assumed: 22 nodes with 8 GPUs each
        assumed: a node has 64 cores and 256 GB; jobs ask for no CPU or memory unless the trace says so
        assumed: version 0.17, the newest that is simulated
        ignored: queue sizes: column nodes
    "#]]
    .assert_eq(&messages(&imported));
    let scenario = imported.scenario.expect("the rows are right");
    expect![[r#"
        format: fairground-scenario
        version: 1
        dialect: kai
        policy: kai
        settings:
          version: 0.17
        cycle: on change
        nodes:
          - {name: node, count: 22, gpu: 8}
        queues:
          - name: "6214e9"
            gpu: {quota: 128, limit: unlimited, weight: 128}
            cpu: {quota: unlimited, limit: unlimited, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
          - name: "103959"
            gpu: {quota: 16, limit: unlimited, weight: 16}
            cpu: {quota: unlimited, limit: unlimited, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
          - name: "11cb48"
            gpu: {quota: 32, limit: unlimited, weight: 32}
            cpu: {quota: unlimited, limit: unlimited, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
        jobs:
          - {name: "31096", queue: "11cb48", submit: 115, lasts: 108, gpu: 1}
          - {name: "76297", queue: "6214e9", submit: 2891, lasts: 649291, pods: 4, gpu: 8}
          - {name: "29804", queue: "6214e9", submit: 2003, lasts: 73249, gpu: 8}
          - {name: "1211", queue: "103959", submit: -5, lasts: 60, gpu: 2}
    "#]]
    .assert_eq(&to_yaml(&scenario));
    let checked = check(&scenario);
    assert_eq!(checked.diagnostics, []);
    let fifo = import(JOBS.as_bytes(), Some(SIZES.as_bytes()), &Options { policy: "fifo".into(), ..quarter() });
    let codes: Vec<_> =
        check(&fifo.scenario.expect("the rows are right")).diagnostics.iter().map(|d| d.says.clone()).collect();
    expect![[r#"first in, first out ignores weight (of "6214e9" and 2 more)"#]].assert_eq(&codes.join("\n"));
}

#[test]
fn bad_rows_are_reported_and_skipped() {
    let text = "name;project;timestamp;runtime;gpu;user;colour\n\
        a;p;0;60;1;ann;red\n\
        ;p;0;60;1;ann;red\n\
        b;;0;60;1;ann;red\n\
        c;p;soon;60;1;ann;red\n\
        d;p;0;-60;1;ann;red\n\
        e;p;0;60;many;ann;red\n\
        f;p;0;60;12;ann;red\n\
        g;p;0;60;1.5;ann;red\n\
        h;p;0;60\n\
        a;p;5;60;0.5;bob;red\n\
        \"i;1\";p;1m;1h;16;bob;red\n";
    let imported = import(text.as_bytes(), None, &Options::default());
    expect![[r#"
        understood: column name as the name of a job
        understood: column project as its queue
        understood: column timestamp as the time of its submission
        understood: column runtime as how long it runs
        understood: column gpu as its GPUs
        understood: column user as who submitted it
        understood: 3 jobs with 4 pods
        understood: times of submission are numbers of seconds
        understood: durations are numbers of seconds
        understood: 1 queue
        assumed: 1 jobs whose name stands there before got a number behind it
        assumed: 1 jobs larger than a node became pods of 8 GPUs each, all of which must start together
        assumed: all jobs have the default priority and may be preempted
        assumed: 1 queue without a listed size (p): GPU quota 0, weight 1 and no limits
        assumed: 2 nodes with 8 GPUs each, enough for all quotas and the largest job
        assumed: a node has 64 cores and 256 GB; jobs ask for no CPU or memory unless the trace says so
        assumed: version 0.17, the newest that is simulated
        ignored: column colour
        S054 Some((3, 1)) line 3 is left out: the job has no name
        S054 Some((4, 1)) line 4 is left out: the job has no queue
        S054 Some((5, 1)) line 5 is left out: "soon" is neither a number nor a date
        S054 Some((6, 1)) line 6 is left out: "-60" is no duration
        S054 Some((7, 1)) line 7 is left out: "many" is no number of GPUs
        S054 Some((8, 1)) line 8 is left out: 12 GPUs are more than a node has and no multiple of its 8
        S054 Some((9, 1)) line 9 is left out: 1.5 GPUs for a pod are neither whole nor part of one
        S054 Some((10, 1)) line 10 is left out: 4 fields instead of 7
    "#]]
    .assert_eq(&messages(&imported));
    let scenario = imported.scenario.expect("some rows are right");
    assert_eq!(scenario.jobs.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["a", "a~2", "i;1"]);
    assert!(check(&scenario).plan.is_some());
}

#[test]
fn unsupported_traces_are_rejected() {
    let mut missing_column = Mapping::default();
    missing_column.set("user", "who");
    for (jobs, sizes, options) in [
        ("", None, Options::default()),
        ("a,b\n1,2\n", None, Options::default()),
        ("id,gpus\n", None, Options::default()),
        ("id,gpus\na,x\n", None, Options::default()),
        ("id,gpus\na,1\n", None, Options { quota_scale: (1, 0), ..Options::default() }),
        ("id,gpus\na,1\n", None, Options { nodes: Some((1, 65)), ..Options::default() }),
        ("id,gpus\na,1\n", None, Options { mapping: missing_column, ..Options::default() }),
    ] {
        let imported = import(jobs.as_bytes(), sizes, &options);
        assert_eq!(imported.scenario, None, "{jobs}");
        assert!(imported.report.diagnostics.iter().any(|d| d.severity == Severity::Error), "{jobs}");
    }
    let sizes = "queue,gpus\nq,9\n";
    let imported = import(
        b"id,gpus,queue\na,1,q\n",
        Some(sizes.as_bytes()),
        &Options { nodes: Some((1, 8)), ..Options::default() },
    );
    assert_eq!(imported.report.diagnostics.len(), 1, "{imported:?}");
    assert!(imported.scenario.is_some());
}

#[test]
fn too_long_traces_are_rejected() {
    let mut text = String::from("id,gpus\n");
    for i in 0..1_000_000 {
        text.push_str(&format!("{i},1\n"));
    }
    let imported = import(text.as_bytes(), None, &Options::default());
    assert_eq!(imported.scenario, None);
    let says = &imported.report.diagnostics[0].says;
    assert!(says.starts_with("the trace has more than 200000 pods"), "{says}");
}

#[test]
fn texts_are_recognised() {
    let scenario = crate::support::plausible(3, 2, 4);
    for (text, file, kind) in [
        (to_yaml(&scenario), "", FileKind::Scenario),
        (to_json(&scenario), "x.txt", FileKind::Scenario),
        (encode(&scenario), "", FileKind::Link),
        (format!("https://example.org/#{}&at=7", encode(&scenario)), "", FileKind::Link),
        (encode(&scenario)[..40].to_string(), "", FileKind::Link),
        (JOBS.to_string(), "jobs.csv", FileKind::Trace),
        (SIZES.to_string(), "queues.csv", FileKind::QueueSizes),
        ("hello".to_string(), "a.txt", FileKind::Unknown),
        (String::new(), "", FileKind::Unknown),
        ("{}".to_string(), "a.fairground.json", FileKind::Scenario),
    ] {
        assert_eq!(recognise(text.as_bytes(), file), kind, "{text:.60}");
    }
    assert_eq!(recognise(&[0xff, 0xfe, 0], "a.bin"), FileKind::Unknown);
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in any::<Vec<u8>>(), text in "[a-z0-9,;\"\n.-]{0,200}") {
        let _ = (recognise(&bytes, ""), recognise(text.as_bytes(), "a.csv"));
        let _ = import(&bytes, Some(&bytes), &Options::default());
        let text = format!("id,submit,duration,gpus,queue,pods,cpu,memory\n{text}");
        let imported = import(text.as_bytes(), Some(text.as_bytes()), &Options::default());
        if let Some(scenario) = imported.scenario {
            prop_assert!(check(&scenario).plan.is_some(), "{}", text);
        }
    }

    #[test]
    fn numbers_of_any_kind_are_answered(
        rows in proptest::collection::vec(("[a-c]?", "-?[0-9]{0,12}(\\.[0-9]{1,4})?(e[0-9]{1,2})?", "[0-9]{0,3}(\\.[0-9])?", "[0-9]{0,2}"), 1..6)
    ) {
        let mut text = String::from("queue,submit,gpus,pods\n");
        for (queue, submit, gpus, pods) in rows {
            text.push_str(&format!("{queue},{submit},{gpus},{pods}\n"));
        }
        let imported = import(text.as_bytes(), None, &Options::default());
        if let Some(scenario) = imported.scenario {
            prop_assert!(check(&scenario).plan.is_some(), "{}\n{:?}", text, check(&scenario).diagnostics);
        }
    }
}
