//! Objects that make pods become the jobs that their scheduler makes of them; what is not used is named.

use fairground::import::{File, Imported, Options, import_files};
use fairground::scenario::{JobEntry, load, to_yaml};

/// The shape of a job in short: name, queue, count, pods, minimum, GPUs and its pod sets.
fn shape(job: &JobEntry) -> String {
    let of = |name: &str, value: &Option<fairground::scenario::Scalar>| {
        value.as_ref().map(|value| format!(" {name} {}", value.0)).unwrap_or_default()
    };
    let mut text = format!("{} in {}", job.name, job.queue);
    for (name, value) in [
        ("count", &job.count),
        ("priority", &job.priority),
        ("pods", &job.pods),
        ("min", &job.min_available),
        ("gpu", &job.gpu),
        ("gated", &job.gated),
    ] {
        text += &of(name, value);
    }
    for set in &job.pod_sets {
        text +=
            &format!("; {}{}{}{}", set.name, of("pods", &set.pods), of("min", &set.min_available), of("gpu", &set.gpu));
    }
    text
}

fn imported(texts: &[&str]) -> Imported {
    let files: Vec<File<'_>> =
        texts.iter().map(|text| File { name: "a.yaml", bytes: text.as_bytes(), is_sizes: false }).collect();
    let options = Options { policy: String::new(), ..Options::default() };
    import_files(&files, &options).imported
}

/// Imports texts, checks that the scenario can be run, and returns its jobs in short with the report.
fn read(texts: &[&str]) -> (Vec<String>, String) {
    let Imported { scenario, report } = imported(texts);
    let scenario = scenario.unwrap_or_else(|| panic!("{report:#?}"));
    let findings = load(&to_yaml(&scenario), |scenario| scenario).findings;
    assert!(findings.iter().all(|found| found.severity != fairground::scenario::Severity::Error), "{findings:#?}");
    let lines = [("assumed", report.assumed), ("ignored", report.ignored)];
    let lines = lines.iter().flat_map(|(what, lines)| lines.iter().map(move |line| format!("{what}: {line}\n")));
    (scenario.jobs.iter().map(shape).collect(), lines.collect())
}

fn jobs(text: &str) -> Vec<String> {
    read(&[text]).0
}

/// A pod template of KAI with a GPU.
const POD: &str = "{metadata: {labels: {kai.scheduler/queue: team}}, spec: {schedulerName: kai-scheduler, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}";

fn object(api: &str, kind: &str, metadata: &str, spec: &str) -> String {
    let spec = spec.replace("POD", POD);
    format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{namespace: demo, {metadata}}}\nspec: {spec}\n")
}

