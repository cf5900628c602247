//! Any combination of files becomes one scenario, or a message that tells what to do.

use fairground::import::{File, FileKind, Files, Mapping, Options, import_files, preview};
use fairground::scenario::{Scenario, Severity, check, to_yaml};
use proptest::prelude::*;

fn read(files: &[(&str, &str)], policy: &str) -> Files {
    let options = Options { policy: policy.into(), ..Options::default() };
    let files: Vec<File<'_>> =
        files.iter().map(|(name, text)| File { name, bytes: text.as_bytes(), is_sizes: false }).collect();
    import_files(&files, &options)
}

/// Returns the scenario, which must run.
fn runs(files: &Files) -> &Scenario {
    let report = &files.imported.report;
    let Some(scenario) = &files.imported.scenario else { panic!("{report:#?}") };
    let checked = check(scenario);
    let errors: Vec<String> = checked
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| format!("{}: {}", found.at, found.says))
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{}", to_yaml(scenario));
    scenario
}

fn refused(files: &Files) -> String {
    assert_eq!(files.imported.scenario, None);
    files.imported.report.diagnostics.iter().map(|found| format!("{}\n", found.says)).collect()
}

const QUEUES: &str = "partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: research
      resources: {guaranteed: {vcore: 4, memory: 8G}}
";

const YUNIKORN_POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: p-1
  namespace: lab
  creationTimestamp: 2026-11-20T10:00:00Z
  labels: {app-id: x, yunikorn.apache.org/app-id: train, yunikorn.apache.org/queue: root.research}
spec:
  schedulerName: yunikorn
  containers: [{name: c, resources: {requests: {cpu: 2, memory: 1Gi}}}]
status: {phase: Pending}
---
apiVersion: v1
kind: Node
metadata: {name: n-1}
status: {allocatable: {cpu: 16, memory: 64Gi, pods: 110}}
";

#[test]
fn a_configuration_and_the_pods_of_its_cluster_belong_together() {
    let files = read(&[("queues.yaml", QUEUES), ("cluster/pods.yaml", YUNIKORN_POD)], "");
    let scenario = runs(&files);
    assert_eq!(scenario.policy, "yunikorn");
    assert_eq!(scenario.jobs[0].queue, "research");
    assert_eq!(scenario.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["n-1"]);
    let report = &files.imported.report;
    assert!(report.understood.contains(&"queues.yaml: a configuration of YuniKorn".into()), "{report:#?}");
    assert!(!report.assumed.iter().any(|line| line.contains("8 nodes")), "{report:#?}");
}

#[test]
fn pods_of_yunikorn_alone_are_a_scenario_of_yunikorn() {
    let files = read(&[("pods.yaml", YUNIKORN_POD)], "");
    let scenario = runs(&files);
    assert_eq!((scenario.policy.as_str(), scenario.jobs[0].name.as_str()), ("yunikorn", "train"));
}

#[test]
fn unrelated_files_are_named() {
    let plan = "<DistributionTree><Consumer ConsumerName=\"a\"/></DistributionTree>";
    let files = read(&[("q.yaml", QUEUES), ("plan.xml", plan), ("notes.txt", "hello")], "");
    let ignored = &files.imported.report.ignored;
    assert_eq!(files.kind, FileKind::Plan);
    assert!(ignored.contains(&"notes.txt: not recognized".into()), "{ignored:#?}");
    assert!(ignored.iter().any(|line| line.starts_with("q.yaml is left out")), "{ignored:#?}");
}

const STATE: &str = r#"{"timestamp": 1000000000000000000, "partitions": [], "queues": [
  {"queuename": "root", "status": "Active", "partition": "default", "isLeaf": false, "isManaged": true,
   "maxResource": {"vcore": 64000, "memory": 256000000000}, "children": [
     {"queuename": "root.a", "status": "Active", "isLeaf": true, "isManaged": true, "parent": "root",
      "guaranteedResource": {"vcore": 4000, "memory": 8000000000}, "properties": {"application.sort.policy": "fifo"}}]}],
 "nodes": [{"partitionName": "default", "nodesInfo": [
  {"nodeID": "n1", "capacity": {"vcore": 16000, "memory": 64000000000, "pods": 110, "nvidia.com/gpu": 4},
   "occupied": {"vcore": 500}, "schedulable": true}]}],
 "applications": [
  {"applicationID": "app-1", "queueName": "root.a", "submissionTime": 999999000000000000, "applicationState": "Running",
   "user": "ann",
   "requests": [{"allocationKey": "k3", "resource": {"vcore": 1000, "nvidia.com/gpu": 1}, "priority": "0"}],
   "allocations": [{"allocationKey": "k1", "resource": {"vcore": 1000, "nvidia.com/gpu": 1}, "priority": "0", "nodeId": "n1",
     "allocationTime": 999999500000000000, "requestTime": 999999000000000000}]},
  {"applicationID": "old", "queueName": "root.a", "applicationState": "Completed"}],
 "clusterInfo": []}"#;

