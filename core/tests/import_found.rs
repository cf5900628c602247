//! Inputs of which an import once lost something without a word, each with what must be said or done now.

use fairground::import::{File, Options, Report, import_files};
use fairground::scenario::{Scenario, check, to_yaml};

fn read(text: &str) -> (Scenario, String) {
    let (scenario, report) = import(text);
    (scenario.unwrap_or_else(|| panic!("{report:#?}")), lines(&report))
}

fn import(text: &str) -> (Option<Scenario>, Report) {
    let options = Options { policy: String::new(), ..Options::default() };
    let imported = import_files(&[File { name: "", bytes: text.as_bytes(), is_sizes: false }], &options).imported;
    (imported.scenario, imported.report)
}

fn lines(report: &Report) -> String {
    let of =
        |what: &str, lines: &[String]| -> String { lines.iter().map(|line| format!("{what}: {line}\n")).collect() };
    let findings: String = report.diagnostics.iter().map(|found| format!("{}\n", found.says)).collect();
    of("assumed", &report.assumed) + &of("ignored", &report.ignored) + &findings
}

fn has(report: &str, wanted: &[&str]) {
    for line in wanted {
        assert!(report.contains(line), "{line}\n{report}");
    }
}

const POD: &str = "{metadata: {labels: {kai.scheduler/queue: team}}, spec: {schedulerName: kai-scheduler, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}";

fn object(api: &str, kind: &str, spec: &str) -> String {
    let spec = spec.replace("POD", POD);
    format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n")
}

#[test]
fn values_inside_of_fields_are_named() {
    let job = "{runPolicy: {backoffLimit: 3, schedulingPolicy: {minAvailable: 2, minResources: {cpu: 1}}}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}";
    let (_, report) = read(&object("kubeflow.org/v1", "PyTorchJob", job));
    has(&report, &["ignored: runPolicy.backoffLimit of", "ignored: runPolicy.schedulingPolicy.minResources of"]);
    assert!(!report.contains("minAvailable"), "{report}");
    let tasks = "{minAvailable: 1, tasks: [{name: a, replicas: 1, policies: [{event: a}], template: POD}]}";
    let (_, report) = read(&object("batch.volcano.sh/v1alpha1", "Job", tasks));
    has(&report, &["ignored: tasks.policies of"]);
    let queue = "{resources: {gpu: {quota: 1, limit: -1, maxAllowed: 3}, rdma: {quota: 1}}}";
    let (_, report) = read(&object("scheduling.run.ai/v2", "Queue", queue));
    has(&report, &["ignored: resources.gpu.maxAllowed of", "ignored: resources.rdma of"]);
}

#[test]
fn requests_that_are_not_simulated_are_named() {
    let pod = "{schedulerName: kai-scheduler, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}, containers: [{name: a, resources: {requests: {cpu: 1, hugepages-2Mi: 1Gi}, limits: {cpu: 2}}}]}";
    let (_, report) = read(&object("v1", "Pod", pod));
    has(&report, &["ignored: containers.resources.requests.hugepages-2Mi of", "ignored: affinity of"]);
    assert!(!report.contains("resources.limits"), "{report}");
}

#[test]
fn values_of_another_type_are_named() {
    let (_, report) = read(&object("apps/v1", "Deployment", "{replicas: two, template: POD}"));
    has(&report, &["spec.replicas is two, which is no number that it takes: as if it were missing"]);
    let (_, report) = read(&object("scheduling.run.ai/v2", "Queue", "{resources: 5}"));
    has(&report, &["ignored: resources of 1 × Queue"]);
    let queue = "{resources: {gpu: {quota: -3, limit: -1}}}";
    let (_, report) = read(&object("scheduling.run.ai/v2", "Queue", queue));
    has(&report, &["quota of gpu is -3: a negative number is read as -1, which is unlimited"]);
    let queue = "{resources: {gpu: {quota: 1, overQuotaWeight: -1}}}";
    let (_, report) = import(&object("scheduling.run.ai/v2", "Queue", queue));
    has(&lines(&report), &["overQuotaWeight of gpu is -1, which is below 0"]);
}

#[test]
fn documents_that_are_no_objects_are_named() {
    let text = object("scheduling.run.ai/v2", "Queue", "{resources: {gpu: {quota: 1}}}");
    let (_, report) = read(&format!("{text}---\nfoo: bar\n"));
    has(&report, &["line 6: it has no kind, so it is no object"]);
    let work = object("example.com/v1", "Training", "{nodes: 4, perNode: {requests: {cpu: 4}}}");
    let (_, report) = read(&format!("{text}---\n{work}"));
    has(&report, &["1 × Training (example.com): x (line 6): it asks for resources, but its pods are not known"]);
}

#[test]
fn applications_of_spark_keep_their_scheduler_and_nodes() {
    let spec = "{type: Python, batchScheduler: yunikorn, batchSchedulerOptions: {queue: root.a}, nodeSelector: {a: b}, dynamicAllocation: {enabled: true, minExecutors: 2, maxExecutors: 5}, driver: {cores: 1, tolerations: [{key: t, operator: Exists}]}, executor: {cores: 2}}";
    let (scenario, report) = read(&object("sparkoperator.k8s.io/v1beta2", "SparkApplication", spec));
    assert_eq!(scenario.policy, "yunikorn");
    let job = &scenario.jobs[0];
    assert_eq!(job.selector.get("a").map(String::as_str), Some("b"));
    assert_eq!(job.tolerations, ["t"]);
    assert_eq!(job.pod_sets[1].pods.as_ref().map(|n| n.0.as_str()), Some("2"));
    has(&report, &["dynamicAllocation.maxExecutors of"]);
    assert!(!report.contains("names no scheduler"), "{report}");
}

