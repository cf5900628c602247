//! The nodes that were compared for a pod: their order, and what keeps it from those on which it does not fit.
//!
//! # Rule
//! Under *first in, first out*, max-min fairness and dominant resource fairness nodes are ordered by their free GPUs,
//! then as in the file, under YuniKorn by the weighted mean of what is used of them, then by name. A node that is told
//! to fit does fit; one that is told not to lacks what is told.
//!
//! # Source
//! yunikorn.md 6; the headings of the policies

use std::collections::BTreeMap;

use fairground::cluster::{GpuRequest, Node};
use fairground::id::{Id, NodeId, PodId};
use fairground::policy::Policy;
use fairground::trace::{Check, Event, Op, Quantity, Recorded, Value};
use fairground::units::Resource;

use super::baseline::{free_parts, has_memory, owned, pods_on, untouched};
use super::operand::{Context, Expect, Operand};
use super::yunikorn;

/// Whether a comparison is about nodes near the chosen one.
pub fn is_of_nodes(check: &Check) -> bool {
    let key = check.rule.key();
    let is_state = matches!(check.left.quantity, Quantity::Ready | Quantity::Tolerated | Quantity::Selected);
    key.ends_with("/node-order") || key.ends_with("/host-order") || is_state || check.subject.other_node.is_some()
}

/// Whether it tells that the pod does not fit on a node.
pub fn is_misfit(check: &Check, chosen: NodeId) -> bool {
    check.subject.node.is_some_and(|node| node != chosen) && check.subject.other_node.is_none()
}

/// What is wrong with the nodes that a decision is about: the chosen one is compared with others, and those do not fit
/// which are not the chosen one.
pub fn wrong(recorded: &Recorded) -> Option<String> {
    let (Event::Bound { node: chosen, .. } | Event::Claimed { node: chosen, .. }) = recorded.event else {
        return None;
    };
    let is_right = |check: &Check| {
        let (node, other) = (check.subject.node, check.subject.other_node);
        let fails = matches!(check.op, Op::Exceeds) && check.right.quantity != check.left.quantity
            || check.op == Op::Less && check.right.quantity == Quantity::Constant;
        match other {
            Some(other) => node == Some(chosen) && other != chosen,
            None => !fails || is_misfit(check, chosen),
        }
    };
    let check = recorded.checks.iter().filter(|check| is_of_nodes(check)).find(|check| !is_right(check))?;
    Some(format!("not about the chosen node and others: {check:?}"))
}

/// What a side of such a comparison has to be; `None`: it is another one.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Option<Expect> {
    let check = place.check;
    let (pods, node) = (pods(context, check), check.subject.node?);
    let of = &context.accounts.cluster.nodes[node];
    let has = |is: bool| Some(Expect::Values(vec![Value::Count(is.into())]));
    let all = |is: &dyn Fn(&fairground::cluster::Pod) -> bool| pods.iter().all(|pod| is(context.accounts.pod(*pod)));
    match place.term.quantity {
        Quantity::Ready => return has(of.takes_pods()),
        Quantity::Tolerated => return has(all(&|pod| pod.tolerates(of))),
        Quantity::Selected => return has(all(&|pod| pod.selects(of))),
        Quantity::Constant if is_of_nodes(check) => return has(true),
        _ => {}
    }
    let is_of_engine = context.accounts.counting.is_of_engine;
    match (check.subject.other_node, is_of_engine) {
        (Some(other), true) if place.term.quantity == Quantity::Name => Some(name(context, place, [node, other])),
        (None, true) if place.term.quantity == Quantity::IdleOrReleasing => of_engine(context, check, node),
        (_, true) => None,
        _ if !check.rule.key().ends_with("/node-order") => None,
        (Some(other), false) => {
            let fits = pods.is_empty() || fits(context, &pods, other);
            Some(if fits { order(context, place, [node, other]) } else { Expect::Values(Vec::new()) })
        }
        (None, false) => misfit(context, place, &pods, node),
    }
}

/// The pods of the request: one, or all of the job that wait.
fn pods(context: &Context<'_>, check: &Check) -> Vec<PodId> {
    match check.subject.pod {
        Some(pod) => vec![pod],
        None => context.asked.clone(),
    }
}

fn name(context: &Context<'_>, place: Operand<'_>, nodes: [NodeId; 2]) -> Expect {
    let node = nodes[usize::from(!place.is_left)];
    Expect::Values(vec![Value::Name(context.accounts.cluster.nodes[node].name.clone())])
}

/// By what the two nodes are ordered.
fn order(context: &Context<'_>, place: Operand<'_>, nodes: [NodeId; 2]) -> Expect {
    let accounts = &context.accounts;
    let node = nodes[usize::from(!place.is_left)];
    let is_owned = |node: NodeId| owned(accounts).iter().any(|(_, own, _)| own.contains(&node));
    let value = match place.term.quantity {
        Quantity::Idle => Value::Real(untouched(accounts, node)),
        Quantity::Position => Value::Count(node.index() as i64 + 1),
        Quantity::Owned => Value::Count(is_owned(node).into()),
        Quantity::Score => match score(context, node) {
            Some(score) => Value::Real(score),
            None => return Expect::Unknown,
        },
        Quantity::Name => return name(context, place, nodes),
        _ => return Expect::Unknown,
    };
    Expect::Values(vec![value])
}

