//! Jobs excluded from every node by selector, affinity or taint are reported before the run.

use fairground::policy::Policy;
use fairground::policy::description::Gangs;
use fairground::scenario::{Fix, Scenario, apply, check, read};
use fairground::sim::Simulation;

const HEAD: &str = "nodes:
- {name: east, gpu: 8, labels: {zone: east}}
- {name: west, count: 2, gpu: 8, labels: {zone: west}, taints: ['team=a:NoSchedule']}
queues: [{name: q, gpu: {quota: 8, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited}, memory: {quota: unlimited, limit: unlimited}}]
";

fn found(policy: &str, job: &str) -> Vec<(String, Option<Fix>)> {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: {policy}\n{HEAD}jobs: [{{name: j, queue: q, {job}}}]\n"
    );
    let scenario = read(&text).scenario.expect("it has the form of a scenario");
    let of_code = |code: &str| {
        let checked = check(&scenario);
        let found = checked.diagnostics.into_iter().filter(|found| found.code.0 == code);
        found.map(|found| (format!("{}: {}", found.at, found.says), found.fix)).collect::<Vec<_>>()
    };
    let all = of_code("S047");
    for fix in all.iter().filter_map(|(_, fix)| fix.as_ref()) {
        let mended = apply(&scenario, &fix.edits).expect("the fix applies");
        let left = check(&mended).diagnostics.into_iter().filter(|found| found.code.0 == "S047").count();
        assert_eq!(left, all.len() - 1, "{}", fix.label);
    }
    all
}

#[test]
fn under_every_policy_that_reads_them() {
    for policy in Policy::ALL {
        let says = |job: &str| found(policy.key, job).into_iter().map(|(says, _)| says).collect::<Vec<_>>();
        assert_eq!(says("gpu: 1"), Vec::<String>::new(), "{}", policy.key);
        assert_eq!(says("gpu: 1, affinity: ['zone in (west)'], tolerations: [team]"), Vec::<String>::new());
        assert_eq!(says("gpu: 1, selector: {zone: north}").len(), 1, "{}", policy.key);
        let affinity = says("gpu: 1, affinity: ['zone in (north)']");
        let tainted = says("gpu: 1, affinity: [], selector: {zone: west}");
        if !policy.supports.taints {
            assert_eq!((affinity, tainted), (vec![], vec![]), "{}", policy.key);
            continue;
        }
        let expected = [
            "jobs[\"j\"].affinity: no [node] meets the required affinity of \"j\"; the [job] waits for ever",
            "jobs[\"j\"].tolerations: every [node] that \"j\" may use has a taint that it does not tolerate, such as \
             \"team=a\" of \"west\"; the [job] waits for ever",
        ];
        assert_eq!([affinity, tainted].concat(), expected.map(|says| policy.terms.fill(says)), "{}", policy.key);
    }
}

/// Affinity of a pod set is reported at the pod set, once per job.
#[test]
fn affinity_is_reported_at_its_pod_set() {
    let all = found("kai", "pod-sets: [{name: a, gpu: 1}, {name: b, gpu: 1, affinity: ['!zone']}]");
    let places: Vec<&str> = all.iter().map(|(says, _)| says.split(": ").next().unwrap_or("")).collect();
    assert_eq!(places, ["jobs[\"j\"].pod-sets[\"b\"].affinity"]);
}

/// A limit below what a job needs to start is reported at the queue that has it; with the fix the job starts.
#[test]
fn limits_below_a_job_are_reported() {
    let text = |policy: &str, limits: [&str; 2], job: &str| {
        format!(
            "format: fairground-scenario\nversion: 1\npolicy: {policy}\nnodes: [{{name: n, gpu: 8, cpu: 64}}]\nqueues:
- {{name: top, gpu: {{quota: 0, limit: {}, weight: 1}}, cpu: {{limit: unlimited}}, memory: {{limit: unlimited}}}}
- {{name: q, parent: top, gpu: {{quota: 0, limit: {}, weight: 1}}, cpu: {{limit: unlimited}}, memory: {{limit: unlimited}}}}
jobs: [{{name: j, queue: q, {job}}}]\n",
            limits[0], limits[1]
        )
    };
    let starts = |scenario: &Scenario| {
        let mut run = Simulation::new(&check(scenario).plan.expect("a plan"));
        run.advance();
        run.cluster().pods.values().any(|pod| pod.node.is_some())
    };
    let with_limits = Policy::ALL.iter().filter(|policy| policy.queue.limit.is_some() && !policy.supports.share_usage);
    for policy in with_limits {
        let is_gang = policy.supports.gangs == Gangs::Together;
        let gang = "gpu: 2, pods: 3, min-available: 3";
        for (limits, job, at) in [
            (["8", "2"], "gpu: 4", Some("q")),
            (["2", "8"], "gpu: 4", Some("top")),
            (["4", "4"], "gpu: 4", None),
            (["unlimited", "5"], gang, is_gang.then_some("q")),
            (["unlimited", "6"], gang, None),
            (["1", "1"], "gpu: 4, on: [n]", None),
        ] {
            let text = text(policy.key, limits, job);
            let scenario = read(&text).scenario.expect("it has the form of a scenario");
            let found = check(&scenario).diagnostics.into_iter().find(|found| found.code.0 == "S067");
            let expected = at.map(|queue| format!("queues[\"{queue}\"].gpu.limit"));
            assert_eq!(found.as_ref().map(|found| found.at.to_string()), expected, "{text}");
            if let Some(fix) = found.and_then(|found| found.fix) {
                let mended = apply(&scenario, &fix.edits).expect("the fix applies");
                assert_eq!([starts(&scenario), starts(&mended)], [false, true], "{text}");
            }
        }
    }
}

/// A job whose subgroups need not all be there needs the smallest of them.
#[test]
fn a_minimum_of_subgroups_lowers_what_a_job_needs() {
    for (n, is_reported) in [(1, false), (2, true)] {
        let text = format!(
            "format: fairground-scenario\nversion: 1\npolicy: kai\nsettings: {{version: 0.17}}\nnodes: [{{name: n, gpu: 8}}]
queues: [{{name: q, gpu: {{quota: 0, limit: 2, weight: 1}}}}]
jobs: [{{name: j, queue: q, pod-sets: [{{name: head, gpu: 1}}, {{name: worker, pods: 3, gpu: 1}}], min-subgroups: {n}}}]\n"
        );
        let checked = check(&read(&text).scenario.expect("it has the form of a scenario"));
        assert_eq!(checked.diagnostics.iter().any(|found| found.code.0 == "S067"), is_reported, "{text}");
        let mut run = Simulation::new(&checked.plan.expect("a plan"));
        run.advance();
        assert_eq!(run.cluster().pods.values().any(|pod| pod.node.is_some()), !is_reported, "{text}");
    }
}
