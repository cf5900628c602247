//! Shared rule records and checks of policies with progressive filling.
//!
//! # Rule
//! See [`super`].
//!
//! # Source
//! see the rule records of each policy
//!
//! # Differs
//! nothing

use super::cycle_state::{self, CycleState};
use super::place::Placed;
use crate::cluster::{GpuRequest, Node, Pod};
use crate::id::{JobId, PodId, QueueId};
use crate::policy::checks::{self, amount, submitted_first, term};
use crate::policy::node_order::fewest_free;
use crate::trace::{Check, Op, Quantity, RuleRecord, Subject, Value};
use crate::units::{Bound, Resource};

const CHOICE: &str = "a choice of the simulator; the sources are about users and one pool";

/// Record of the order inside a queue, under the key of a policy.
pub const fn submit_order(key: &'static str) -> RuleRecord {
    RuleRecord {
        key,
        says: "jobs of a queue start strictly in the order of their submission",
        formula: "submit(first) ≤ submit(job)",
        source: CHOICE,
        differs: "",
    }
}

/// Record of the choice of a node, under the key of a policy.
pub const fn best_fit(key: &'static str) -> RuleRecord {
    RuleRecord {
        key,
        says: "a pod goes to the node with the fewest free GPUs that fits",
        formula: "request ≤ free GPUs of the node",
        source: CHOICE,
        differs: "",
    }
}

/// Record of the order of nodes, under the key of a policy.
pub const fn node_order(key: &'static str) -> RuleRecord {
    fewest_free(key, CHOICE)
}

/// Checks for a placement: the order of queues, the order of jobs, and the fit. Must be called before the state counts
/// the pod for its queue; `placed` begins with it, and goes on with those placed after it.
pub fn bound(state: &CycleState<'_>, leaf: QueueId, placed: &[Placed]) -> Vec<Check> {
    let Some(Placed { pod, node, compared, .. }) = placed.first() else { return Vec::new() };
    let (pod, node) = (*pod, *node);
    let rules = &state.measure.rules;
    let cluster = state.world.cluster;
    let mut checks = Vec::new();
    for queue in cluster.path_to_root(leaf) {
        let Some(rival) = state.smallest(state.siblings(queue), Some(queue)) else { continue };
        let subject = Subject { queue: Some(queue), other_queue: Some(rival), ..Subject::default() };
        let share = |queue| term(state.measure.quantity, Value::Real(state.share(queue)));
        checks.push(Check::new(rules.smallest_share, subject, share(queue), Op::AtMost, share(rival)));
    }
    checks.reverse();
    let pending = &state.pending[leaf];
    if let (Some(&job), Some(&next)) = (pending.jobs.get(pending.at), pending.jobs.get(pending.at + 1)) {
        checks.push(before(state, job, next));
    }
    checks.extend_from_slice(compared);
    let request = cluster.pods[pod].request.resources.get(Resource::GPU).in_base_units();
    if request > 0 {
        let subject = Subject {
            queue: Some(leaf),
            job: Some(cluster.pods[pod].job),
            pod: Some(pod),
            node: Some(node),
            resource: Some(Resource::GPU),
            ..Subject::default()
        };
        // The node already counts the pod and those placed after it.
        let mut node_use = state.nodes[node].clone();
        for Placed { pod, devices, .. } in placed.iter().filter(|place| place.node == node) {
            node_use.give_back(&cluster.pods[*pod].request, *devices);
        }
        let free = node_use.free_milli(&cluster.nodes[node], cluster.pods[pod].request.gpu);
        let requested = node_use.asked_milli(&cluster.pods[pod].request);
        let left = amount(Quantity::Request, requested, Resource::GPU);
        let right = amount(Quantity::Idle, free, Resource::GPU);
        checks.push(Check::new(rules.best_fit, subject, left, Op::AtMost, right));
    }
    checks
}

/// Check that `first` was submitted no later than `other`.
pub fn before(state: &CycleState<'_>, first: JobId, other: JobId) -> Check {
    submitted_first(state.measure.rules.submit_order, state.world, first, other)
}

/// Check that the pods would exceed the limit of the queue; `None` without a limit.
pub fn over(state: &CycleState<'_>, job: JobId, queue: QueueId, resource: Resource, pods: &[PodId]) -> Option<Check> {
    let Bound::At(limit) = state.world.queues()[queue].resources.get(resource).limit else {
        return None;
    };
    let with = state.held[queue][resource.index()] + state.request(pods)[resource.index()];
    let subject = Subject { queue: Some(queue), job: Some(job), resource: Some(resource), ..Subject::default() };
    let left = amount(Quantity::AllocatedWithJob, with, resource);
    let right = amount(Quantity::Limit, limit.in_base_units(), resource);
    Some(Check::new(state.measure.rules.limit, subject, left, Op::Exceeds, right))
}

/// The resource of which no node that the pod may use has enough, even when empty, with the comparison.
pub fn too_large(state: &CycleState<'_>, job: JobId, pod: &Pod) -> Option<(Resource, Check)> {
    let subject = Subject { job: Some(job), ..Subject::default() };
    let nodes: Vec<&Node> = cycle_state::usable(state.world, pod).map(|(_, node)| node).collect();
    checks::too_large(state.measure.rules.best_fit, subject, pod, &nodes)
}

/// Check that the first of the pods requests more GPUs than any node that it may use has free; `None` if GPUs are not
/// the reason.
pub fn no_room(state: &CycleState<'_>, job: JobId, pods: &[PodId]) -> Option<Check> {
    let cluster = state.world.cluster;
    let requested = state.request(&pods[..1])[Resource::GPU.index()];
    let pod = &cluster.pods[pods[0]];
    let gpu = pod.request.gpu;
    if matches!(gpu, GpuRequest::Memory { .. }) {
        // It takes another part of each kind of GPU.
        return None;
    }
    let nodes = cycle_state::usable(state.world, pod).filter(|(_, node)| node.takes_pods());
    let largest = nodes.map(|(id, node)| state.nodes[id].free_milli(node, gpu)).max().unwrap_or(0);
    let subject = Subject { job: Some(job), resource: Some(Resource::GPU), ..Subject::default() };
    let left = amount(Quantity::Request, requested, Resource::GPU);
    let right = amount(Quantity::Idle, largest, Resource::GPU);
    let check = Check::new(state.measure.rules.best_fit, subject, left, Op::Exceeds, right);
    check.holds.then_some(check)
}
