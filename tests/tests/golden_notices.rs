//! The runner of the recordings notices when a recording says something else.

use std::path::{Path, PathBuf};

use fairground_tests::recording::{self, Format};
use fairground_tests::report::Verdict;
use fairground_tests::{cycle, yunikorn};
use serde_json::{Value, json};

fn cases(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/kai-cycles").join(file);
    let recording = recording::read(&path).expect("a recording");
    recording.cases.iter().map(|(_, text)| serde_json::from_str(text).expect("a case")).collect()
}

fn judge(case: &Value) -> Verdict {
    let case: cycle::Case = serde_json::from_value(case.clone()).expect("a case");
    cycle::check(&case)
}

/// What the runner complains of after an edit of the start scenario's recording.
fn complaint(edit: impl Fn(&mut Value)) -> String {
    let mut case = cases("start.jsonl").swap_remove(0);
    assert_eq!(judge(&case), Verdict::Equal);
    edit(&mut case);
    match judge(&case) {
        Verdict::Failed(says) => says,
        other => panic!("not noticed: {other:?}"),
    }
}

#[test]
fn another_node() {
    let says =
        complaint(|c| c["outcomes"][0]["rounds"][1]["steps"][0]["commits"][0][0]["node"] = json!("node-1"));
    assert!(says.starts_with("round 1 allocate, commit 0: expected bind b2-0 on node-1"), "{says}");
}

#[test]
fn a_missing_step() {
    let says = complaint(|c| c["outcomes"][0]["rounds"][0]["steps"] = json!([]));
    assert!(says.starts_with("round 0 reclaim, commit 0: expected nothing; got evict a2-0 for b2"), "{says}");
}

#[test]
fn another_state_of_a_pod() {
    let says = complaint(|c| c["outcomes"][0]["rounds"][0]["steps"][0]["pods"]["a2-0"][0] = json!("Running"));
    assert!(says.starts_with("round 0 reclaim, pod a2-0: expected Running"), "{says}");
}

#[test]
fn numbers_of_queues() {
    let says = complaint(|c| {
        c["outcomes"][0]["rounds"][0]["shares"]["team-a"]["fair_share"]["gpu"] = json!(2.0000000001)
    });
    assert!(says.starts_with("round 0 opening: queue team-a fair share"), "{says}");
    let says = complaint(|c| {
        c["outcomes"][0]["rounds"][0]["steps"][0]["queues"]["team-b"]["allocated"]["gpu"] = json!(3);
    });
    assert!(says.starts_with("round 0 reclaim, queue team-b allocated"), "{says}");
}

#[test]
fn starts_and_openings() {
    let says = complaint(|c| c["outcomes"][0]["rounds"][1]["steps"][0]["started"] = json!([]));
    assert!(says.starts_with("round 1 allocate, started"), "{says}");
    let says = complaint(|c| c["outcomes"][0]["rounds"][2]["open"]["jobs"]["b2"]["last_start_s"] = json!(-2));
    assert!(says.starts_with("round 2 opening: job b2"), "{says}");
    let says = complaint(|c| {
        c["outcomes"][0]["rounds"][1]["open"]["pods"]["b2-0"] = json!(["Running", "node-2", []])
    });
    assert!(says.starts_with("round 1 opening: pod b2-0"), "{says}");
}

#[test]
fn nonsense_is_named() {
    let says = complaint(|c| c["jobs"][0]["pods"][0]["status"] = json!("Resting"));
    assert_eq!(says, "unknown status \"Resting\"");
    let says = complaint(|c| c["outcomes"][0]["rounds"][0]["steps"][0]["action"] = json!("dance"));
    assert!(says.contains("\"dance\""), "{says}");
    let says = complaint(|c| c["outcomes"] = json!([]));
    assert_eq!(says, "no outcomes");
}

/// Names of new devices are free, but who shares one with whom is not.
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
    recording::read(&path).expect_err("malformed").says
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

#[test]
fn other_products_are_not_built() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("a.jsonl"), "{\"format\":\"runai-model/1\"}\n{\"id\":1}\n").expect("a file");
    let found = recording::find(&folder).expect("a folder");
    assert_eq!(recording::read(&found[0]).map(|r| r.format), Ok(Format::Foreign));
}

/// What the runner complains of after an edit of the first YuniKorn scenario.
fn yunikorn_complaint(edit: impl Fn(&mut Value)) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/yunikorn/seed-multitenancy.jsonl");
    let recording = recording::read(&path).expect("a recording");
    let mut case: Value = serde_json::from_str(&recording.cases[0].1).expect("a case");
    let judge = |case: &Value| yunikorn::check(yunikorn::Kind::Trace, case);
    assert_eq!(judge(&case), Verdict::Equal);
    edit(&mut case);
    match judge(&case) {
        Verdict::Failed(says) => says,
        other => panic!("not noticed: {other:?}"),
    }
}

#[test]
fn yunikorn_cycles_orders_states_and_headroom() {
    let says = yunikorn_complaint(|c| c["trace"][0]["cycles"][2]["ask"] = json!("low-P3"));
    assert!(says.starts_with("t 0 cycle 2 ask: expected \"low-P3\""), "{says}");
    let says = yunikorn_complaint(|c| {
        c["trace"][0]["cycles"][0]["order"]["queues"]["root"] = json!(["tenants", "system"])
    });
    assert!(says.starts_with("t 0 cycle 0 order queues root"), "{says}");
    let says = yunikorn_complaint(|c| {
        c["trace"][0]["cycles"][0]["patch"]["queues"]["root.system"]["eff"] = json!(11)
    });
    assert!(says.starts_with("t 0 cycle 0 queues root.system eff: expected 11"), "{says}");
    let says = yunikorn_complaint(|c| {
        let last = c["trace"].as_array().map_or(0, Vec::len) - 1;
        c["trace"][last]["headroom"]["root"]["vcore"] = json!(1);
    });
    assert!(says.starts_with("headroom of root"), "{says}");
    let says = yunikorn_complaint(|c| {
        if let Some(cycles) = c["trace"][0]["cycles"].as_array_mut() {
            let again = cycles[10].clone();
            cycles.push(again);
        }
    });
    assert!(says.contains("a cycle more was recorded"), "{says}");
}
