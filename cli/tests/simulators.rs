//! The replacements for KAI's bundled simulators.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn fairground(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairground"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn divided(input: &Value) -> Value {
    let output = fairground(&["fairshare", "-"], &input.to_string());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an answer in JSON")
}

fn gpu_queue(uid: &str, gpu: &Value) -> Value {
    json!({ "uid": uid, "resourceShare": { "gpu": gpu } })
}

#[test]
fn the_surplus_is_divided_by_weight() {
    // kai.md 10.1: the example of the reference's own README.
    let input = json!({
        "totalResource": { "GPU": 100, "CPU": 16000, "Memory": 100_000 },
        "queues": [
            gpu_queue("a", &json!({ "deserved": 10, "request": 100, "overQuotaWeight": 3 })),
            gpu_queue("b", &json!({ "deserved": 10, "request": 100, "overQuotaWeight": 1 })),
        ],
    });
    let answer = divided(&input);
    assert_eq!(answer["a"], json!({ "gpu": 70, "cpu": 16000, "memory": 100_000 }));
    assert_eq!(answer["b"], json!({ "gpu": 30, "cpu": 16000, "memory": 100_000 }));
}

#[test]
fn worked_divisions_come_out() {
    // kai.md 2.5: E2.1, E2.2, E2.5, E2.6.
    let queue = |uid: &str, priority: i64, deserved: f64, weight: f64, request: f64, limit: f64| {
        json!({ "uid": uid, "priority": priority, "resourceShare": { "gpu": {
            "deserved": deserved, "overQuotaWeight": weight, "request": request, "maxAllowed": limit } } })
    };
    let cases = [
        (
            10.0,
            vec![
                queue("a", 100, 2.0, 1.0, 10.0, -1.0),
                queue("b", 100, 1.0, 2.0, 10.0, -1.0),
                queue("c", 50, 0.0, 1.0, 10.0, -1.0),
            ],
            vec![4, 5, 1],
        ),
        (12.0, vec![queue("a", 0, 2.0, 1.0, 10.0, 4.0), queue("b", 0, 2.0, 1.0, 10.0, -1.0)], vec![4, 8]),
        (3.0, vec![queue("a", 0, 0.0, 1.0, 1.6, -1.0), queue("b", 0, 0.0, 1.0, 10.0, -1.0)], vec![2, 1]),
        (4.0, vec![queue("a", 0, 3.0, 1.0, 5.0, -1.0), queue("b", 0, 3.0, 1.0, 5.0, -1.0)], vec![3, 3]),
    ];
    for (total, queues, expected) in cases {
        let answer = divided(&json!({ "totalResource": { "GPU": total }, "queues": queues }));
        let shares: Vec<i64> =
            ["a", "b", "c"].iter().filter_map(|uid| answer.get(*uid)).map(|q| q["gpu"].as_i64().unwrap()).collect();
        assert_eq!(shares, expected, "{answer}");
    }
}

#[test]
fn keys_may_be_in_any_case_and_shares_given_are_added_to() {
    let answer = divided(&json!({
        "TOTALRESOURCE": { "gpu": 4 },
        "Queues": [gpu_queue("a", &json!({ "Deserved": 1, "FAIRSHARE": 2, "request": 1 }))],
    }));
    assert_eq!(answer["a"]["gpu"], 3);
}

#[test]
fn the_older_queue_gets_the_remainder() {
    let queue =
        |uid: &str, created: &str| json!({ "uid": uid, "creationTimestamp": created, "resourceShare": { "gpu": {} } });
    let old = "2024-01-01T00:00:00Z";
    let new = "2024-01-01T00:00:00.5Z";
    for (first, second, expected) in [(old, new, [2, 1]), (new, old, [1, 2]), ("?", old, [1, 2]), ("?", "", [2, 1])] {
        let queues = [queue("a", first), queue("b", second)];
        let answer = divided(&json!({ "totalResource": { "GPU": 3 }, "queues": queues }));
        assert_eq!([&answer["a"]["gpu"], &answer["b"]["gpu"]], expected.map(|n| json!(n)).each_ref(), "{first}");
    }
}

