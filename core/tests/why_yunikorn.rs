//! WHY under YuniKorn: reservations, priorities and fences of a preemption, preemptions that free too little.

use fairground::sim::CycleRecord;
use fairground::trace::Gate;

use crate::support;
use crate::support::why::says;

fn why(text: &str, job: &str, seconds: i64) -> String {
    support::why::at(&format!("policy: yunikorn\n{text}"), job, seconds)
}

fn why_where(text: &str, job: &str, is_meant: impl Fn(&CycleRecord) -> bool) -> String {
    support::why::when(&format!("policy: yunikorn\n{text}"), job, is_meant)
}

/// Three victims are needed, and the search ends after two, which are more pods than the ask.
const TWO_OF_THREE: &str = "
settings: {preemption.delay.c2: 2s}
nodes: [{name: n, cpu: 6, pods: 110}]
queues:
- {name: top, cpu: {limit: 6}}
- {name: c1, parent: top, cpu: {quota: 3}}
- {name: c2, parent: top, cpu: {quota: 3}}
jobs:
- {name: small, queue: c1, pods: 10, min-available: 1, cpu: 1}
- {name: large, queue: c2, cpu: 3, submit: 60s}
";

#[test]
fn a_preemption_that_frees_too_little_says_what_is_missing() {
    let large = why(TWO_OF_THREE, "large", 300);
    let frees = "its preemption frees 2 cores on n, which then has 2 cores free; large needs 3 cores (1 core missing).";
    let ended = "because they free more pods than it requests (2 against 1)";
    says(&large, &[frees, ended, "preempts only once", "top: allocated with the application (7 cores) is more than"]);
    assert!(!large.contains("It starts in the first cycle"), "{large}");
}

#[test]
fn a_reserved_node_is_a_reason() {
    let small = why(TWO_OF_THREE, "small", 300);
    says(&small, &["small is waiting: n is reserved for large."]);
    assert!(!small.contains("maximum"), "{small}");
}

/// The victims free enough on the node, but the maximum of the parent is still exceeded.
#[test]
fn a_preemption_may_leave_a_queue_over_its_maximum() {
    let text = TWO_OF_THREE.replace("cpu: 6, pods: 110", "cpu: 20, pods: 110");
    let large = why(&text, "large", 300);
    says(
        &large,
        &[
            "its preemption freed too little: with large and without the evicted pods, top would use 7 cores, over its maximum of 6",
        ],
    );
}

/// Placeholders of a gang hold the node.
const GANG: &str = "
nodes: [{name: n, gpu: 3}]
queues: [{name: q}]
jobs:
- name: gang
  queue: q
  gang: soft
  placeholder-timeout: 20s
  pod-sets: [{name: small, pods: 3, gpu: 1}, {name: big, pods: 1, gpu: 2}]
- {name: single, queue: q, gpu: 1, submit: 15s}
";

#[test]
fn placeholders_reserve_room_until_their_timeout() {
    let single = why(GANG, "single", 16);
    says(&single, &["single is waiting: 3 GPUs on n are reserved for gang until 0:20.", "Next: At 0:20"]);
    says(&why(GANG, "gang", 20), &["the reservations for its gang have expired; from 0:21"]);
}

#[test]
fn a_gang_does_not_lack_pod_slots_but_gpus() {
    let gang = why(GANG, "gang", 16);
    says(&gang, &["3 of 4 gang pods are reserved", "gang: requested (2 GPUs) is more than free (0 GPUs)"]);
    assert!(!gang.contains("pod slot"), "{gang}");
}

