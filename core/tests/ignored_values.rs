//! Values that the policy does not read are reported, one finding per kind.

use expect_test::expect;
use fairground::scenario::{check, codes, read};

/// Ignored values as `path: text`.
fn ignored(policy: &str) -> Vec<String> {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: {policy}
nodes:
- {{name: n, gpu: 8, taints: [\"slow:NoSchedule\"]}}
- {{name: m, gpu: 8, taints: [\"slow:NoSchedule\"]}}
queues: [{{name: q, gpu: {{quota: unlimited, limit: unlimited, weight: 1}}, reclaim-min-runtime: 5m}}]
jobs:
- {{name: a, queue: q, gpu: 1, tolerations: [slow], affinity: [\"!zone\"], scheduling-backoff: 1, nominated-node: n}}
- {{name: b, queue: q, gpu: 1, tolerations: [slow], scheduling-backoff: -1}}
- name: c
  queue: q
  tolerations: [slow]
  pod-sets:
  - {{name: x, gpu: 1, pods: 2, min-available: 2}}
  - {{name: y, gpu: 1, group: left, labels: {{ray.io/node-type: head}}}}
"
    );
    let found = check(&read(&text).scenario.expect("it is a scenario"));
    assert!(found.plan.is_some(), "{:?}", found.diagnostics);
    let ignored = found.diagnostics.into_iter().filter(|d| d.code == codes::NOT_EXPRESSED);
    ignored.map(|d| format!("{}: {}", d.at, d.says)).collect()
}

#[test]
fn kai_and_runai_read_all_values() {
    assert_eq!(ignored("kai"), [""; 0]);
    assert_eq!(ignored("runai"), [""; 0]);
}

#[test]
fn ego_ignores_taints() {
    expect![[r#"
        queues["q"].reclaim-min-runtime: EGO ignores reclaim-min-runtime (of "q")
        nodes["n"].taints: EGO ignores taints (of "n" and 1 more)
        jobs["a"].tolerations: EGO ignores tolerations (of "a" and 2 more)
        jobs["a"].affinity: EGO ignores affinity (of "a")
        jobs["c"].pod-sets["y"].group: EGO ignores subgroups (of "c")
        jobs["c"].pod-sets["y"].labels: EGO ignores the labels that order the units of an allocation (of "c")
        jobs["a"].scheduling-backoff: EGO ignores scheduling-backoff (of "a")
        jobs["a"].nominated-node: EGO ignores nominated-node (of "a")"#]]
    .assert_eq(&ignored("ego").join("\n"));
}

#[test]
fn yunikorn_starts_pods_one_by_one() {
    expect![[r#"
        queues["q"].reclaim-min-runtime: YuniKorn ignores reclaim-min-runtime (of "q")
        jobs["c"].pod-sets["x"].min-available: YuniKorn ignores how many pods must start together (of "c")
        jobs["c"].pod-sets["y"].group: YuniKorn ignores subgroups (of "c")
        jobs["c"].pod-sets["y"].labels: YuniKorn ignores the labels that order the pods of an application (of "c")
        jobs["a"].scheduling-backoff: YuniKorn ignores scheduling-backoff (of "a")
        jobs["a"].nominated-node: YuniKorn ignores nominated-node (of "a")"#]]
    .assert_eq(&ignored("yunikorn").join("\n"));
}

#[test]
fn baselines_ignore_most_values() {
    expect![[r#"
        queues["q"].reclaim-min-runtime: first in, first out ignores reclaim-min-runtime (of "q")
        jobs["c"].pod-sets["x"].min-available: first in, first out ignores min-available (of "c")
        jobs["c"].pod-sets["y"].group: first in, first out ignores subgroups (of "c")
        jobs["c"].pod-sets["y"].labels: first in, first out ignores the labels that order the pods of a job (of "c")
        jobs["a"].scheduling-backoff: first in, first out ignores scheduling-backoff (of "a")
        jobs["a"].nominated-node: first in, first out ignores nominated-node (of "a")"#]]
    .assert_eq(&ignored("fifo").join("\n"));
    expect![[r#"
        queues["q"].reclaim-min-runtime: plain DRF ignores reclaim-min-runtime (of "q")
        jobs["c"].pod-sets["y"].group: plain DRF ignores subgroups (of "c")
        jobs["c"].pod-sets["y"].labels: plain DRF ignores the labels that order the pods of a job (of "c")
        jobs["a"].scheduling-backoff: plain DRF ignores scheduling-backoff (of "a")
        jobs["a"].nominated-node: plain DRF ignores nominated-node (of "a")"#]]
    .assert_eq(&ignored("drf").join("\n"));
    let others = ignored("max-min");
    assert_eq!(others.len(), ignored("drf").len());
    assert!(others.iter().all(|says| says.contains("max-min fairness ignores")));
}

#[test]
fn first_in_first_out_reads_quotas_of_gpus_alone_and_no_users() {
    let text = "format: fairground-scenario\nversion: 1\npolicy: fifo
nodes: [{name: n, gpu: 4, cpu: 8}]
queues: [{name: a, gpu: {quota: 2}, cpu: {quota: 3}}, {name: b, gpu: {quota: 2}, memory: {quota: 1Gi}}]
jobs: [{name: j, queue: a, gpu: 1, user: eve}]
";
    let found = check(&read(text).scenario.expect("it is a scenario")).diagnostics;
    let lines: Vec<String> = found.iter().map(|d| format!("{}: {}", d.at, d.says)).collect();
    expect![[r#"
        queues["a"].cpu.quota: first in, first out ignores quota of cpu (of "a" and 1 more)
        jobs["j"].user: first in, first out ignores user (of "j")"#]]
    .assert_eq(&lines.join("\n"));
}
