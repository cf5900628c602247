//! Conversion of pods to asks.
//!
//! # Source
//! yunikorn.md 1.8
//!
//! # Differs
//! a fraction of a GPU counts as a whole one

use super::amounts::Amounts;
use super::model::{AppIx, Ask, NodeIx};
use super::partition::{ResourceTypes, counted};
use crate::cluster::{GpuRequest, Job, Pod, Preemptible};
use crate::id::NodeId;
use crate::policy::PartitionView;
use crate::units::{Resource, ResourceVec};

/// Builds quantities by type from a function of the resource; a resource without a value is left out.
pub(super) fn amounts(resource_types: &ResourceTypes, get: &dyn Fn(Resource) -> Option<i64>, pods: i64) -> Amounts {
    let mut out = Amounts::EMPTY;
    for resource in resource_types.resources() {
        if let Some((type_ix, amount)) = resource_types.of(resource).zip(get(resource)) {
            out.set(type_ix, counted(resource, amount));
        }
    }
    if let Some(type_ix) = resource_types.pods() {
        out.set(type_ix, pods);
    }
    out
}

/// Amount in base units; `None` for a named resource of the scenario that the amounts do not list.
pub(super) fn explicit_amount(amounts: &ResourceVec, resource: Resource) -> Option<i64> {
    let is_said = resource.nth_named().is_none() || amounts.has(resource);
    is_said.then(|| amounts.get(resource).in_base_units())
}

/// Resources of a pod's ask: devices are counted whole, and every pod takes a pod slot.
pub(super) fn ask_of(resource_types: &ResourceTypes, pod: &Pod) -> Amounts {
    let devices = match pod.request.gpu {
        GpuRequest::None => 0,
        GpuRequest::Whole { devices } | GpuRequest::Fraction { devices, .. } | GpuRequest::Memory { devices, .. } => {
            devices
        }
    };
    // An explicit request of 0 counts as a request.
    let is_said = |resource: &Resource| pod.request.resources.has(*resource);
    let amount = |resource: Resource| match resource {
        Resource::GPU => Some(i64::from(devices) * 1000).filter(|&amount| amount > 0 || is_said(&Resource::GPU)),
        _ => Some(pod.request.resources.get(resource).in_base_units()).filter(|_| is_said(&resource)),
    };
    amounts(resource_types, &amount, 1)
}

/// Nodes that the pod's selectors, the node's taints or its device memory exclude.
pub(super) fn refused_nodes(world: PartitionView<'_>, nodes: &[NodeId], pod: &Pod) -> Vec<NodeIx> {
    let mib = match pod.request.gpu {
        GpuRequest::Memory { mib, .. } => mib,
        _ => 0,
    };
    let refuses = |node: &NodeId| {
        let node = &world.cluster.nodes[*node];
        !pod.selects(node) || !pod.tolerates(node) || mib > node.gpu_memory_mib / 100 * 100
    };
    nodes.iter().enumerate().filter(|(_, node)| refuses(node)).map(|(i, _)| i).collect()
}

/// Builds the ask of a pod or of its placeholder.
pub(super) fn ask_for(resource_types: &ResourceTypes, (job, pod): (&Job, &Pod), key: &str, app: AppIx) -> Ask {
    let rules = pod.rules.as_deref();
    let required_node = rules.and_then(|rules| rules.required_node.as_deref());
    Ask {
        created: job.created.as_millis(),
        allow_self: job.preemptible != Preemptible::No,
        allow_other: !rules.is_some_and(|rules| rules.never_preempts),
        originator: rules.is_some_and(|rules| rules.is_originator),
        required_node: required_node.unwrap_or_default().to_owned(),
        ..Ask::new(key, app, ask_of(resource_types, pod), job.priority)
    }
}
