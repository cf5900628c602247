//! Comparisons of *first in, first out*, max-min fairness and dominant resource fairness.

use fairground::cluster::{GpuRequest, Node, Pod};
use fairground::id::{Id, JobId, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::trace::{Quantity, Value};
use fairground::units::{Bound, Resource};

use super::accounts::{Accounts, Triple, plus};
use super::moments::PodPlace;
use super::operand::{Context, Expect, Operand, mib_of};

/// What a side of a comparison has to be.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let owner = place.owner();
    let is_share = place.check.rule.key().contains("/smallest-");
    match place.term.quantity {
        _ if is_share => match owner.queue {
            Some(queue) => Expect::Values(vec![Value::Real(share(context, queue))]),
            None => Expect::Unknown,
        },
        Quantity::Created => owner.job.map_or(Expect::Unknown, |job| {
            Expect::Values(vec![Value::Time(context.accounts.cluster.jobs[job].submit)])
        }),
        Quantity::AllocatedWithJob => owner.queue.map_or(Expect::Unknown, |queue| {
            let held = context.accounts.allocated(queue);
            Expect::Amounts(context.requests(false).into_iter().map(|asked| plus(held, asked)).collect())
        }),
        Quantity::Position if place.check.subject.node.is_none() => {
            owner.job.map_or(Expect::Unknown, |job| Expect::Values(vec![Value::Count(i64::from(job.0) + 1)]))
        }
        Quantity::UnownedWithJob | Quantity::UnownedShare => {
            let [held, share] = owner.job.and_then(|job| unowned(context, job)).unwrap_or_default();
            let asked: i64 = context.asked.iter().map(|pod| gpus_of(context.accounts.pod(*pod))).sum();
            let value = if place.is_left { held + asked } else { share };
            Expect::Values(vec![Value::Real(value as f64 / 1000.0)])
        }
        Quantity::Quota => {
            owner.queue.map_or(Expect::Unknown, |queue| Expect::Amounts(vec![context.accounts.quota(queue)]))
        }
        Quantity::Limit => {
            owner.queue.map_or(Expect::Unknown, |queue| Expect::Amounts(vec![context.accounts.limit(queue)]))
        }
        _ if place.check.right.quantity == Quantity::Capacity => of_empty_nodes(context, place),
        Quantity::Request => requested(context, place),
        Quantity::Idle => idle(context, place),
        _ => Expect::Unknown,
    }
}

/// Allocated GPUs per weight, without GPUs CPU; under dominant resource fairness the largest part of the capacity per
/// weight.
fn share(context: &Context<'_>, queue: QueueId) -> f64 {
    let held = context.accounts.allocated(queue);
    let nodes = || context.accounts.nodes().filter(|(_, node)| node.ready);
    let total: Triple = std::array::from_fn(|r| {
        let resource = Resource::ACCOUNTED[r];
        nodes().map(|(_, node)| node.capacity.get(resource).in_policy_units(resource)).sum()
    });
    let of = &context.accounts.cluster.queues_in(context.accounts.pool)[queue].resources;
    let weight: Triple =
        std::array::from_fn(|r| of.get(Resource::ACCOUNTED[r]).weight.map_or(1.0, |weight| weight.as_real()));
    if matches!(context.policy, Policy::MaxMin(_)) {
        let r = if total[2] > 0.0 { 2 } else { 0 };
        return if weight[r] > 0.0 { held[r] / weight[r] } else { f64::INFINITY };
    }
    if weight.iter().all(|weight| *weight <= 0.0) {
        return f64::INFINITY;
    }
    let part = |r: usize| if weight[r] > 0.0 { held[r] / (weight[r] * total[r]) } else { f64::INFINITY };
    (0..3).filter(|&r| held[r] > 0.0 && total[r] > 0.0).map(part).fold(0.0, f64::max)
}

/// What a pod takes of an empty node, where each part of a GPU takes a device, and the most that a node has which it
/// may use.
fn of_empty_nodes(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let Some(resource) = place.check.subject.resource else { return Expect::Unknown };
    let asked = |pod: &PodId| match context.accounts.pod(*pod).request {
        ref request if resource == Resource::GPU => f64::from(request.gpu.n_devices()),
        ref request => request.resources.get(resource).in_policy_units(resource),
    };
    let most = |pod: &PodId| {
        let of = |node: &Node| node.capacity.get(resource).in_policy_units(resource);
        usable(context, *pod).into_iter().map(of).fold(0.0, f64::max)
    };
    let of = |pod: &PodId| if place.is_left { asked(pod) } else { most(pod) };
    Expect::Values(context.asked.iter().map(|pod| Value::Real(of(pod))).collect())
}

