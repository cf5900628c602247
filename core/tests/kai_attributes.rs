//! Effects of node, job and policy settings under KAI.

use fairground::cluster::Phase;
use fairground::id::QueueId;
use fairground::scenario::{check, codes, read};
use fairground::sim::Simulation;
use fairground::trace::DivisionStep;
use fairground::units::Resource;

/// Node of each pod after the first cycle; `-` if it is pending, `gated` if it has a scheduling gate.
fn after_one_cycle(text: &str) -> Vec<(String, String)> {
    let simulation = first_cycle(text);
    let cluster = simulation.cluster();
    let place = |pod: &fairground::cluster::Pod| match (pod.phase, pod.node) {
        (Phase::Gated, _) => "gated".to_string(),
        (_, Some(node)) => cluster.nodes[node].name.to_string(),
        _ => "-".to_string(),
    };
    cluster.pods.values().map(|pod| (pod.name.to_string(), place(pod))).collect()
}

fn first_cycle(text: &str) -> Simulation {
    let text = format!("format: fairground-scenario\nversion: 1\n{text}");
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let checked = check(&read.scenario.expect("it is a scenario"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    simulation.advance();
    simulation
}

fn assert_places(text: &str, expected: &[(&str, &str)]) {
    let places = after_one_cycle(text);
    let places: Vec<(&str, &str)> = places.iter().map(|(pod, at)| (pod.as_str(), at.as_str())).collect();
    assert_eq!(places, expected);
}

const QUEUE: &str = "queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}}]\n";

#[test]
fn taints_exclude_pods_unless_tolerated() {
    let text = format!(
        "nodes:
- {{name: a, gpu: 4, taints: [\"pool=x:NoSchedule\"]}}
- {{name: b, gpu: 4, taints: [\"slow:PreferNoSchedule\"]}}
- {{name: c, gpu: 1, taints: [gone:NoExecute]}}
{QUEUE}jobs:
- {{name: none, queue: q, gpu: 4}}
- {{name: other, queue: q, gpu: 1, tolerations: [pool=y, gone:NoSchedule]}}
- {{name: right, queue: q, gpu: 4, tolerations: [pool=x]}}
- {{name: all, queue: q, gpu: 1, tolerations: [\"*\"]}}
"
    );
    assert_places(&text, &[("none", "b"), ("other", "-"), ("right", "a"), ("all", "c")]);
}

#[test]
fn required_affinity_selects_nodes() {
    let text = format!(
        "nodes:
- {{name: a, gpu: 1, labels: {{zone: east, kind: big}}}}
- {{name: b, gpu: 1, labels: {{zone: west}}}}
- {{name: c, gpu: 1}}
{QUEUE}jobs:
- {{name: in, queue: q, gpu: 1, affinity: [\"zone in (west, north)\"]}}
- {{name: absent, queue: q, gpu: 1, affinity: [\"!zone\"]}}
- {{name: both, queue: q, gpu: 1, affinity: [kind, \"zone notin (west)\"]}}
- {{name: never, queue: q, gpu: 1, affinity: [\"zone in (south)\"]}}
"
    );
    assert_places(&text, &[("in", "b"), ("absent", "c"), ("both", "a"), ("never", "-")]);
}

#[test]
fn gates_and_conditions_keep_pods_pending() {
    let text = format!(
        "nodes: [{{name: a, gpu: 4, state: memory-pressure}}, {{name: b, gpu: 2}}]
{QUEUE}jobs:
- {{name: shut, queue: q, gpu: 1, gated: true}}
- {{name: big, queue: q, gpu: 4}}
- name: mixed
  queue: q
  pod-sets: [{{name: x, gpu: 1, pods: 1}}, {{name: y, gpu: 1, pods: 1, gated: true}}]
- {{name: later, queue: q, gpu: 1, submit: 0}}
"
    );
    // A gang with a gated pod is not ready.
    let expected = [("shut", "gated"), ("big", "-"), ("mixed/x/1", "-"), ("mixed/y/1", "gated"), ("later", "b")];
    assert_places(&text, &expected);
}

#[test]
fn labels_order_the_pods_of_an_elastic_job() {
    let job = |labels: &str| {
        format!(
            "nodes: [{{name: n, gpu: 1}}]
{QUEUE}jobs:
- name: j
  queue: q
  pod-sets:
  - {{name: a, gpu: 1, pods: 1, labels: {{kai.scheduler/task-priority: 1}}}}
  - {{name: b, gpu: 1, pods: 1, labels: {labels}}}
"
        )
    };
    // Pod sets precede, so the order inside a set shows with one set only: two sets are one gang.
    assert_places(&job("{}"), &[("j/a/1", "-"), ("j/b/1", "-")]);
    let plan = check(&read(&format!("format: fairground-scenario\nversion: 1\n{}", job("{a: b}"))).scenario.unwrap());
    let cluster = plan.plan.expect("nothing is wrong").cluster;
    let labels: Vec<_> = cluster.pods.values().map(|pod| pod.rules.as_ref().unwrap().labels.clone()).collect();
    assert_eq!(&*labels[0][0].0, "kai.scheduler/task-priority");
    assert_eq!((&*labels[1][0].0, &*labels[1][0].1), ("a", "b"));
}

#[test]
fn fractions_of_several_devices() {
    let text = format!(
        "nodes: [{{name: n, gpu: 2}}]
{QUEUE}jobs:
- {{name: a, queue: q, gpu: 0.5, gpu-devices: 2}}
- {{name: b, queue: q, gpu: 0.5, pods: 2}}
- {{name: c, queue: q, gpu: 0.5}}
"
    );
    assert_places(&text, &[("a", "n"), ("b/1", "n"), ("b/2", "n"), ("c", "-")]);
    let simulation = first_cycle(&text);
    let devices: Vec<u64> = simulation.cluster().pods.values().map(|pod| pod.devices.0).collect();
    assert_eq!(devices[0], 3);
    assert_eq!(devices[1] | devices[2], 3);
}

#[test]
fn subgroups_form_a_tree() {
    let text = format!(
        "nodes: [{{name: n, gpu: 4}}]
{QUEUE}jobs:
- name: j
  queue: q
  pod-sets:
  - {{name: lead, gpu: 1}}
  - {{name: l, gpu: 1, group: workers/left}}
  - {{name: r, gpu: 1, group: workers/right}}
"
    );
    let simulation = first_cycle(&text);
    let paths: Vec<Vec<&str>> =
        simulation.cluster().pod_sets.values().map(|set| set.path.iter().map(|p| &**p).collect()).collect();
    assert_eq!(paths, [vec![], vec!["workers", "left"], vec!["workers", "right"]]);
    assert_places(&text, &[("j/lead/1", "n"), ("j/l/1", "n"), ("j/r/1", "n")]);
}

#[test]
fn without_departments_all_projects_share_one_level() {
    let shares = |setting: &str| {
        let free = "gpu: {quota: 0, limit: unlimited, weight: 1}";
        let text = format!(
            "settings: {{full-hierarchy-fairness: {setting}}}
nodes: [{{name: n, gpu: 12}}]
queues:
- {{name: d1, {free}}}
- {{name: d2, {free}}}
- {{name: a, parent: d1, {free}}}
- {{name: b, parent: d1, {free}}}
- {{name: c, parent: d2, {free}}}
jobs:
- {{name: ja, queue: a, gpu: 1, count: 12}}
- {{name: jb, queue: b, gpu: 1, count: 12}}
- {{name: jc, queue: c, gpu: 1, count: 12}}
"
        );
        let simulation = first_cycle(&text);
        let rows = simulation.ledger().rows.clone();
        rows.iter().map(|row| row.fair_share.unwrap().gpu).collect::<Vec<f64>>()
    };
    assert_eq!(shares("true"), [6.0, 6.0, 3.0, 3.0, 6.0]);
    // The row of the first top-level queue is the synthetic queue's; the other department is gone.
    assert_eq!(shares("false"), [12.0, 0.0, 4.0, 4.0, 4.0]);
}

#[test]
fn restricted_scheduling_goes_by_role() {
    let text = "settings: {restrict-node-scheduling: true}
nodes:
- {name: plain, gpu: 8}
- {name: gpu, gpu: 4, labels: {node-role.kubernetes.io/gpu-worker: \"\"}}
- {name: cpu, cpu: 8, labels: {node-role.kubernetes.io/cpu-worker: \"\"}}
queues:
- name: q
  gpu: {quota: 1, limit: unlimited, weight: 1}
  cpu: {quota: unlimited, limit: unlimited, weight: 1}
jobs:
- {name: g, queue: q, gpu: 1, count: 5}
- {name: c, queue: q, cpu: 1}
";
    let expected = [("g-1", "gpu"), ("g-2", "gpu"), ("g-3", "gpu"), ("g-4", "gpu"), ("g-5", "-"), ("c", "cpu")];
    assert_places(text, &expected);
    assert_eq!(first_cycle(text).ledger().total.gpu, 4.0);
}

/// A request of zero GPUs is none: such a pod needs no node with GPUs.
#[test]
fn a_request_of_zero_gpus_is_none() {
    let text = "nodes: [{name: plain, cpu: 8}]
queues:
- name: q
  gpu: {quota: 1, limit: unlimited, weight: 1}
  cpu: {quota: unlimited, limit: unlimited, weight: 1}
jobs: [{name: zero, queue: q, gpu: 0, cpu: 1}]
";
    assert_places(text, &[("zero", "plain")]);
}

#[test]
fn nominated_nodes_come_first_if_they_fit() {
    let text = |settings: &str| {
        format!(
            "{settings}nodes: [{{name: full, gpu: 1}}, {{name: a, gpu: 8}}, {{name: b, gpu: 4}}]
{QUEUE}jobs:
- {{name: x, queue: q, gpu: 1, on: [full]}}
- {{name: free, queue: q, gpu: 1}}
- {{name: named, queue: q, gpu: 1, nominated-node: a}}
- {{name: taken, queue: q, gpu: 1, nominated-node: full}}
- name: both
  queue: q
  nominated-node: a
  pod-sets: [{{name: k, gpu: 1}}, {{name: l, gpu: 1, nominated-node: b}}]
"
        )
    };
    let places = |named, taken, k| {
        [("x", "full"), ("free", "b"), ("named", named), ("taken", taken), ("both/k/1", k), ("both/l/1", "b")]
    };
    // The fuller node scores higher; a nominated one higher still, if it has room.
    assert_places(&text(""), &places("a", "b", "a"));
    let without = "settings: {plugins: [predicates, proportion, nodeavailability, nodeplacement]}\n";
    assert_places(&text(without), &places("b", "a", "b"));
}

#[test]
fn nominated_nodes_exist() {
    let found = |nominated: &str| {
        let text = format!(
            "format: fairground-scenario\nversion: 1\nnodes: [{{name: node, count: 2, gpu: 1}}]
{QUEUE}jobs: [{{name: j, queue: q, gpu: 1, nominated-node: {nominated}}}]
"
        );
        let found = check(&read(&text).scenario.expect("it is a scenario")).diagnostics;
        found.into_iter().map(|d| (d.code, d.fix.map(|fix| fix.label))).collect::<Vec<_>>()
    };
    assert_eq!(found("node-2"), []);
    assert_eq!(found("nod-2"), [(codes::NO_NODE, Some("Use \"node-2\"".to_string()))]);
}

#[test]
fn settings_without_effect_are_reported() {
    let n_reported = |settings: &str, rest: &str| {
        let text = format!("format: fairground-scenario\nversion: 1\nsettings: {{{settings}}}\n{rest}");
        let found = check(&read(&text).scenario.expect("it is a scenario")).diagnostics;
        found.iter().filter(|d| d.code == codes::NO_EFFECT).count()
    };
    let flat = "nodes: [{name: n, gpu: 1}]
queues: [{name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}]
jobs: [{name: j, queue: q, gpu: 1, priority: 100}]
";
    for switch in [
        "kValue: 1",
        "relcaimerSaturationMultiplier: 2",
        "reclaimerUtilizationMultiplier: 2",
        "full-hierarchy-fairness: true",
        "cpu-placement: spread",
        "max-consolidation-preemptees: 4",
        "staleness-grace: 5s",
        "default-job-priority: 75",
        "default-preempt-min-runtime: 5m",
        "default-reclaim-min-runtime: 5m",
        "reclaim-resolve: queue",
        "queue-depth-stalegangeviction: 3",
        "usage-window: 1d",
        "usage-half-life: 1h",
        "usage-staleness: 5m",
        "plugins: [predicates, proportion, nominatednode]",
        "usage-client: prometheus, usage-window-start: 5s",
    ] {
        assert_eq!(n_reported(switch, flat), 1, "{switch}");
    }
    for switch in [
        "gpu-placement: spread",
        "queue-depth-allocate: 2",
        "scheduling-signatures: false",
        "consolidating-reclaim: false",
        "usage-client: prometheus, usage-half-life: 1h, k-value: 2",
        "usage-client: prometheus, usage-window-type: tumbling, usage-window-start: 5s",
    ] {
        assert_eq!(n_reported(switch, flat), 0, "{switch}");
    }
    assert_eq!(n_reported("actions: [allocate], queue-depth-reclaim: 1", flat), 1);
    let preemptible = flat.replace("priority: 100", "priority: 50");
    assert_eq!(n_reported("default-preempt-min-runtime: 5m", &preemptible), 0);
    let runtime = flat.replace("weight: 1}}", "weight: 1}, reclaim-min-runtime: 5m}");
    assert_eq!(n_reported("k-value: 1", &runtime), 2);
}

/// KAI counts a device memory below 100 MiB, or one of 1 TiB (read as bytes), as 0: fractions take nothing of it
/// in its accounting, and it places more pods than there are devices. These cannot be bound.
#[test]
fn a_pod_without_a_free_device_is_not_bound() {
    for (policy, memory) in ["kai", "runai"].into_iter().flat_map(|p| ["80", "1", "1Ti", "2Ti"].map(|m| (p, m))) {
        let text = format!(
            "policy: {policy}\nnodes: [{{name: n, gpu: 2, gpu-memory: {memory}}}]
queues: [{{name: q, gpu: {{quota: 2, limit: unlimited, weight: 1}}}}]
jobs: [{{name: a, queue: q, gpu: 0.5}}, {{name: b, queue: q, gpu: 2}}]\n"
        );
        assert_places(&text, &[("a", "n"), ("b", "-")]);
        let marks: Vec<_> = first_cycle(&text).advance().expect("a second cycle").marks;
        let keys: Vec<_> = marks.iter().map(|mark| mark.rule.key()).collect();
        assert_eq!(keys, [format!("{policy}/bind/no-device")]);
    }
}

#[test]
fn an_unrealistic_gpu_memory_is_reported_with_its_effect() {
    let text = |memory: &str, asked: &str| {
        format!(
            "format: fairground-scenario\nversion: 1\nnodes: [{{name: n, gpu: 2, gpu-memory: {memory}}}]
queues: [{{name: q, gpu: {{quota: 2, limit: unlimited, weight: 1}}}}]
jobs: [{{name: a, queue: q, gpu-memory: {asked}}}]\n"
        )
    };
    let says = |memory: &str, asked: &str| {
        let found = check(&read(&text(memory, asked)).scenario.expect("a scenario")).diagnostics;
        let found = found.into_iter().filter(|d| d.code == codes::GPU_MEMORY);
        found.map(|d| format!("{} [{}]", d.says, d.fix.map_or_else(String::new, |f| f.label))).collect::<Vec<_>>()
    };
    assert_eq!(
        says("80", "8000"),
        [r#"gpu-memory "80" is 80 MiB, which no GPU has; did you mean 80Gi? [Set gpu-memory to 80Gi]"#]
    );
    assert_eq!(
        says("2Ti", "40"),
        [
            r#"gpu-memory "2Ti" is 2097152 MiB, which no GPU has; did you mean 2Gi? [Set gpu-memory to 2Gi]"#,
            r#"gpu-memory "40" is 40 MiB, which no GPU has; did you mean 40Gi? [Set gpu-memory to 40Gi]"#,
        ]
    );
    assert_eq!(says("80Gi", "40 GB"), Vec::<String>::new());
}

/// The documented formula divides 5 GPUs into halves; KAI gives whole ones and a remainder.
#[test]
fn the_published_share_stands_beside_where_it_differs() {
    let published = |gpus: u32, usage: &str| {
        let text = format!(
            "nodes: [{{name: n, gpu: {gpus}}}]\n\
             queues: [{{name: a, gpu: {{quota: 1, limit: unlimited, weight: 1{usage}}}}}, \
             {{name: b, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}]\n\
             jobs: [{{name: i, queue: a, count: 6, gpu: 1}}, {{name: j, queue: b, count: 6, gpu: 1}}]\n"
        );
        let steps = first_cycle(&text).derive(QueueId(0), Resource::GPU).into_iter();
        let shares = steps.filter_map(|step| match step {
            DivisionStep::AlternativeShare { fair_share, .. } => Some((fair_share * 100.0).round() / 100.0),
            _ => None,
        });
        shares.collect::<Vec<f64>>()
    };
    assert_eq!(published(5, ""), [2.5, 3.0], "by rounds, and line by line");
    assert_eq!(published(4, ""), [0.0; 0], "it is the same number");
    assert_eq!(published(5, ", usage: 0.5"), [0.0; 0], "the documents' pseudo-code knows no past usage");
}

#[test]
fn an_unknown_nominated_node_is_reported_in_its_own_pod_set() {
    let text = format!(
        "format: fairground-scenario\nversion: 1\nnodes: [{{name: n, gpu: 4}}]\n{QUEUE}jobs:
- {{name: j, queue: q, pod-sets: [{{name: x, gpu: 1}}, {{name: x, gpu: 1, nominated-node: none}}]}}
"
    );
    let found = check(&read(&text).scenario.expect("it is a scenario")).diagnostics;
    let unknown: Vec<String> = found.iter().filter(|d| d.code == codes::NO_NODE).map(|d| d.at.to_string()).collect();
    assert_eq!(unknown, ["jobs[\"j\"].pod-sets[1].nominated-node"]);
}
