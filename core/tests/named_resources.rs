//! Named resources of a scenario: nodes have whole numbers of them, pods request them, and no pod is placed
//! without enough of them.

use fairground::cluster::audit;
use fairground::scenario::{Edit, Path, apply, check, codes, get, read, to_yaml};
use fairground::sim::Simulation;
use fairground::trace::{Gate, NodeReason};
use fairground::units::Resource;

fn scenario(text: &str) -> fairground::scenario::Scenario {
    let read = read(&format!("format: fairground-scenario\nversion: 1\n{text}"));
    assert_eq!(read.diagnostics, []);
    read.scenario.expect("it is a scenario")
}

const TEXT: &str = "nodes:
- {name: n, gpu: 4, resources: {nvme: 4, rdma: 2}}
- {name: m, gpu: 4}
queues: [{name: q, gpu: {quota: unlimited, limit: unlimited, weight: 1}, \
          cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}]
jobs:
- {name: b, queue: q, gpu: 1}
- {name: a, queue: q, count: 3, gpu: 1, resources: {rdma: 1}}
";

/// Three jobs request an adapter each and there are two: under every policy two run, on the node with adapters, and the
/// refusal of the third names the resource.
#[test]
fn pods_are_not_placed_without_enough_resources() {
    for policy in ["kai", "fifo", "max-min", "drf", "yunikorn", "ego", "runai"] {
        let checked = check(&scenario(&format!("policy: {policy}\n{TEXT}")));
        let plan = checked.plan.unwrap_or_else(|| panic!("{policy}: {:#?}", checked.diagnostics));
        let mut simulation = Simulation::new(&plan);
        let mut refusals = Vec::new();
        for _ in 0..5 {
            match simulation.advance() {
                Some(record) if !record.refusals.is_empty() => refusals.clone_from(&record.refusals),
                Some(_) => {}
                None => break,
            }
        }
        let cluster = simulation.cluster();
        assert_eq!(cluster.named.iter().map(|name| &**name).collect::<Vec<_>>(), ["nvme", "rdma"]);
        let rdma = Resource::named(1);
        let on_n = |name: &str| {
            let pod = cluster.pods.values().find(|pod| *pod.name == *name).expect("it exists");
            pod.node.map(|node| cluster.nodes[node].capacity.get(rdma).in_base_units())
        };
        let held: Vec<_> = ["a-1", "a-2", "a-3"].map(on_n).into();
        assert_eq!(held, [Some(2000), Some(2000), None], "{policy}");
        assert!(on_n("b").is_some(), "{policy}");
        assert_eq!(audit(simulation.world()), [], "{policy}");
        let refused = refusals.iter().find(|r| *cluster.jobs[r.job].name == *"a-3");
        let Some(Gate::NoNode { reasons, .. }) = refused.map(|r| &r.gate) else {
            // EGO has its own wording for a dimension that the pool lacks.
            assert_eq!(policy, "ego", "{refused:?}");
            continue;
        };
        assert!(reasons.iter().any(|(reason, _)| *reason == NodeReason::Insufficient(rdma)), "{policy}: {reasons:?}");
    }
}

#[test]
fn invalid_named_resources_are_reported() {
    let found = |text: &str| {
        let checked = check(&scenario(text));
        assert!(checked.plan.is_none(), "{text}");
        checked.diagnostics.iter().map(|d| (d.code, d.at.to_string())).collect::<Vec<_>>()
    };
    let of = |resources: &str| found(&format!("nodes: [{{name: n, resources: {{{resources}}}}}]\n"));
    assert_eq!(of("cpu: 4"), [(codes::CONFLICT, "nodes[\"n\"].resources.cpu".to_string())]);
    assert_eq!(of("rdma: 1.5"), [(codes::NUMBER, "nodes[\"n\"].resources.rdma".to_string())]);
    assert_eq!(of("rdma: -1"), [(codes::NEGATIVE, "nodes[\"n\"].resources.rdma".to_string())]);
    assert_eq!(of("a: 1, b: 1, c: 1, d: 1, e: 1"), [(codes::TOO_MANY, "nodes".to_string())]);
    let text = "nodes: [{name: n}]\nqueues: [{name: q, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
                  jobs: [{name: j, queue: q, resources: {rdma: 1}, pod-sets: [{name: p}]}]\n";
    assert!(found(text).contains(&(codes::CONFLICT, "jobs[\"j\"].resources".to_string())));
}

/// A request above the capacity of every node is reported at the amount.
#[test]
fn requests_above_the_capacity_are_reported() {
    let text = TEXT.replace("resources: {rdma: 1}", "resources: {rdma: 3}");
    let found = check(&scenario(&text)).diagnostics;
    let too_big = found.iter().find(|d| d.code == codes::TOO_BIG_FOR_NODES).expect("it is said");
    assert_eq!(too_big.at.to_string(), "jobs[\"a\"].resources.rdma");
    assert!(too_big.says.contains("more rdma than any node it may use has (2)"), "{}", too_big.says);
}

/// A capacity that the timeline raises later counts.
#[test]
fn requests_within_a_later_capacity_are_not_reported() {
    let text = TEXT.replace("resources: {rdma: 1}", "resources: {rdma: 3}");
    let with_rdma = |n: u32| format!("{text}timeline: [{{at: 60, node: n, capacity: {{resources: {{rdma: {n}}}}}}}]\n");
    let is_reported =
        |text: &str| check(&scenario(text)).diagnostics.iter().any(|d| d.code == codes::TOO_BIG_FOR_NODES);
    assert!(is_reported(&with_rdma(2)));
    assert!(!is_reported(&with_rdma(3)));
}

/// They are edited together as one text, or one by one.
#[test]
fn they_are_edited_as_a_list_of_names_and_amounts() {
    let mut s = scenario(TEXT);
    let at = Path::default().field("nodes").named("n").field("resources");
    assert_eq!(get(&s, &at).as_deref(), Some("nvme=4, rdma=2"));
    let set = |s: &mut _, at: &Path, value: &str| {
        *s = apply(s, &[Edit::Set { at: at.clone(), value: value.into() }]).expect("it can be set");
    };
    set(&mut s, &at, "rdma = 8, fpga=1");
    assert!(to_yaml(&s).contains("resources: {fpga: 1, rdma: 8}"), "{}", to_yaml(&s));
    set(&mut s, &at.field("fpga"), "");
    assert_eq!(get(&s, &at).as_deref(), Some("rdma=8"));
    set(&mut s, &at, "");
    assert_eq!(get(&s, &at), None);
}