/// Nodes that a pod may use: under *first in, first out* only nodes of its queue or of none that take pods now, under
/// YuniKorn those that are ready and whose devices are large enough.
pub fn usable<'a>(context: &Context<'a>, pod: PodId) -> Vec<&'a Node> {
    let accounts = &context.accounts;
    let of_pod = accounts.pod(pod);
    let leaf = accounts.cluster.jobs[of_pod.job].queue;
    let all = match context.policy {
        Policy::Fifo(_) => owned(accounts),
        _ => Vec::new(),
    };
    let is_open = |(id, node): &(NodeId, &Node)| match context.policy {
        Policy::Fifo(_) => node.takes_pods() && !all.iter().any(|(queue, own, _)| *queue != leaf && own.contains(id)),
        Policy::YuniKorn(_) => node.ready && has_memory(of_pod, node),
        _ => true,
    };
    let nodes = accounts.nodes().filter(is_open).map(|(_, node)| node);
    nodes.filter(|node| of_pod.selects(node) && of_pod.tolerates(node)).collect()
}

/// Whether the devices of a node are large enough for a pod.
pub fn has_memory(pod: &Pod, node: &Node) -> bool {
    mib_of(pod.request.gpu, node.device_mib()) <= node.device_mib()
}

/// The request of the pod, or of pods of the job.
fn requested(context: &Context<'_>, place: Operand<'_>) -> Expect {
    match (place.check.subject.pod, place.check.subject.job) {
        (Some(pod), _) => {
            let [cpu, memory, gpus] = context.accounts.pending(pod, false);
            let gpus = match (context.accounts.pod(pod).request.gpu, place.check.subject.node) {
                (GpuRequest::Memory { mib, devices }, Some(node)) => {
                    let part = mib * 1000 / context.accounts.cluster.nodes[node].device_mib();
                    f64::from(devices) * part as f64 / 1000.0
                }
                _ => gpus,
            };
            Expect::Amounts(vec![[cpu, memory, gpus]])
        }
        (None, Some(_)) if matches!(context.policy, Policy::Fifo(_)) => {
            let all = context.asked.iter().map(|pod| context.accounts.pending(*pod, false));
            Expect::Amounts(vec![all.fold([0.0; 3], plus)])
        }
        (None, Some(_)) => {
            let each = context.asked.iter().map(|pod| context.accounts.pending(*pod, false));
            Expect::Amounts(each.collect())
        }
        _ => Expect::Unknown,
    }
}

/// What is free on the node, or the most on one.
fn idle(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let is_fifo = matches!(context.policy, Policy::Fifo(_));
    let accounts = &context.accounts;
    let room = |node: NodeId, gpu: GpuRequest| match gpu {
        GpuRequest::None | GpuRequest::Whole { .. } => untouched(accounts, node),
        GpuRequest::Fraction { .. } | GpuRequest::Memory { .. } => free_parts(accounts, node),
    };
    let values = match (subject.node, subject.pod, subject.job) {
        (Some(node), Some(pod), _) => vec![room(node, accounts.pod(pod).request.gpu)],
        (None, _, Some(job)) if is_fifo => {
            own_room(context, job, place.check.rule.key() == "fifo/empty-nodes").into_iter().collect()
        }
        (None, _, Some(_)) => {
            let most = |pod: &PodId| {
                let pod = accounts.pod(*pod);
                let may_run = |node: &Node| node.takes_pods() && pod.selects(node) && pod.tolerates(node);
                let open = accounts.nodes().filter(|(_, node)| may_run(node));
                open.map(|(node, _)| room(node, pod.request.gpu)).fold(0.0, f64::max)
            };
            context.asked.iter().map(most).collect()
        }
        _ => Vec::new(),
    };
    if values.is_empty() {
        return Expect::Unknown;
    }
    Expect::Values(values.into_iter().map(Value::Real).collect())
}

/// Pods on a node, terminating ones included.
pub fn pods_on<'a>(accounts: &Accounts<'a>, node: NodeId) -> impl Iterator<Item = &'a fairground::cluster::Pod> {
    let state = accounts.state;
    let is_here = move |at: usize| matches!(state.places[at], PodPlace::On(at) | PodPlace::Leaving(at) if at == node);
    accounts.cluster.pods.iter().filter(move |(id, _)| is_here(id.index())).map(|(_, pod)| pod)
}

/// Devices of a node without any pod.
pub fn untouched(accounts: &Accounts<'_>, node: NodeId) -> f64 {
    let used = pods_on(accounts, node).fold(0u64, |used, pod| used | pod.devices.0);
    f64::from(accounts.cluster.nodes[node].n_devices()) - f64::from(used.count_ones())
}

/// Free devices and parts of shared ones.
pub fn free_parts(accounts: &Accounts<'_>, node: NodeId) -> f64 {
    let memory = accounts.cluster.nodes[node].device_mib();
    let mib = |gpu: GpuRequest| mib_of(gpu, memory);
    let used = |device: u32| -> i64 {
        let here = pods_on(accounts, node).filter(|pod| pod.devices.0 & 1 << device != 0);
        here.map(|pod| mib(pod.request.gpu)).sum()
    };
    let free = |device: u32| (1000 - used(device) * 1000 / memory) as f64 / 1000.0;
    (0..accounts.cluster.nodes[node].n_devices()).map(free).sum()
}

