//! Explanations of decisions: reasons and outlooks of pending jobs, queues that were not selected, and compared
//! numbers.

use fairground::id::PartitionId;
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::{Candidate, Event, Gate, NodeReason, OrderPlace, Outlook, Quantity, Refusal, Value};
use fairground::units::Resource;
use fairground_tests::scenarios::under;

const FREE: &str = "limit: unlimited, weight: 1";

/// Refusal of a job at the end of the first cycle.
fn refusal(simulation: &mut Simulation, job: &str) -> Refusal {
    let record = simulation.advance().expect("a first cycle");
    let cluster = simulation.cluster();
    let of_job = record.refusals.iter().find(|refusal| &*cluster.jobs[refusal.job].name == job);
    of_job.cloned().unwrap_or_else(|| panic!("{job} does not wait"))
}

/// Every queue that was not selected for an eviction is listed once, at the level where its path splits from that of
/// the reclaiming queue: a department with two projects once, and a second department with it.
#[test]
fn every_queue_not_selected_is_listed_once() {
    let text = format!(
        "nodes: [{{name: n, gpu: 7}}]
queues:
- {{name: taker, gpu: {{quota: 2, {FREE}}}}}
- {{name: over, gpu: {{quota: 0, {FREE}}}}}
- {{name: left, gpu: {{quota: 2, {FREE}}}}}
- {{name: left-one, parent: left, gpu: {{quota: 1, {FREE}}}}}
- {{name: left-two, parent: left, gpu: {{quota: 1, {FREE}}}}}
- {{name: right, gpu: {{quota: 1, {FREE}}}}}
- {{name: empty, gpu: {{quota: 0, {FREE}}}}}
jobs:
- {{name: o, queue: over, count: 4, gpu: 1, on: [n, n, n, n]}}
- {{name: l1, queue: left-one, gpu: 1, on: [n]}}
- {{name: l2, queue: left-two, gpu: 1, on: [n]}}
- {{name: r, queue: right, gpu: 1, on: [n]}}
- {{name: t, queue: taker, gpu: 1}}
"
    );
    for policy in ["kai", "runai"] {
        let mut simulation = under(policy, &text);
        let record = simulation.advance().expect("a first cycle");
        let queues = &simulation.cluster().queues;
        let queues_listed = record.not_selected.iter().filter_map(|not_selected| match not_selected.candidate {
            Candidate::Queue(queue) => Some(&*queues[queue].name),
            Candidate::Job(_) => None,
        });
        assert_eq!(queues_listed.collect::<Vec<_>>(), ["left", "right"], "{policy}");
    }
}

/// A request above the limit itself needs an edit; a request above the rest of the limit does not.
#[test]
fn more_than_a_limit_waits_for_an_edit() {
    let text = |gpus: u32| {
        format!(
            "nodes: [{{name: n, gpu: 4}}]
queues: [{{name: q, gpu: {{quota: 1, limit: 2, weight: 1}}}}]
jobs:
- {{name: first, queue: q, gpu: 1, priority: 75, on: [n]}}
- {{name: second, queue: q, gpu: {gpus}}}
"
        )
    };
    for (gpus, is_never) in [(2, false), (3, true)] {
        let refused = refusal(&mut under("kai", &text(gpus)), "second");
        assert!(matches!(refused.gate, Gate::OverLimit { .. }), "{refused:?}");
        assert_eq!(refused.outlook == Outlook::OnlyByEdit, is_never, "{refused:?}");
    }
}

/// A non-preemptible job above its queue's fair share is refused for that reason, whether or not it is above the quota
/// too.
#[test]
fn the_fair_share_is_compared_before_the_quota() {
    let text = "settings: {actions: [reclaim]}
nodes: [{name: n, gpu: 2}]
queues:
- {name: a, gpu: {quota: 1, limit: unlimited, weight: 0}}
- {name: b, gpu: {quota: 1, limit: unlimited, weight: 0}}
jobs:
- {name: of-b, queue: b, gpu: 1, on: [n]}
- {name: of-a, queue: a, gpu: 1, priority: 125, on: [n]}
- {name: more, queue: a, gpu: 1, priority: 125}
";
    let refused = refusal(&mut under("kai", text), "more");
    assert!(matches!(refused.gate, Gate::NotEntitled { .. }), "{refused:?}");
    assert_eq!(refused.checks[0].rule.key(), "kai/reclaim/can-reclaim");
}