/// The priorities of `x` and `y` below a tenant with an offset, as settings of both kinds.
fn tenant(fence: &str, y: i32) -> String {
    format!(
        "
settings: {{{fence}preemption.policy.tenant: fence, preemption.delay.root: 1s}}
nodes: [{{name: n, gpu: 2}}]
queues:
- {{name: tenant, priority: 10}}
- {{name: x, parent: tenant, gpu: {{quota: 2}}}}
- {{name: y, parent: tenant, priority: {y}}}
jobs:
- {{name: y-0, queue: y, priority: 7, gpu: 1}}
- {{name: y-1, queue: y, priority: 7, gpu: 1, submit: 1s}}
- {{name: x-0, queue: x, gpu: 1, submit: 10s}}
"
    )
}

#[test]
fn priorities_of_a_preemption_name_offsets_and_fences() {
    let fenced = "x-0 counts as priority 10 (the offset 10 of the priority fence tenant); y-1 counts as priority 10 (7 + y's offset 3), which is not higher";
    says(&why(&tenant("priority.policy.tenant: fence, ", 3), "y-1", 11), &[fenced]);
    let plain = "x-0 counts as priority 10 (0 + tenant's offset 10); y-1 counts as priority 5 (7 − y's offset 2), which is lower";
    says(&why(&tenant("", -2), "y-1", 11), &[plain]);
}

#[test]
fn the_comparison_of_the_guarantee_names_the_queue_of_the_victim() {
    let lines = why(&tenant("", 3), "y-1", 11);
    says(&lines, &["y: allocated before this eviction (2 GPUs) is more than guarantee (0 GPUs)"]);
    says(&lines, &["y-0: the newest application goes first, and it is older (submitted 0:00, y-1 0:01)"]);
}

#[test]
fn an_ask_that_preempts_later_says_when() {
    let lines = why(&tenant("", 3), "x-0", 10);
    says(&lines, &["Next: At 0:11 it may preempt: with it, x uses 1 GPU, within its guarantee of 2 GPUs."]);
}

#[test]
fn an_ask_that_would_find_no_victim_does_not_announce_a_preemption() {
    let lines = why(&tenant("", 4), "x-0", 10);
    assert!(!lines.contains("may preempt"), "{lines}");
}

#[test]
fn the_job_behind_another_one_says_by_what() {
    let text = "
nodes: [{name: n, gpu: 1}]
queues: [{name: q}]
jobs: [{name: early, queue: q, gpu: 1}, {name: urgent, queue: q, gpu: 1, priority: 10}]
";
    says(
        &why_where(text, "early", |record| record.cycle == 1),
        &["early is waiting behind urgent, which comes first in q (priority 10 against 0)."],
    );
}

#[test]
fn a_taint_is_not_a_missing_label() {
    let text = "
nodes: [{name: n, gpu: 1, taints: [\"slow:NoSchedule\"]}]
queues: [{name: q}]
jobs: [{name: j, queue: q, gpu: 1}]
";
    says(&why(text, "j", 1), &["1 with a taint the application does not tolerate"]);
}

#[test]
fn a_back_off_is_no_lack_of_pod_slots() {
    let text = "
settings: {application.unschedasks.backoff.q: 1}
nodes: [{name: n, gpu: 1}]
queues: [{name: q}]
jobs: [{name: j, queue: q, pods: 4, gpu: 1}]
";
    let lines = why(text, "j", 1);
    assert!(!lines.contains("pod slot"), "{lines}");
}

/// The node has lost the GPU by the time that the pod takes its placeholder's place.
#[test]
fn a_pod_that_its_node_does_not_admit_says_so() {
    let text = "
nodes: [{name: n, count: 2, gpu: 1, memory: 1Gi}]
queues: [{name: q}]
jobs:
- {name: gang, queue: q, gang: soft, pod-sets: [{name: head, memory: 2Gi}, {name: worker, gpu: 1}]}
timeline:
- {at: 3, node: n-1, capacity: {gpu: 0, memory: 4Gi}}
";
    let gang = why_where(text, "gang", |record| {
        record.refusals.iter().any(|refusal| matches!(refusal.gate, Gate::NoDevice { .. }))
    });
    says(&gang, &["it was placed on n-1, which has no free GPU left for it", "tries it again in the next cycle"]);
}