#[test]
fn mistakes_name_the_field() {
    refuses(
        "fairshare",
        &[
            ("{", "cannot be read"),
            ("{}", "totalResource is missing"),
            (r#"{"totalResource": {"GPU": "many"}, "queues": []}"#, "totalResource.GPU: this is not a number"),
            (
                r#"{"totalResource": {}, "queues": [{"uid": "a", "resourceShare": {"gpu": 5}}]}"#,
                "queues[0].resourceShare.gpu: this takes keys and values",
            ),
            (r#"{"totalResource": {}, "queues": [{}]}"#, "queues[0]: uid is missing"),
            (r#"{"totalResource": {}, "queues": [{"uid": "a"}, {"uid": "a"}]}"#, "given twice"),
            (
                r#"{"totalResource": {"GPU": 4}, "queues": [{"uid": "a", "resourceShare": {"gpu": {"overQuotaWeight": 1e308}}}]}"#,
                "queues[0].resourceShare.gpu.overQuotaWeight: this is too large",
            ),
            (
                r#"{"totalResource": {"GPU": 4}, "queues": [{"uid": "a", "resourceShare": {"gpu": {"request": -10}}}]}"#,
                "queues[0].resourceShare.gpu.request: this is below zero",
            ),
            (r#"{"totalResource": {"GPU": -4}, "queues": []}"#, "totalResource.GPU: this is below zero"),
            (
                r#"{"totalResource": {"GPU": 4}, "queues": [{"uid": "a", "resourceShare": {"gpu": {"deserved": -2}}}]}"#,
                "below zero; only -1",
            ),
        ],
    );
}

#[test]
fn mistakes_in_a_run_name_the_field() {
    refuses(
        "time-based",
        &[
            (
                "Nodes: [{GPUs: 1}]\nQueues: [{Name: a, Parent: b}, {Name: b, Parent: a}, {Name: c, Parent: a}]\nJobs: {c: {}}",
                "Queues[0]: following its parents leads back to it",
            ),
            (
                "Nodes: [{GPUs: 1}]\nQueues: [{Name: a, Parent: top}]\nJobs: {a: {}}",
                "Queues[0]: its parent does not exist",
            ),
            ("Nodes: [{GPUs: 1}]\nQueues: [{Name: a, Parent: a}]", "Queues[0]: following its parents leads back to it"),
            (
                "Nodes: [{GPUs: 1}]\nQueues: [{Name: a}]\nCycles: 100000\nWindowSize: 3000000",
                "WindowSize: this is not a whole number",
            ),
            ("Nodes: 3", "Nodes: this takes a list"),
            ("Nodes: [{GPUs: 8}]\nQueues: [{Name: a}]\nCycles: -1", "Cycles: this is not a whole number"),
            ("Nodes: [{GPUs: 8}]\nQueues: [{Name: a}]\nJobs: {b: {GPUs: 1}}", "Jobs[\"b\"]: this queue does not exist"),
            ("Queues: [{Name: a}]", "Nodes are missing"),
            ("Nodes: [{GPUs: 8, Count: 20000}]\nQueues: [{Name: a}]", "too many nodes"),
            (
                "Nodes: [{GPUs: 8}]\nQueues: [{Name: a}]\nHalfLifePeriod: soon",
                "HalfLifePeriod: this is not a number of seconds",
            ),
        ],
    );
}

fn refuses(command: &str, cases: &[(&str, &str)]) {
    for (input, says) in cases {
        let output = fairground(&[command, "-"], input);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{input}: {err}");
        assert!(err.contains(says), "{input}: {err}");
    }
}

const TWO_QUEUES: &str = "
cycles: 12
WindowSize: 4
halfLifePeriod: 0
KVALUE: 1
Nodes: [{GPUs: 8, Count: 1}]
Queues: [{Name: a}, {Name: b}]
Jobs:
  a: {GPUs: 8, NumPods: 1, NumJobs: 8}
  b: {GPUs: 8, NumPods: 1, NumJobs: 40}
";

#[test]
fn a_run_is_a_table_of_cycles_and_queues() {
    let output = fairground(&["time-based", "-"], TWO_QUEUES);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert_eq!(err, "");
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["Time", "QueueID", "Allocation", "FairShare"]);
    assert_eq!(rows.len(), 1 + 2 * 12);
    // kai.md 2.3 and 2.6, computed by hand. Cycle 1: usage 1 and 0, so `s` is 0 and 1. Cycle 2: usage 1/2 and 0, `s`
    // 1/2 and 1, offers 8/3 and 16/3, with the remainder going to the larger fraction. In cycle 6 only the four samples
    // of b are left.
    let expected = [(8, 4, 4), (0, 0, 8), (0, 3, 5), (0, 4, 4), (0, 5, 3), (0, 6, 2), (0, 8, 0), (8, 6, 2)];
    for (cycle, (held_by_a, share_of_a, share_of_b)) in expected.into_iter().enumerate() {
        let a = [cycle.to_string(), "a".into(), format!("{held_by_a}.000000"), format!("{share_of_a}.000000")];
        assert_eq!(rows[1 + 2 * cycle], a, "{out}");
        assert_eq!(rows[2 + 2 * cycle][3], format!("{share_of_b}.000000"), "{out}");
    }
    // The output is deterministic.
    assert_eq!(out, text(&fairground(&["time-based", "-"], TWO_QUEUES).stdout));
}

#[test]
fn shares_can_be_truncated_as_the_original_does() {
    let input =
        "Cycles: 2\nNodes: [{GPUs: 3}]\nQueues: [{Name: a, DeservedGPUs: 1.5}]\nJobs: {a: {GPUs: 0.5, NumJobs: 3}}";
    let whole = text(&fairground(&["time-based", "-"], input).stdout);
    let cut = fairground(&["time-based", "-", "--truncate"], input);
    assert!(whole.contains("0,a,1.500000,1.500000"), "{whole}");
    assert!(text(&cut.stdout).contains("0,a,1.500000,1.000000"), "{}", text(&cut.stdout));
    assert!(text(&cut.stderr).contains("HalfLifePeriod is left out"));
    let two = input.replace("GPUs: 3}", "GPUs: 3, Count: 2}");
    assert!(text(&fairground(&["time-based", "-"], &two).stderr).contains("Count of nodes is honoured"));
}
