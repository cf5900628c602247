//! Texts of findings, and hostile files.

use expect_test::expect;
use fairground::scenario::{Severity, check, codes, locate, positions, read, to_yaml};

/// Findings of a text with their positions, one per line.
fn findings(text: &str) -> String {
    let answer = read(text);
    let mut all = answer.diagnostics;
    if let Some(scenario) = &answer.scenario {
        all.extend(check(scenario).diagnostics);
    }
    locate(text, &mut all);
    let mut lines = String::new();
    for found in all {
        let (line, column) = found.position.unwrap_or_default();
        let fix = found.fix.map_or(String::new(), |fix| format!(" [{}]", fix.label));
        let bad = if found.severity == Severity::Error { "error" } else { "warning" };
        lines.push_str(&format!("{line}:{column} {bad} {} {}: {}{fix}\n", found.code.0, found.at, found.says));
    }
    lines
}

#[test]
fn every_kind_of_finding_has_advice() {
    let small = |code| ![codes::TEXT_TOO_LARGE, codes::TOO_NESTED].contains(&code);
    let texts: Vec<String> =
        codes::ALL.iter().filter(|about| small(about.code)).map(|about| findings(&about.example())).collect();
    expect![[r#"
        2:1 error S001 : this cannot be read as YAML: while parsing a flow sequence, expected ',' or ']'
        3:7 error S004 : a tag (!name) is not allowed here; write the value out
        4:7 error S005 : the key "name" stands here twice; remove one
        3:7 error S006 jobs: jobs takes a list of entries
        3:1 error S007 : unknown field "queus"; did you mean `queues`?
        1:9 error S008 format: this is another kind of file; a scenario says `format: fairground-scenario`
        2:10 error S009 version: version "2" of the format is not known here, this build reads version 1: open the file in the build that wrote it, or in a newer one
        3:10 error S010 dialect: dialect "slurm" is not known here; write kai [Use the dialect kai]
        3:9 error S011 policy: policy "lottery" is not known here; write one of kai, runai, yunikorn, ego, fifo, max-min, drf [Use the policy kai]
        3:20 error S012 settings.k-valu: the policy has no setting "k-valu"; did you mean `k-value`? [Use k-value]
        3:27 error S013 settings.gpu-placement: gpu-placement "random" is not binpack or spread [Use the default of gpu-placement]
        3:24 error S014 nodes["n"].gpu: gpu "eight" is not a whole number of GPUs, at most 64
        3:24 error S015 nodes["n"].gpu: gpu "-8" is below zero; it takes a whole number of GPUs, at most 64 [Set gpu to 8]
        3:24 error S016 nodes["n"].gpu: gpu "65" is too large; it takes a whole number of GPUs, at most 64
        3:17 error S017 delays.start: start "soon" is not a time such as 90, 90s, 5m, 2h30m or 1d
        3:9 error S018 nodes[0].name: this node has no name; give it one [Call it node-1]
        3:16 error S019 nodes["a\nb"].name: the name "a�b" has control characters; remove them [Rename it to "a b"]
        3:35 error S020 nodes[1].name: the name "n" is given to another node already; rename one of them [Rename it to "n-2"]
        3:28 error S021 queues["a"].parent: "a" names "top" as parent, which does not exist; add it or name another [Make it a top-level queue]
        4:21 error S022 queues["a"].parent: "a", "b" are each other's ancestors; make one of them a top-level queue [Make "a" a top-level queue]
        20:23 error S023 queues["q16"].parent: "q16" lies deeper than 16 levels; move it up [Make it a top-level queue]
        3:25 error S024 jobs["j"].queue: queue "a" does not exist; add it or name another [Add the queue "a"]
        7:25 error S025 jobs["j"].queue: queue "top" has children, so it takes no jobs; name a queue below it such as "a" [Put it into "a"]
        5:60 error S026 jobs["j"].min-available: min-available "3" is more than the 2 pods there are [Require all pods]
        5:48 error S027 jobs["j"].gpu-memory: gpu and gpu-memory are two ways of asking for a GPU; give only one [Remove gpu-memory]
        5:33 error S028 jobs["j"].gpu: gpu 1.5 is neither whole nor part of one GPU; round it [Request 2 GPUs]
        5:46 error S029 jobs["j"].priority: priority "urgent" is neither an integer nor one of train, build-preemptible, interactive-preemptible, build, inference; priority-class.NAME in the settings adds a class [Use the default priority]
        3:34 error S030 nodes["n"].state: state "broken" is neither ready nor draining nor one of down, cordoned, not-ready, memory-pressure, disk-pressure, pid-pressure, network-unavailable [Set the state to down]
        5:36 error S031 jobs["j"].on: node "m" does not exist; did you mean "n"? [Use "n"]
        5:36 error S032 jobs["j"].on: on names 2 nodes for 1 pods; remove some [Keep the first 1]
        5:46 error S033 jobs["j"].on: node "n" cannot give the pods that name it these devices; let the job wait or run elsewhere [Let it wait instead]
        5:56 error S034 jobs["j"].started: a job with `on` runs when it becomes known, so it cannot start later [Let it start then]
        3:12 error S035 timeline[0]: this entry names no queue, node or job; name one or remove it [Remove the entry]
        3:26 error S036 timeline[0].node: node "n" does not exist; add it or name another [Remove the entry]
        4:43 error S037 timeline[0].gpu.usage: past usage is part of the start and cannot be changed; remove it [Remove it]
        3:1 error S038 nodes: there are 1000000000000 nodes; up to 20000 are simulated
        4:43 warning S039 queues["a"].gpu.limit: "a" has a gpu limit of 2 below its quota of 4; the limit wins [Raise the gpu limit to 4]
        4:20 warning S040 queues["a"].gpu.limit: "a" has no gpu limit, which allows nothing in KAI; write unlimited [Set the gpu limit to unlimited]
        4:66 warning S041 queues["a"].cpu.quota: "a" has no cpu quota, which counts as 0: all of its cpu is above quota; write unlimited or a quota [Set the cpu quota to unlimited]
        4:62 warning S042 queues["a"].gpu.weight: "a" has gpu weight 0, so it gets nothing of what others leave unused; write 1 [Set the gpu weight to 1]
        5:28 warning S043 queues["top"].gpu.quota: quotas of the queues below "top" add up to 4 GPUs, but "top" itself has only 2 [Raise the quota of "top" to 4]
        4:1 warning S044 queues: quotas of the top-level queues add up to 9 GPUs, but all ready nodes have only 8
        6:22 warning S045 queues["b"].created: "a" and "b" are of the same age, so their names break ties [Make "b" younger]
        5:33 warning S046 jobs["j"].gpu: "j" asks for more gpu than any node it may use has (4), so it waits for ever [Request 4]
        5:36 warning S047 jobs["j"].selector: no node has the labels "zone=east"; the job waits for ever [Remove the selector]
        5:44 warning S048 queues["a"].gpu.weight: first in, first out ignores weight (of "a")
        3:35 warning S049 nodes["n"].memory: memory "64" counts bytes; did you mean 64Gi? [Set the memory to 64Gi]
        5:33 warning S050 jobs["j"].gpu: KAI counts parts of a GPU in hundredths; write 0.13 [Request 0.13]
        5:43 warning S051 jobs["j"].every: every needs a count: how many jobs arrive at this distance [Remove it]
        3:27 error S055 nodes["n"].taints: "gpu" is not a taint such as gpu:NoSchedule or pool=a:NoExecute [Remove the taints]
        3:21 warning S056 settings.k-value: k-value has no effect: it needs past usage: of a queue, or measured (usage-client) [Remove it]
        4:33 error S057 nodes["n"].pool: pool "dev" is not in the list of pools; add it or name another [Add the pool "dev"]
        3:24 warning S058 pools["dev"]: no node is in the pool "dev", so nothing runs there [Remove the pool]
        6:1 warning S059 settings.maxapplications.b: YuniKorn would refuse this: root has maxapplications 2, so b needs it too
        5:56 warning S060 jobs["j"].scheduling-backoff: scheduling-backoff 3 counts as 1: only 1 and -1 are documented [Set it to 1]
        5:60 warning S061 jobs["k"].seed: the jobs of "k" and "j" draw the same runtimes: both have seed 1; give "k" another [Set its seed to 2]
        5:45 error S062 jobs["j"].restart: restart "sometimes" is none of again (all of its work), resume (the rest) and never (it is not replaced) [Let it resume]
        3:39 warning S063 nodes["n"].gpu-memory: gpu-memory "80" is 80 MiB, which no GPU has; did you mean 80Gi? [Set gpu-memory to 80Gi]
        6:78 error S064 jobs["j"].evicted-for: allocation "k" does not exist; did you mean "j"? [Use "j"]
        5:46 warning S065 jobs["j"].on: node "n" has less than the pods that name it ask for [Let it wait instead]
        4:79 warning S066 queues["a"].cpu.quota: "a" has a cpu quota of 8m, less than one core: a queue counts cpu in millicores, so that 8 cores are 8000 [Set the cpu quota to 8 cores]
        4:43 warning S067 queues["a"].gpu.limit: "j" needs gpu 4 to start, more than the limit of "a" (2), so it waits until the limit is raised [Set the gpu limit to 4]
    "#]].assert_eq(&texts.concat());
}

#[test]
fn all_errors_are_reported_at_once() {
    let text = "\
format: fairground-scenario
version: 1
policy: kay
settings: {k-value: -1, gpu-placment: spread}
cycle: now and then
nodes:
  - {name: a, count: 2, gpu: 4, memory: 16 Gb}
  - {name: a-1, gpu: 2.5}
queues:
  - name: top
    gpu: {quota: 2, limit: 1, weight: -1}
  - name: team-a
    parent: tpo
    gpu: {quota: 3 GPUs}
    color: red
  - name: team-a
    parent: top
    gpu: 3
jobs:
  - {name: j, queue: taem-a, gpu: 8, min-available: 2, priority: trian}
  - {name: k, queue: top, submit: tomorrow, on: [a-3]}
  - just text
timeline:
  - {at: -1, queue: team-c, gpu: {quota: 1}}
  - {at: 5, node: a-1}
  - {at: 6, job: j, state: down, node: a-2}
";
    expect![[r#"
        15:12 error S007 queues["team-a"]: unknown field "color"; known here: name, parent, priority, created, gpu, cpu, memory, preempt-min-runtime, reclaim-min-runtime, note, pools, default-pools, display-name
        18:10 error S006 queues["team-a"].gpu: queues["team-a"].gpu takes keys and values: quota, limit, weight, usage
        22:5 error S006 jobs[2]: jobs[2] takes keys and values
        3:9 error S011 policy: policy "kay" is not known here; write one of kai, runai, yunikorn, ego, fifo, max-min, drf [Use the policy kai]
        4:39 error S012 settings.gpu-placment: the policy has no setting "gpu-placment"; did you mean `gpu-placement`? [Use gpu-placement]
        4:21 error S013 settings.k-value: k-value "-1" is not a number not below zero, with at most six digits [Use the default of k-value]
        5:8 error S017 cycle: cycle "now and then" is neither a period such as `1s` or `120s, first at 1s`, nor `on change` or `on events` [Use the default cycle]
        8:22 error S014 nodes["a-1"].gpu: gpu "2.5" has too many decimals; it takes a whole number of GPUs, at most 64
        8:12 error S020 nodes["a-1"].name: the name "a-1" is given to another node already; rename one of them [Rename it to "a-1-2"]
        11:39 error S015 queues["top"].gpu.weight: weight "-1" is below zero; it takes a number such as 1 or 0.5 [Set weight to 1]
        14:18 error S014 queues["team-a"].gpu.quota: quota "3 GPUs" is not a number of GPUs such as 8 or 0.5, or unlimited
        16:11 error S020 queues[2].name: the name "team-a" is given to another queue already; rename one of them [Rename it to "team-a-2"]
        13:13 error S021 queues["team-a"].parent: "team-a" names "tpo" as parent, which does not exist; did you mean "top"? [Use "top"]
        20:66 error S029 jobs["j"].priority: priority "trian" is neither an integer nor one of train, build-preemptible, interactive-preemptible, build, inference; priority-class.NAME in the settings adds a class [Use train]
        20:53 error S026 jobs["j"].min-available: min-available "2" is more than the one pod there is [Require all pods]
        20:22 error S024 jobs["j"].queue: queue "taem-a" does not exist; did you mean "team-a"? [Use "team-a"]
        21:35 error S017 jobs["k"].submit: submit "tomorrow" is not a time such as 90, 90s, 5m, 2h30m or 1d
        21:22 error S025 jobs["k"].queue: queue "top" has children, so it takes no jobs; name a queue below it such as "team-a" [Put it into "team-a"]
        22:5 error S018 jobs[2].name: this job has no name; give it one [Call it job-3]
        22:5 error S024 jobs[2].queue: this job names no queue; jobs belong to a queue without children [Remove the job]
        24:10 error S037 timeline[0].at: the timeline begins at 0; set a moment from then on [Let it happen at the start]
        24:21 error S036 timeline[0].queue: queue "team-c" does not exist; did you mean "team-a"? [Use "team-a"]
        25:5 error S035 timeline[1]: this entry changes nothing of the node; add `state: down` or `state: ready` [Set the state to down]
        26:5 error S027 timeline[2]: this entry names several of queue, node, job and settings; name only one [Remove the entry]
        21:45 error S031 jobs["k"].on: node "a-3" does not exist; did you mean "a-1"? [Use "a-1"]
        11:28 warning S039 queues["top"].gpu.limit: "top" has a gpu limit of 1 below its quota of 2; the limit wins [Raise the gpu limit to 2]
        14:5 warning S040 queues["team-a"].gpu.limit: "team-a" has no gpu limit, which allows nothing in KAI; write unlimited [Set the gpu limit to unlimited]
        18:10 warning S040 queues[2].gpu.limit: "team-a" has no gpu limit, which allows nothing in KAI; write unlimited [Set the gpu limit to unlimited]
        18:10 warning S042 queues[2].gpu.weight: "team-a" has gpu weight 0, so it gets nothing of what others leave unused; write 1 [Set the gpu weight to 1]
        20:35 warning S046 jobs["j"].gpu: "j" asks for more gpu than any node it may use has (4), so it waits for ever [Request 4]
        11:28 warning S067 queues["top"].gpu.limit: "j" needs gpu 8 to start, more than the limit of "top" (1), so it waits until the limit is raised [Set the gpu limit to 8]
        4:21 warning S056 settings.k-value: k-value has no effect: it needs past usage: of a queue, or measured (usage-client) [Remove it]
    "#]].assert_eq(&findings(text));
}

#[test]
fn foreign_and_hostile_texts_are_rejected_with_a_position() {
    let texts = [
        "",
        "just text",
        "- a\n- b",
        "{}",
        "apiVersion: v1\nkind: List",
        "format: fairground-scenario\nversion: 1\n\tname: x",
        "format: fairground-scenario\nversion: 1\nname: &a x\nnote: *a",
        "format: fairground-scenario\nversion: 1\nname: a\n---\nname: b",
        "format: fairground-scenario\nversion: 1\nqueues:\n- <<: {a: b}",
        "format: fairground-scenario\nversion: 1\n? [a]\n: b",
        "format: fairground-scenario\nversion: 1\nname: \"unclosed",
        "{\"format\": \"fairground-scenario\", \"version\": 1, \"name\": \"a\", \"name\": \"b\"}",
        "{\"format\": \"fairground-scenario\", \"version\": 1,}",
        "{\"format\": \"fairground-scenario\",\n\t\"version\": 1, \"cycle\": 2.50, \"name\": \"\\ud83d\\ude00\", \"nodes\": {}}",
        "{\"format\": \"fairground-scenario\", \"version\": 1.0}",
        "\u{0}",
    ];
    let all: Vec<String> = texts.iter().map(|text| format!("{text:?}\n{}", findings(text))).collect();
    expect![[r#"
        ""
        1:1 error S008 : this is no scenario; a scenario begins with `format: fairground-scenario`
        "just text"
        1:1 error S008 : this is no scenario; a scenario begins with `format: fairground-scenario`
        "- a\n- b"
        1:1 error S008 : this is no scenario; a scenario begins with `format: fairground-scenario`
        "{}"
        1:1 error S008 : the format is missing; add `format: fairground-scenario` as the first line
        "apiVersion: v1\nkind: List"
        1:1 error S008 : the format is missing; add `format: fairground-scenario` as the first line
        1:13 error S007 : unknown field "apiVersion"; known here: name, note, dialect, policy, settings, cycle, delays, nodes, queues, jobs, timeline, pools
        2:7 error S007 : unknown field "kind"; known here: name, note, dialect, policy, settings, cycle, delays, nodes, queues, jobs, timeline, pools
        "format: fairground-scenario\nversion: 1\n\tname: x"
        2:10 error S001 : a tab stands where only spaces may; use spaces to set lines in
        "format: fairground-scenario\nversion: 1\nname: &a x\nnote: *a"
        3:7 error S004 : an anchor (&name) is not allowed here; write the value out
        "format: fairground-scenario\nversion: 1\nname: a\n---\nname: b"
        4:1 error S004 : a second document (---) is not allowed here; write the value out
        "format: fairground-scenario\nversion: 1\nqueues:\n- <<: {a: b}"
        4:3 error S004 : a merge key (<<) is not allowed here; write the values out
        "format: fairground-scenario\nversion: 1\n? [a]\n: b"
        3:3 error S004 : a key must be a text, not a list or a map
        "format: fairground-scenario\nversion: 1\nname: \"unclosed"
        3:7 error S001 : this cannot be read as YAML: while scanning a quoted scalar, found unexpected end of stream
        "{\"format\": \"fairground-scenario\", \"version\": 1, \"name\": \"a\", \"name\": \"b\"}"
        1:70 error S005 : the key "name" stands here twice; remove one
        "{\"format\": \"fairground-scenario\", \"version\": 1,}"
        "{\"format\": \"fairground-scenario\",\n\t\"version\": 1, \"cycle\": 2.50, \"name\": \"\\ud83d\\ude00\", \"nodes\": {}}"
        2:64 error S006 nodes: nodes takes a list of entries
        "{\"format\": \"fairground-scenario\", \"version\": 1.0}"
        1:46 error S009 version: version "1.0" of the format is not known here, this build reads version 1: open the file in the build that wrote it, or in a newer one
        "\0"
        1:1 error S001 : this cannot be read as YAML: found unprintable character
    "#]].assert_eq(&all.concat());
}

#[test]
fn names_are_arbitrary_and_truncated_in_messages() {
    let long = "x".repeat(10_000);
    for name in ["<img src=x onerror=alert(1)>", "../../etc/passwd", "{{constructor}}", "a\u{202e}b", long.as_str()] {
        let text = format!(
            "format: fairground-scenario\nversion: 1\nqueues: [{{name: {name:?}, parent: {name:?}}}]\njobs: [{{name: {name:?}, queue: b}}]\n"
        );
        let text = text.replace("\\u{202e}", "\\u202e");
        let answer = read(&text);
        assert_eq!(answer.diagnostics, [], "{text}");
        let scenario = answer.scenario.expect("the shape is right");
        assert_eq!(read(&to_yaml(&scenario)).scenario.as_ref(), Some(&scenario));
        for found in check(&scenario).diagnostics {
            assert!(found.says.len() < 400, "{}", found.says);
        }
    }
}

#[test]
fn comments_are_detected() {
    assert!(read("# a\nformat: fairground-scenario\nversion: 1\n").has_comments);
    assert!(!read("format: fairground-scenario\nversion: 1\n").has_comments);
}

#[test]
fn a_flood_of_findings_is_counted() {
    let mut text = String::from("format: fairground-scenario\nversion: 1\njobs:\n");
    for i in 0..1000 {
        text.push_str(&format!("- {{name: j{i}, queue: none}}\n"));
    }
    let found = check(&read(&text).scenario.expect("the shape is right")).diagnostics;
    assert_eq!(found.len(), 101);
    assert_eq!(found[100].says, "900 more findings like the 100 above");
}

/// Labels are edited as one text, and the first cycle may have its own time.
#[test]
fn labels_and_the_first_cycle_are_texts() {
    use fairground::scenario::{Edit, Path, apply, check, get, read};
    let text = "format: fairground-scenario\nversion: 1\ncycle: 120s, first at 1s\nnodes: [{name: n, gpu: 1}]\n";
    let scenario = read(text).scenario.expect("it can be read");
    let at = Path::default().field("nodes").named("n").field("labels");
    let edit = Edit::Set { at: at.clone(), value: "zone = east,gold".into() };
    let after = apply(&scenario, &[edit]).expect("labels are a place");
    assert_eq!(get(&after, &at).as_deref(), Some("gold=, zone=east"));
    let plan = check(&after).plan.expect("it can run");
    let mut simulation = fairground::sim::Simulation::new(&plan);
    let mut times = Vec::new();
    while times.len() < 3 {
        let record = simulation.advance().expect("cycles go on");
        times.push(record.time.as_millis());
    }
    assert_eq!(times, [1_000, 121_000, 241_000]);
}

#[test]
fn findings_have_the_words_of_the_policy_and_the_names_of_the_file() {
    let said = findings(
        "format: fairground-scenario\nversion: 1\npolicy: ego\nnodes: [{name: n, gpu: 8}]\n\
         queues: [{name: \"[queue]\"}, {name: my queue, parent: \"[queue]\"}]\n\
         jobs: [{name: j, queue: \"[queue]\", gpu: 1}, {name: k, queue: my queues, gpu: 1}, {name: l, queue: 'a \" [queue] b'}]\n",
    );
    for expected in [
        "consumer \"[queue]\" has children, so it takes no allocations; name a consumer below it such as \"my queue\"",
        "consumer \"my queues\" does not exist; did you mean \"my queue\"?",
        "consumer \"a ' [queue] b\" does not exist",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[test]
fn values_have_positions() {
    let text = "queues:\n- name: a\n  gpu: {quota: 2, limit: 4}\njobs:\n- {gpu: 1}\n";
    let shown: Vec<String> = positions(text).iter().map(|(path, at)| format!("{path} {at:?}")).collect();
    let expected = [
        "queues[\"a\"].name (2, 9)",
        "queues[\"a\"].gpu.quota (3, 16)",
        "queues[\"a\"].gpu.limit (3, 26)",
        "jobs[0].gpu (5, 9)",
    ];
    assert_eq!(shown, expected);
    assert!(positions("queues: [").is_empty());
}