/// A GPU memory request is a fraction of the smallest GPU; a node without GPUs does not count.
#[test]
fn a_node_without_gpus_does_not_count_for_gpu_memory() {
    let text = format!(
        "nodes: [{{name: n, gpu: 2, gpu-memory: 80000}}, {{name: plain, cpu: 8}}]
queues: [{{name: q, gpu: {{quota: 2, {FREE}}}}}]
jobs: [{{name: j, queue: q, count: 2, gpu-memory: 40000}}]
"
    );
    assert_eq!(under("runai", &text).ledger().rows[0].request.gpu, 1.0);
}

/// Free capacity that is too small for every pending job is stranded; without pending jobs none is.
#[test]
fn capacity_too_small_for_every_pending_job_is_stranded() {
    let of = |waits: &str| {
        let text = format!(
            "nodes: [{{name: n, count: 2, gpu: 2}}]
queues: [{{name: q}}]
jobs:
- {{name: runs, queue: q, gpu: 1, count: 2, on: [n-1, n-2]}}
{waits}"
        );
        let mut simulation = under("drf", &text);
        simulation.advance().expect("a first cycle");
        simulation.free_and_stranded(Resource::GPU)
    };
    assert_eq!(of(""), (2.0, 0.0));
    assert_eq!(of("- {name: wide, queue: q, gpu: 2}\n"), (2.0, 2.0));
}

/// A node without free pod slots or with too little of a resource is reported so; common nodes are
/// closed to a queue above its share, and the selector is not reported as the reason.
#[test]
fn first_in_first_out_reports_what_each_node_lacks() {
    let refusal = |quota: &str| {
        let text = format!(
            "nodes: [{{name: full, gpu: 1}}, {{name: many, gpu: 4, pods: 1}}]
queues: [{{name: q, gpu: {{quota: {quota}}}}}]
jobs:
- {{name: one, queue: q, gpu: 1, on: [full]}}
- {{name: two, queue: q, gpu: 1, on: [many]}}
- {{name: waits, queue: q, gpu: 1}}
"
        );
        refusal(&mut under("fifo", &text), "waits")
    };
    let refused = refusal("5");
    let Gate::NoNode { mut reasons, .. } = refused.gate else { panic!("{refused:?}") };
    reasons.sort();
    assert_eq!(reasons, [(NodeReason::Insufficient(Resource::GPU), 1), (NodeReason::PodSlots, 1)]);
    let refused = refusal("0");
    assert!(matches!(refused.gate, Gate::OverLimit { .. }) && refused.is_over_quota(), "{refused:?}");
}

/// EGO reclaims from consumers above their quota that did not reclaim in the same pass: `b` is above its quota with the
/// unit that it reclaimed, and `a` has lost its excess. The refusal of `c` shows what protects `a`.
#[test]
fn a_consumer_within_its_quota_is_protected() {
    let text = "cycle: 5s
nodes: [{name: h, gpu: 8}]
queues: [{name: a, gpu: {weight: 8}}, {name: b, gpu: {weight: 3}}, {name: c, gpu: {weight: 5}}]
jobs:
- {name: a1, queue: a, gpu: 1, pods: 8, on: [h, h, h, h, h, h, h, h]}
- {name: b1, queue: b, gpu: 2}
- {name: c1, queue: c, gpu: 1, count: 3}
";
    let mut simulation = under("ego", text);
    let refused = refusal(&mut simulation, "c1-3");
    assert!(matches!(refused.gate, Gate::NoVictims { .. }), "{refused:?}");
    let [check] = refused.checks.as_slice() else { panic!("{refused:?}") };
    let of = check.subject.queue.map(|queue| simulation.cluster().queues[queue].name.to_string());
    assert_eq!((check.rule.key(), of.as_deref(), check.holds), ("ego/over-quota", Some("a"), false));
}

