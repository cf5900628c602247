//! Export of a scenario as a virtual cluster with the real scheduler, to compare it with the simulation.
//!
//! # Rule
//! KWOK nodes, which run nothing; queues; priority classes beyond KAI's own; per job a pod group and its pods, which
//! end after the time given in an annotation; shards with the settings; stages with these times and delays; the
//! timeline as a script; the expected result.
//!
//! # Source
//! KWOK, *Nodes*, *Stages*; KAI Scheduler, `docs/developer/pod-grouper.md`; manifests of Kubernetes (Node, Pod,
//! PriorityClass)
//!
//! # Differs
//! fractions of GPUs need an operator that adds fake devices to nodes; the age of a queue is its creation in the
//! cluster

use std::collections::BTreeSet;

use super::export::{QUEUES, documents};
use super::kit_jobs::{Classes, job};
use super::kit_nodes::nodes;
use super::kit_shards::shards;
use super::kit_timetable::timetable;
use super::names::{Names, UniqueNames};
use crate::cluster::GpuRequest;
use crate::format::yaml::{Yaml, map, text};
use crate::policy::export::{File, Folder, Source};
use crate::units::Resource;

/// Files of the kit.
pub fn kit(source: &Source<'_>, expected: &str) -> Option<Folder> {
    let cluster = source.cluster;
    let names = Names::of_queues(source);
    let mut classes = Classes::default();
    let mut unique = UniqueNames::default();
    let job_names: Vec<String> = cluster.jobs.values().map(|job| unique.name(&job.name)).collect();
    let node_names = nodes(source, &names);
    let jobs: Vec<File> = cluster
        .jobs
        .ids()
        .zip(&job_names)
        .map(|(id, name)| {
            let objects = job(source, (id, name), &names, &node_names.names, &mut classes);
            File { name: format!("jobs/{name}.yaml"), text: documents(&objects) }
        })
        .collect();
    let mut left_out: BTreeSet<String> = (QUEUES.write)(source)?.left_out.into_iter().collect();
    left_out.extend(node_names.left_out.iter().cloned());
    let played = timetable(source, &names, &node_names.names, &job_names);
    left_out.extend(played.left_out);
    let joining: BTreeSet<&str> =
        cluster.joining.iter().map(|joining| &*cluster.jobs[cluster.pods[joining.pod].job].name).collect();
    left_out.extend(source.remark(&joining, "pods that join later are created with their job"));
    let shards = shards(source, &names)?;
    left_out.extend(shards.left_out);
    let has_shares = cluster
        .pods
        .values()
        .any(|pod| matches!(pod.request.gpu, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. }));
    let file = |name: &str, text: String| File { name: name.to_string(), text };
    let mut files = vec![
        file("README.md", readme(source, has_shares, &left_out)),
        file("1-nodes.yaml", documents(&node_names.objects)),
        file("2-queues.yaml", (QUEUES.write)(source)?.text),
        file("3-priority-classes.yaml", documents(&classes.objects())),
        file("4-stages.yaml", stages(source)),
        file("5-timetable.sh", played.text),
        file("6-shards.yaml", shards.text),
        file("expected-events.csv", expected.to_string()),
    ];
    files.extend(jobs);
    files.retain(|file| !file.text.is_empty());
    Some(Folder { files, left_out: left_out.into_iter().collect() })
}

/// KWOK stages: pods start, end and terminate after the times of the scenario.
fn stages(source: &Source<'_>) -> String {
    let delays = source.cluster.delays;
    let expression = |key: &str, operator: &str, values: &[&str]| {
        let values = values.iter().map(|value| text(value)).collect();
        map([("key", text(key)), ("operator", text(operator)), ("values", Yaml::List(values))])
    };
    let stays = || expression(".metadata.deletionTimestamp", "DoesNotExist", &[]);
    let after = |ms: i64| map([("durationMilliseconds", Yaml::Value(ms.to_string()))]);
    let status = |template: &str| map([("statusTemplate", text(template))]);
    let lasts = ".metadata.annotations[\"fairground/lasts\"]";
    let after_expression = map([("durationFrom", map([("expressionFrom", text(lasts))]))]);
    let gone =
        map([("finalizers", map([("empty", Yaml::Value("true".into()))])), ("delete", Yaml::Value("true".into()))]);
    let stages = [
        (
            "pod-ready",
            vec![stays(), expression(".status.phase", "In", &["Pending"])],
            after(delays.start.as_millis()),
            status(RUNNING),
        ),
        (
            "pod-complete",
            vec![stays(), expression(".status.phase", "In", &["Running"]), expression(lasts, "Exists", &[])],
            after_expression,
            status(SUCCEEDED),
        ),
        (
            "pod-delete",
            vec![expression(".metadata.deletionTimestamp", "Exists", &[])],
            after(delays.termination.as_millis()),
            gone,
        ),
    ];
    let stage = |(name, selector, delay, next): (&str, Vec<Yaml>, Yaml, Yaml)| {
        map([
            ("apiVersion", text("kwok.x-k8s.io/v1alpha1")),
            ("kind", text("Stage")),
            ("metadata", map([("name", text(name))])),
            (
                "spec",
                map([
                    ("resourceRef", map([("apiGroup", text("v1")), ("kind", text("Pod"))])),
                    ("selector", map([("matchExpressions", Yaml::List(selector))])),
                    ("delay", delay),
                    ("next", next),
                ]),
            ),
        ])
    };
    documents(&stages.map(stage))
}

