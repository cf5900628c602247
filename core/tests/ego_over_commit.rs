//! EGO: hosts that offer more than their physical capacity (ego.md 2, OC-34).

use fairground::cluster::audit;
use fairground::id::PartitionId;
use fairground::scenario::{Checked, Plan, check, read};
use fairground::sim::Simulation;
use fairground::trace::{Check, Event, Value};
use fairground::units::Resource;

fn checked(text: &str) -> Checked {
    let text = format!("format: fairground-scenario\nversion: 1\npolicy: ego\n{text}");
    check(&read(&text).scenario.expect("it has the form of a scenario"))
}

fn plan(text: &str) -> Plan {
    let checked = checked(text);
    checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// Findings as *path: text*.
fn found(text: &str) -> Vec<String> {
    checked(text).diagnostics.iter().map(|found| format!("{}: {}", found.at, found.says)).collect()
}

fn step(simulation: &mut Simulation) -> Vec<(Event, Vec<Check>)> {
    let record = simulation.advance().expect("a cycle");
    let findings = audit(simulation.world());
    assert!(findings.is_empty(), "{findings:?}");
    record.events.into_iter().map(|recorded| (recorded.event, recorded.checks.to_vec())).collect()
}

fn capacity(simulation: &Simulation) -> u64 {
    simulation.share_pools_in(PartitionId(0))[0].sizes[0].capacity
}

/// Two hosts of 4 cores at a ratio of 2 hold 16 units of one core.
#[test]
fn hosts_offer_more_than_they_have() {
    let of = |settings: &str| {
        let mut simulation = Simulation::new(&plan(&format!(
            "settings: {{{settings}}}\nnodes: [{{name: h, count: 2, cpu: 4}}]\nqueues: [{{name: a}}]\n\
             jobs: [{{name: j, queue: a, count: 20, cpu: 1}}]\n"
        )));
        let starts = step(&mut simulation).iter().filter(|(e, _)| matches!(e, Event::Bound { .. })).count();
        let pool = &simulation.share_pools_in(PartitionId(0))[0];
        (starts, capacity(&simulation), pool.over_commit.clone())
    };
    assert_eq!(of(""), (8, 8, vec![]));
    assert_eq!(of("over-commit.cpu: 2"), (16, 16, vec![(Resource::CPU.0, 2.0)]));
    assert_eq!(of("over-commit.cpu: 1.3"), (10, 10, vec![(Resource::CPU.0, 1.3)]), "5.2 cores hold 5 units");
    assert_eq!(of("over-commit.memory: 3"), (8, 8, vec![(Resource::MEMORY.0, 3.0)]), "cores are short");
}

/// WHY names the ratio only for units beyond the physical capacity of the host.
#[test]
fn a_unit_beyond_what_the_host_has_says_so() {
    let mut simulation = Simulation::new(&plan(
        "settings: {over-commit.cpu: 2}\nnodes: [{name: h, cpu: 4}]\nqueues: [{name: a}]\n\
         jobs: [{name: j, queue: a, count: 6, cpu: 1}]\n",
    ));
    let events = step(&mut simulation);
    let over: Vec<_> = events
        .iter()
        .filter(|(event, _)| matches!(event, Event::Bound { .. }))
        .map(|(_, checks)| checks.iter().find(|check| check.rule.key() == "ego/over-commit"))
        .collect();
    assert_eq!(over.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, false, true, true]);
    let last = over[5].expect("the sixth unit");
    assert_eq!((&last.left.value, &last.right.value), (&Value::Product([4000.0, 2.0]), &Value::Real(6000.0)));
    assert!(last.holds && last.subject.resource == Some(Resource::CPU));
}

#[test]
fn gpus_are_offered_whole() {
    let simulation = Simulation::new(&plan(
        "settings: {over-commit.gpu: 1.5}\nnodes: [{name: h, gpu: 3}]\nqueues: [{name: a}]\n\
         jobs: [{name: j, queue: a, count: 9, gpu: 1}]\n",
    ));
    assert_eq!(capacity(&simulation), 4);
}

#[test]
fn a_node_that_grows_offers_more() {
    let mut simulation = Simulation::new(&plan(
        "settings: {over-commit.cpu: 2}\nnodes: [{name: h, cpu: 4, memory: 10Gi}]\nqueues: [{name: a}]\n\
         jobs: [{name: j, queue: a, count: 40, cpu: 1}]\n\
         timeline:\n- {at: 5s, node: h, capacity: {cpu: 6}}\n- {at: 9s, node: h, capacity: {memory: 20Gi}}\n",
    ));
    step(&mut simulation);
    assert_eq!(capacity(&simulation), 8);
    step(&mut simulation);
    assert_eq!(capacity(&simulation), 12);
    step(&mut simulation);
    assert_eq!(capacity(&simulation), 12, "what the entry does not name stays");
}

#[test]
fn pools_have_their_own_ratios() {
    let simulation = Simulation::new(&plan(
        "pools: [{name: plain}, {name: dense, settings: {over-commit.cpu: 3}}]\n\
         nodes: [{name: p, cpu: 4, pool: plain}, {name: d, cpu: 4, pool: dense}]\nqueues: [{name: a}]\n",
    ));
    let cores = |name: &str| {
        let node = simulation.cluster().nodes.values().find(|node| &*node.name == name).expect("a node");
        node.capacity.get(Resource::CPU).in_base_units() / 1000
    };
    assert_eq!((cores("p"), cores("d")), (4, 12));
}

#[test]
fn a_ratio_out_of_range_is_an_error_at_its_setting() {
    for (typed, is_right) in [("0.5", false), ("1", true), ("100", true), ("101", false), ("twice", false)] {
        let all = found(&format!("settings: {{over-commit.memory: {typed}}}\nqueues: [{{name: a}}]\n"));
        let says = all.iter().any(|line| line.starts_with("settings.over-commit.memory") && line.contains("1 to 100"));
        assert_eq!(says, !is_right, "{typed}: {all:?}");
    }
    let nodes = "nodes: [{name: h, gpu: 40}]\nqueues: [{name: a}]\n";
    let all = found(&format!("settings: {{over-commit.gpu: 2}}\n{nodes}"));
    assert!(all.iter().any(|line| line.starts_with("settings") && line.contains("more than 64 GPUs")), "{all:?}");
    let all = found(&format!("settings: {{plan: slots, over-commit.gpu: 2}}\n{nodes}"));
    assert!(all.iter().any(|line| line.contains("over-commit.gpu has no effect with plan: slots")), "{all:?}");
}