/// What a pod wants of a node, or the node has, of the resource that is told.
fn misfit(context: &Context<'_>, place: Operand<'_>, pods: &[PodId], node: NodeId) -> Option<Expect> {
    let accounts = &context.accounts;
    let slots = || Some(Expect::Values(vec![Value::Count(i64::from(accounts.cluster.nodes[node].pods_max))]));
    let resource = place.check.subject.resource;
    let value = match place.term.quantity {
        Quantity::PodSlots => return slots(),
        Quantity::Pods => Value::Count((n_on(context, node) + pods.len()) as i64),
        Quantity::Request => Value::Real(asked(context, pods, node, resource?)),
        Quantity::Idle => Value::Real(free(context, pods, node, resource?)),
        _ => return None,
    };
    Some(Expect::Values(vec![value]))
}

fn is_yunikorn(context: &Context<'_>) -> bool {
    matches!(context.policy, Policy::YuniKorn(_))
}

/// Number of pods on a node, reserved room of gangs included.
fn n_on(context: &Context<'_>, node: NodeId) -> usize {
    let claims = context.accounts.state.claims.iter().filter(|claim| claim.1 == node).count();
    pods_on(&context.accounts, node).count() + if is_yunikorn(context) { claims } else { 0 }
}

/// What the pods request of a node together.
fn asked(context: &Context<'_>, pods: &[PodId], node: NodeId, resource: Resource) -> f64 {
    let accounts = &context.accounts;
    let of = |pod: &PodId| {
        let request = &accounts.pod(*pod).request;
        match request.gpu {
            _ if is_yunikorn(context) => yunikorn::request(accounts, *pod)[resource.index()],
            GpuRequest::Memory { mib, devices } if resource == Resource::GPU => {
                let part = mib * 1000 / accounts.cluster.nodes[node].device_mib();
                f64::from(devices) * part as f64 / 1000.0
            }
            _ => request.resources.get(resource).in_policy_units(resource),
        }
    };
    pods.iter().map(of).sum()
}

/// What a node has free for pods like the first.
fn free(context: &Context<'_>, pods: &[PodId], node: NodeId, resource: Resource) -> f64 {
    let accounts = &context.accounts;
    if is_yunikorn(context) {
        return yunikorn::free(accounts, node)[resource.index()];
    }
    if resource == Resource::GPU {
        let gpu = pods.first().map_or(GpuRequest::None, |pod| accounts.pod(*pod).request.gpu);
        return match gpu {
            GpuRequest::None | GpuRequest::Whole { .. } => untouched(accounts, node),
            GpuRequest::Fraction { .. } | GpuRequest::Memory { .. } => free_parts(accounts, node),
        };
    }
    let used = pods_on(accounts, node).map(|pod| pod.request.resources.get(resource).in_policy_units(resource));
    accounts.cluster.nodes[node].capacity.get(resource).in_policy_units(resource) - used.sum::<f64>()
}

/// Whether the pods fit on a node together: no amount is missing, and nothing excludes it.
fn fits(context: &Context<'_>, pods: &[PodId], node: NodeId) -> bool {
    let of: &Node = &context.accounts.cluster.nodes[node];
    let may_run = |pod: &PodId| {
        let pod = context.accounts.pod(*pod);
        pod.selects(of) && pod.tolerates(of) && has_memory(pod, of)
    };
    let has = |r: usize| {
        let resource = Resource(r as u8);
        let wanted = asked(context, pods, node, resource);
        wanted <= 0.0 || wanted <= free(context, pods, node, resource) + 1e-9
    };
    of.takes_pods()
        && pods.iter().all(may_run)
        && n_on(context, node) + pods.len() <= of.pods_max as usize
        && (0..=Resource::GPU.index()).all(has)
}

/// The score of a node under YuniKorn: the weighted mean of what is used of each resource; its complement if it packs.
fn score(context: &Context<'_>, node: NodeId) -> Option<f64> {
    let Policy::YuniKorn(config) = context.policy else { return None };
    let sort = &config.partition.nodesortpolicy;
    let accounts = &context.accounts;
    let (has, free) = (yunikorn::capacity(&accounts.cluster.nodes[node]), yunikorn::free(accounts, node));
    let mut names: BTreeMap<&str, usize> = [("vcore", 0), ("memory", 1)].into();
    names.insert(config.gpu_type.as_str(), Resource::GPU.index());
    let named = accounts.cluster.named.iter().enumerate();
    names.extend(named.map(|(n, name)| (&**name, Resource::named(n).index())));
    let weight = |name: &str| {
        if sort.resourceweights.is_empty() {
            f64::from(u8::from(matches!(name, "vcore" | "memory")))
        } else {
            sort.resourceweights.get(name).copied().unwrap_or(0.0)
        }
    };
    let slots = accounts.cluster.nodes[node].pods_max;
    let pods = ("pods", f64::from(slots), f64::from(slots) - n_on(context, node) as f64);
    let types = names.iter().map(|(name, r)| (*name, has[*r], free[*r]));
    let mut sums = (0.0, 0.0);
    for (name, has, free) in types.chain([pods]).filter(|(_, has, _)| *has > 0.0) {
        sums = (sums.0 + weight(name) * (1.0 - free / has), sums.1 + weight(name));
    }
    let used = if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 };
    Some(if sort.kind == "binpacking" { 1.0 - used } else { used })
}

/// CPU and memory that are free or being freed on a node, under KAI's engine.
fn of_engine(context: &Context<'_>, check: &Check, node: NodeId) -> Option<Expect> {
    let r = check.subject.resource.map(Resource::index).filter(|r| *r < Resource::GPU.index())?;
    let room = context.rooms.as_ref()?.room(node);
    Some(Expect::Values(vec![Value::Real(room.idle[r] + room.releasing[r])]))
}
