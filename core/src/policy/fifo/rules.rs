//! Rule records of the policy, and the checks that cite them.
//!
//! # Rule
//! One record per rule.
//!
//! # Source
//! Helios simulator
//!
//! # Differs
//! nothing

use super::Memory;
use super::place::{Attempt, Key};
use crate::cluster::Pod;
use crate::id::{JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::policy::checks::{self, amount, submitted_first, term};
use crate::policy::node_order::{self, Nearest};
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};
use crate::units::Resource;

/// Jobs of a queue start in submission order.
pub const SUBMIT_ORDER: Rule = Rule(&RuleRecord {
    key: "fifo/submit-order",
    says: "jobs of a queue start strictly in the order of their submission",
    formula: "submit(first) ≤ submit(job)",
    source: "Helios simulator, policy fifo",
    differs: "",
});

/// A job goes to the fullest node that fits.
pub const BEST_FIT: Rule = Rule(&RuleRecord {
    key: "fifo/best-fit",
    says: "a job goes to the node of its queue with the fewest free GPUs that fits",
    formula: "request ≤ free GPUs of the node",
    source: "Helios simulator, placer consolidate",
    differs: "",
});

/// A queue uses its own nodes only.
pub const HARD_PARTITION: Rule = Rule(&RuleRecord {
    key: "fifo/hard-partition",
    says: "a queue uses its own nodes only, even when other nodes are idle",
    formula: "request ≤ free GPUs of the best node of the queue",
    source: "Helios simulator, virtual clusters",
    differs: "if a quota is not a multiple of the node size, the remainder counts on nodes that no queue owns",
});

/// A queue holds at most its quota.
pub const QUOTA: Rule = Rule(&RuleRecord {
    key: "fifo/quota",
    says: "a queue never holds more GPUs than its quota, on whatever nodes",
    formula: "GPUs of the queue with the job ≤ quota",
    source: "Helios simulator, virtual clusters",
    differs: "a quota there is a number of nodes",
});

/// What is left of a quota beside whole nodes counts on nodes without owner.
pub const UNOWNED_SHARE: Rule = Rule(&RuleRecord {
    key: "fifo/unowned-share",
    says: "on nodes that no queue owns, a queue holds at most what its own nodes leave of its quota",
    formula: "GPUs of the queue on nodes without owner, with the job ≤ quota − GPUs of its own nodes",
    source: "none: this is our own",
    differs: "quotas of the source are multiples of the node size",
});

/// A job larger than a node goes to empty nodes.
pub const EMPTY_NODES: Rule = Rule(&RuleRecord {
    key: "fifo/empty-nodes",
    says: "a job larger than a node takes whole empty nodes",
    formula: "GPUs of the job ≤ GPUs of empty nodes of the queue",
    source: "Helios simulator, placer consolidate",
    differs: "",
});

/// Order of the nodes of a queue.
pub const NODE_ORDER: Rule = Rule(&RuleRecord {
    key: "fifo/node-order",
    says: "a queue's own nodes come before nodes without owner, then those with the fewest free GPUs, then by their order in the \
           file; the first on which the job fits is chosen",
    formula: "free GPUs(node) ≤ free GPUs(other), then place(node) < place(other)",
    source: "Helios simulator, placer consolidate",
    differs: "",
});

/// Every rule of the policy.
pub const RULES: [Rule; 7] = [SUBMIT_ORDER, BEST_FIT, HARD_PARTITION, QUOTA, UNOWNED_SHARE, EMPTY_NODES, NODE_ORDER];

fn gpus(quantity: Quantity, milli: i64) -> Term {
    amount(quantity, milli, Resource::GPU)
}

/// Check that the job precedes the next pending job of its queue; `None` if there is no other.
pub fn in_order(world: PartitionView<'_>, memory: &Memory, leaf: usize, job: JobId) -> Option<Check> {
    let next = memory.leaves[leaf].waiting.iter().map(|&(_, other)| other).find(|&other| other != job);
    next.map(|next| behind(world, job, next))
}

/// Check that `first` was submitted no later than `job`.
pub fn behind(world: PartitionView<'_>, first: JobId, job: JobId) -> Check {
    submitted_first(SUBMIT_ORDER, world, first, job)
}

/// Check that the request of the pod fits the free GPUs of the node, under the rule that chose it: of one node for all
/// pods of the job, or of empty ones.
pub fn fits(world: PartitionView<'_>, memory: &Memory, places: &[(PodId, NodeId)], pod: PodId, node: NodeId) -> Check {
    let is_spread = places.iter().any(|&(_, other)| other != node);
    let p = &world.cluster.pods[pod];
    let requested = memory.node_use[node].asked_milli(&p.request);
    let subject = Subject {
        queue: Some(world.cluster.jobs[p.job].queue),
        job: Some(p.job),
        pod: Some(pod),
        node: Some(node),
        resource: Some(Resource::GPU),
        ..Subject::default()
    };
    let free = memory.node_use[node].free_milli(&world.cluster.nodes[node], p.request.gpu);
    let rule = if is_spread { EMPTY_NODES } else { BEST_FIT };
    Check::new(rule, subject, gpus(Quantity::Request, requested), Op::AtMost, gpus(Quantity::Idle, free))
}