/// KAI protects a job from its latest start on, even while a pod of an earlier start is terminating.
#[test]
fn a_minimum_runtime_counts_from_the_newest_start() {
    let text = "settings: {default-preempt-min-runtime: 60s}
delays: {termination: 20s}
nodes:
- {name: n1, gpu: 1, labels: {zone: a}}
- {name: n2, gpu: 1, labels: {zone: b}, state: down}
queues: [{name: q, gpu: {quota: 2, limit: unlimited, weight: 1}}]
jobs:
- {name: e, queue: q, gpu: 1, pods: 2, min-available: 1, on: [n1], started: -100s, submit: -100s}
- {name: h, queue: q, gpu: 1, priority: 75, submit: 1s, selector: {zone: a}}
- {name: g, queue: q, gpu: 1, priority: 75, submit: 25s, selector: {zone: b}}
timeline: [{at: 5s, node: n2, state: ready}]
";
    let mut simulation = under("kai", text);
    let mut evicted = Vec::new();
    while let Some(record) = simulation.advance().filter(|record| record.time <= Time::from_millis(70_000)) {
        let events = record.events.iter().map(|recorded| recorded.event);
        let goes = events.filter(|event| matches!(event, Event::Evicted { .. }));
        evicted.extend(goes.map(|_| record.time.as_millis() / 1000));
    }
    assert_eq!(evicted, [1, 65]);
}

/// GPU memory counts as a fraction of the smallest GPU in all sums: two halves are one GPU, the limit of the queue.
#[test]
fn gpu_memory_counts_against_a_limit() {
    let text = "nodes: [{name: n, gpu: 4, gpu-memory: 80000}, {name: large, gpu: 4, gpu-memory: 160000}]
queues: [{name: q, gpu: {limit: 1, weight: 1}}]
jobs: [{name: j, queue: q, count: 4, gpu-memory: 40000}]
";
    for policy in ["max-min", "drf"] {
        let refused = refusal(&mut under(policy, text), "j-3");
        assert!(matches!(refused.gate, Gate::OverLimit { .. }), "{policy}: {refused:?}");
    }
}

/// Order of the next cycle: every entry with the rule that places it behind the previous one.
fn order_of(policy: &str, text: &str, queue: &str) -> Vec<String> {
    let simulation = under(policy, text);
    let queues = &simulation.cluster().queues;
    let (queue, _) = queues.iter().find(|(_, known)| &*known.name == queue).expect("a queue");
    let levels = simulation.order_in(PartitionId(0), queue, None);
    let line = |place: &OrderPlace| {
        let rules: Vec<&str> = place.behind.iter().map(|check| check.rule.key()).collect();
        assert!(place.behind.iter().all(|check| check.holds), "{place:?}");
        format!("{}. {} {}", place.position, place.name, rules.join(" ")).trim_end().to_string()
    };
    levels.iter().flat_map(|level| &level.places).map(line).collect()
}

/// Queues are compared by their first pending job; the jobs of a queue follow.
#[test]
fn the_order_of_the_next_cycle_is_listed() {
    let text = format!(
        "nodes: [{{name: n, gpu: 4}}]
queues:
- {{name: a, gpu: {{quota: 1, {FREE}}}}}
- {{name: b, gpu: {{quota: 2, {FREE}}}}}
- {{name: c, gpu: {{quota: 1, {FREE}}}, priority: 200}}
- {{name: idle, gpu: {{quota: 1, {FREE}}}}}
jobs:
- {{name: a1, queue: a, gpu: 1, on: [n]}}
- {{name: a2, queue: a, gpu: 1}}
- {{name: b1, queue: b, gpu: 1}}
- {{name: b2, queue: b, gpu: 1, priority: 75}}
- {{name: c1, queue: c, gpu: 1}}
"
    );
    let listed = order_of("kai", &text, "b");
    let of_queues = ["1. c", "2. b kai/queue-order/3", "3. a kai/queue-order/2"];
    assert_eq!(listed, [&of_queues[..], &["1. b2", "2. b1 kai/job-order/1"]].concat());
    let mut simulation = under("kai", &text);
    let record = simulation.advance().expect("a first cycle");
    let started = record.events.iter().filter_map(|recorded| match recorded.event {
        Event::Bound { pod, .. } => Some(&*simulation.cluster().pods[pod].name),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), ["c1", "b2", "b1"], "the order is the one in which they start");
}

