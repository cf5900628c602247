//! The runner of the recordings detects modified recordings.

use std::path::{Path, PathBuf};

use fairground_tests::recording::{case_of, golden, read};
use fairground_tests::report::Verdict;
use fairground_tests::{cycle, front, runai, yunikorn};
use serde_json::{Value, json};

fn cases(file: &str) -> Vec<Value> {
    golden(&format!("kai-cycles/{file}")).collect()
}

fn judge(case: &Value) -> Verdict {
    let case: cycle::Case = serde_json::from_value(case.clone()).expect("a case");
    cycle::check(&case)
}

/// Failure after an edit of the start scenario's recording.
fn failure(edit: impl Fn(&mut Value)) -> String {
    failure_of(cycle::check, edit)
}

/// Failure of the edited start scenario, run as a file.
fn failure_of_file(edit: impl Fn(&mut Value)) -> String {
    failure_of(front::kai_cycle::check, edit)
}

fn failure_of(check: fn(&cycle::Case) -> Verdict, edit: impl Fn(&mut Value)) -> String {
    let judge = |case: &Value| check(&serde_json::from_value(case.clone()).expect("a case"));
    noticed(cases("start.jsonl").swap_remove(0), judge, edit)
}

/// Failure of a case after an edit.
fn noticed(mut case: Value, judge: impl Fn(&Value) -> Verdict, edit: impl Fn(&mut Value)) -> String {
    assert_eq!(judge(&case), Verdict::Equal);
    edit(&mut case);
    match judge(&case) {
        Verdict::Failed(says) => says,
        other => panic!("not noticed: {other:?}"),
    }
}

#[test]
fn another_node() {
    let says = failure(|c| c["outcomes"][0]["rounds"][1]["steps"][0]["commits"][0][0]["node"] = json!("node-1"));
    assert!(says.starts_with("round 1 allocate, commit 0: expected bind b2-0 on node-1"), "{says}");
}

#[test]
fn a_missing_step() {
    let says = failure(|c| c["outcomes"][0]["rounds"][0]["steps"] = json!([]));
    assert!(says.starts_with("round 0 reclaim, commit 0: expected nothing; got evict a2-0 for b2"), "{says}");
}

#[test]
fn another_state_of_a_pod() {
    let says = failure(|c| c["outcomes"][0]["rounds"][0]["steps"][0]["pods"]["a2-0"][0] = json!("Running"));
    assert!(says.starts_with("round 0 reclaim, pod a2-0: expected Running"), "{says}");
}

#[test]
fn numbers_of_queues() {
    let says =
        failure(|c| c["outcomes"][0]["rounds"][0]["shares"]["team-a"]["fair_share"]["gpu"] = json!(2.0000000001));
    assert!(says.starts_with("round 0 opening: queue team-a fair share"), "{says}");
    let says = failure(|c| {
        c["outcomes"][0]["rounds"][0]["steps"][0]["queues"]["team-b"]["allocated"]["gpu"] = json!(3);
    });
    assert!(says.starts_with("round 0 reclaim, queue team-b allocated"), "{says}");
}

#[test]
fn starts_and_openings() {
    let says = failure(|c| c["outcomes"][0]["rounds"][1]["steps"][0]["started"] = json!([]));
    assert!(says.starts_with("round 1 allocate, started"), "{says}");
    let says = failure(|c| c["outcomes"][0]["rounds"][2]["open"]["jobs"]["b2"]["last_start_s"] = json!(-2));
    assert!(says.starts_with("round 2 opening: job b2"), "{says}");
    let says = failure(|c| c["outcomes"][0]["rounds"][1]["open"]["pods"]["b2-0"] = json!(["Running", "node-2", []]));
    assert!(says.starts_with("round 1 opening: pod b2-0"), "{says}");
}

/// Objects missing in the recording are failures.
#[test]
fn missing_pods_jobs_and_queues() {
    let remove = |at: &'static [&'static str]| {
        failure(move |c| {
            let (last, path) = at.split_last().expect("a place");
            let mut value = &mut c["outcomes"][0]["rounds"];
            for step in path {
                value = match step.parse::<usize>() {
                    Ok(i) => &mut value[i],
                    Err(_) => &mut value[*step],
                };
            }
            value.as_object_mut().and_then(|map| map.remove(*last)).expect("it was there");
        })
    };
    assert_eq!(remove(&["1", "open", "pods", "b2-0"]), "round 1 opening: pod b2-0: not in the recording");
    assert_eq!(remove(&["1", "open", "jobs", "b2"]), "round 1 opening: job b2: not in the recording");
    let says = failure(|c| {
        let step = &mut c["outcomes"][0]["rounds"][0]["steps"][0]["queues"];
        step["team-c"] = step["team-a"].clone();
    });
    assert_eq!(says, "round 0 reclaim, queue team-c: no numbers");
}

