//! The obstacles that a waiting job names, counted again on the nodes: state, labels, taints, pod slots and room.

use fairground::cluster::GpuRequest;
use fairground::id::{NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::trace::{Gate, NodeReason};
use fairground::units::{RESOURCES_MAX, Resource};

use super::accounts::Accounts;
use super::baseline;
use super::moments::PodPlace;
use super::operand::{Context, mib_of};

/// What is wrong with the obstacles of a gate; `None`: they are real at this moment.
pub fn wrong(context: &Context<'_>, gate: &Gate) -> Option<String> {
    match gate {
        Gate::NoNode { placed, reasons, .. } if !reasons.is_empty() => {
            let pods = &context.asked;
            let is_real = pods.iter().any(|pod| are_real(context, *pod, *placed > 0, reasons));
            (!is_real && !pods.is_empty()).then(|| format!("the nodes do not have these obstacles: {reasons:?}"))
        }
        Gate::TooLarge { resource } => {
            let pods = &context.asked;
            let fits = pods.iter().all(|pod| is_on_some_empty_node(context, *pod, *resource));
            (fits && !pods.is_empty()).then(|| format!("a node has enough of {resource:?}"))
        }
        _ => None,
    }
}

/// Whether every reason is true of as many nodes as it names, and the reasons name each node once.
fn are_real(context: &Context<'_>, pod: PodId, is_part: bool, reasons: &[(NodeReason, u32)]) -> bool {
    let nodes: Vec<NodeId> = context.accounts.nodes().map(|(id, _)| id).collect();
    let n_named: u32 = reasons.iter().map(|(_, n)| n).sum();
    let is_true = |(reason, n): &(NodeReason, u32)| {
        let has = |node: &&NodeId| has_obstacle(context, pod, is_part, (**node, *reason));
        nodes.iter().filter(has).count() >= *n as usize
    };
    n_named as usize <= nodes.len() && reasons.iter().all(is_true)
}

/// Whether a node has an obstacle for a pod. Room that earlier pods of the same chunk would take is not known, so that
/// any room may be too small if some of them were placed.
fn has_obstacle(context: &Context<'_>, pod: PodId, is_part: bool, (id, reason): (NodeId, NodeReason)) -> bool {
    let accounts = &context.accounts;
    let (node, of_pod) = (&accounts.cluster.nodes[id], accounts.pod(pod));
    match reason {
        NodeReason::NotReady => !node.takes_pods(),
        NodeReason::Taint => !of_pod.tolerates(node),
        NodeReason::Selector => {
            let required = of_pod.rules.as_ref().and_then(|rules| rules.required_node.as_deref());
            !of_pod.selects(node)
                || required.is_some_and(|required| *required != *node.name)
                || lacks_role(context.policy, of_pod.request.gpu, node)
        }
        NodeReason::PodSlots => is_part || lacks_slots(context, pod, id),
        // First in, first out, all pods of a job start together, and on one node if they fit there.
        NodeReason::Insufficient(resource)
            if matches!(context.policy, Policy::Fifo(_))
                && (lacks_for_all(context, id, resource, &holders(accounts, id))
                    || resource == Resource::GPU && lacks_devices_for_all(context, id, &holders(accounts, id))) =>
        {
            true
        }
        NodeReason::Insufficient(Resource::GPU) => is_part || lacks_devices(accounts, pod, id),
        NodeReason::Insufficient(resource) => is_part || lacks(accounts, pod, id, resource),
        NodeReason::Held => {
            let of_another = |(leaf, own, _): &(QueueId, Vec<NodeId>, i64)| {
                own.contains(&id) && *leaf != accounts.cluster.jobs[of_pod.job].queue
            };
            matches!(context.policy, Policy::Fifo(_)) && baseline::owned(accounts).iter().any(of_another)
        }
        NodeReason::OtherPool => false,
        NodeReason::Gate if matches!(context.policy, Policy::Fifo(_)) => {
            !baseline::open_to_job(context, of_pod.job).is_some_and(|open| open.contains(&id))
        }
        // Claims of other jobs and bounds on nodes are the policy's own.
        NodeReason::Gate | NodeReason::Reserved(_) => true,
    }
}

fn lacks_role(policy: &Policy, gpu: GpuRequest, node: &fairground::cluster::Node) -> bool {
    let Policy::Kai(config) = policy else { return false };
    let role = if gpu == GpuRequest::None { "cpu-worker" } else { "gpu-worker" };
    let has = |(key, _): &(std::sync::Arc<str>, std::sync::Arc<str>)| {
        key.strip_prefix("node-role.kubernetes.io/") == Some(role)
    };
    config.restrict_node_scheduling && !node.labels.iter().any(has)
}

/// Pods that take room of a node from this one. KAI counts what terminating pods hold as free, unless they are stuck.
fn holders(accounts: &Accounts<'_>, node: NodeId) -> Vec<PodId> {
    let is_free = accounts.counting.is_of_engine;
    let claims = |pod: &PodId| accounts.state.claims.contains(&(*pod, node));
    let holds = |pod: &PodId| match accounts.place(*pod) {
        PodPlace::On(at) => at == node,
        // A moved pod claims room before it is gone.
        PodPlace::Leaving(at) => (at == node && (!is_free || accounts.is_stuck(*pod))) || claims(pod),
        // A placeholder can claim room for a pod that a gate still keeps from scheduling.
        PodPlace::Waiting | PodPlace::Gated => claims(pod),
        _ => false,
    };
    accounts.cluster.pods.ids().filter(holds).collect()
}

fn lacks_slots(context: &Context<'_>, pod: PodId, id: NodeId) -> bool {
    let accounts = &context.accounts;
    let node = &accounts.cluster.nodes[id];
    if matches!(context.policy, Policy::Fifo(_)) {
        return holders(accounts, id).len() + context.asked.len() > node.pods_max as usize;
    }
    // A shared device of KAI needs a pod slot of its own.
    let gpu = accounts.pod(pod).request.gpu;
    let opens = matches!(gpu, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. });
    let needs = if accounts.counting.is_of_engine && opens { 2 } else { 1 };
    holders(accounts, id).len() + needs > node.pods_max as usize || has_shares(accounts, id)
}

