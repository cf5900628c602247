//! Searches for victims against the decisions and the cluster.
//!
//! # Rule
//! Each eviction of the engine of KAI for a job belongs to one search, which placed all of the pods that it needed at
//! once and tried the nodes of its victims. A search without result tried as many sets as the reason of the job says.
//! Nodes that are emptied at once are among them, the smallest first, and suffice; each counts at least the whole
//! devices that were evicted there.

use std::collections::BTreeSet;

use fairground::cluster::GpuRequest;
use fairground::id::{JobId, NodeId, PodId};
use fairground::sim::CycleRecord;
use fairground::trace::{Event, Gate, Recorded, Search};

use super::Mistake;
use super::moments::{MomentState, Moments, PodPlace};

/// What is wrong with the searches of a cycle.
pub fn mistakes(moments: &Moments<'_>, record: &CycleRecord) -> Vec<Mistake> {
    let of = |search: &Search| {
        let says = wrong(moments, record, search)?;
        Some(Mistake { cycle: record.cycle, of: format!("{search:?}"), says })
    };
    let mut all: Vec<Mistake> = record.searches.iter().filter_map(of).collect();
    let is_found = |pod: PodId, by: JobId| {
        record.searches.iter().filter(|search| search.job == by && search.evicted.contains(&pod)).count() == 1
    };
    for recorded in moments.decisions.iter().filter(|recorded| is_of_search(recorded)) {
        if let Event::Evicted { pod, by: Some(by), .. } = recorded.event
            && !is_found(pod, by)
        {
            let of = format!("{:?}", recorded.event);
            all.push(Mistake { cycle: record.cycle, of, says: "not of one search".into() });
        }
    }
    all
}

/// Whether an action of the engine of KAI searched for victims.
fn is_of_search(recorded: &Recorded) -> bool {
    matches!(recorded.action, "reclaim" | "preempt" | "consolidation")
}

fn wrong(moments: &Moments<'_>, record: &CycleRecord, search: &Search) -> Option<String> {
    let tried: BTreeSet<NodeId> = search.nodes.iter().copied().collect();
    let says = |says: &str| Some(says.to_string());
    if tried.len() != search.nodes.len() {
        return says("a node is named twice");
    }
    if search.tried == 0 || search.placed > search.pods {
        return says("no set was tried, or it sufficed for more pods than there are");
    }
    let holds = |node: &NodeId| moments.states.iter().any(|state| has_others(moments, state, *node, search.job));
    if let Some(node) = tried.iter().find(|node| !holds(node)) {
        return Some(format!("{node:?} has no pod of another job"));
    }
    of_emptied(moments, search, &tried).or_else(|| {
        if search.placed < search.pods { of_waiting(record, search) } else { of_evicted(moments, search, &tried) }
    })
}

/// Whether another job has a pod on a node, or a claim there.
fn has_others(moments: &Moments<'_>, state: &MomentState, node: NodeId, job: JobId) -> bool {
    let mut pods = moments.cluster.pods.values().zip(&state.places);
    let is_others = |pod: PodId| moments.cluster.pods[pod].job != job;
    pods.any(|(pod, place)| *place == PodPlace::On(node) && pod.job != job)
        || state.claims.iter().any(|claim| claim.1 == node && is_others(claim.0))
}

fn of_waiting(record: &CycleRecord, search: &Search) -> Option<String> {
    let refusal = record.refusals.iter().find(|refusal| refusal.job == search.job)?;
    if !search.evicted.is_empty() {
        return Some("evicted for a part of the pods".into());
    }
    let tried = std::iter::once(&refusal.gate).chain(&refusal.also).find_map(|gate| match gate {
        Gate::NoVictims { tried, .. } => Some(*tried),
        _ => None,
    })?;
    (tried != search.tried).then(|| format!("the reason of the job says {tried} sets"))
}

fn of_evicted(moments: &Moments<'_>, search: &Search, tried: &BTreeSet<NodeId>) -> Option<String> {
    for pod in &search.evicted {
        let is_it = |recorded: &&Recorded| match recorded.event {
            Event::Evicted { pod: of, by, .. } => of == *pod && by == Some(search.job),
            _ => false,
        };
        let Some(Event::Evicted { node, .. }) = moments.decisions.iter().find(is_it).map(|found| found.event) else {
            return Some(format!("{pod:?} is not evicted for the job"));
        };
        if !tried.contains(&node) {
            return Some(format!("{node:?} was not tried"));
        }
    }
    let is_claim = |recorded: &&Recorded| match recorded.event {
        Event::Claimed { pod, .. } | Event::Bound { pod, .. } => {
            is_of_search(recorded) && moments.cluster.pods[pod].job == search.job
        }
        _ => false,
    };
    let claims = moments.decisions.iter().filter(is_claim).count();
    (!search.evicted.is_empty() && claims < search.pods as usize).then(|| format!("{claims} pods of the job got room"))
}

fn of_emptied(moments: &Moments<'_>, search: &Search, tried: &BTreeSet<NodeId>) -> Option<String> {
    let emptied = search.emptied.as_ref()?;
    if let Some((node, _)) = emptied.nodes.iter().find(|(node, _)| !tried.contains(node)) {
        return Some(format!("{node:?} is emptied and was not tried"));
    }
    let gpus: Vec<f64> = emptied.nodes.iter().map(|(_, gpus)| *gpus).collect();
    if gpus.windows(2).any(|two| two[0] > two[1]) {
        return Some("a larger node comes first".into());
    }
    if gpus.iter().sum::<f64>() < emptied.needed {
        return Some("the nodes do not suffice".into());
    }
    let is_less = |(node, gpus): &&(NodeId, f64)| *gpus < evicted_devices(moments, search, *node);
    emptied.nodes.iter().find(is_less).map(|(node, _)| format!("more was evicted on {node:?}"))
}

/// Whole devices of the pods that a search evicted on a node; 0 on a node whose pods ask for more devices than it has.
fn evicted_devices(moments: &Moments<'_>, search: &Search, node: NodeId) -> f64 {
    let cluster = moments.cluster;
    let places = &moments.states[0].places;
    let held = cluster.pods.values().zip(places).filter(|(_, place)| match place {
        PodPlace::On(at) | PodPlace::Leaving(at) => *at == node,
        PodPlace::Out | PodPlace::Waiting | PodPlace::Gated => false,
    });
    let held: u32 = held.map(|(pod, _)| pod.request.gpu.n_devices()).sum();
    if held > cluster.nodes[node].n_devices() {
        return 0.0;
    }
    let devices = |recorded: &Recorded| match recorded.event {
        Event::Evicted { pod, node: of, by, .. } if of == node && by == Some(search.job) => {
            match cluster.pods[pod].request.gpu {
                GpuRequest::Whole { devices } if search.evicted.contains(&pod) => devices,
                _ => 0,
            }
        }
        _ => 0,
    };
    f64::from(moments.decisions.iter().map(devices).sum::<u32>())
}