#[test]
fn what_jobs_hold_and_on_which_devices() {
    let says = failure(|c| {
        c["outcomes"][0]["rounds"][1]["open"]["jobs"]["a1"]["allocated"]["gpu"] = json!(1);
    });
    assert!(says.starts_with("round 1 opening: job a1: expected allocated 0.0/0.0/1.0, got 0.0/0.0/2.0"), "{says}");
    let mut merged = 0;
    for case in cases("fractions.jsonl.gz").iter().filter(|case| judge(case) == Verdict::Equal) {
        let mut other = case.clone();
        for round in other["outcomes"][0]["rounds"].as_array_mut().expect("rounds").iter_mut().skip(1) {
            for pod in round["open"]["pods"].as_object_mut().expect("pods").values_mut() {
                for group in pod[2].as_array_mut().expect("devices") {
                    *group = json!("another");
                }
            }
        }
        if other != *case {
            let verdict = judge(&other);
            assert!(matches!(&verdict, Verdict::Failed(says) if says.contains("opening: pod")), "{verdict:?}");
            merged += 1;
        }
    }
    assert!(merged > 10, "{merged}");
}

#[test]
fn files_are_compared_with_the_whole_recording() {
    let rounds = |c: &mut Value| c["outcomes"][0]["rounds"].take();
    let says = failure_of_file(|c| {
        c["outcomes"][0]["rounds"][1]["steps"][0]["commits"][0][0]["node"] = json!("node-1");
    });
    assert!(says.starts_with("round 1, allocate, commit 0: expected bind b2-0 on node-1"), "{says}");
    let says = failure_of_file(|c| c["outcomes"][0]["rounds"][0]["steps"] = json!([]));
    assert!(says.starts_with("round 0, reclaim, expected nothing more; got evict a2-0 for b2"), "{says}");
    let says = failure_of_file(|c| {
        c["outcomes"][0]["rounds"][0]["shares"]["team-a"]["fair_share"]["gpu"] = json!(3);
    });
    assert!(says.starts_with("round 0, opening: queue team-a fair share"), "{says}");
    let says = failure_of_file(|c| {
        c["outcomes"][0]["rounds"][1]["open"]["pods"]["b2-0"] = json!(["Running", "node-2", []]);
    });
    assert!(says.starts_with("round 1, opening: pod b2-0: expected Running"), "{says}");
    let says = failure_of_file(|c| {
        let mut rounds = rounds(c);
        rounds[1]["open"]["pods"].as_object_mut().expect("pods").remove("b2-0");
        c["outcomes"][0]["rounds"] = rounds;
    });
    assert_eq!(says, "round 1, opening: pod b2-0: not in the recorded opening");
    assert_eq!(failure_of_file(|c| c["outcomes"] = json!([])), "round 0, no outcomes");
}

#[test]
fn nonsense_is_named() {
    let says = failure(|c| c["jobs"][0]["pods"][0]["status"] = json!("Resting"));
    assert_eq!(says, "unknown status \"Resting\"");
    let says = failure(|c| c["outcomes"][0]["rounds"][0]["steps"][0]["action"] = json!("dance"));
    assert!(says.contains("\"dance\""), "{says}");
    let says = failure(|c| c["outcomes"] = json!([]));
    assert_eq!(says, "no outcomes");
}

/// Names of new devices are arbitrary, but sharing is not.
#[test]
fn devices() {
    let cases = cases("fractions.jsonl.gz");
    let renamed = |case: &Value, new: &str| {
        let text = case.to_string().replace("\"new-", &format!("\"{new}-"));
        serde_json::from_str::<Value>(&text).expect("still JSON")
    };
    let with_new: Vec<&Value> = cases.iter().filter(|c| c.to_string().contains("\"new-")).collect();
    assert!(with_new.len() > 10);
    for case in &with_new {
        assert_eq!(judge(&renamed(case, "other")), judge(case), "{}", case["id"]);
    }
    let merged = with_new.iter().filter(|case| {
        let text = case.to_string();
        let merged = text.replace("-1\"]", "-0\"]");
        merged != text && matches!(judge(&serde_json::from_str(&merged).expect("JSON")), Verdict::Failed(_))
    });
    assert!(merged.count() > 3, "devices that are merged must be noticed");
}