/// Whether pods share devices of a node, which may take further pod slots under KAI.
fn has_shares(accounts: &Accounts<'_>, id: NodeId) -> bool {
    let is_share =
        |pod: &PodId| matches!(accounts.pod(*pod).request.gpu, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. });
    accounts.counting.is_of_engine && holders(accounts, id).iter().any(is_share)
}

fn lacks(accounts: &Accounts<'_>, pod: PodId, id: NodeId, resource: Resource) -> bool {
    let of = |pod: PodId| accounts.pod(pod).request.resources.get(resource).in_base_units();
    let used: i64 = holders(accounts, id).into_iter().map(of).sum();
    used + of(pod) > accounts.cluster.nodes[id].capacity.get(resource).in_base_units()
}

/// Whether the pods of a job fit together on a node without others.
pub fn fits_empty(context: &Context<'_>, id: NodeId) -> bool {
    // Devices are counted below: the amount of GPUs tells nothing where memory of a GPU is requested.
    let lacks = |resource: Resource| resource != Resource::GPU && lacks_for_all(context, id, resource, &[]);
    context.asked.len() <= context.accounts.cluster.nodes[id].pods_max as usize
        && !(0..RESOURCES_MAX).filter_map(|r| u8::try_from(r).ok()).any(|r| lacks(Resource(r)))
        && !lacks_devices_for_all(context, id, &[])
}