#[test]
fn kai_groups_the_pods_of_each_kind() {
    let of = |api: &str, kind: &str, spec: &str| jobs(&object(api, kind, "name: x", spec)).join(" | ");
    for (found, expected) in [
        (of("apps/v1", "Deployment", "{replicas: 3, template: POD}"), "x in team count 3 priority 125 gpu 1"),
        (of("apps/v1", "StatefulSet", "{replicas: 3, template: POD}"), "x in team pods 3 min 1 gpu 1"),
        (of("apps/v1", "ReplicaSet", "{template: POD}"), "x in team pods 1 min 1 gpu 1"),
        (of("batch/v1", "Job", "{parallelism: 4, completions: 3, template: POD}"), "x in team pods 3 min 1 gpu 1"),
        (
            of("batch/v1", "CronJob", "{schedule: '@daily', jobTemplate: {spec: {parallelism: 2, template: POD}}}"),
            "x in team pods 2 min 1 gpu 1",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn kai_groups_the_pods_of_operators() {
    let of = |api: &str, kind: &str, spec: &str| jobs(&object(api, kind, "name: x", spec)).join(" | ");
    let workers = "{Worker: {replicas: 2, template: POD}, Master: {template: POD}}";
    for (found, expected) in [
        (
            of("kubeflow.org/v1", "PyTorchJob", &format!("{{pytorchReplicaSpecs: {workers}}}")),
            "x in team; master pods 1 min 1 gpu 1; worker pods 2 min 2 gpu 1",
        ),
        (
            of(
                "kubeflow.org/v1",
                "PyTorchJob",
                &format!("{{elasticPolicy: {{minReplicas: 2}}, pytorchReplicaSpecs: {workers}}}"),
            ),
            "x in team; master pods 1 min 1 gpu 1; worker pods 2 min 1 gpu 1",
        ),
        (
            of(
                "kubeflow.org/v1",
                "TFJob",
                "{tfReplicaSpecs: {PS: {replicas: 1, template: POD}, Worker: {replicas: 3, template: POD}}, runPolicy: {schedulingPolicy: {minAvailable: 2}}}",
            ),
            "x in team min 2; ps pods 1 gpu 1; worker pods 3 gpu 1",
        ),
        (
            of(
                "ray.io/v1",
                "RayCluster",
                "{headGroupSpec: {template: POD}, workerGroupSpecs: [{groupName: w, replicas: 3, minReplicas: 1, numOfHosts: 2, template: POD}]}",
            ),
            "x in team; head pods 1 min 1 gpu 1; w pods 6 min 2 gpu 1",
        ),
        (
            of(
                "jobset.x-k8s.io/v1alpha2",
                "JobSet",
                "{replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 3, template: POD}}}]}",
            ),
            "x in team pods 6 min 6 gpu 1",
        ),
        (
            of(
                "leaderworkerset.x-k8s.io/v1",
                "LeaderWorkerSet",
                "{replicas: 2, leaderWorkerTemplate: {size: 4, workerTemplate: POD}}",
            ),
            "x in team count 2; leader pods 1 min 1 gpu 1; workers pods 3 min 3 gpu 1",
        ),
        (of("example.org/v1", "Anything", "{group: {replicas: 2, template: POD}}"), "x in team pods 2 min 1 gpu 1"),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn deployments_and_schedules_are_explained() {
    let text = object("apps/v1", "Deployment", "name: web", "{replicas: 2, template: POD}");
    let (_, report) = read(&[&text]);
    assert!(report.contains("Deployment demo/web has no class: KAI gives it inference (125)"), "{report}");
    let text =
        object("batch/v1", "CronJob", "name: nightly", "{schedule: '@daily', jobTemplate: {spec: {template: POD}}}");
    let (_, report) = read(&[&text]);
    assert!(report.contains("its schedule \"@daily\" is not simulated"), "{report}");
}

#[test]
fn an_annotation_makes_a_job_a_gang() {
    let of = |n: &str| {
        let metadata = format!("name: x, annotations: {{kai.scheduler/batch-min-member: \"{n}\"}}");
        read(&[&object("batch/v1", "Job", &metadata, "{parallelism: 4, completions: 4, template: POD}")])
    };
    let (jobs, report) = of("3");
    assert_eq!(jobs, ["x in team pods 4 min 3 gpu 1"]);
    assert!(report.contains("batch-min-member makes it a gang of 3"), "{report}");
    for n in ["9", "many"] {
        let (jobs, report) = of(n);
        assert_eq!(jobs, ["x in team pods 4 min 4 gpu 1 gated true"]);
        assert!(report.contains("it is never whole"), "{report}");
    }
    // Pods of such a Job without a pod group have its minimum, too.
    let job = object(
        "batch/v1",
        "Job",
        "name: x, annotations: {kai.scheduler/batch-min-member: \"2\"}",
        "{parallelism: 2, completions: 2, template: POD}",
    );
    let pod = |n: u8| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{namespace: demo, name: x-{n}, labels: {{kai.scheduler/queue: team}}, ownerReferences: [{{kind: Job, name: x, controller: true}}]}}\nspec: {{schedulerName: kai-scheduler, containers: [{{name: a}}]}}\n"
        )
    };
    assert_eq!(jobs_of(&[job, pod(1), pod(2)]), ["x in team pods 2 min 2"]);
}

fn jobs_of(objects: &[String]) -> Vec<String> {
    jobs(&objects.join("---\n"))
}

const PARTITIONS: &str = "partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues: [{name: team}]
";

#[test]
fn templates_have_the_labels_of_yunikorn_as_pods_have() {
    let template = |scheduler: &str, labels: &str| {
        format!(
            "{{replicas: 2, template: {{metadata: {{labels: {{{labels}}}}}, spec: {{{scheduler}containers: [{{name: a, resources: {{requests: {{cpu: 1}}}}}}]}}}}}}"
        )
    };
    for (kind, scheduler) in [("Deployment", "schedulerName: yunikorn, "), ("StatefulSet", "")] {
        let text = object("apps/v1", kind, "name: x", &template(scheduler, "applicationId: app-1, queue: root.team"));
        let (jobs, report) = read(&[PARTITIONS, &text]);
        assert_eq!(jobs, ["app-1 in team pods 2 min 1"]);
        assert_eq!(report.contains("names no scheduler"), scheduler.is_empty(), "{report}");
    }
    // Two objects of one application remain two jobs.
    let text = |name: &str| {
        object(
            "apps/v1",
            "StatefulSet",
            &format!("name: {name}"),
            &template("schedulerName: yunikorn, ", "applicationId: a, queue: root.team"),
        )
    };
    assert_eq!(
        read(&[PARTITIONS, &[text("x"), text("y")].join("---\n")]).0,
        ["x in team pods 2 min 1", "y in team pods 2 min 1"]
    );
}

#[test]
fn task_groups_of_a_template_are_its_minimum() {
    let spec = "{parallelism: 3, template: {metadata: {labels: {applicationId: a, queue: root.team}, annotations: {yunikorn.apache.org/task-group-name: g, yunikorn.apache.org/task-groups: '[{\"name\": \"g\", \"minMember\": 2}]'}}, spec: {schedulerName: yunikorn, containers: [{name: a}]}}}";
    let scenario = imported(&[PARTITIONS, &object("batch/v1", "Job", "name: x", spec)]).scenario.expect("it is read");
    assert_eq!(shape(&scenario.jobs[0]), "a in team pods 3 min 2");
    assert_eq!(scenario.jobs[0].gang.as_ref().map(|gang| gang.0.as_str()), Some("soft"));
}

#[test]
fn kueue_admits_suspended_work_as_a_whole() {
    let queues = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: cq}\nspec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: [{name: cpu, nominalQuota: 4}]}]}]}\n---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: lq, namespace: demo}\nspec: {clusterQueue: cq}\n";
    let pods = "template: {spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}}";
    let of = |api: &str, kind: &str, spec: &str| {
        jobs_of(&[queues.into(), object(api, kind, "name: x, labels: {kueue.x-k8s.io/queue-name: lq}", spec)])
    };
    let job = format!("{{suspend: true, parallelism: 2, completions: 2, {pods}}}");
    assert_eq!(of("batch/v1", "Job", &job), ["x in cq pods 2 min 2"]);
    let sets = format!(
        "{{suspend: true, replicatedJobs: [{{name: a, template: {{spec: {{{pods}}}}}}}, {{name: b, replicas: 2, template: {{spec: {{{pods}}}}}}}]}}"
    );
    assert_eq!(of("jobset.x-k8s.io/v1alpha2", "JobSet", &sets), ["x in cq; a pods 1 min 1; b pods 2 min 2"]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: demo, name: p, labels: {kueue.x-k8s.io/queue-name: lq}}\nspec: {containers: [{name: a}]}\n";
    assert_eq!(jobs_of(&[queues.into(), pod.into()]), ["p in cq pods 1 min 1"]);
    // Without Kueue, a suspended Job has no pods.
    let text = object("batch/v1", "Job", "name: x", "{suspend: true, template: POD}");
    assert_eq!(jobs(&text), ["x in team pods 1 min 1 gpu 1 gated true"]);
}

