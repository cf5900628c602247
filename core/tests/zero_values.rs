//! A limit of 0, a weight of 0 and a limit below the quota under every policy: effects and findings.
//!
//! kai.md 2.1, 2.4, 5.3; runai.md 3, 4; yunikorn.md 1.2 (a max of zeros alone is dropped); ego.md 2, 4

use std::fmt::Write;

use fairground::cluster::Phase;
use fairground::policy::Policy;
use fairground::scenario::{check, read};
use fairground::sim::Simulation;

/// After four cycles: GPUs in use by queue, and the findings about the values of queue a.
fn outcome(policy: &str, of_a: &str) -> String {
    let open =
        "cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}";
    let open = if policy == "kai" { format!(", {open}") } else { String::new() };
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: {policy}\ncycle: 1s\nnodes: [{{name: n, count: 4, gpu: 1}}]\n\
         queues:\n- {{name: a, gpu: {{{of_a}}}{open}}}\n- {{name: b, gpu: {{quota: 1, limit: unlimited, weight: 1}}{open}}}\n\
         jobs:\n- {{name: x, queue: a, count: 4, gpu: 1}}\n- {{name: y, queue: b, count: 4, gpu: 1}}\n"
    );
    let checked = check(&read(&text).scenario.expect("it has the form of a scenario"));
    let about_a = checked.diagnostics.iter().filter(|found| found.at.to_string().contains("\"a\""));
    let says: Vec<String> = about_a.map(|found| format!("{} {}", found.code.0, found.says)).collect();
    let Some(plan) = checked.plan else { return format!("refused; {}", says.join("; ")) };
    let mut simulation = Simulation::new(&plan);
    for _ in 0..4 {
        simulation.advance();
    }
    let cluster = simulation.cluster();
    let runs = |name: &str| {
        let is_of = |pod: &&fairground::cluster::Pod| {
            let holds = matches!(pod.phase, Phase::Running { .. } | Phase::Starting { .. });
            holds && *cluster.queues[cluster.jobs[pod.job].queue].name == *name
        };
        cluster.pods.values().filter(is_of).count()
    };
    let findings = if says.is_empty() { String::new() } else { format!("; {}", says.join("; ")) };
    format!("a {} b {}{findings}", runs("a"), runs("b"))
}

#[test]
fn every_policy_has_its_own_meaning() {
    let mut table = String::new();
    let cases = [
        ("limit 0", "quota: 1, limit: 0, weight: 1"),
        ("weight 0", "quota: 1, limit: unlimited, weight: 0"),
        ("limit 1 < quota 3", "quota: 3, limit: 1, weight: 1"),
    ];
    for policy in Policy::ALL {
        for (case, of_a) in cases {
            writeln!(table, "{:<9} {case:<18} {}", policy.key, outcome(policy.key, of_a)).expect("a text");
        }
    }
    expect_test::expect![[r#"
        kai       limit 0            a 0 b 4; S040 "a" has a gpu limit of 0, so nothing that requests gpu can run; raise it
        kai       weight 0           a 1 b 3; S042 "a" has gpu weight 0, so it gets nothing of what others leave unused; write 1
        kai       limit 1 < quota 3  a 1 b 3; S039 "a" has a gpu limit of 1 below its quota of 3; the limit wins
        runai     limit 0            a 0 b 4; S040 "a" has a gpu limit of 0, so nothing that requests gpu can run; raise it
        runai     weight 0           a 1 b 3
        runai     limit 1 < quota 3  a 1 b 3; S039 "a" has a gpu limit of 1 below its quota of 3; the limit wins
        yunikorn  limit 0            a 2 b 2; S059 YuniKorn would refuse this: a is guaranteed nvidia.com/gpu 1, above its maximum nvidia.com/gpu 0; S056 "a" has no maximum above 0, and YuniKorn drops a maximum that consists of zeros: nothing is limited; limit another resource, too, to forbid this one
        yunikorn  weight 0           a 2 b 2
        yunikorn  limit 1 < quota 3  a 1 b 3; S059 YuniKorn would refuse this: a is guaranteed nvidia.com/gpu 3, above its maximum nvidia.com/gpu 1
        ego       limit 0            a 1 b 3
        ego       weight 0           a 1 b 3
        ego       limit 1 < quota 3  a 3 b 1
        fifo      limit 0            a 1 b 1; S048 first in, first out ignores limit (of "a")
        fifo      weight 0           a 1 b 1; S048 first in, first out ignores weight (of "a")
        fifo      limit 1 < quota 3  a 3 b 1; S048 first in, first out ignores limit (of "a")
        max-min   limit 0            a 0 b 4; S048 max-min fairness ignores quota (of "a" and 1 more)
        max-min   weight 0           a 0 b 4; S048 max-min fairness ignores quota (of "a" and 1 more)
        max-min   limit 1 < quota 3  a 1 b 3; S048 max-min fairness ignores quota (of "a" and 1 more)
        drf       limit 0            a 0 b 4; S048 plain DRF ignores quota (of "a" and 1 more)
        drf       weight 0           a 1 b 3; S048 plain DRF ignores quota (of "a" and 1 more)
        drf       limit 1 < quota 3  a 1 b 3; S048 plain DRF ignores quota (of "a" and 1 more)
    "#]].assert_eq(&table);
}