/// A job with a claim waits for the last terminating pod of the node: those already terminating, and those evicted for
/// it.
#[test]
fn a_claim_waits_for_the_last_terminating_pod() {
    let text = |jobs: &str| {
        format!(
            "delays: {{termination: 20s}}
nodes: [{{name: n, gpu: 2}}, {{name: other, gpu: 1}}]
queues: [{{name: q, gpu: {{quota: 3, {FREE}}}}}]
jobs:
- {{name: elsewhere, queue: q, gpu: 1, on: [other], terminating: [90s], restart: never}}
{jobs}- {{name: waits, queue: q, gpu: 2, priority: 75}}
"
        )
    };
    let leaving = "- {name: early, queue: q, gpu: 1, on: [n], terminating: [10s], restart: never}\n";
    let later = "- {name: late, queue: q, gpu: 1, on: [n], terminating: [45s], restart: never}\n";
    let evicted = "- {name: runs, queue: q, gpu: 1, on: [n]}\n";
    for (jobs, seconds) in [(format!("{leaving}{later}"), 45), (format!("{leaving}{evicted}"), 21)] {
        let refused = refusal(&mut under("kai", &text(&jobs)), "waits");
        let until = Some(Time::from_millis(seconds * 1000));
        assert_eq!(refused.gate, Gate::WaitingForVictims { until }, "{refused:?}");
    }
}

/// A pod that starts with others on a node is compared with what was free before it, and a pod that waits never with
/// less than nothing, even where pods exceed a reduced capacity.
#[test]
fn filling_compares_with_what_is_free() {
    let idle = |checks: &[fairground::trace::Check]| {
        let is_idle = |check: &&fairground::trace::Check| check.right.quantity == Quantity::Idle;
        checks.iter().find(is_idle).map(|check| check.right.value.clone())
    };
    let text = "nodes: [{name: n, gpu: 4}]
queues: [{name: q}]
jobs:
- {name: first, queue: q, gpu: 1, pods: 3}
- {name: waits, queue: q, gpu: 2}
timeline: [{at: 5s, node: n, capacity: {gpu: 2}}]
";
    let mut simulation = under("max-min", text);
    let record = simulation.advance().expect("a first cycle");
    let starts = record.events.iter().filter(|recorded| matches!(recorded.event, Event::Bound { .. }));
    let free: Vec<_> = starts.filter_map(|recorded| idle(&recorded.checks)).collect();
    assert_eq!(free, [4.0, 3.0, 2.0].map(Value::Real));
    let later = simulation.advance().expect("a second cycle");
    assert_eq!(idle(&later.refusals[0].checks), Some(Value::Real(0.0)));
}

/// A node without a free pod slot that the pod may use counts with its free GPUs, whether or not the pod shares one.
#[test]
fn gpus_without_a_pod_slot_are_free() {
    for gpu in ["1", "0.5"] {
        let text = format!(
            "nodes: [{{name: n, gpu: 2, pods: 1}}]
queues: [{{name: q, gpu: {{quota: 2, {FREE}}}}}]
jobs:
- {{name: runs, queue: q, cpu: 1, priority: 125, on: [n]}}
- {{name: waits, queue: q, gpu: {gpu}}}
"
        );
        let refused = refusal(&mut under("kai", &text), "waits");
        let gates: Vec<&Gate> = std::iter::once(&refused.gate).chain(&refused.also).collect();
        let free = gates.iter().find_map(|gate| match gate {
            Gate::NoNode { free, .. } => *free,
            _ => None,
        });
        assert_eq!(free.map(|free| free.total), Some(2.0), "{gpu}: {refused:?}");
    }
}