/// Whole nodes that each leaf owns, and what is left of its quota for common nodes, in thousandths of GPUs.
pub fn owned(accounts: &Accounts<'_>) -> Vec<(QueueId, Vec<NodeId>, i64)> {
    let queues = accounts.cluster.queues_in(accounts.pool);
    let size = |node: &Node| node.capacity.get(Resource::GPU).in_base_units();
    let mut nodes = accounts.nodes().filter(|(_, node)| node.n_devices() > 0).peekable();
    let mut all = Vec::new();
    for (leaf, queue) in queues.iter().filter(|(_, queue)| queue.children.is_empty()) {
        let mut left = match queue.resources.gpu.quota {
            Bound::Unset => 0,
            Bound::Unlimited => i64::MAX,
            Bound::At(quota) => quota.in_base_units(),
        };
        let mut own = Vec::new();
        while left < i64::MAX
            && let Some((node, _)) = nodes.next_if(|(_, node)| size(node) <= left)
        {
            left -= size(&accounts.cluster.nodes[node]);
            own.push(node);
        }
        all.push((leaf, own, left));
    }
    all
}

/// Most free devices on one node that the queue may use, or the devices of its empty ones.
fn own_room(context: &Context<'_>, job: JobId, of_empty: bool) -> Option<f64> {
    let accounts = &context.accounts;
    let asked = context.asked.iter().map(|pod| gpus_of(accounts.pod(*pod))).sum();
    let nodes = candidates(context, job, asked)?.into_iter();
    Some(if of_empty {
        nodes.filter(|node| is_empty(accounts, *node)).map(|node| untouched(accounts, node)).sum()
    } else {
        nodes.map(|node| untouched(accounts, node)).fold(0.0, f64::max)
    })
}

fn is_empty(accounts: &Accounts<'_>, node: NodeId) -> bool {
    pods_on(accounts, node).next().is_none()
}

fn gpus_of(pod: &Pod) -> i64 {
    pod.request.resources.get(Resource::GPU).in_base_units()
}

/// Nodes on which the pods of a job may start under *first in, first out*: empty ones if no node takes all of them.
pub fn open_to_job(context: &Context<'_>, job: JobId) -> Option<Vec<NodeId>> {
    let accounts = &context.accounts;
    let asked = context.asked.iter().map(|pod| gpus_of(accounts.pod(*pod))).sum();
    let open = candidates(context, job, asked)?;
    let takes_all = |node: &NodeId| super::obstacles::fits_empty(context, *node);
    let may_be_part = context.asked.len() == 1 || open.iter().any(takes_all);
    Some(open.into_iter().filter(|node| may_be_part || is_empty(accounts, *node)).collect())
}

/// Nodes of the job's queue, and those without owner unless its counted share is exceeded with so many more thousandths
/// of GPUs.
fn candidates(context: &Context<'_>, job: JobId, more: i64) -> Option<Vec<NodeId>> {
    let accounts = &context.accounts;
    let leaf = accounts.cluster.jobs[job].queue;
    let all = owned(accounts);
    let (_, own, _) = all.iter().find(|(queue, ..)| *queue == leaf)?;
    let [held, share] = unowned(context, job)?;
    let common = unowned_nodes(accounts, &all).filter(|_| held.saturating_add(more) <= share);
    let may_run = |id: &NodeId| {
        let node = &accounts.cluster.nodes[*id];
        let fits = |pod: &Pod| pod.selects(node) && pod.tolerates(node);
        node.takes_pods() && context.asked.iter().all(|pod| fits(accounts.pod(*pod)))
    };
    Some(own.iter().copied().chain(common).filter(may_run).collect())
}

fn unowned_nodes(accounts: &Accounts<'_>, all: &[(QueueId, Vec<NodeId>, i64)]) -> impl Iterator<Item = NodeId> {
    let is_owned = |node: NodeId| all.iter().any(|(_, own, _)| own.contains(&node));
    accounts.nodes().map(|(id, _)| id).filter(move |id| !is_owned(*id))
}

/// What the queue of a job holds on nodes without owner, and may hold there, in thousandths of GPUs.
fn unowned(context: &Context<'_>, job: JobId) -> Option<[i64; 2]> {
    let accounts = &context.accounts;
    let leaf = accounts.cluster.jobs[job].queue;
    let all = owned(accounts);
    let (_, _, share) = *all.iter().find(|(queue, ..)| *queue == leaf)?;
    let of_leaf = |pod: &&Pod| accounts.cluster.jobs[pod.job].queue == leaf;
    let held = unowned_nodes(accounts, &all)
        .map(|node| pods_on(accounts, node).filter(of_leaf).map(gpus_of).sum::<i64>())
        .sum();
    Some([held, share])
}
