//! Objects of Kueue and Volcano, alone and mixed, become a scenario of the selected policy.

use expect_test::expect;
use fairground::import::{FileKind, Imported, Options, Source, import_kubernetes, recognise};
use fairground::scenario::{check, to_yaml};

/// A cohort with two ClusterQueues, one with two flavors, and pending, running and finished workloads.
const KUEUE: &str = r#"
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec:
  nodeLabels: {tier: spot}
  tolerations: [{key: spot, operator: Exists}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: vision}
spec:
  cohortName: research
  queueingStrategy: StrictFIFO
  preemption: {withinClusterQueue: LowerPriority}
  fairSharing: {weight: "2"}
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: spot
      resources:
      - {name: cpu, nominalQuota: 16}
      - {name: nvidia.com/gpu, nominalQuota: 4, borrowingLimit: 2, lendingLimit: 1}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: speech}
spec:
  cohort: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu, rdma/hca]
    flavors:
    - {name: spot, resources: [{name: nvidia.com/gpu, nominalQuota: "1"}, {name: rdma/hca, nominalQuota: 8}]}
    - {name: on-demand, resources: [{name: nvidia.com/gpu, nominalQuota: "2"}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: alone}
spec:
  resourceGroups:
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: spot, resources: [{name: nvidia.com/gpu, nominalQuota: 1}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: vision}
spec: {clusterQueue: vision}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 70
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata:
  name: job-running
  namespace: vision
  creationTimestamp: "2026-03-01T11:00:00Z"
  ownerReferences: [{kind: Job, name: running, controller: true, uid: u1}]
spec:
  queueName: team
  priorityClassName: high
  podSets: [{name: main, count: 2, template: {spec: {containers: [{resources: {requests: {nvidia.com/gpu: "1"}}}]}}}]
status:
  admission: {clusterQueue: vision, podSetAssignments: [{name: main, flavors: {nvidia.com/gpu: spot}}]}
  conditions: [{type: QuotaReserved, status: "True", lastTransitionTime: "2026-03-01T12:00:00Z"}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: job-waits, namespace: vision, creationTimestamp: "2026-03-01T11:30:00Z"}
spec:
  queueName: team
  priority: 5
  podSets:
  - {name: driver, count: 1, template: {spec: {containers: [{resources: {requests: {cpu: "2"}}}]}}}
  - {name: worker, count: 3, template: {spec: {containers: [{resources: {requests: {nvidia.com/gpu: "1"}}}]}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: job-admitted, namespace: vision}
spec: {queueName: team, podSets: [{name: main, count: 1, template: {spec: {containers: [{}]}}}]}
status: {conditions: [{type: QuotaReserved, status: "True"}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: job-over, namespace: vision}
spec: {queueName: team, podSets: [{name: main, count: 1, template: {spec: {containers: [{}]}}}]}
status: {conditions: [{type: Finished, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: running-0
  namespace: vision
  ownerReferences: [{kind: Job, name: running, controller: true, uid: u1}]
spec:
  nodeName: gpu-a
  nodeSelector: {tier: spot}
  schedulingGates: [{name: kueue.x-k8s.io/admission}]
  containers: [{resources: {requests: {nvidia.com/gpu: "1"}}}]
status: {phase: Running, startTime: "2026-03-01T11:50:00Z"}
---
apiVersion: v1
kind: Node
metadata: {name: gpu-a, labels: {tier: spot}}
status: {allocatable: {cpu: "32", memory: 128Gi, pods: "110", nvidia.com/gpu: "8"}}
"#;

/// Queues of Volcano, and a pod group with one running pod.
const VOLCANO: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "root"}, "spec": {}},
{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "research"},
 "spec": {"parent": "root", "weight": 3, "reclaimable": false, "priority": 2,
  "capability": {"cpu": "64", "nvidia.com/gpu": 8}, "deserved": {"nvidia.com/gpu": 2},
  "guarantee": {"resource": {"nvidia.com/gpu": 4, "memory": "16Gi"}}}},
{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "train", "namespace": "ns"},
 "spec": {"minMember": 2, "queue": "research", "minTaskMember": {"worker": 2}}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ns",
 "annotations": {"scheduling.k8s.io/group-name": "train", "volcano.sh/preemptable": "true"}},
 "spec": {"schedulerName": "volcano", "nodeName": "n1", "containers": [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]},
 "status": {"phase": "Running"}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-1", "namespace": "ns",
 "annotations": {"scheduling.k8s.io/group-name": "train"}},
 "spec": {"schedulerName": "volcano", "containers": [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]}}]}
"#;

