//! Mistakes planted in the records of searches for victims.

use fairground::cluster::{Cluster, GpuRequest};
use fairground::id::{JobId, NodeId};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Emptied, Event, Gate, Recorded, Search};

use super::Planted;

/// Copies of a record with one mistake in one of its searches.
pub fn planted(simulation: &Simulation, record: &CycleRecord) -> Vec<(Planted, CycleRecord)> {
    let mut all = Vec::new();
    for (at, own) in record.searches.iter().enumerate() {
        let mut put = |kind: Planted, wrong: Option<Search>| {
            let Some(wrong) = wrong else { return };
            let mut copy = record.clone();
            copy.searches[at] = wrong;
            all.push((kind, copy));
        };
        put(Planted::OtherSets, one_more_set(record, own));
        put(Planted::OtherTriedNodes, without_a_node_of_victims(record, own));
        put(Planted::OtherTriedNodes, with_an_empty_node(simulation, record, own));
        let Some(emptied) = &own.emptied else { continue };
        let of = |emptied: Emptied| Search { emptied: Some(emptied), ..own.clone() };
        put(Planted::OtherEmptiedNodes, Some(of(too_few(emptied))));
        put(Planted::OtherEmptiedNodes, one_not_tried(simulation, own, emptied).map(of));
        put(Planted::OtherEmptiedNodes, less_than_evicted(simulation, record, own).map(of));
    }
    all
}

/// The search with a number of sets that the reason of its job does not say.
fn one_more_set(record: &CycleRecord, own: &Search) -> Option<Search> {
    let refusal = record.refusals.iter().find(|refusal| refusal.job == own.job)?;
    let mut gates = std::iter::once(&refusal.gate).chain(&refusal.also);
    let is_told = gates.any(|gate| matches!(gate, Gate::NoVictims { .. }));
    is_told.then(|| Search { tried: own.tried + 1, ..own.clone() })
}

fn is_evicted_for(job: JobId, on: NodeId) -> impl Fn(&&Recorded) -> bool {
    move |recorded| match recorded.event {
        Event::Evicted { node, by, .. } => node == on && by == Some(job),
        _ => false,
    }
}

fn without_a_node_of_victims(record: &CycleRecord, own: &Search) -> Option<Search> {
    let lost = |node: &NodeId| record.events.iter().any(|event| is_evicted_for(own.job, *node)(&event));
    let at = own.nodes.iter().position(lost)?;
    let mut wrong = own.clone();
    wrong.nodes.remove(at);
    Some(wrong)
}

fn with_an_empty_node(simulation: &Simulation, record: &CycleRecord, own: &Search) -> Option<Search> {
    let cluster = simulation.cluster();
    let is_used = |node: NodeId| {
        let is_claimed = simulation.held().iter().any(|claim| claim.node == node);
        let is_on = |recorded: &Recorded| match recorded.event {
            Event::Bound { node: of, .. }
            | Event::Claimed { node: of, .. }
            | Event::Unclaimed { node: of, .. }
            | Event::Evicted { node: of, .. } => of == node,
            _ => false,
        };
        let holds = cluster.pods.values().any(|pod| pod.node == Some(node));
        is_claimed || holds || record.events.iter().any(is_on)
    };
    let empty = cluster.nodes.ids().find(|node| !is_used(*node))?;
    let mut wrong = own.clone();
    wrong.nodes.push(empty);
    Some(wrong)
}

fn too_few(own: &Emptied) -> Emptied {
    let sum: f64 = own.nodes.iter().map(|(_, gpus)| gpus).sum();
    Emptied { needed: sum + 1.0, ..own.clone() }
}

fn one_not_tried(simulation: &Simulation, search: &Search, own: &Emptied) -> Option<Emptied> {
    let other = simulation.cluster().nodes.ids().find(|node| !search.nodes.contains(node))?;
    let mut wrong = own.clone();
    wrong.nodes.first_mut()?.0 = other;
    Some(wrong)
}

/// A node with nothing free although whole devices were evicted there, and no pods share its devices.
fn less_than_evicted(simulation: &Simulation, record: &CycleRecord, own: &Search) -> Option<Emptied> {
    let Cluster { nodes, pods, .. } = simulation.cluster();
    let lost = |on: NodeId| {
        record.events.iter().filter(is_evicted_for(own.job, on)).any(|recorded| match recorded.event {
            Event::Evicted { pod, .. } => matches!(pods[pod].request.gpu, GpuRequest::Whole { .. }),
            _ => false,
        })
    };
    let held = |on: NodeId| {
        let pods = pods.values().filter(|pod| pod.node == Some(on));
        pods.map(|pod| pod.request.gpu.n_devices()).sum::<u32>()
    };
    let mut wrong = own.emptied.clone()?;
    let mut nodes = wrong.nodes.iter_mut().filter(|(on, _)| held(*on) <= nodes[*on].n_devices());
    nodes.find(|(on, _)| lost(*on))?.1 = 0.0;
    Some(wrong)
}
