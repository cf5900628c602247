//! The runner in pipelines: output, exit codes, broken pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

const TWO_TEAMS: &str = r"
format: fairground-scenario
version: 1
name: Two teams, four GPUs
dialect: kai
policy: fifo
cycle: 1s
nodes:
  - { name: node, count: 2, gpu: 2 }
queues:
  - { name: team-a, gpu: { quota: 2 } }
  - { name: team-b, gpu: { quota: 2 } }
jobs:
  - { name: a1, queue: team-a, gpu: 2, lasts: 6s }
  - { name: a2, queue: team-a, gpu: 1, submit: 1s, lasts: 5s }
  - { name: b1, queue: team-b, gpu: 1, lasts: 4s }
";

pub fn fairground(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairground"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // Writing fails if the command does not read its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

pub fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn prints_what_happens_and_a_summary() {
    let output = fairground(&["run", "-"], TWO_TEAMS);
    let out = text(&output.stdout);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    assert!(out.contains("0:01  cycle 1      started    a1 (team-a) on node-1, GPU 0 1"), "{out}");
    assert!(out.contains("0:07  cycle 7      started    a2 (team-a) on node-1, GPU 0"), "{out}");
    assert!(out.contains("stopped: nothing further will happen"), "{out}");
}

#[test]
fn json_lines_are_objects_and_end_with_the_summary() {
    let output = fairground(&["run", "-", "--out", "jsonl"], TWO_TEAMS);
    let out = text(&output.stdout);
    let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let lines: Vec<serde_json::Value> = out.lines().map(parse).collect();
    let (last, cycles) = lines.split_last().expect("a summary");
    let times: Vec<i64> = cycles.iter().map(|line| line["time_s"].as_f64().expect("a number") as i64).collect();
    assert_eq!(times, [0, 1, 5, 7, 12], "only cycles in which something happened");
    for line in cycles {
        assert_eq!(line["digest"].as_str().map(str::len), Some(16));
        assert!(line["events"].is_array());
    }
    let summary = &last["summary"];
    assert_eq!(summary["jobs_done"], 3);
    // a1 waits 1 s, a2 6 s, b1 1 s.
    assert_eq!(summary["waits"]["max_s"], 6);
    assert_eq!(summary["waits"]["median_s"], 1);
    // a1: 2 GPUs × 6 s, a2: 5 s, b1: 4 s.
    assert_eq!(summary["gpu_seconds_used"], 21);
    assert_eq!(summary["queues"][0]["queue"], "team-a");
    assert_eq!(summary["queues"][0]["gpu_seconds_used"], 17);
    // b1 waits for the first cycle.
    assert_eq!(summary["queues"][1]["gpu_seconds_owed"], 1);
}

/// The node of a1 fails, and no controller replaces the job.
#[test]
fn a_job_may_end_evicted() {
    let lost = TWO_TEAMS.replace("gpu: 2, lasts: 6s", "gpu: 2, lasts: 6s, restart: never")
        + "timeline:\n  - { at: 3s, node: node-1, state: down }\n";
    let out = text(&fairground(&["run", "-"], &lost).stdout);
    assert!(out.contains("not replaced a1 (team-a)") && out.contains("job evicted a1 (team-a)"), "{out}");
    assert!(out.contains("jobs over because their evicted pods were not recreated: 1"), "{out}");
    let line = text(&fairground(&["run", "-", "--out", "jsonl", "--summary-only"], &lost).stdout);
    let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let summary = &line["summary"];
    assert_eq!((&summary["jobs_done"], &summary["jobs_evicted"]), (&1.into(), &1.into()), "{summary}");
    // Without the node there are no free GPUs for a2.
    assert_eq!((&summary["jobs_unfinished"], &summary["gpu_seconds_lost"]), (&1.into(), &4.into()));
}

#[test]
fn the_same_scenario_gives_the_same_bytes() {
    let run = || fairground(&["run", "-", "--out", "jsonl", "--why"], TWO_TEAMS).stdout;
    assert_eq!(run(), run());
}

#[test]
fn summary_only_prints_one_line() {
    let output = fairground(&["run", "-", "--out", "jsonl", "--summary-only"], TWO_TEAMS);
    assert_eq!(text(&output.stdout).lines().count(), 1);
}

#[test]
fn stops_at_a_cycle_or_a_moment() {
    let cycles = fairground(&["run", "-", "--cycles", "3", "--out", "jsonl", "--summary-only"], TWO_TEAMS);
    assert!(text(&cycles.stdout).contains("\"cycles\":3"));
    let until = fairground(&["run", "-", "--until", "4.5s", "--out", "jsonl", "--summary-only"], TWO_TEAMS);
    assert!(text(&until.stdout).contains("\"cycles\":4"));
}

#[test]
fn exit_codes() {
    assert_eq!(code(&fairground(&["check", "-"], TWO_TEAMS)), Some(0));
    assert_eq!(code(&fairground(&["run", "-", "--fail-on", "evicted,pending"], TWO_TEAMS)), Some(0));
    let pending = ["run", "-", "--cycles", "2", "--fail-on", "pending"];
    assert_eq!(code(&fairground(&pending, TWO_TEAMS)), Some(1));
    assert_eq!(code(&fairground(&["run", "/does/not/exist.yaml"], "")), Some(4));
    assert_eq!(code(&fairground(&["import", "-", "--queues", "/does/not/exist.csv"], "")), Some(4));
    assert_eq!(code(&fairground(&["link", "-"], "\u{0}")), Some(2));
    assert_eq!(code(&fairground(&["run", "-"], "nodes: 3")), Some(2));
    assert_eq!(code(&fairground(&["run", "-", "--until", "soon"], TWO_TEAMS)), Some(3));
    assert_eq!(code(&fairground(&["walk"], "")), Some(3));
    assert_eq!(code(&fairground(&["--help"], "")), Some(0));
}

#[test]
fn findings_say_where_and_how_to_mend() {
    let wrong = TWO_TEAMS.replace("queue: team-b", "queue: team-c");
    let output = fairground(&["check", "-"], &wrong);
    let err = text(&output.stderr);
    assert_eq!(code(&output), Some(2));
    assert!(err.contains("standard input:"), "{err}");
    assert!(err.contains("jobs[\"b1\"].queue"), "{err}");
    assert!(err.contains("fix: "), "{err}");
    let line = 1 + wrong.lines().position(|line| line.contains("team-c")).expect("there");
    assert!(err.contains(&format!(":{line}:")), "{err}");
}

#[test]
fn a_reader_that_has_enough_is_no_mistake() {
    let many = TWO_TEAMS.replace("name: b1,", "name: b1, count: 5000, every: 10s,");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairground"))
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("piped").write_all(many.as_bytes()).expect("it reads");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut first).expect("it writes");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((code(&output), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_link_holds_the_scenario() {
    let link = text(&fairground(&["link", "-"], TWO_TEAMS).stdout);
    let opened = fairground(&["open", link.trim()], "");
    assert_eq!(code(&opened), Some(0), "{}", text(&opened.stderr));
    let direct = fairground(&["run", "-", "--out", "jsonl"], TWO_TEAMS).stdout;
    assert_eq!(fairground(&["run", "-", "--out", "jsonl"], &text(&opened.stdout)).stdout, direct);
    assert_eq!(fairground(&["run", link.trim(), "--out", "jsonl"], "").stdout, direct);
    let cut = &link.trim()[..link.trim().len() / 2];
    let output = fairground(&["open", cut], "");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("cut off"), "{}", text(&output.stderr));
}

#[test]
fn a_trace_becomes_a_scenario_that_runs() {
    let dir = std::env::temp_dir().join(format!("fairground-runner-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("writable");
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    std::fs::write(path("jobs.csv"), "id,submit_s,duration_s,gpus,vc\n1,0,10,4,a\n2,1,5,8,b\n3,2,5,8,a\n")
        .expect("written");
    std::fs::write(path("queues.csv"), "vc,gpus\na,16\nb,16\n").expect("written");
    let (jobs, queues, out) = (path("jobs.csv"), path("queues.csv"), path("trace.yaml"));
    let args = [
        "import",
        &jobs,
        "--queues",
        &queues,
        "--nodes",
        "2x8",
        "--quota-scale",
        "1/2",
        "--policy",
        "fifo",
        "-o",
        &out,
    ];
    let imported = fairground(&args, "");
    assert_eq!(code(&imported), Some(0), "{}", text(&imported.stderr));
    assert!(text(&imported.stderr).contains("understood: "));
    let ran = fairground(&["run", &out, "--out", "jsonl", "--summary-only"], "");
    let summary: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(summary["summary"]["jobs_done"], 3);
    assert_eq!(summary["summary"]["waits"]["max_s"], 8);
    std::fs::remove_dir_all(&dir).expect("still there");
}

const TRACE: &str = "id,submit_s,duration_s,gpus,vc\n1,0,10,4,a\n";

#[test]
fn an_import_that_cannot_do_what_it_was_told_fails() {
    assert_eq!(code(&fairground(&["import", "-", "--policy", "ego"], TRACE)), Some(0));
    assert_eq!(code(&fairground(&["import", "-", "--policy", "zzz"], TRACE)), Some(3));
    let no_sizes = fairground(&["import", "-", "--queues", "/dev/null"], TRACE);
    assert_eq!(code(&no_sizes), Some(2));
    assert!(text(&no_sizes.stderr).contains("needs a column queue"), "{}", text(&no_sizes.stderr));
    assert_eq!(text(&no_sizes.stdout), "");
    let plan = r#"<DistributionTree><Consumer ConsumerName="a"/></DistributionTree>"#;
    assert_eq!(code(&fairground(&["import", "-", "--queues", "/dev/null"], plan)), Some(2));
}

/// Control characters in a file do not reach the terminal.
#[test]
fn messages_do_not_steer_the_terminal() {
    let escape = "\u{1b}[31m";
    let setting = "format: fairground-scenario\nversion: 1\nsettings: {\"\\e[31m\": 2}\nnodes: [{name: n, gpu: 1}]\n";
    let element = format!("<DistributionTree><Consumer ConsumerName=\"a\"><{escape}/></Consumer></DistributionTree>");
    let column = format!("id,submit_s,duration_s,gpus,{escape}\n1,0,10,4,a\n");
    let name = format!("{{\"totalResource\": {{}}, \"queues\": [{{\"{escape}\": 1}}]}}");
    for (args, input) in [
        (vec!["check", "-"], setting.to_string()),
        (vec!["import", "-"], element),
        (vec!["import", "-"], column),
        (vec!["fairshare", "-"], name),
        (vec!["time-based", "-"], format!("Jobs: {{\"{escape}\": 3}}\nNodes: [{{}}]")),
        (vec!["open", "\u{1b}[31m"], String::new()),
        (vec!["run", "/does/not/\u{1b}[31m"], String::new()),
        (vec!["run", "-", "--policy", "\u{1b}[31m"], TWO_TEAMS.to_string()),
    ] {
        let err = text(&fairground(&args, &input).stderr);
        assert!(!err.is_empty(), "{args:?}");
        assert!(!err.chars().any(|c| c.is_control() && c != '\n'), "{args:?}: {err:?}");
    }
}

/// Files of other products are recognised by their content.
#[test]
fn projects_and_plans_become_scenarios() {
    let projects = r#"{"projects": [{"name": "a", "departmentName": "d", "deservedGpus": 2}]}"#;
    let plan = r#"<DistributionTree><Consumer ConsumerName="a"/></DistributionTree>"#;
    for (given, policy) in [(projects, "policy: runai"), (plan, "policy: ego")] {
        let imported = fairground(&["import", "-"], given);
        assert_eq!(code(&imported), Some(0), "{}", text(&imported.stderr));
        assert!(text(&imported.stderr).contains("assumed: "));
        assert!(text(&imported.stdout).contains(policy), "{}", text(&imported.stdout));
        let checked = fairground(&["check", "-"], &text(&imported.stdout));
        assert_eq!(code(&checked), Some(0), "{}", text(&checked.stderr));
    }
    let wrong = fairground(&["import", "-"], &plan.replace("<Consumer", "<Consumer><"));
    assert_eq!(code(&wrong), Some(2));
    let wrong = fairground(&["import", "-"], &projects.replace("2}", "\"two\"}"));
    assert_eq!(code(&wrong), Some(2));
    assert!(text(&wrong.stderr).contains("standard input:1:"), "{}", text(&wrong.stderr));
}

/// Two queues of the same age and with equal values: their order is nondeterministic.
const TWINS: &str = r"
format: fairground-scenario
version: 1
nodes: [{ name: n, gpu: 1 }]
queues:
  - { name: a, created: -60s, gpu: { quota: 1, limit: unlimited, weight: 1 } }
  - { name: b, created: -60s, gpu: { quota: 1, limit: unlimited, weight: 1 } }
jobs:
  - { name: ja, queue: a, gpu: 1 }
  - { name: jb, queue: b, gpu: 1 }
";

#[test]
fn marks_are_printed() {
    let output = fairground(&["run", "-", "--cycles", "1"], TWINS);
    let out = text(&output.stdout);
    assert!(out.contains("cycle 1      mark       b, a: two queues of the same age"), "{out}");
    let output = fairground(&["run", "-", "--cycles", "1", "--out", "jsonl"], TWINS);
    let out = text(&output.stdout);
    let line = out.lines().find(|line| line.contains("\"marks\"")).expect("a line with marks");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(line["marks"][0]["rule"], "kai/chance/queues");
    assert_eq!(line["marks"][0]["about"], "b, a");
}

#[test]
fn a_crash_of_the_real_scheduler_is_a_mark() {
    let example = include_str!("../../assets/scenarios/the-real-one-crashes.yaml");
    let out = text(&fairground(&["run", "-", "--cycles", "20"], example).stdout);
    assert!(out.contains("the real scheduler crashes here and restarts"), "{out}");
}

const QUEUES: &str = "partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: a
      resources: {max: {vcore: 10}}
    - name: b
      properties: {priority.offset: '5'}
";

#[test]
fn queues_of_yunikorn_are_imported_edited_and_exported() {
    let imported = fairground(&["import", "-"], QUEUES);
    let scenario = text(&imported.stdout);
    assert_eq!(code(&imported), Some(0), "{}", text(&imported.stderr));
    assert!(text(&imported.stderr).contains("understood: 2 queues"), "{}", text(&imported.stderr));
    let exported = fairground(&["export", "-"], &scenario);
    assert!(text(&exported.stdout).contains("max:\n                vcore: 10"), "{}", text(&exported.stdout));
    let file = std::env::temp_dir().join(format!("fairground-queues-{}.yaml", std::process::id()));
    std::fs::write(&file, QUEUES).expect("a file");
    let against = file.to_str().expect("a name");
    let same = fairground(&["export", "-", "--against", against], &scenario);
    assert_eq!((code(&same), text(&same.stdout)), (Some(0), String::new()));
    let edited = scenario.replace("priority: 5", "priority: 6");
    let diff = text(&fairground(&["export", "-", "--against", against], &edited).stdout);
    let changes: Vec<&str> = diff.lines().skip(3).filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(changes, ["-              priority.offset: \"5\"", "+              priority.offset: \"6\""]);
    std::fs::remove_file(&file).expect("it was there");
    let plan = fairground(&["export", "-", "--format", "MDPlan.xml"], &scenario);
    assert!(text(&plan.stdout).contains("<Consumer ConsumerName=\"a\">"), "{}", text(&plan.stdout));
    assert!(text(&plan.stderr).contains("left out: "), "{}", text(&plan.stderr));
    let refused = fairground(&["import", "-"], "partitions:\n- queus: []\n");
    assert_eq!(code(&refused), Some(2));
    assert!(text(&refused.stderr).contains("standard input:2:3: error"), "{}", text(&refused.stderr));
}

/// Another policy uses its own terms, and the notes of the translation are printed.
#[test]
fn another_policy_speaks_other_words() {
    let output = fairground(&["run", "-", "--policy", "yunikorn", "--out", "jsonl"], TWO_TEAMS);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    let err = text(&output.stderr);
    assert!(err.contains("kept: quota is called guaranteed in YuniKorn (queues[\"team-a\"].gpu.quota"), "{err}");
    let out = text(&output.stdout);
    let first: serde_json::Value = serde_json::from_str(out.lines().next().expect("lines")).expect("JSON");
    assert_eq!(first["translated"]["policy"], "yunikorn");
    assert_eq!(first["translated"]["notes"][0]["kind"], "kept");
    let written = fairground(&["translate", "-", "--policy", "kai"], TWO_TEAMS);
    assert_eq!(code(&written), Some(0), "{}", text(&written.stderr));
    let scenario = text(&written.stdout);
    assert!(scenario.contains("policy: kai") && scenario.contains("limit: unlimited"), "{scenario}");
    assert_eq!(code(&fairground(&["translate", "-", "--policy", "lottery"], TWO_TEAMS)), Some(2));
    assert_eq!(code(&fairground(&["run", "-", "--policy", "lottery"], TWO_TEAMS)), Some(2));
}

#[test]
fn policies_side_by_side() {
    let policies = "fifo,max-min,drf,kai,yunikorn,ego,runai";
    let output = fairground(&["compare", "-", "--policies", policies], TWO_TEAMS);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    let row = |caption: &str| -> Vec<String> {
        let line = out.lines().find(|line| line.starts_with(caption)).unwrap_or_else(|| panic!("{caption} in {out}"));
        line[caption.len()..].split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row("jobs done"), ["3"; 7]);
    assert!(row("until").chunks(2).all(|cell| cell == ["13.0", "s"]), "{out}");
    assert!(out.contains("team-a: GPU seconds") && !out.contains("GPU hours"), "{out}");
    let lines = fairground(&["compare", "-", "--policies", policies, "--until", "3s", "--out", "jsonl"], TWO_TEAMS);
    let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let lines: Vec<serde_json::Value> = text(&lines.stdout).lines().map(parse).collect();
    let gpus = |i: usize| [&lines[i]["queues"][0]["held"], &lines[i]["queues"][1]["held"]].map(|n| n.as_f64());
    // With hard quotas a2 waits for its own two GPUs, and EGO lends whole hosts; all other policies give it the idle
    // GPU.
    for (i, line) in lines.iter().enumerate() {
        let lends = !["fifo", "ego"].contains(&line["policy"].as_str().expect("a name"));
        let (of_a, waiting) = if lends { (3.0, 0) } else { (2.0, 1) };
        let found = (gpus(i), &line["jobs_waiting"]);
        assert_eq!(found, ([Some(of_a), Some(1.0)], &waiting.into()), "{}", line["policy"]);
    }
}

/// The first three cycles are idle: reasons are printed with the first cycle and when one changes, before the fourth.
#[test]
fn reasons_are_printed_before_idle_cycles() {
    let example = include_str!("../../assets/scenarios/min-runtime-on.yaml");
    let out = text(&fairground(&["run", "-", "--why", "--cycles", "3"], example).stdout);
    let about_b1 = |line: &&str| line.contains(" cycle ") && line.contains(" b1 is waiting: ");
    let said: Vec<&str> = out.lines().filter(about_b1).map(str::trim).collect();
    let protected =
        "b1 is waiting: no GPU is free, and a1, a2, a3 and a4 are protected by their minimum runtime (until 4:35).";
    assert_eq!(said, [format!("0:01  cycle 1      {protected}"), format!("4:01  cycle 3      {protected}")]);
    assert!(out.contains("Next: At 4:35 the protection ends."), "{out}");
}

/// A job is explained at its last cycle or at a given moment, with numbers, settings and what would help; an unknown
/// name is an error.
#[test]
fn why_explains_one_job() {
    let example = include_str!("../../assets/scenarios/min-runtime-on.yaml");
    let now = text(&fairground(&["why", "b1"], example).stdout);
    assert!(now.starts_with("b1, cycle ") && !now.contains("b1 is waiting"), "{now}");
    let out = text(&fairground(&["why", "b1", "-", "--at", "1s"], example).stdout);
    assert!(
        out.contains("\nSettings that matter: ") && out.contains("(queues[\"team-a\"].reclaim-min-runtime)"),
        "{out}"
    );
    assert!(out.contains("\nb1 is waiting: no GPU is free, and a1, a2, a3 and a4 are protected"), "{out}");
    assert!(out.contains("\nNext: At 4:35 the protection ends."), "{out}");
    assert!(out.contains("\nWhat would help: Without a change it starts in cycle "), "{out}");
    let offer = "\n  Remove the minimum runtime before reclaim of team-a: It would start in cycle ";
    assert!(out.contains(offer), "{out}");
    let out = text(&fairground(&["why", "b1", "-", "--at", "10m"], example).stdout);
    assert!(out.starts_with("b1, cycle ") && out.contains("b1 runs in "), "{out}");
    let end = fairground(&["why", "b9"], example);
    assert_eq!(end.status.code(), Some(2));
    assert!(text(&end.stderr).contains("no job is called \"b9\""), "{}", text(&end.stderr));
}

/// Output of `kubectl` is imported and run in one pipeline.
#[test]
fn a_cluster_is_imported_and_run_in_one_pipe() {
    let cluster = r#"{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
         "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "1"}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"kai.scheduler/queue": "team"}},
         "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}, "status": {"phase": "Pending"}}
    ]}"#;
    let imported = fairground(&["import", "-", "--policy", "kai"], cluster);
    let report = text(&imported.stderr);
    assert!(report.contains("queues that the text does not have, without limits: team"), "{report}");
    let out = text(&fairground(&["run", "-", "--why"], &text(&imported.stdout)).stdout);
    assert!(out.contains("started    p (team) on n"), "{out}");
}

/// A folder is imported and one of its jobs explained in the same pipeline.
#[test]
fn a_folder_is_imported_and_one_of_its_jobs_explained() {
    let dir = std::env::temp_dir().join(format!("fairground-folder-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("nodes")).expect("writable");
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 8, memory: 32Gi, pods: 110, nvidia.com/gpu: 1}}\n";
    let pod = |name: &str, node: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{kai.scheduler/queue: team}}}}\nspec: {{{node}containers: [{{resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]}}\n---\n"
        )
    };
    std::fs::write(dir.join("nodes/n.yaml"), node).expect("written");
    std::fs::write(dir.join("pods.yml"), pod("runs", "nodeName: n, ") + &pod("waits", "")).expect("written");
    let folder = dir.to_string_lossy().into_owned();
    let imported = fairground(&["import", &folder, "--policy", "kai"], "");
    let report = text(&imported.stderr);
    assert_eq!(code(&imported), Some(0), "{report}");
    assert!(report.contains("n.yaml: a list of cluster objects"), "{report}");
    let why = fairground(&["why", "waits"], &text(&imported.stdout));
    assert!(text(&why.stdout).starts_with("waits, cycle "), "{}", text(&why.stdout));
    std::fs::remove_dir_all(&dir).expect("still there");
}