#[test]
fn a_yunikorn_dump_gives_its_present_state() {
    let files = read(&[("fullstatedump", STATE)], "");
    let scenario = runs(&files);
    let job = &scenario.jobs[0];
    assert_eq!((job.name.as_str(), job.queue.as_str()), ("app-1", "a"));
    assert_eq!((job.on.as_slice(), job.pods.as_ref().map(|n| n.0.as_str())), (&["n1".to_string()][..], Some("2")));
    assert_eq!(job.started.as_ref().map(|n| n.0.as_str()), Some("-500s"));
    assert_eq!(job.submit.as_ref().map(|n| n.0.as_str()), Some("-1000s"));
    assert_eq!(scenario.nodes[0].cpu.as_ref().map(|n| n.0.as_str()), Some("15500m"));
    let report = &files.imported.report;
    assert!(report.ignored.iter().any(|line| line.contains("clusterInfo")), "{report:#?}");
    assert!(report.ignored.iter().any(|line| line.contains("1 application: completed")), "{report:#?}");
}

#[test]
fn a_file_of_a_product_selects_its_policy() {
    let plan = r#"<DistributionTree><Consumer ConsumerName="a"/></DistributionTree>"#;
    let projects = r#"{"projects": [{"name": "a", "deservedGpus": 2}]}"#;
    for (text, policy) in [(plan, "ego"), (projects, "runai")] {
        let files = read(&[("", text)], "");
        let scenario = files.imported.scenario.unwrap_or_else(|| panic!("{text} is read"));
        assert_eq!(scenario.policy, policy);
    }
}

const WORKLOADS: &str = r#"{"next": 1, "workloads": [
 {"name": "w1", "projectName": "team-a", "phase": "Running", "createdAt": "2026-11-20T10:00:00Z", "submittedBy": "ann",
  "type": "Training", "requestedPods": 2, "podsRequestedResources": {"gpu": {"request": 1}, "cpu": {"request": 2}}},
 {"name": "w2", "projectName": "team-a", "phase": "Completed"},
 {"name": "w3", "projectName": "team-b", "phase": "Pending", "createdAt": "2026-11-20T11:00:00Z"}]}"#;

#[test]
fn workloads_of_runai_join_their_projects() {
    let projects = r#"{"projects": [{"name": "team-a", "deservedGpus": 2}]}"#;
    let files = read(&[("p.json", projects), ("w.json", WORKLOADS)], "");
    let scenario = runs(&files);
    assert_eq!(scenario.policy, "runai");
    assert_eq!(scenario.jobs.len(), 2);
    assert_eq!(scenario.queues.len(), 2);
    let report = &files.imported.report;
    assert!(report.assumed.iter().any(|line| line.contains("further page")), "{report:#?}");
    runs(&read(&[("w.json", WORKLOADS)], ""));
}

#[test]
fn recognised_but_unsupported_files_have_advice() {
    let table = "NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE\nlab   p   0/1   Pending   0   1d\n";
    assert!(refused(&read(&[("", table)], "")).contains("kubectl get"));
    assert!(refused(&read(&[("ConsumerTrees.xml", "<ConsumerTrees/>")], "")).contains("MDPlan.xml"));
    assert!(refused(&read(&[("", "hello")], "")).contains("not recognized"));
    let broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: a\n";
    assert!(!refused(&read(&[("b.yaml", broken)], "")).is_empty());
}

#[test]
fn jobs_without_pods_are_pending() {
    let job = "apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: mpi, namespace: lab}
spec:
  minAvailable: 3
  queue: default
  tasks:
  - {name: master, replicas: 1, template: {spec: {containers: [{resources: {requests: {cpu: 1}}}]}}}
  - {name: worker, replicas: 2, template: {spec: {containers: [{resources: {requests: {nvidia.com/gpu: 1}}}]}}}
";
    let files = read(&[("job.yaml", job)], "kai");
    let scenario = runs(&files);
    assert_eq!(scenario.jobs[0].pod_sets.len(), 2);
}