fn malformed(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("malformed");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    read(&path).expect_err("malformed").says
}

#[test]
fn malformed_files() {
    assert_eq!(malformed("a.jsonl", ""), "empty");
    assert_eq!(malformed("b.jsonl", "{\"format\":\"kai-cycle/1\"}\n"), "no cases");
    assert_eq!(malformed("c.jsonl", "{\"format\":\"x/1\"}\n{}\n"), "unknown format \"x/1\"");
    assert!(malformed("d.jsonl", "{}\n").starts_with("not a header"));
    assert!(malformed("e.jsonl.gz", "plain").starts_with("not gzip"));
    let short = malformed("f.jsonl", "{\"format\":\"kai-cycle/1\",\"count\":2}\n{}\n");
    assert_eq!(short, "1 cases, but the header says 2");
}

/// Failure after an edit of a worked example of Run:ai.
fn runai_failure(id: &str, edit: impl Fn(&mut Value)) -> String {
    noticed(case_of("runai/worked-examples.jsonl", "id", id), runai::check, edit)
}

#[test]
fn other_numbers_and_decisions_of_runai() {
    let table = "runai-06-caps";
    let says = runai_failure(table, |c| c["expect"][0]["exact"]["P2"]["gpu"] = json!("9"));
    assert_eq!(says, "P2 gpu exact: expected \"9\", got (46, 5)");
    let says = runai_failure(table, |c| c["expect"][0]["whole"]["P2"]["gpu"] = json!("10"));
    assert_eq!(says, "P2 gpu whole: expected 10, got 9");
    let says = runai_failure(table, |c| c["expect"][0]["headline"]["P1"] = json!("5"));
    assert!(says.starts_with("headline of P1"), "{says}");
    let says = runai_failure("runai-11-quickstart", |c| c["steps"][4][7] = json!(["a2"]));
    assert!(says.starts_with("step 4 \"submit\": expected"), "{says}");
    let says = runai_failure("runai-11-quickstart", |c| c["steps"][3][1]["team-a"][3] = json!("in-quota"));
    assert!(says.starts_with("step 3 \"state\": team-a"), "{says}");
    let says = runai_failure("runai-15-priority-preempt", |c| c["steps"][3][6] = json!("over-limit"));
    assert!(says.contains("non-preemptible-over-quota"), "{says}");
    let says = runai_failure("runai-20-fractions", |c| c["partA"]["spread"]["f2"] = json!("n1/g0"));
    assert!(says.starts_with("part A spread"), "{says}");
    let says = runai_failure("runai-21-multi-resource", |c| c["expect_state"]["queue"] = json!("in-quota"));
    assert!(says.starts_with("state"), "{says}");
}

/// Failure after an edit of the first YuniKorn scenario.
fn yunikorn_failure(edit: impl Fn(&mut Value)) -> String {
    let case = golden("yunikorn/seed-multitenancy.jsonl").next().expect("a case");
    noticed(case, |case| yunikorn::check(yunikorn::CaseKind::Trace, case), edit)
}

#[test]
fn yunikorn_cycles_orders_states_and_headroom() {
    let says = yunikorn_failure(|c| c["trace"][0]["cycles"][2]["ask"] = json!("low-P3"));
    assert!(says.starts_with("t 0 cycle 2 ask: expected \"low-P3\""), "{says}");
    let says =
        yunikorn_failure(|c| c["trace"][0]["cycles"][0]["order"]["queues"]["root"] = json!(["tenants", "system"]));
    assert!(says.starts_with("t 0 cycle 0 order queues root"), "{says}");
    let says = yunikorn_failure(|c| c["trace"][0]["cycles"][0]["patch"]["queues"]["root.system"]["eff"] = json!(11));
    assert!(says.starts_with("t 0 cycle 0 queues root.system eff: expected 11"), "{says}");
    let says = yunikorn_failure(|c| {
        let last = c["trace"].as_array().map_or(0, Vec::len) - 1;
        c["trace"][last]["headroom"]["root"]["vcore"] = json!(1);
    });
    assert!(says.starts_with("headroom of root"), "{says}");
    let says = yunikorn_failure(|c| {
        if let Some(cycles) = c["trace"][0]["cycles"].as_array_mut() {
            let again = cycles[10].clone();
            cycles.push(again);
        }
    });
    assert!(says.contains("a cycle more was recorded"), "{says}");
}
