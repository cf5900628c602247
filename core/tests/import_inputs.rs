//! Options of an import against every format, and texts with inputs of several kinds.

use fairground::import::{File, Files, Mapping, Options, import_files};
use fairground::scenario::{Scenario, check, to_yaml};

const TRACE: &str = "job_id,queue,submit,duration,gpus\n1,a,0,60,1\n2,b,5,60,2\n";
const SIZES: &str = "queue,gpus\na,8\nb,16\n";
const PARTITIONS: &str =
    "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: team\n";
const KAI_QUEUE: &str = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: team}\nspec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}\n";
const KAI_NODE: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: \"64\", memory: 512Gi, pods: \"110\", nvidia.com/gpu: \"8\"}}\n";
const POD_ON_NODE: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {kai.scheduler/queue: team}}\nspec: {schedulerName: kai-scheduler, nodeName: n7, containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1}}}]}\nstatus: {phase: Running}\n";
const YUNIKORN_NODE: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\"}}\n";
const YUNIKORN_POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: demo, labels: {applicationId: app-1, queue: root.team}}\nspec: {schedulerName: yunikorn, containers: [{name: main, resources: {requests: {cpu: \"1\"}}}]}\n";
const PROJECTS: &str = r#"{"projects": [{"name": "a", "deservedGpus": 2}]}"#;
const WORKLOADS: &str = r#"{"workloads": [{"name": "w", "projectName": "a", "phase": "Pending", "allocatedResources": {}, "requestedResources": {"gpu": {"request": 1}}}]}"#;
const PLAN: &str = "<DistributionTree>\n<Consumer ConsumerName=\"a\"/>\n</DistributionTree>\n";
const STATE: &str = r#"[{"queuename": "root", "partition": "default", "isLeaf": false, "children": [{"queuename": "root.team", "isLeaf": true, "partition": "default"}]}]"#;
const OWN: &str = "format: fairground-scenario\nversion: 1\nnodes:\n- {name: n, gpu: 1}\nqueues:\n- {name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}\n";

fn read(files: &[(&str, &str)], options: &Options) -> Files {
    let files: Vec<File<'_>> = files
        .iter()
        .map(|(name, text)| File { name, bytes: text.as_bytes(), is_sizes: *name == "sizes.csv" })
        .collect();
    import_files(&files, options)
}

fn plain() -> Options {
    Options { policy: String::new(), ..Options::default() }
}

fn imported(text: &str) -> Scenario {
    let files = read(&[("", text)], &plain());
    let report = files.imported.report;
    files.imported.scenario.unwrap_or_else(|| panic!("{text}\n{report:#?}"))
}

fn queues(scenario: &Scenario) -> Vec<&str> {
    scenario.queues.iter().map(|queue| queue.name.as_str()).collect()
}

/// Inputs of every recognised format.
fn formats() -> Vec<Vec<(&'static str, &'static str)>> {
    let several = |texts: &[&str]| -> &'static str { Box::leak(texts.join("---\n").into_boxed_str()) };
    vec![
        vec![("own.yaml", OWN)],
        vec![("trace.csv", TRACE)],
        vec![("trace.csv", TRACE), ("sizes.csv", SIZES)],
        vec![("queues.yaml", PARTITIONS)],
        vec![("queues.yaml", PARTITIONS), ("trace.csv", TRACE)],
        vec![("queues.yaml", PARTITIONS), ("pods.yaml", several(&[YUNIKORN_NODE, YUNIKORN_POD]))],
        vec![("all.yaml", several(&[PARTITIONS, YUNIKORN_POD]))],
        vec![("kai.yaml", KAI_QUEUE)],
        vec![("kai.yaml", several(&[KAI_QUEUE, KAI_NODE]))],
        vec![("kai.yaml", several(&[KAI_QUEUE, POD_ON_NODE]))],
        vec![("kai.yaml", KAI_QUEUE), ("trace.csv", TRACE)],
        vec![("p.json", PROJECTS)],
        vec![("p.json", PROJECTS), ("sizes.csv", SIZES)],
        vec![("w.json", WORKLOADS)],
        vec![("plan.xml", PLAN)],
        vec![("q.json", STATE)],
    ]
}

/// Every option changes the scenario of every format, or the report names it with the reason.
#[test]
fn no_option_is_ignored_silently() {
    let mut mapping = Mapping::default();
    mapping.set("duration", "submit");
    let options = [
        ("nodes", Options { nodes: Some((3, 2)), ..plain() }),
        ("quota-scale", Options { quota_scale: (1, 2), ..plain() }),
        ("map", Options { mapping, ..plain() }),
        ("policy", Options { policy: "drf".into(), ..plain() }),
    ];
    for files in formats() {
        let before = read(&files, &plain()).imported;
        let without = before.scenario.unwrap_or_else(|| panic!("{files:?}: {:#?}", before.report));
        for (key, options) in &options {
            let imported = read(&files, options).imported;
            let scenario = imported.scenario.unwrap_or_else(|| panic!("{key}: {files:?}: {:#?}", imported.report));
            let named = imported.report.ignored.iter().any(|line| line.starts_with(&format!("{key} ")));
            assert!(named != (to_yaml(&scenario) != to_yaml(&without)), "{key}: {files:?}: {:#?}", imported.report);
            if *key == "nodes" && !named {
                let each: u32 = scenario
                    .nodes
                    .iter()
                    .map(|node| node.count.as_ref().map_or(1, |n| n.0.parse().expect("a count")))
                    .sum();
                assert_eq!(each, 3, "{files:?}");
                assert!(
                    scenario.nodes.iter().all(|node| node.gpu.as_ref().is_some_and(|gpu| gpu.0 == "2")),
                    "{files:?}"
                );
            }
            if *key == "policy" {
                assert_eq!(scenario.policy, "drf", "{files:?}");
            }
        }
    }
}

/// Sizes of queues that nothing uses are named.
#[test]
fn unused_queue_sizes_are_named() {
    let trace = [("trace.csv", TRACE), ("sizes.csv", SIZES), ("sizes.csv", SIZES)];
    let others = formats().into_iter().filter(|files| files.len() == 1 && files[0].0 != "trace.csv");
    let with_sizes = others.map(|mut files| {
        files.push(("sizes.csv", SIZES));
        files
    });
    for files in with_sizes.chain([trace.to_vec()]) {
        let report = read(&files, &plain()).imported.report;
        assert!(report.ignored.iter().any(|line| line.starts_with("sizes.csv is left out")), "{files:?}: {report:#?}");
    }
}

#[test]
fn too_many_nodes_are_an_error_of_every_format() {
    for files in formats() {
        for nodes in [(u32::MAX, 8), (8, u32::MAX)] {
            let imported = read(&files, &Options { nodes: Some(nodes), ..plain() }).imported;
            assert_eq!(imported.scenario, None);
            assert!(imported.report.diagnostics.iter().any(|found| found.says.starts_with("nodes ")), "{files:?}");
        }
    }
}

fn indented(text: &str, by: &str) -> String {
    text.lines().map(|line| format!("{by}{line}\n")).collect()
}

fn config_map(name: &str, key: &str, text: &str) -> String {
    let text = indented(text, "    ");
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  {key}: |\n{text}")
}

fn list(objects: &[&str]) -> String {
    let item = |object: &&str| indented(object, "  ").replacen("  ", "- ", 1);
    format!("apiVersion: v1\nkind: List\nitems:\n{}", objects.iter().map(item).collect::<String>())
}

/// What is understood in several files is understood in one, as documents and as a list.
#[test]
fn mixtures_are_taken_apart() {
    let map = config_map("yunikorn-configs", "queues.yaml", PARTITIONS);
    let apart = read(&[("c.yaml", &map), ("n.yaml", YUNIKORN_NODE), ("p.yaml", YUNIKORN_POD)], &plain());
    let expected = apart.imported.scenario.expect("a scenario");
    assert_eq!((expected.nodes.len(), expected.jobs.len(), queues(&expected)), (1, 1, vec!["team"]));
    let objects = [map.as_str(), YUNIKORN_NODE, YUNIKORN_POD];
    let bare = [PARTITIONS, YUNIKORN_NODE, YUNIKORN_POD];
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
        let of = |texts: [&'static str; 3]| order.map(|i| texts[i]);
        let chosen = order.map(|i| objects[i]);
        for text in [
            chosen.join("---\n"),
            format!("# first\n---\n{}", chosen.join("--- # next\n")),
            list(&chosen),
            of(bare).join("---\n"),
        ] {
            let scenario = imported(&text);
            assert_eq!(scenario.nodes, expected.nodes, "{text}");
            assert_eq!(scenario.jobs, expected.jobs, "{text}");
            assert_eq!(scenario.queues, expected.queues, "{text}");
            assert_eq!(scenario.policy, expected.policy, "{text}");
        }
    }
}

/// An error in a configuration among other objects has its line in the whole text.
#[test]
fn errors_in_mixtures_have_their_line() {
    let wrong = PARTITIONS.replace("submitacl", "submitacI");
    let map = config_map("yunikorn-configs", "queues.yaml", &wrong);
    for text in [[YUNIKORN_POD, map.as_str()].join("---\n"), list(&[YUNIKORN_POD, &map])] {
        let line = 1 + text.lines().position(|line| line.contains("submitacI")).expect("the mistake");
        let report = read(&[("", &text)], &plain()).imported.report;
        let found = report.diagnostics.iter().find(|found| found.says.contains("submitacI")).expect("a finding");
        assert_eq!(found.position.map(|(line, _)| line as usize), Some(line), "{text}");
        assert!(report.ignored.iter().any(|line| line.contains("YuniKorn would refuse it")), "{report:#?}");
    }
    // YuniKorn never sees a text that is no configuration.
    let report = read(&[("", "partitions: 3\n")], &plain()).imported.report;
    assert!(!report.ignored.iter().any(|line| line.contains("would refuse")), "{report:#?}");
}

/// The usual wrappings of a configuration give the same scenario.
#[test]
fn wrapped_configurations_are_read() {
    let expected = imported(PARTITIONS);
    let (two, four, six) = (indented(PARTITIONS, "  "), indented(PARTITIONS, "    "), indented(PARTITIONS, "      "));
    let wrapped = [
        format!("queues.yaml: |\n{two}"),
        format!("yunikornDefaults:\n  queues.yaml: |\n{four}"),
        format!(
            "resources: {{limits: {{cpu: 1}}}}\nyunikornDefaults:\n  service.policyGroup: gpu\n  gpu.yaml: |\n{four}"
        ),
        format!("yunikorn:\n  yunikornDefaults:\n    queues.yaml: |\n{six}"),
        format!("data:\n  queues.yaml: |\n{four}"),
        format!("gpu.yaml: |\n{two}"),
        config_map("yunikorn-defaults", "queues.yaml", PARTITIONS),
        config_map("yunikorn-configs", "gpu.yaml", PARTITIONS),
        list(&[&config_map("yunikorn-configs", "gpu.yaml", PARTITIONS)]),
    ];
    for text in wrapped {
        assert_eq!(imported(&text), expected, "{text}");
    }
}

/// Of several configurations one is read, and the others are named.
#[test]
fn further_configurations_are_named() {
    let other = PARTITIONS.replace("team", "other");
    let maps = [
        config_map("yunikorn-defaults", "queues.yaml", &other),
        config_map("yunikorn-configs", "queues.yaml", PARTITIONS),
    ];
    let files = read(&[("", &maps.join("---\n"))], &plain());
    assert_eq!(queues(&files.imported.scenario.expect("a scenario")), ["team"]);
    let ignored = files.imported.report.ignored;
    assert!(ignored.iter().any(|line| line.starts_with("ConfigMap yunikorn-defaults is left out")), "{ignored:#?}");
}

/// Settings of KAI can be pasted as fragments.
#[test]
fn fragments_with_settings_of_kai_are_read() {
    let fragments = [
        ("pluginArguments:\n  proportion:\n    kValue: \"0.5\"\n", "k-value", "0.5"),
        (
            "pluginArguments:\n  proportion:\n    reclaimerUtilizationMultiplier: \"1.2\"  # 20% more\n",
            "saturation-multiplier",
            "1.2",
        ),
        ("plugins:\n  proportion:\n    arguments: {kValue: \"2\"}\n", "k-value", "2"),
        (
            "scheduler:\n  plugins:\n    minruntime:\n      arguments: {defaultPreemptMinRuntime: 5m}\n",
            "default-preempt-min-runtime",
            "5m",
        ),
        ("placementStrategy: {gpu: spread}\nkValue: 3\n", "k-value", "3"),
        ("spec:\n  minRuntime: {reclaimMinRuntime: 10m}\n", "default-reclaim-min-runtime", "10m"),
    ];
    for (text, setting, value) in fragments {
        let with_queue = format!("{KAI_QUEUE}---\n{text}");
        for text in [text, &with_queue] {
            let scenario = imported(text);
            assert_eq!(scenario.settings.get(setting).map(|typed| typed.0.as_str()), Some(value), "{text}");
            assert!(check(&scenario).plan.is_some());
        }
    }
}

/// Cores where millicores count, and gigabytes where megabytes count, are reported at each value with the value
/// probably meant.
#[test]
fn unlikely_units_are_reported() {
    let queue = |cpu: &str, limit: &str, memory: &str| {
        let resources = format!(
            "gpu: {{quota: 4, limit: -1, overQuotaWeight: 1}}, cpu: {{quota: {cpu}, limit: {limit}, overQuotaWeight: 1}}, memory: {{quota: {memory}, limit: -1, overQuotaWeight: 1}}"
        );
        format!(
            "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {{name: team}}\nspec: {{resources: {{{resources}}}}}\n---\n{KAI_NODE}"
        )
    };
    for (text, expected) in [
        (queue("8", "32", "64"), vec!["8 cores are 8000", "32 cores are 32000", "64 gigabytes are 64000"]),
        (queue("999", "-1", "0"), vec!["999 cores are 999000"]),
        (queue("-1", "-1", "-1"), vec![]),
        (queue("0", "-1", "0"), vec![]),
        (queue("1000", "4000", "1000"), vec![]),
    ] {
        for policy in ["kai", "runai"] {
            let options = Options { policy: policy.into(), ..plain() };
            let scenario = read(&[("", &text)], &options).imported.scenario.expect("a scenario");
            let found = check(&scenario).diagnostics;
            let units: Vec<&str> =
                found.iter().filter(|found| found.code.0 == "S066").map(|found| found.says.as_str()).collect();
            assert_eq!(units.len(), expected.len(), "{policy}: {units:?}");
            for (says, wanted) in units.iter().zip(&expected) {
                assert!(says.contains(wanted), "{policy}: {says}");
            }
        }
    }
}
