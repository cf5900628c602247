//! Output of `kubectl` for a cluster becomes a scenario of its present state.

use expect_test::expect;
use fairground::import::{FileKind, Imported, Options, Source, import_kubernetes, recognise};
use fairground::scenario::{check, read, to_yaml};
use fairground::sim::Simulation;
use fairground::trace::Event;

/// Two nodes, two queues below a parent, and all kinds of workloads, some of other schedulers.
const CLUSTER: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: gpu-a, labels: {zone: east, kubernetes.io/os: linux, nvidia.com/gpu.memory: "81920"}}
spec:
  taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
status:
  allocatable: {cpu: "32", memory: 128Gi, pods: "110", nvidia.com/gpu: "4", rdma/hca: "2", ephemeral-storage: 1Ti}
  conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-03-01T12:00:00Z"}]
---
apiVersion: v1
kind: Node
metadata: {name: gpu-b, labels: {zone: west}}
spec:
  unschedulable: true
  taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "2"}
---
apiVersion: scheduling.run.ai/v2
kind: QueueList
items:
- metadata: {name: research, creationTimestamp: "2026-02-01T12:00:00Z"}
  spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}
- metadata: {name: vision}
  spec:
    displayName: Computer vision
    parentQueue: research
    priority: 200
    preemptMinRuntime: 10m0s
    resources:
      gpu: {quota: 2, limit: 3.5, overQuotaWeight: 2}
      cpu: {quota: 4000, limit: -1, overQuotaWeight: 1}
      memory: {quota: 16000, limit: -1, overQuotaWeight: 1}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 120
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: pg-train, namespace: vision, creationTimestamp: "2026-03-01T11:00:00Z"}
spec: {minMember: 2, queue: vision, priorityClassName: urgent, preemptibility: preemptible}
---
apiVersion: v1
kind: Pod
metadata: {name: train-0, namespace: vision, annotations: {pod-group-name: pg-train}, creationTimestamp: "2026-03-01T11:00:00Z"}
spec:
  schedulerName: kai-scheduler
  nodeName: gpu-a
  nodeSelector: {zone: east}
  tolerations: [{key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}]
  containers: [{resources: {requests: {cpu: 500m, memory: 1536Mi, nvidia.com/gpu: "1"}}}, {resources: {limits: {cpu: "1", memory: 512Mi}}}]
  initContainers: [{resources: {requests: {cpu: "2"}}}]