fn lacks_for_all(context: &Context<'_>, id: NodeId, resource: Resource, here: &[PodId]) -> bool {
    let accounts = &context.accounts;
    let of = |pod: &PodId| accounts.pod(*pod).request.resources.get(resource).in_base_units();
    let used = here.iter().chain(&context.asked).map(of).sum::<i64>();
    used > accounts.cluster.nodes[id].capacity.get(resource).in_base_units()
}

/// Whether the pods of a job, each on the fullest devices with room, do not fit the node together.
fn lacks_devices_for_all(context: &Context<'_>, id: NodeId, here: &[PodId]) -> bool {
    let accounts = &context.accounts;
    let node = &accounts.cluster.nodes[id];
    let memory = node.device_mib();
    let used = |device: u32| {
        let held = here.iter().filter(|pod| accounts.pod(**pod).devices.0 & 1 << device != 0);
        held.map(|pod| mib_of(accounts.pod(*pod).request.gpu, memory)).sum::<i64>()
    };
    let mut used: Vec<i64> = (0..node.n_devices()).map(used).collect();
    context.asked.iter().any(|pod| {
        let gpu = accounts.pod(*pod).request.gpu;
        let (needs, asked) = (mib_of(gpu, memory), gpu.n_devices() as usize);
        used.sort_by(|a, b| b.cmp(a));
        let fits: Vec<usize> = (0..used.len()).filter(|device| used[*device] + needs <= memory).take(asked).collect();
        fits.iter().for_each(|device| used[*device] += needs);
        fits.len() < asked
    })
}

fn lacks_devices(accounts: &Accounts<'_>, pod: PodId, id: NodeId) -> bool {
    let node = &accounts.cluster.nodes[id];
    let gpu = accounts.pod(pod).request.gpu;
    let (memory, asked) = (node.device_mib(), gpu.n_devices());
    let is_whole = matches!(accounts.policy, Policy::YuniKorn(_));
    if is_whole && mib_of(gpu, memory) > memory {
        return true;
    }
    let here = holders(accounts, id);
    // A claim does not name its devices, and a part may take a whole one.
    let n_claimed: u32 = (here.iter().filter(|pod| accounts.place(**pod) == PodPlace::Waiting))
        .map(|pod| accounts.pod(*pod).request.gpu.n_devices())
        .sum();
    let room = |device: u32| {
        let held = here.iter().filter(|pod| {
            accounts.place(**pod) != PodPlace::Waiting && accounts.pod(**pod).devices.0 & 1 << device != 0
        });
        memory - held.map(|pod| mib_of(accounts.pod(*pod).request.gpu, memory)).sum::<i64>()
    };
    let devices = |pod: &PodId| accounts.pod(*pod).request.gpu.n_devices();
    if is_whole {
        // A part of a GPU takes a whole one.
        return here.iter().map(devices).sum::<u32>() + asked > node.n_devices();
    }
    // More pods than devices may have been found on the node.
    let lacks_devices = |pod: &PodId| {
        accounts.place(*pod) != PodPlace::Waiting && accounts.pod(*pod).devices.0.count_ones() < devices(pod)
    };
    if lacks(accounts, pod, id, Resource::GPU) || asked > 0 && here.iter().any(lacks_devices) {
        return true;
    }
    let needs = mib_of(gpu, memory);
    let n_room = (0..node.n_devices()).filter(|device| room(*device) >= needs).count();
    n_room < (asked + n_claimed) as usize
}

/// Whether some node that the pod may use has enough of a resource when it is empty.
fn is_on_some_empty_node(context: &Context<'_>, pod: PodId, resource: Resource) -> bool {
    let of_pod = context.accounts.pod(pod);
    baseline::usable(context, pod).into_iter().any(|node| match resource {
        Resource::GPU => {
            let memory = node.device_mib();
            node.n_devices() >= of_pod.request.gpu.n_devices() && mib_of(of_pod.request.gpu, memory) <= memory
        }
        other => node.capacity.get(other) >= of_pod.request.resources.get(other),
    })
}