#[test]
fn windows_text_marks_and_prompts_are_skipped() {
    let crlf = YUNIKORN_POD.replace('\n', "\r\n");
    let with_mark = format!("\u{feff}{crlf}");
    let prompt = format!("$ kubectl get pods -o yaml\nWarning: old API\n{YUNIKORN_POD}");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(YUNIKORN_POD.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for bytes in [crlf.as_bytes(), with_mark.as_bytes(), prompt.as_bytes(), &wide] {
        let files = import_files(&[File { name: "p.yaml", bytes, is_sizes: false }], &Options::default());
        assert_eq!(runs(&files).jobs.len(), 1);
    }
}

/// Mixed line endings and a byte order mark change nothing in any format.
#[test]
fn mixed_line_ends_and_marks_change_nothing() {
    let own = "format: fairground-scenario\nversion: 1\nnote: |-\n  first\n  second\nnodes:\n- {name: n, gpu: 1}\nqueues:\n- {name: q}\n";
    let csv = "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n2,b,5,60,2\n";
    let plan = "<DistributionTree>\n<Consumer ConsumerName=\"a\"/>\n</DistributionTree>\n";
    let projects = "{\"projects\": [\n{\"name\": \"a\",\n\"deservedGpus\": 2}]}\n";
    let all = [own, csv, plan, projects, QUEUES, YUNIKORN_POD];
    for (text, n) in all.into_iter().zip(0..) {
        let plain = read(&[("x", text)], "").imported.scenario;
        assert!(plain.is_some(), "{n}: {text}");
        let mixed: String = text
            .split_inclusive('\n')
            .enumerate()
            .map(|(i, line)| if i % 2 == 0 { line.replace('\n', "\r\n") } else { line.to_string() })
            .collect();
        for changed in [mixed.clone(), format!("\u{feff}{mixed}"), format!("\u{feff}{text}")] {
            assert_eq!(read(&[("x", &changed)], "").imported.scenario, plain, "{changed:?}");
        }
    }
}

/// Broken YAML of every format is reported with its position, and gives no scenario.
#[test]
fn broken_texts_are_reported_with_their_position() {
    let object = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\n";
    let own = "format: fairground-scenario\nversion: 1\nqueues:\n- {name: q}\n";
    for text in [object, own, QUEUES] {
        for (from, to) in [("name: ", "name: ["), ("{name", "{name: &a *a, b"), ("\n", "\n\t: "), (": ", ": 'x")] {
            let broken = text.replacen(from, to, 1);
            let Files { imported, .. } = read(&[("b.yaml", &broken)], "");
            if broken == text {
                continue;
            }
            assert_eq!(imported.scenario, None, "{broken}");
            assert!(!imported.report.diagnostics.is_empty(), "{broken}");
        }
    }
}

#[test]
fn columns_can_be_chosen_and_units_are_reported() {
    let csv = "who,arrival,took,need\na,1506902400000,00:10:00,2\nb,1506902401000,1-00:00:00,1\n";
    let mut mapping = Mapping::default();
    for (field, column) in [("queue", "who"), ("submit", "arrival"), ("duration", "took"), ("gpus", "need")] {
        mapping.set(field, column);
    }
    let held = preview(csv, &mapping).columns;
    assert_eq!(held.iter().map(|(_, holds)| *holds).collect::<Vec<_>>(), ["queue", "submit", "duration", "gpus"]);
    let options = Options { mapping, ..Options::default() };
    let files = import_files(&[File { name: "x", bytes: csv.as_bytes(), is_sizes: false }], &options);
    let scenario = runs(&files);
    assert_eq!(scenario.jobs[1].submit.as_ref().map(|n| n.0.as_str()), Some("1"));
    assert_eq!(scenario.jobs[1].lasts.as_ref().map(|n| n.0.as_str()), Some("86400"));
    let understood = &files.imported.report.understood;
    assert!(understood.contains(&"times of submission are numbers of milliseconds".into()), "{understood:#?}");
    let unmapped = read(&[("jobs.csv", "who,arrival\na,1\n")], "");
    assert!(refused(&unmapped).contains("--map gpus=COLUMN"));
    assert!(unmapped.trace.is_some());
}

/// A zip archive of one deflated entry.
fn zip(name: &str, content: &[u8], n_entries: u16) -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec(content, 6);
    let mut crc = 0xffff_ffffu32;
    for byte in content {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let mut common = Vec::new();
    common.extend(20u16.to_le_bytes());
    common.extend(0u16.to_le_bytes());
    common.extend(8u16.to_le_bytes());
    common.extend(0u32.to_le_bytes());
    common.extend((!crc).to_le_bytes());
    common.extend((packed.len() as u32).to_le_bytes());
    common.extend((content.len() as u32).to_le_bytes());
    common.extend((name.len() as u16).to_le_bytes());
    common.extend(0u16.to_le_bytes());
    let mut all = b"PK\x03\x04".to_vec();
    all.extend(&common);
    all.extend(name.as_bytes());
    all.extend(&packed);
    let directory = all.len() as u32;
    all.extend(b"PK\x01\x02");
    all.extend(20u16.to_le_bytes());
    all.extend(&common);
    all.extend([0; 14]);
    all.extend(name.as_bytes());
    let size = all.len() as u32 - directory;
    all.extend(b"PK\x05\x06\0\0\0\0");
    all.extend(n_entries.to_le_bytes());
    all.extend(n_entries.to_le_bytes());
    all.extend(size.to_le_bytes());
    all.extend(directory.to_le_bytes());
    all.extend(0u16.to_le_bytes());
    all
}

/// An archive of `n` empty files whose end record claims `claimed`.
fn entries(n: usize, claimed: u16) -> Vec<u8> {
    let one = zip("x.csv", b"", 1);
    let directory = one.windows(4).position(|word| word == b"PK\x01\x02").expect("a directory");
    let end = one.windows(4).position(|word| word == b"PK\x05\x06").expect("its end");
    let mut all = one[..directory].to_vec();
    (0..n).for_each(|_| all.extend(&one[directory..end]));
    let size = (n * (end - directory)) as u32;
    let mut tail = one[end..].to_vec();
    tail[8..10].copy_from_slice(&claimed.to_le_bytes());
    tail[10..12].copy_from_slice(&claimed.to_le_bytes());
    tail[12..16].copy_from_slice(&size.to_le_bytes());
    all.extend(tail);
    all
}

fn packed(bytes: &[u8]) -> Files {
    import_files(&[File { name: "snapshot.zip", bytes, is_sizes: false }], &Options::default())
}

/// A snapshot with nodes and pods.
fn snapshot(n_nodes: usize, n_pods: usize) -> String {
    let noise = "x".repeat(200);
    let node = |i| {
        format!(
            r#"{{"metadata":{{"name":"n{i}","managedFields":[{{"manager":"{noise}"}}]}},"status":{{"allocatable":{{"cpu":"64","memory":"256Gi","pods":"110","nvidia.com/gpu":"8"}},"images":[{{"names":["{noise}"]}}]}}}}"#
        )
    };
    let pod = |i: usize| {
        let (node, phase) = match i % 2 {
            0 => (format!(r#","nodeName":"n{}""#, (i / 2) % n_nodes.max(1)), "Running"),
            _ => (String::new(), "Pending"),
        };
        format!(
            r#"{{"metadata":{{"name":"p{i}","namespace":"lab","creationTimestamp":"2026-11-20T10:00:00Z","annotations":{{"pod-group-name":"g{}"}},"managedFields":[{{"manager":"{noise}"}}]}},"spec":{{"schedulerName":"kai-scheduler"{node},"containers":[{{"name":"c","image":"{noise}","env":[{{"name":"A","value":"{noise}"}}],"resources":{{"requests":{{"cpu":"1","nvidia.com/gpu":"1"}}}}}}]}},"status":{{"phase":"{phase}"}}}}"#,
            i % 1000 / 2 * 2 + i % 2
        )
    };
    let group =
        |i| format!(r#"{{"metadata":{{"name":"g{i}","namespace":"lab"}},"spec":{{"queue":"q","minMember":1}}}}"#);
    let list = |n: usize, of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"config":null,"schedulerParams":{{"schedulerName":"kai-scheduler","fullHierarchyFairness":true}},"rawObjects":{{"queues":[{{"metadata":{{"name":"q"}},"spec":{{"resources":{{"gpu":{{"quota":4,"limit":-1,"overQuotaWeight":1}},"cpu":{{"quota":-1,"limit":-1,"overQuotaWeight":1}},"memory":{{"quota":-1,"limit":-1,"overQuotaWeight":1}}}}}}}}],"podGroups":[{}],"nodes":[{}],"pods":[{}],"configMaps":[{{"data":{{"a":"{noise}"}}}}]}}}}"#,
        list(1000.min(n_pods), &group),
        list(n_nodes, &node),
        list(n_pods, &pod),
    )
}

#[test]
fn a_snapshot_is_read_from_its_archive() {
    let files = packed(&zip("snapshot.json", snapshot(3, 8).as_bytes(), 1));
    let scenario = runs(&files);
    assert_eq!((scenario.nodes.len(), scenario.jobs.len(), scenario.queues.len()), (3, 8, 1));
    assert!(files.imported.report.understood.iter().any(|line| line.contains("parameters")));
}

#[test]
fn hostile_archives_end_with_a_message() {
    let other = packed(&zip("../../etc/passwd", b"x", 1));
    assert!(refused(&other).contains("not recognized"), "{}", refused(&other));
    let none = packed(b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert!(refused(&none).contains("no files"), "{}", refused(&none));
    let many = packed(&zip("a", b"x", 60_000));
    assert!(refused(&many).contains("60000 entries"), "{}", refused(&many));
    let mut bad = zip("snapshot.json", snapshot(1, 1).as_bytes(), 1);
    bad[60] ^= 0x55;
    assert!(!refused(&packed(&bad)).is_empty());
    let deep = zip("snapshot.json", "[".repeat(200_000).as_bytes(), 1);
    assert!(!refused(&packed(&deep)).is_empty());
    // A zip bomb: 60 MB of zeros in 60 KB, and one inside another.
    let bomb = zip("a.csv", &vec![b'0'; 60_000_000], 1);
    assert!(bomb.len() < 100_000 && refused(&packed(&bomb)).contains("more than"), "{}", refused(&packed(&bomb)));
    assert!(!refused(&packed(&zip("b.zip", &bomb, 1))).is_empty());
    // A million entries, whatever the end record claims.
    for claimed in [1, 64, u16::MAX] {
        let million = entries(1_000_000, claimed);
        let says = refused(&packed(&million));
        assert!(says.contains("entries; up to 1000 are read"), "{claimed}: {says}");
    }
    let not_json = zip("snapshot.json", b"{\"config\": nul}", 1);
    assert!(refused(&packed(&not_json)).contains("line 1"), "{}", refused(&packed(&not_json)));
}

/// Keywords of the formats, so that generated texts resemble them.
const WORDS: [&str; 36] = [
    "apiVersion: v1\n",
    "kind: Pod\n",
    "kind: List\n",
    "items:\n",
    "- ",
    "metadata:\n",
    "  name: a\n",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\"queuename\":\"root\"",
    "\"isLeaf\":false",
    "\"nodeID\":\"n\"",
    "\"capacity\":{}",
    "\"applicationID\":\"a\"",
    "\"queueName\":\"root.a\"",
    "\"workloads\":[",
    "\"projectName\":\"p\"",
    "\"nodepools\":[",
    "\"labelKey\":\"k\"",
    "partitions:\n",
    "Account|User|RawShares\n",
    "a||1\n",
    "JOBID ST TIME NODES\n",
    "1 R 1:00 2\n",
    "\u{feff}",
    "\r\n",
    "gpus,submit,queue\n",
    "1,2,a\n",
    "\0",
    "<DistributionTree>",
    "-1e400",
];

proptest! {
    #[test]
    fn any_text_is_imported_or_rejected(words in proptest::collection::vec(0..WORDS.len(), 0..40), free in ".{0,60}") {
        let text: String = words.into_iter().map(|i| WORDS[i]).chain([free.as_str()]).collect();
        for policy in ["", "yunikorn"] {
            let options = Options { policy: policy.into(), ..Options::default() };
            let files = [File { name: "a", bytes: text.as_bytes(), is_sizes: false }];
            let files = import_files(&files, &options);
            let report = &files.imported.report;
            let n_messages = report.diagnostics.len() + report.ignored.len();
            prop_assert!(files.imported.scenario.is_some() || n_messages > 0, "{text:?}");
        }
    }

    #[test]
    fn any_bytes_are_imported_or_rejected(head in 0..4usize, bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let heads: [&[u8]; 4] = [b"", &[0x1f, 0x8b, 8], b"PK\x03\x04", b"PK\x05\x06"];
        let bytes: Vec<u8> = heads[head].iter().copied().chain(bytes).collect();
        import_files(&[File { name: "a", bytes: &bytes, is_sizes: false }], &Options::default());
    }

    /// A damaged archive is rejected, unless its checksum holds.
    #[test]
    fn damage_is_detected(at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let whole = zip("snapshot.json", snapshot(1, 2).as_bytes(), 1);
        let mut bytes = whole.clone();
        bytes[at.index(whole.len())] ^= 1 << bit;
        let (a, b) = (packed(&whole), packed(&bytes));
        prop_assert!(b.imported.scenario.is_none() || a.imported.scenario == b.imported.scenario);
    }
}

#[test]
fn a_large_snapshot() {
    let bytes = zip("snapshot.json", snapshot(5000, 50_000).as_bytes(), 1);
    let files = packed(&bytes);
    assert_eq!(files.imported.scenario.map(|s| s.nodes.len()), Some(5000));
}