#[test]
fn the_job_of_a_schedule_has_labels_of_its_own() {
    let spec = "{schedule: a, jobTemplate: {metadata: {labels: {kueue.x-k8s.io/queue-name: lq}}, spec: {parallelism: 3, template: {spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}}}}}";
    let (scenario, _) = read(&object("batch/v1", "CronJob", spec));
    assert_eq!(scenario.jobs[0].queue, "lq");
    assert_eq!(scenario.jobs[0].min_available.as_ref().map(|n| n.0.as_str()), Some("3"));
}

/// A pod that runs on a node which is not in the text has what it selects there.
#[test]
fn assumed_nodes_have_what_their_pods_select() {
    let pod = "{schedulerName: kai-scheduler, nodeName: n, nodeSelector: {a: b}, containers: [{name: a, resources: {limits: {x.com/y: 2}}}]}";
    let (scenario, _) = read(&object("v1", "Pod", pod));
    assert_eq!(scenario.nodes[0].labels.get("a").map(String::as_str), Some("b"));
    let errors = check(&scenario).diagnostics;
    assert!(errors.iter().all(|found| found.severity != fairground::scenario::Severity::Error), "{errors:#?}");
}

#[test]
fn classes_and_selectors_that_are_lost_are_named() {
    let pod = |name: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, annotations: {{pod-group-name: g}}}}\nspec: {{schedulerName: kai-scheduler, {more}containers: [{{name: a}}]}}\n"
        )
    };
    let pods = [pod("p", "priorityClassName: hi, "), pod("q", "nodeSelector: {a: b}, ")];
    let (_, report) = read(&pods.join("---\n"));
    has(&report, &["the class hi of Pod p is not in the text", "g: all pods select the nodes of the first one"]);
    let both = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {gpu-fraction: \"0.5\", gpu-memory: \"2000\"}}\nspec: {schedulerName: kai-scheduler, containers: [{name: a}]}\n";
    has(&read(both).1, &["the gpu-fraction 0.5 of p"]);
    let part = "{schedulerName: kai-scheduler, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}";
    has(&read(&object("v1", "Pod", part)).1, &["x asks for a part of a GPU as a resource"]);
}

#[test]
fn queues_of_volcano_say_what_is_lost() {
    let text = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q, annotations: {volcano.sh/hierarchy: root/a}}\nspec: {capability: {cpu: 4, rdma/hca: 4}}\nstatus: {state: Closed}\n";
    let (_, report) = read(text);
    let wanted =
        ["amounts of rdma/hca", "status.state of q (line 1): it is Closed", "the annotation volcano.sh/hierarchy of"];
    has(&report, &wanted);
}

#[test]
fn workloads_of_runai_say_what_is_lost() {
    let text = r#"{"workloads": [{"name": "w", "projectName": "a", "phase": "Pending", "requestedPods": {"number": 2}, "idleTime": 3,
        "workloadRequestedResources": {"cpu": {"request": 4}}, "podsRequestedResources": {"gpu": {"request": 1, "limit": 1},
        "extendedResources": [{"resource": "x.com/y", "quantity": "2"}]}, "tolerations": [{"key": "a"}]}]}"#;
    let (scenario, report) = read(text);
    let job = &scenario.jobs[0];
    assert_eq!(job.cpu.as_ref().map(|n| n.0.as_str()), Some("2"));
    assert_eq!(job.resources.get("x.com/y").map(|n| n.0.as_str()), Some("2"));
    has(&report, &["idleTime of workloads, in 1 place", "tolerations of workloads, in 1 place"]);
}

#[test]
fn templates_of_helm_and_attributes_of_plans_are_named() {
    let (scenario, report) =
        import("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n  {{- if .Values.a }}\n");
    assert_eq!(scenario, None);
    has(&lines(&report), &["this is a template of Helm"]);
    let plan = "<DistributionTree>\n<Consumer ConsumerName=\"a\" Foo=\"3\"/>\n</DistributionTree>\n";
    has(&read(plan).1, &["attribute Foo of Consumer, in 1 place"]);
}

/// Values that are legal, and absurd in the unit of the scheduler.
#[test]
fn few_bytes_are_named() {
    let pod = "{schedulerName: kai-scheduler, containers: [{name: a, resources: {requests: {memory: 16}}}]}";
    let (scenario, _) = read(&object("v1", "Pod", pod));
    let findings = check(&scenario).diagnostics;
    assert!(findings.iter().any(|found| found.says.contains("did you mean 16Gi?")), "{findings:#?}");
}

/// A setting that one of several partitions switches on has an effect.
#[test]
fn settings_of_one_partition_count() {
    let text = "partitions:\n- name: default\n  preemption: {quotapreemptionenabled: true}\n  queues:\n  - name: root\n    queues:\n    - {name: a, properties: {quota.preemption.delay: 10s}}\n- name: gpu\n  queues: [{name: root, queues: [{name: b}]}]\n";
    let (scenario, _) = read(text);
    assert!(to_yaml(&scenario).contains("quota-preemption: true"));
    let findings = check(&scenario).diagnostics;
    assert!(findings.iter().all(|found| !found.says.contains("is off")), "{findings:#?}");
}