/// Comparisons of the node chosen for all pods with others; empty if there are several.
pub fn compared(attempt: &Attempt<'_>, job: JobId, places: &[(PodId, NodeId)], mut near: Nearest<Key>) -> Vec<Check> {
    let Some(own_key) = places.first().map(|&(_, node)| attempt.key(node)) else { return Vec::new() };
    near.end(own_key);
    let cluster = attempt.world.cluster;
    let queue = Some(cluster.jobs[job].queue);
    let subject_on = |node: NodeId| Subject { queue, job: Some(job), node: Some(node), ..Subject::default() };
    let next = near.next.iter().flat_map(|&(is_common, n_free, other)| {
        if is_common == own_key.0 {
            node_order::fuller(NODE_ORDER, subject_on(own_key.2), [(own_key.1, own_key.2), (n_free, other)])
        } else {
            let subject = Subject { other_node: Some(other), ..subject_on(own_key.2) };
            let [left, right] = [1, 0].map(|n| term(Quantity::Owned, Value::Count(n)));
            vec![Check::new(NODE_ORDER, subject, left, Op::Exceeds, right)]
        }
    });
    let pods: Vec<&Pod> = attempt.pods.iter().map(|&pod| &cluster.pods[pod]).collect();
    let unfit = near.unfit.iter().filter_map(|&(.., other)| {
        let placement = (&cluster.nodes[other], &attempt.memory.node_use[other]);
        node_order::misfit(NODE_ORDER, subject_on(other), placement, &pods)
    });
    next.chain(unfit).collect()
}

/// The resource of which no node of the queue that the only pod may use has enough, with the comparison.
pub fn too_large(attempt: &Attempt<'_>, job: JobId, nodes: &[NodeId]) -> Option<(Resource, Check)> {
    let cluster = attempt.world.cluster;
    let subject = Subject { queue: Some(cluster.jobs[job].queue), job: Some(job), ..Subject::default() };
    let pod = &cluster.pods[*attempt.pods.first()?];
    let nodes: Vec<_> = nodes.iter().map(|&node| &cluster.nodes[node]).collect();
    checks::too_large(HARD_PARTITION, subject, pod, &nodes)
}

/// Check that the pending pods of the job exceed the quota of its queue.
pub fn over_quota(attempt: &Attempt<'_>, job: JobId) -> Check {
    let queue = attempt.world.cluster.jobs[job].queue;
    let subject = Subject { queue: Some(queue), job: Some(job), resource: Some(Resource::GPU), ..Subject::default() };
    let [held, quota] = attempt.memory.held_and_quota(attempt.leaf);
    let with = gpus(Quantity::AllocatedWithJob, held + attempt.gpus());
    Check::new(QUOTA, subject, with, Op::Exceeds, gpus(Quantity::Quota, quota))
}

/// Check that explains why the first job of a leaf does not start; empty if GPUs are not the reason.
pub fn no_room(attempt: &Attempt<'_>, job: JobId) -> Vec<Check> {
    let Attempt { world, memory, pods, .. } = attempt;
    let nodes = attempt.open();
    let free = |&node: &NodeId| i64::from(memory.node_use[node].n_free()) * 1000;
    let subject = Subject {
        queue: Some(world.cluster.jobs[job].queue),
        job: Some(job),
        resource: Some(Resource::GPU),
        ..Subject::default()
    };
    if nodes.is_empty() && !attempt.reachable().is_empty() {
        let [held, share] = memory.unowned_held_and_share(attempt.leaf);
        let with = gpus(Quantity::UnownedWithJob, held + attempt.gpus());
        return vec![Check::new(UNOWNED_SHARE, subject, with, Op::Exceeds, gpus(Quantity::UnownedShare, share))];
    }
    let one_node = attempt.fits_empty_node(&nodes) || pods.len() == 1;
    let (rule, idle) = if one_node {
        (HARD_PARTITION, nodes.iter().map(free).max().unwrap_or(0))
    } else {
        let empty = nodes.iter().filter(|&&node| memory.node_use[node].n_pods() == 0);
        (EMPTY_NODES, empty.map(free).sum())
    };
    let (requested, idle) = (gpus(Quantity::Request, attempt.gpus()), gpus(Quantity::Idle, idle));
    let check = Check::new(rule, subject, requested, Op::Exceeds, idle);
    // Otherwise another resource is missing or free GPUs are scattered; the reasons of the refusal say so.
    if check.holds { vec![check] } else { Vec::new() }
}
