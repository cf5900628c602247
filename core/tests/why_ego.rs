//! WHY under EGO: consumers that lost nothing to a reclaim.

use crate::support::why::{at, says};

/// A plan of nine hosts of one GPU; `a` reclaims at 0:05.
fn nine(queues: &str, jobs: &str) -> String {
    format!(
        "policy: ego
nodes: [{{name: n, gpu: 1, count: 9}}]
queues:
{queues}
jobs:
{jobs}
- {{name: aj, queue: a, gpu: 1, pods: 2, min-available: 1, submit: 5s}}
"
    )
}

#[test]
fn a_consumer_within_its_quota_loses_nothing() {
    let queues = "- {name: a}\n- {name: b}\n- {name: c}\n- {name: d}";
    let jobs = "- {name: bj, queue: b, gpu: 1, pods: 5, min-available: 1}
- {name: cj, queue: c, gpu: 1, pods: 3, min-available: 1}
- {name: dj, queue: d, gpu: 1, min-available: 1}";
    let lines = at(&nine(queues, jobs), "bj", 5);
    says(&lines, &["Candidate kept: c uses 33.3 % of the pool, which is within its share usage quota of 33.3 %."]);
}

#[test]
fn a_consumer_above_its_quota_comes_later() {
    let queues = "- {name: a}\n- {name: b}\n- {name: c}";
    let jobs = "- {name: bj, queue: b, gpu: 1, pods: 5, min-available: 1}
- {name: cj, queue: c, gpu: 1, pods: 4, min-available: 1}";
    let text = nine(queues, jobs).replace("pods: 2, min-available: 1, submit", "submit");
    let lines = at(&(text + "- {name: ak, queue: a, gpu: 1, submit: 5s}\n"), "bj", 5);
    says(&lines, &["Candidate kept: c uses 44.4 % of the pool, above its share usage quota of 38.9 %, but"]);
}