/// Further reasons keep their comparisons when only minimum runtimes keep a job waiting.
#[test]
fn further_reasons_keep_their_numbers_beside_minimum_runtimes() {
    let text = format!(
        "nodes: [{{name: n, gpu: 2}}]
settings: {{version: 0.17}}
queues:
- {{name: taker, gpu: {{quota: 1, {FREE}}}}}
- {{name: giver, gpu: {{quota: 0, {FREE}}}, reclaim-min-runtime: 60s}}
jobs:
- {{name: g, queue: giver, count: 2, gpu: 1}}
- {{name: t, queue: taker, submit: 2, gpu: 1}}
"
    );
    let mut simulation = under("kai", &text);
    simulation.advance().expect("a first cycle");
    let refusal = refusal(&mut simulation, "t");
    assert!(matches!(refusal.gate, Gate::VictimsProtected { .. }), "{refusal:?}");
    let of = |left: Quantity| refusal.checks.iter().filter(|check| check.left.quantity == left).count();
    assert!(matches!(refusal.also[..], [Gate::NoNode { .. }]), "{:?}", refusal.also);
    assert_eq!((of(Quantity::Runtime), of(Quantity::Request)), (2, 1), "{:?}", refusal.checks);
}

/// Past usage that lowers a fair share is told with the share without it.
#[test]
fn past_usage_is_told_where_it_lowers_a_fair_share() {
    let text = |usage: &str| {
        format!(
            "nodes: [{{name: n, gpu: 4}}]
queues:
- {{name: heavy, gpu: {{quota: 0, {FREE}{usage}}}}}
- {{name: light, gpu: {{quota: 0, {FREE}}}}}
jobs:
- {{name: l, queue: light, count: 3, gpu: 1, on: [n, n, n]}}
- {{name: h, queue: heavy, gpu: 2}}
"
        )
    };
    let mut lowered = under("kai", &text(", usage: 0.5"));
    let refused = refusal(&mut lowered, "h");
    let check = refused.checks.iter().find(|check| check.right.quantity == Quantity::FairShareWithoutUsage);
    let check = check.unwrap_or_else(|| panic!("{refused:?}"));
    assert_eq!((&check.left.value, &check.right.value), (&Value::Real(1.0), &Value::Real(2.0)));
    assert_eq!(check.left.find(Quantity::Usage).map(|term| &term.value), Some(&Value::Real(0.5)));
    let mut without = under("kai", &text(""));
    let told = without
        .advance()
        .expect("a first cycle")
        .refusals
        .iter()
        .any(|refusal| refusal.checks.iter().any(|check| check.right.quantity == Quantity::FairShareWithoutUsage));
    assert!(!told);
}

/// Where nothing can be evicted or moved, the comparison that says why is recorded: nothing preemptible, or no lower
/// priority.
#[test]
fn why_nothing_can_be_moved_is_recorded() {
    let failed = |holder: &str| {
        let text = format!(
            "nodes: [{{name: n, gpu: 1}}]
queues: [{{name: q, gpu: {{quota: 1, {FREE}}}}}]
jobs:
- {{name: holder, queue: q, gpu: 1, on: [n], {holder}}}
- {{name: waiting, queue: q, gpu: 1, priority: 60}}
"
        );
        let refusal = refusal(&mut under("kai", &text), "waiting");
        let failed = refusal.checks.into_iter().filter(|check| !check.holds);
        let sides = failed.map(|check| (check.left.quantity, check.left.value, check.right.value));
        sides.collect::<Vec<_>>()
    };
    let nothing = (Quantity::PreemptibleJobs, Value::Count(0), Value::Count(1));
    assert!(failed("preemptible: false").contains(&nothing));
    let same = (Quantity::Priority, Value::Count(60), Value::Count(60));
    let preemptible = failed("priority: 60");
    assert!(preemptible.contains(&same) && !preemptible.contains(&nothing), "{preemptible:?}");
}