fn imported(sources: &[Source<'_>], policy: &str) -> Imported {
    let options = Options { name: "cluster".into(), policy: policy.into(), ..Options::default() };
    import_kubernetes(sources, &options)
}

fn of(text: &str, policy: &str) -> Imported {
    assert_eq!(recognise(text.as_bytes(), ""), FileKind::Kubernetes);
    imported(&[Source { file: "", text }], policy)
}

/// The scenario, then the messages.
fn shown(Imported { scenario, report }: Imported) -> String {
    let scenario = scenario.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
    let checked = check(&scenario);
    assert!(checked.plan.is_some(), "{:?}", checked.diagnostics);
    let parts = [("understood", report.understood), ("assumed", report.assumed), ("ignored", report.ignored)];
    let lines =
        parts.into_iter().flat_map(|(part, lines)| lines.into_iter().map(move |line| format!("# {part}: {line}\n")));
    to_yaml(&scenario) + &lines.collect::<String>()
}

/// Long because the scenario it expects is.
#[test]
fn kueue_becomes_queues_and_jobs() {
    expect![[r#"
        format: fairground-scenario
        version: 1
        name: cluster
        policy: kai
        settings:
          priority-class.high: 70
          version: 0.17
        nodes:
          - {name: gpu-a, gpu: 8, cpu: 32, memory: 128Gi, pods: 110, labels: {tier: spot}}
        queues:
          - name: research
            gpu: {quota: 7, limit: 7, weight: 1}
            cpu: {quota: 16, limit: 16, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
          - name: vision
            parent: research
            gpu: {quota: 4, limit: 6, weight: 2}
            cpu: {quota: 16, limit: unlimited, weight: 2}
            memory: {quota: unlimited, limit: unlimited, weight: 2}
          - name: speech
            parent: research
            gpu: {quota: 3, limit: unlimited, weight: 1}
            cpu: {quota: unlimited, limit: unlimited, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
          - name: alone
            gpu: {quota: 1, limit: 1, weight: 1}
            cpu: {quota: unlimited, limit: unlimited, weight: 1}
            memory: {quota: unlimited, limit: unlimited, weight: 1}
        jobs:
          - name: job-running
            queue: vision
            submit: -3600s
            priority: high
            pods: 1
            min-available: 1
            gpu: 1
            selector: {tier: spot}
            on: [gpu-a]
            started: -600s
          - name: job-waits
            queue: vision
            submit: -1800s
            priority: 5
            selector: {tier: spot}
            pod-sets:
              - {name: driver, pods: 1, min-available: 1, cpu: 2}
              - {name: worker, pods: 3, min-available: 3, gpu: 1}
            tolerations: [spot]
          - name: job-admitted
            queue: vision
            pods: 1
            min-available: 1
            selector: {tier: spot}
            tolerations: [spot]
        # understood: 4 queues, 1 node, 3 jobs
        # understood: 1 × Pod: vision/running-0 (line 90)
        # understood: 3 × Workload (kueue.x-k8s.io): vision/job-running (line 53), vision/job-waits (line 68), vision/job-admitted (line 78)
        # understood: 1 × Node: gpu-a (line 103)
        # understood: 3 × ClusterQueue (kueue.x-k8s.io): vision (line 9), speech (line 25), alone (line 36)
        # understood: 1 × LocalQueue (kueue.x-k8s.io): vision/team (line 43)
        # understood: 1 × ResourceFlavor (kueue.x-k8s.io): spot (line 2)
        # understood: 1 × WorkloadPriorityClass (kueue.x-k8s.io): high (line 48)
        # assumed: now is 2026-03-01T12:00:00Z, the latest moment in the text
        # assumed: 1 × Workload (kueue.x-k8s.io): vision/job-admitted (line 78): admitted, but no pod says on which node, so they wait
        # assumed: speech (line 25): quotas of the flavors on-demand, spot are added up
        # assumed: Kueue itself is not simulated: its queues and jobs are scheduled by the rules of the chosen policy
        # assumed: no durations: jobs run to the end
        # assumed: version 0.17, the newest that is simulated
        # ignored: 1 × Workload (kueue.x-k8s.io): vision/job-over (line 84): finished or not active
        # ignored: vision (line 23): lendingLimit: idle quota can be used by all others
        # ignored: speech (line 25): quotas of rdma/hca
        # ignored: preemption of 1 × ClusterQueue (kueue.x-k8s.io): vision (line 9)
        # ignored: queueingStrategy of 1 × ClusterQueue (kueue.x-k8s.io): vision (line 9)
    "#]].assert_eq(&shown(of(KUEUE, "kai")));
}

#[test]
fn volcano_becomes_queues_and_jobs() {
    expect![[r#"
        format: fairground-scenario
        version: 1
        name: cluster
        policy: kai
        settings:
          version: 0.17
        nodes:
          - {name: n1, gpu: 8}
        queues:
          - name: research
            priority: 2
            gpu: {quota: 4, limit: 8, weight: 3}
            cpu: {quota: 0, limit: 64, weight: 3}
            memory: {quota: 16Gi, limit: unlimited, weight: 3}
        jobs:
          - {name: train, queue: research, preemptible: true, pods: 2, min-available: 2, gpu: 1, on: [n1]}
        # understood: 1 queue, 1 node, 1 job
        # understood: 2 × Pod: ns/train-0 (line 9), ns/train-1 (line 13)
        # understood: 1 × PodGroup (scheduling.volcano.sh): ns/train (line 7)
        # understood: 2 × Queue (scheduling.volcano.sh): root (line 2), research (line 3)
        # assumed: no creation times: the order of the file counts as age
        # assumed: 1 node that pods name and the text does not have: 8 GPUs each
        # assumed: Volcano itself is not simulated: its queues and jobs are scheduled by the rules of the chosen policy
        # assumed: no durations: jobs run to the end
        # assumed: version 0.17, the newest that is simulated
        # ignored: minTaskMember of 1 × PodGroup (scheduling.volcano.sh): ns/train (line 7)
        # ignored: reclaimable of 1 × Queue (scheduling.volcano.sh): research (line 3)
    "#]]
    .assert_eq(&shown(of(VOLCANO, "kai")));
}

/// Under another policy the same objects are translated, with notes about changes.
#[test]
fn objects_are_translated_to_the_selected_policy() {
    for policy in ["kai", "runai", "yunikorn", "ego", "max-min", "drf", "fifo"] {
        for text in [KUEUE, VOLCANO] {
            let scenario = of(text, policy).scenario.unwrap_or_else(|| panic!("{policy}"));
            assert_eq!(scenario.policy, policy);
            assert!(check(&scenario).plan.is_some(), "{policy}: {:?}", check(&scenario).diagnostics);
        }
    }
}

/// Several files with objects of several schedulers: every object counts once, with file and line.
#[test]
fn a_mixture_names_files_and_lines() {
    let kai = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: k}\nspec: {resources: {gpu: {quota: 1, limit: -1}}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let volcano = VOLCANO.replace("research", "batch");
    let sources = [
        Source { file: "kueue.yaml", text: KUEUE },
        Source { file: "v.json", text: &volcano },
        Source { file: "kai.yaml", text: kai },
    ];
    let Imported { scenario, report } = imported(&sources, "kai");
    let queues = scenario.unwrap_or_else(|| panic!("{:?}", report.diagnostics)).queues;
    let names: Vec<&str> = queues.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(names, ["k", "batch", "research", "vision", "speech", "alone"]);
    for line in ["1 × Queue (scheduling.run.ai): k (kai.yaml line 1)", "1 × Deployment (apps): web (kai.yaml line 6)"]
    {
        let lines = [&report.understood, &report.ignored].map(|lines| lines.join("\n")).join("\n");
        assert!(lines.contains(line), "{lines}");
    }
}

/// Unreadable values are reported with file, line and field; cycles, huge counts and missing parts terminate.
#[test]
fn hostile_objects_end_with_a_message() {
    let queue = |spec: &str| {
        format!("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: q}}\nspec: {spec}\n")
    };
    let quota = |quota: &str| {
        queue(&format!(
            "{{resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, nominalQuota: {quota}}}]}}]}}]}}"
        ))
    };
    let workload = |sets: &str| {
        format!(
            "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {{name: w}}\nspec: {{queueName: q, podSets: {sets}}}\n"
        )
    };
    let wrong = |text: &str| {
        let Imported { scenario, report } =
            imported(&[Source { file: "a.yaml", text }, Source { file: "b.yaml", text: KUEUE }], "kai");
        assert_eq!(scenario, None, "{text}");
        let found = &report.diagnostics[0];
        format!("{} at {:?}", found.says, found.position.map(|at| at.0))
    };
    assert_eq!(wrong(&quota("many")), "a.yaml: nominalQuota is many, which is no quantity of Kubernetes at Some(4)");
    let says = "a.yaml: w: a pod set needs a template, and all together up to 200000 pods at Some(4)";
    assert_eq!(wrong(&workload("[{count: 99999999999999, template: {}}]")), says);
    assert_eq!(wrong(&workload("[{count: 1}]")), says);
    assert!(wrong("apiVersion: [").starts_with("a.yaml: "));
    assert!(wrong(VOLCANO).contains("two schedulers have a queue called \"research\""));
    let circle = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: a}\nspec: {parentName: b}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: b}\nspec: {parentName: a}\n";
    let Imported { scenario, .. } = of(circle, "kai");
    assert!(scenario.is_some_and(|scenario| check(&scenario).plan.is_none()));
    for odd in [queue("[1, 2]"), queue("null"), workload("[]"), workload("{}"), quota("9223372036854775807")] {
        let Imported { scenario, report } = of(&odd, "kai");
        assert!(scenario.is_some() || !report.diagnostics.is_empty(), "{odd}");
    }
}
