//! The kit of a virtual cluster: its files, their structure, and their relation to the scenario.

use std::io::Read;

use fairground::export::{File, Folder, Refused, kit, zip};
use fairground::import::{Options, Source, import_kubernetes};
use fairground::scenario::{Scenario, read};

const TEXT: &str = "format: fairground-scenario
version: 1
name: Two teams
policy: kai
delays: {start: 2s, termination: 5s}
nodes:
- {name: node, count: 2, gpu: 4, cpu: 16, memory: 64Gi, taints: ['gpu=yes:NoSchedule']}
- {name: old, gpu: 1, state: cordoned}
queues:
- {name: top, gpu: {quota: 8, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
- {name: Team A, parent: top, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}
jobs:
- {name: train, queue: Team A, count: 2, every: 10s, gpu: 2, cpu: 500m, memory: 1Gi, lasts: 60s, priority: 60, tolerations: ['*']}
- {name: runs, queue: Team A, pods: 2, gpu: 1, on: [node-1, node-1], restart: never, tolerations: ['*']}
- {name: part, queue: Team A, gpu: 0.5, submit: 30s, affinity: ['zone in (a, b)']}
- name: kinds
  queue: Team A
  pod-sets:
  - {name: master, pods: 1, group: all}
  - {name: workers, pods: 2, min-available: 1, gpu: 1, group: all}
timeline:
- {at: 20s, node: node-2, state: draining}
- {at: 25s, queue: Team A, gpu: {quota: 2}}
- {at: 40s, job: runs}
- {at: 41s, note: a remark is no step}
";

fn scenario(text: &str) -> Scenario {
    let read = read(text);
    assert!(read.is_clean(), "{:?}", read.diagnostics);
    read.scenario.expect("a scenario")
}

fn files() -> Vec<File> {
    kit(&scenario(TEXT)).expect("a kit").files
}

#[test]
fn omissions_are_listed_as_in_the_readme() {
    let Folder { files, left_out } = kit(&scenario(TEXT)).expect("a kit");
    let readme = file(&files, "README.md");
    assert_eq!(readme.contains("## Not in the kit"), !left_out.is_empty());
    assert!(left_out.iter().all(|line| readme.contains(&format!("- {line}\n"))), "{left_out:?}");
}

#[test]
fn a_kit_is_one_archive() {
    let files = files();
    let bytes = zip(&files).expect("an archive");
    assert_eq!(zip(&files), Some(bytes.clone()), "the same for the same files");
    let archive = rawzip::ZipArchive::from_slice(&bytes).expect("an archive");
    let mut entries = archive.entries();
    let mut seen = Vec::new();
    while let Some(entry) = entries.next_entry().expect("an entry") {
        let name = entry.file_path().try_normalize().expect("a path").as_ref().to_string();
        let packed = archive.get_entry(entry.wayfinder()).expect("an entry");
        let text = miniz_oxide::inflate::decompress_to_vec(packed.data()).expect("deflated");
        let mut checked = Vec::new();
        packed.verifying_reader(text.as_slice()).read_to_end(&mut checked).expect("its checksum");
        seen.push(File { name, text: String::from_utf8(checked).expect("text") });
    }
    assert_eq!(seen, files);
}

fn file<'a>(files: &'a [File], name: &str) -> &'a str {
    let found = files.iter().find(|file| file.name == name);
    found.map_or_else(|| panic!("{name}: {:?}", files.iter().map(|f| &f.name).collect::<Vec<_>>()), |f| &f.text)
}

#[test]
fn a_kit_has_all_manifests() {
    let files = files();
    let script = file(&files, "5-timetable.sh");
    let steps: Vec<&str> = script.lines().filter(|line| line.starts_with("at ") && !line.starts_with("at()")).collect();
    assert_eq!(
        steps,
        [
            "at 0; submit train-1 again",
            "at 0; submit runs never",
            "at 0; submit kinds again",
            "at 10; submit train-2 again",
            "at 20; kubectl cordon node-2",
            "at 25; kubectl patch queues.scheduling.run.ai team-a --type merge -p '{\"spec\":{\"resources\":{\"gpu\":{\"quota\":2}}}}'",
            "at 30; submit part again",
            "at 40; ended runs runs",
        ]
    );
    assert!(file(&files, "3-priority-classes.yaml").contains("name: fairground-60\nvalue: 60\n"));
    let stages = file(&files, "4-stages.yaml");
    assert!(stages.contains("durationMilliseconds: 2000") && stages.contains("durationMilliseconds: 5000"), "{stages}");
    let train = file(&files, "jobs/train-1.yaml");
    for line in [
        "fairground/lasts: 60000ms",
        "schedulerName: kai-scheduler",
        "priorityClassName: fairground-60",
        "kai.scheduler/queue: team-a",
    ] {
        assert!(train.contains(line), "{line}\n{train}");
    }
    let kinds = file(&files, "jobs/kinds.yaml");
    for line in ["- name: master", "parent: all", "minMember: 2", "kai.scheduler/subgroup-name: workers"] {
        assert!(kinds.contains(line), "{line}\n{kinds}");
    }
    assert!(file(&files, "jobs/runs.yaml").contains("nodeName: node-1"));
    assert!(file(&files, "jobs/part.yaml").contains("gpu-fraction: \"0.5\""));
    let readme = file(&files, "README.md");
    assert!(readme.starts_with("# Two teams\n") && readme.contains("fake devices"), "{readme}");
    let events = file(&files, "expected-events.csv");
    assert!(events.lines().any(|line| line.contains(",started,train-1,")), "{events}");
}

/// The manifests are YAML that imports as the same queues, nodes and jobs.
#[test]
fn the_manifests_import_as_the_original_scenario() {
    let files = files();
    let manifests = files.iter().filter(|file| file.name.ends_with(".yaml") && !file.name.contains("stages"));
    let sources: Vec<Source<'_>> = manifests.map(|f| Source { file: &f.name, text: &f.text }).collect();
    let imported = import_kubernetes(&sources, &Options::default());
    let again = imported.scenario.unwrap_or_else(|| panic!("{:?}", imported.report.diagnostics));
    let mut jobs: Vec<&str> = again.jobs.iter().map(|job| job.name.as_str()).collect();
    jobs.sort_unstable();
    assert_eq!(jobs, ["kinds", "part", "runs", "train-1", "train-2"]);
    let queues: Vec<&str> = again.queues.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(queues, ["top", "team-a"]);
    let gpus = |name: &str| again.jobs.iter().find(|job| job.name == name).and_then(|job| job.gpu.clone());
    assert_eq!(gpus("train-1").map(|gpu| gpu.0).as_deref(), Some("2"));
    let nodes: u32 = again.nodes.iter().map(|n| n.count.as_ref().map_or(1, |count| count.0.parse().unwrap_or(0))).sum();
    assert_eq!(nodes, 3);
}

#[test]
fn other_policies_have_no_kit() {
    assert_eq!(kit(&scenario(&TEXT.replace("policy: kai", "policy: fifo"))), Err(Refused::NoFormat));
}