#[test]
fn columns_of_a_trace_are_named() {
    let trace = "who,arrival,took,need\na,0,10,1\n";
    let map = "queue=who,submit=arrival:ms,duration=took:min,gpus=need";
    let imported = fairground(&["import", "-", "--map", map], trace);
    assert_eq!(code(&imported), Some(0), "{}", text(&imported.stderr));
    assert!(text(&imported.stdout).contains("lasts: 600"), "{}", text(&imported.stdout));
    let wrong = fairground(&["import", "-", "--map", "queue=whom"], trace);
    assert_eq!(code(&wrong), Some(2));
    assert!(text(&wrong.stderr).contains("it names who, arrival, took, need"), "{}", text(&wrong.stderr));
    assert_eq!(code(&fairground(&["import", "-", "--map", "size=need"], trace)), Some(3));
}

/// Where no node has GPUs, sentences, tables and JSON are of cores under every policy but first in first out, whose
/// rules compare GPUs only.
#[test]
fn a_cluster_without_gpus_is_measured_in_cores() {
    let text_of = |arguments: &[&str]| {
        let output = fairground(arguments, CORES_ONLY);
        assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    for policy in ["kai", "runai", "yunikorn", "ego", "max-min", "drf"] {
        let out = text_of(&["run", "-", "--policy", policy, "--until", "1m", "--why"]);
        assert!(out.contains("a started on n-1, 2 cores") && out.contains("in core seconds"), "{policy}: {out}");
        assert!(!out.contains("GPU") && !out.contains(" uses 0 "), "{policy}: {out}");
        let lines = text_of(&["run", "-", "--policy", policy, "--until", "1m", "--out", "jsonl"]);
        assert!(
            lines.contains("\"cpu_seconds_used\":")
                && !lines.contains("\"cpu_seconds_used\":0.0")
                && !lines.contains("gpu_seconds"),
            "{policy}: {lines}"
        );
    }
    let compared = text_of(&["compare", "-", "--until", "1m"]);
    assert!(compared.contains("q: core seconds") && !compared.contains("GPU"), "{compared}");
}

const CORES_ONLY: &str = "format: fairground-scenario
version: 1
policy: kai
nodes:
- {name: n, count: 1, cpu: 4}
queues:
- {name: q, cpu: {quota: 2, limit: 2, weight: 1}, memory: {quota: unlimited, limit: unlimited}, gpu: {quota: 0, limit: unlimited, weight: 1}}
jobs:
- {name: a, queue: q, cpu: 2, lasts: 30s}
- {name: b, queue: q, cpu: 2, submit: 10s}
";

/// Several files are compared under their own policies, up to their first difference.
#[test]
fn scenarios_side_by_side() {
    let example = |name: &str| format!("{}/../assets/scenarios/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let files = [example("min-runtime-on"), example("min-runtime-off")];
    let output = fairground(&["compare", &files[0], &files[1], "--until", "10m"], "");
    let out = text(&output.stdout);
    let [first, second] = &out
        .split("first difference between")
        .nth(1)
        .expect("a difference")
        .split("min-runtime-off.yaml: ")
        .collect::<Vec<_>>()[1..]
    else {
        panic!("two sides in {out}")
    };
    assert!(first.contains("b1 is waiting: no GPU is free") && first.contains("minimum runtime"), "{first}");
    assert!(second.contains("a4 was evicted so that b1 can run"), "{second}");
}

/// A scenario in several versions of its scheduler: what each queue gets, and both explanations of the first
/// difference.
#[test]
fn versions_side_by_side() {
    let example = include_str!("../../assets/scenarios/upgrade-gang-starts.yaml");
    let compare = |args: &[&str], input: &str| fairground(&[&["compare", "-"], args].concat(), input);
    let output = compare(&["--versions", "0.13,v0.17", "--until", "2m"], example);
    let out = text(&output.stdout);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    for part in [
        "first difference between KAI v0.13 and KAI v0.17: 0:01",
        "train is waiting: no GPU is free, and serve is protected by its minimum runtime",
        "KAI v0.17: serve/2 is evicted from node-2 for train, sweep-2 is evicted from node-1 for train",
        "team-b: GPUs at the end",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let lines = compare(&["--versions", "0.17,0.13", "--until", "2m", "--out", "jsonl"], example);
    let lines: Vec<serde_json::Value> =
        text(&lines.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!([&lines[0]["name"], &lines[1]["name"]], ["KAI v0.17", "KAI v0.13"]);
    assert_eq!(lines[1]["first_difference"]["first"]["only"].as_array().map(Vec::len), Some(2));
    let refused = compare(&["--versions", "0.13,0.12"], example);
    assert_eq!(code(&refused), Some(2));
    assert!(text(&refused.stderr).contains("no version \"0.12\"; choose of 0.13, 0.17"));
    // First in, first out models no product.
    assert_eq!(code(&compare(&["--versions", "0.13,0.17"], TWO_TEAMS)), Some(2));
    assert_eq!(code(&compare(&["--versions", "0.13", "--policies", "fifo"], example)), Some(3));
}