#[test]
fn objects_without_a_name_are_never_the_same() {
    let pod = |metadata: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}labels: {{kai.scheduler/queue: team}}}}\nspec: {{schedulerName: kai-scheduler, containers: [{{name: a}}]}}\n"
        )
    };
    let objects = [pod("generateName: d-, "), pod(""), pod("generateName: d-, "), pod("name: d-2, ")];
    let names = [
        "d-1 in team pods 1 min 1",
        "pod-1 in team pods 1 min 1",
        "d-3 in team pods 1 min 1",
        "d-2 in team pods 1 min 1",
    ];
    let (jobs, report) = read(&[&objects.join("---\n")]);
    assert_eq!(jobs, names);
    assert!(report.contains("has no name yet: it is called pod-1"), "{report}");
    // Jobs of the same name in two namespaces have it, too.
    let other = object("batch/v1", "Job", "name: x", "{template: POD}");
    let same = [other.clone(), other.replace("demo", "test")];
    assert_eq!(jobs_of(&same), ["demo/x in team pods 1 min 1 gpu 1", "test/x in team pods 1 min 1 gpu 1"]);
}

#[test]
fn claims_of_devices_are_gpus_or_named() {
    let claim = |kind: &str, request: &str| {
        let devices = format!("{{devices: {{requests: [{request}]}}}}");
        let spec = if kind == "ResourceClaim" { devices } else { format!("{{spec: {devices}}}") };
        object("resource.k8s.io/v1", kind, "name: c", &spec)
    };
    let pod = |name: &str, key: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{namespace: demo, name: {name}, labels: {{kai.scheduler/queue: team}}}}\nspec: {{schedulerName: kai-scheduler, resourceClaims: [{{name: g, {key}: c}}], containers: [{{name: a}}]}}\n"
        )
    };
    let template = "resourceClaimTemplateName";
    let exact = "{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}";
    assert_eq!(
        jobs_of(&[claim("ResourceClaimTemplate", exact), pod("a", template), pod("b", template)]),
        ["a in team pods 1 min 1 gpu 2", "b in team pods 1 min 1 gpu 2"]
    );
    let claimed = |objects: &[String]| read(&[&objects.join("---\n")]);
    assert_eq!(
        jobs_of(&[claim("ResourceClaim", exact), pod("a", "resourceClaimName")]),
        ["a in team pods 1 min 1 gpu 2"]
    );
    for (objects, why) in [
        (vec![pod("a", template)], "ResourceClaimTemplate c is not in the text"),
        (vec![claim("ResourceClaim", exact), pod("a", "resourceClaimName"), pod("b", "resourceClaimName")], "shared"),
        (
            vec![
                claim(
                    "ResourceClaimTemplate",
                    "{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}",
                ),
                pod("a", template),
            ],
            "all devices",
        ),
        (
            vec![
                claim("ResourceClaimTemplate", "{name: r, exactly: {deviceClassName: nic.example.org}}"),
                pod("a", template),
            ],
            "nic.example.org",
        ),
        (
            vec![
                claim(
                    "ResourceClaimTemplate",
                    "{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: x}}]}}",
                ),
                pod("a", template),
            ],
            "selectors",
        ),
    ] {
        let (jobs, report) = claimed(&objects);
        assert_eq!(jobs[0], "a in team pods 1 min 1");
        let says = "demo/a asks for devices by a claim that is not read; counted as none";
        assert!(report.contains(says) && report.contains(why), "{why}: {report}");
    }
}

#[test]
fn what_is_not_used_is_named() {
    let spec = "{backoffLimit: 3, template: {metadata: {labels: {kai.scheduler/queue: team, kai.scheduler/new: a}, annotations: {yunikorn.apache.org/queue: root.a}}, spec: {schedulerName: kai-scheduler, nodeSelectr: {a: b}, hostNetwork: true, topologySpreadConstraints: [{maxSkew: 1}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a}]}}, containers: [{name: a, ports: [{hostPort: 80}]}]}}}";
    let (_, report) = read(&[&object("batch/v1", "Job", "name: x", spec)]);
    for what in [
        "backoffLimit",
        "the label kai.scheduler/new",
        "the annotation yunikorn.apache.org/queue",
        "nodeSelectr",
        "hostNetwork",
        "topologySpreadConstraints",
        "podAntiAffinity",
        "hostPort",
    ] {
        assert!(report.contains(&format!("ignored: {what} of 1 × Job (batch): demo/x")), "{what}: {report}");
    }
}
