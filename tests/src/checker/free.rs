//! The GPUs that were free when a job was tried, counted again.

use fairground::cluster::{Node, Pod};
use fairground::id::{NodeId, PodId};
use fairground::policy::Policy;
use fairground::trace::{FreeGpus, Gate, NodeReason};
use fairground::units::Resource;

use super::operand::Context;
use super::{baseline, kai, yunikorn};

/// What is wrong with the free GPUs of a gate; `None`: they were free at this moment.
pub fn wrong(context: &Context<'_>, gate: &Gate) -> Option<String> {
    let &Gate::NoNode { free: Some(said), ref reasons, .. } = gate else { return None };
    let some_are_reserved = reasons.iter().any(|(reason, _)| matches!(reason, NodeReason::Reserved(_)));
    let counted: Vec<FreeGpus> = context.asked.iter().filter_map(|pod| free(context, *pod)).collect();
    let is_it = |counted: &FreeGpus| match some_are_reserved {
        // Which nodes are reserved is the policy's own.
        true => said.total <= counted.total + SLACK && said.most <= counted.most + SLACK,
        false => same(said, *counted),
    };
    (!counted.is_empty() && !counted.iter().any(is_it)).then(|| format!("free is {counted:?}, not {said:?}"))
}

const SLACK: f64 = 1e-6;

pub fn same(a: FreeGpus, b: FreeGpus) -> bool {
    (a.total - b.total).abs() <= SLACK && (a.most - b.most).abs() <= SLACK
}

/// On the nodes that a pod may use.
fn free(context: &Context<'_>, pod: PodId) -> Option<FreeGpus> {
    let accounts = &context.accounts;
    let of_pod = accounts.pod(pod);
    let may_use = |node: &Node| node.takes_pods() && of_pod.selects(node) && of_pod.tolerates(node);
    let open = || accounts.nodes().filter(|(_, node)| may_use(node)).map(|(id, _)| id);
    Some(match context.policy {
        Policy::Fifo(_) => baseline::open_to_job(context, of_pod.job)?
            .into_iter()
            .map(|node| baseline::untouched(accounts, node))
            .collect(),
        Policy::MaxMin(_) | Policy::Drf(_) => {
            let gives = |node: &NodeId| !baseline::pods_on(accounts, *node).any(lacks_devices);
            open().filter(gives).map(|node| baseline::untouched(accounts, node)).collect()
        }
        Policy::YuniKorn(_) => {
            let required = of_pod.rules.as_ref().and_then(|rules| rules.required_node.as_deref());
            let is_open = |node: &NodeId| {
                let node = &accounts.cluster.nodes[*node];
                baseline::has_memory(of_pod, node) && required.is_none_or(|required| *required == *node.name)
            };
            let gpus = |node: NodeId| yunikorn::free(accounts, node)[Resource::GPU.index()].max(0.0);
            open().filter(is_open).map(gpus).collect()
        }
        Policy::Kai(_) | Policy::Runai(_) => kai::free_gpus(context, context.rooms.as_ref()?, pod).collect(),
        Policy::Ego(_) => return None,
    })
}

fn lacks_devices(pod: &Pod) -> bool {
    pod.devices.0.count_ones() < pod.request.gpu.n_devices()
}