status: {phase: Running, startTime: "2026-03-01T11:50:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: train-1, namespace: vision, annotations: {pod-group-name: pg-train}}
spec:
  schedulerName: kai-scheduler
  nodeSelector: {zone: east}
  tolerations: [{key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}]
  containers: [{resources: {requests: {cpu: 500m, memory: 1536Mi, nvidia.com/gpu: "1"}}}, {resources: {limits: {cpu: "1", memory: 512Mi}}}]
  initContainers: [{resources: {requests: {cpu: "2"}}}]
status: {phase: Pending}
---
apiVersion: v1
kind: Pod
metadata:
  name: notebook
  namespace: vision
  labels: {kai.scheduler/queue: vision}
  annotations: {gpu-fraction: "0.5"}
  deletionTimestamp: "2026-03-01T12:00:20Z"
spec:
  nodeName: gpu-a
  containers: [{resources: {}}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [east, west]}]}]
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: finished, namespace: vision, labels: {kai.scheduler/queue: vision}}
spec: {containers: [{}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: exporter, namespace: monitoring}
spec: {schedulerName: default-scheduler, nodeName: gpu-a, containers: [{resources: {requests: {cpu: "2", memory: 1Gi}}}]}
status: {phase: Running}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
"#;

fn imported(text: &str) -> Imported {
    assert_eq!(recognise(text.as_bytes(), ""), FileKind::Kubernetes);
    import_kubernetes(&[Source { file: "", text }], &Options { name: "cluster".into(), ..Options::default() })
}

#[test]
fn a_cluster_becomes_a_scenario_of_its_present_state() {
    let Imported { scenario, report } = imported(CLUSTER);
    let scenario = scenario.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
    expect![[r#"
        format: fairground-scenario
        version: 1
        name: cluster
        policy: kai
        settings:
          priority-class.urgent: 120
          version: 0.17
        nodes:
          - name: gpu-a
            gpu: 4
            gpu-memory: 81920
            cpu: 30
            memory: 127Gi
            pods: 109
            labels: {zone: east}
            taints: ["dedicated=gpu:NoSchedule"]
            resources: {rdma/hca: 2}
          - {name: gpu-b, gpu: 2, cpu: 16, memory: 64Gi, pods: 110, labels: {zone: west}, state: cordoned}
        queues:
          - name: research
            created: -2419200s
            gpu: {quota: 4, limit: unlimited, weight: 1}
            cpu: {quota: unlimited, limit: unlimited}
            memory: {quota: unlimited, limit: unlimited}
          - name: vision
            parent: research
            priority: 200
            gpu: {quota: 2, limit: 3.5, weight: 2}
            cpu: {quota: 4000m, limit: unlimited, weight: 1}
            memory: {quota: 16000, limit: unlimited, weight: 1}
            preempt-min-runtime: 10m0s
            display-name: Computer vision
        jobs:
          - name: pg-train
            queue: vision
            submit: -3600s
            priority: urgent
            preemptible: true
            pods: 2
            min-available: 2
            gpu: 1
            cpu: 2
            memory: 2Gi
            selector: {zone: east}
            on: [gpu-a]
            started: -600s
            tolerations: ["dedicated=gpu:NoSchedule"]
          - name: notebook
            queue: vision
            pods: 1
            min-available: 1
            gpu: 0.5
            on: [gpu-a]
            affinity: ["zone in (east, west)"]
            terminating: [20s]
    "#]]
    .assert_eq(&to_yaml(&scenario));
}

#[test]
fn assumptions_and_omissions_are_reported() {
    let report = imported(CLUSTER).report;
    let lines = [("understood", report.understood), ("assumed", report.assumed), ("ignored", report.ignored)];
    let lines =
        lines.into_iter().flat_map(|(part, lines)| lines.into_iter().map(move |line| format!("{part}: {line}\n")));
    expect![[r#"
        understood: 2 queues, 2 nodes, 2 jobs
        understood: 3 × Pod: vision/train-0 (line 46), vision/train-1 (line 58), vision/notebook (line 69)
        understood: 1 × PodGroup (scheduling.run.ai): vision/pg-train (line 41)
        understood: 2 × Node: gpu-a (line 2), gpu-b (line 11)
        understood: 2 × Queue (scheduling.run.ai): research (line 23), vision (line 25)
        understood: 1 × PriorityClass (scheduling.k8s.io): urgent (line 36)
        assumed: now is 2026-03-01T12:00:00Z, the latest moment in the text
        assumed: 1 × Pod: monitoring/exporter (line 92): of another scheduler, so its requests are taken off its node
        assumed: no durations: jobs run to the end
        assumed: version 0.17, the newest that is simulated
        ignored: 1 × Deployment (apps): web (line 98): of another scheduler
        ignored: 1 × Pod: vision/finished (line 86): over, or holding a device for others
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// Running pods stay on their nodes; the next cycle starts pods with room.
#[test]
fn the_next_cycle_continues_from_the_present_state() {
    let scenario = imported(CLUSTER).scenario.expect("a scenario");
    let checked = check(&read(&to_yaml(&scenario)).scenario.expect("what is written can be read"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    let record = simulation.advance().expect("a first cycle");
    let cluster = simulation.cluster();
    let bound = record.events.iter().filter_map(|recorded| match recorded.event {
        Event::Bound { pod, node, .. } => Some((&*cluster.pods[pod].name, &*cluster.nodes[node].name)),
        _ => None,
    });
    assert_eq!(bound.collect::<Vec<_>>(), [("pg-train/2", "gpu-a")]);
}

/// The same objects as a list of `kubectl -o json`, and as in KAI's snapshot.
#[test]
fn lists_and_snapshots_are_read_too() {
    let queue = r#"{"metadata": {"name": "q"}, "spec": {"resources": {"gpu": {"quota": 1, "limit": -1}}}}"#;
    let of_kind = queue.replacen('{', r#"{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "#, 1);
    let texts = [
        format!(
            r#"{{"apiVersion": "v1", "items": [{of_kind}], "kind": "List", "metadata": {{"resourceVersion": ""}}}}"#
        ),
        format!(r#"{{"config": null, "rawObjects": {{"queues": [{queue}], "configMaps": []}}}}"#),
        format!("{of_kind}\n{of_kind}"),
    ];
    for text in texts {
        let Imported { scenario, report } = imported(&text);
        let queues = scenario.unwrap_or_else(|| panic!("{text}: {:?}", report.diagnostics)).queues;
        let names: Vec<&str> = queues.iter().map(|queue| queue.name.as_str()).collect();
        assert_eq!(names, ["q"], "{text}");
        assert_eq!(queues[0].gpu.limit.as_ref().map(|limit| limit.0.as_str()), Some("unlimited"));
    }
}

/// Unreadable input is reported with its line, and imports nothing.
#[test]
fn unreadable_input_is_reported() {
    let says = |text: &str| {
        let Imported { scenario, report } = import_kubernetes(&[Source { file: "", text }], &Options::default());
        assert_eq!(scenario, None, "{text}");
        let lines = report.diagnostics.iter().map(|found| (found.position.map(|at| at.0), found.says.clone()));
        lines.collect::<Vec<_>>()
    };
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - resources: {requests: {cpu: lots}}\n";
    assert_eq!(says(text), [(Some(6), "cpu is lots, which is no quantity of Kubernetes".to_string())]);
    let text =
        "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec: {resources: {gpu: {quota: many}}}\n";
    assert_eq!(says(text), [(Some(4), "quota of gpu is many, which is no number".to_string())]);
    let text = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n";
    let nothing = "no queue, pod group, pod or node is in the text; kubectl get … -o json prints them";
    assert_eq!(says(text), [(None, nothing.to_string())]);
    assert_eq!(says("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"").len(), 1);
}

/// Subgroups become pod sets; a bind request that has not failed places its pod; huge amounts and cyclic parents
/// terminate.
#[test]
fn gangs_bind_requests_and_extremes_are_read() {
    let pod = |name: &str, subgroup: &str, cpu: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: ns, annotations: {{pod-group-name: g}}, \
             labels: {{kai.scheduler/subgroup-name: {subgroup}}}}}\nspec: {{containers: [{{resources: {{requests: {{cpu: \"{cpu}\"}}}}}}, \
             {{resources: {{requests: {{cpu: \"{cpu}\"}}}}}}]}}\n"
        )
    };
    let text = format!(
        "apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {{name: g, namespace: ns}}
spec:
  minMember: 2
  queue: q
  subGroups:
  - {{name: outer, parent: loop}}
  - {{name: loop, parent: outer}}
  - {{name: leader, parent: outer, minMember: 1}}
  - {{name: worker, minMember: 1}}
---
apiVersion: scheduling.run.ai/v1alpha2
kind: BindRequest
metadata: {{name: b, namespace: ns}}
spec: {{podName: l, selectedNode: n}}
{}{}{}",
        pod("l", "leader", "1"),
        pod("w", "worker", "9007199254740"),
        pod("lost", "nobody", "1"),
    );
    let Imported { scenario, report } = imported(&text);
    let scenario = scenario.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
    let sets = &scenario.jobs[0].pod_sets;
    let named: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!((named, scenario.jobs[0].on.as_slice()), (vec!["leader", "worker"], &["n".to_string()][..]));
    assert!(sets[0].group.starts_with("loop/outer/") || sets[0].group.ends_with("/outer"), "{}", sets[0].group);
    assert!(report.ignored.iter().any(|line| line.starts_with("1 pod of g: ")), "{:?}", report.ignored);
}

/// A resource that only `limits` name is requested, also beside other requests.
#[test]
fn a_limit_without_a_request_is_a_request() {
    let text = "apiVersion: v1
kind: Pod
metadata: {name: p, labels: {kai.scheduler/queue: q}}
spec:
  schedulerName: kai-scheduler
  containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2, nvidia.com/gpu: 2}}}]
";
    let job = &imported(text).scenario.expect("a scenario").jobs[0];
    let of = |scalar: &Option<fairground::scenario::Scalar>| scalar.as_ref().map(|scalar| scalar.0.clone());
    assert_eq!((of(&job.cpu), of(&job.gpu)), (Some("1".into()), Some("2".into())));
}