const RUNNING: &str = "phase: Running
startTime: {{ Now | Quote }}
conditions:
- {type: Ready, status: \"True\", lastTransitionTime: {{ Now | Quote }}}
containerStatuses:
- {name: main, image: none, imageID: \"\", ready: true, restartCount: 0, started: true, state: {running: {startedAt: {{ Now | Quote }}}}}
";
const SUCCEEDED: &str = "phase: Succeeded
conditions:
- {type: Ready, status: \"False\", reason: PodCompleted, lastTransitionTime: {{ Now | Quote }}}
containerStatuses:
- {name: main, image: none, imageID: \"\", ready: false, restartCount: 0, started: false, state: {terminated: {exitCode: 0, reason: Completed, finishedAt: {{ Now | Quote }}}}}
";

fn readme(source: &Source<'_>, shares: bool, left_out: &BTreeSet<String>) -> String {
    let scenario = source.scenario;
    let cluster = source.cluster;
    let title = if scenario.name.is_empty() { "Scenario" } else { &scenario.name };
    let note = if scenario.note.is_empty() { String::new() } else { format!("\n{}\n", scenario.note.trim()) };
    let gpus: i64 = cluster.nodes.values().map(|node| node.capacity.get(Resource::GPU).in_base_units() / 1000).sum();
    let versions = super::versions::MODELLED.revision_of(scenario).versions;
    let operator = if shares {
        "\nSome pods ask for a part of a GPU: for those the cluster needs an operator that gives nodes fake devices.\n"
    } else {
        ""
    };
    let left_out: String = left_out.iter().map(|line| format!("- {line}\n")).collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!("\n## Not in the kit\n\n{left_out}") };
    format!(
        "# {title}\n{note}\nA virtual cluster for KAI Scheduler ({versions}): {} nodes with {gpus} GPUs, {} queues, {} jobs, {} pods.\n\
         \n## Needed\n\nA cluster of its own with KWOK and KAI Scheduler, `kubectl` and `bash`. The pods run nowhere: KWOK only says that they do.\n{operator}\
         \n## How\n\n```sh\nkubectl apply -f 4-stages.yaml -f 1-nodes.yaml\nkubectl apply -f 2-queues.yaml -f 6-shards.yaml\n\
         [ -f 3-priority-classes.yaml ] && kubectl apply -f 3-priority-classes.yaml\nbash 5-timetable.sh\n\
         kubectl get pods,podgroups.scheduling.run.ai,queues.scheduling.run.ai -A -o wide\n```\n\
         \n`6-shards.yaml` configures the scheduler as the scenario does: KAI's operator starts it anew with that, one scheduler for each node pool. \
         `4-stages.yaml` replaces the stages of pods that KWOK was installed with. The script submits each job at its time, plays the timeline \
         and makes pods again that were evicted, until it is stopped.\n\
         \n## Expected and seen\n\n`expected-events.csv` lists what the simulation does, with seconds since the start; a cycle of the real scheduler \
         may fall up to one period later. Compare with `kubectl get events -A --sort-by=.lastTimestamp`.\n\
         \n- Expected: see `expected-events.csv`\n- Seen:\n- Versions of Kubernetes and KAI Scheduler:\n{left_out}",
        cluster.nodes.len(),
        cluster.queues.len(),
        cluster.jobs.len(),
        cluster.pods.len(),
    )
}
