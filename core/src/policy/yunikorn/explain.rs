//! Checks behind placements, and the ledger.
//!
//! # Source
//! yunikorn.md 3.2, 3.4, 4.1

use super::cycle::CycleResult;
use super::memory::{Memory, application};
use super::model::{AppIx, AskIx, Core, QueueIx};
use super::properties::SortPolicy;
use super::rules;
use crate::id::{Id, QueueId};
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::policy::ledger::{in_policy_units, rows};
use crate::time::Time;
use crate::trace::{Check, Ledger, Op, Quantity, Subject, Value};
use crate::units::{Bound, PerResource, Resource};

/// Children of a queue, or applications of a leaf, in the order of one pass with their sort keys.
#[derive(Clone, Debug)]
pub struct Order {
    parent: QueueIx,
    /// Queue, effective priority, share.
    children: Vec<(QueueIx, i32, f64)>,
    /// In a leaf: application, priority, submission.
    apps: Vec<(AppIx, i32, i64)>,
}

/// Returns the order of every queue with more than one candidate, before a pass.
pub fn orders(core: &Core) -> Vec<Order> {
    let busy = (0..core.queues.len()).filter(|&at| core.queues[at].pending.positive());
    let order = |parent: QueueIx| {
        let (mut children, mut apps) = (Vec::new(), Vec::new());
        if core.queues[parent].is_leaf {
            let of = |app: AppIx| (app, core.apps[app].priority, core.apps[app].submitted);
            apps = core.sorted_apps(parent).into_iter().map(of).collect();
        } else {
            let of = |child: QueueIx| (child, core.queues[child].effective(), core.share(child).share);
            children = core.sorted_children(parent).into_iter().map(of).collect();
        }
        Order { parent, children, apps }
    };
    busy.map(order).filter(|order| order.children.len() > 1 || order.apps.len() > 1).collect()
}

/// Queue of the cluster for a queue of the core; a dynamic queue maps to its nearest configured ancestor.
pub(super) fn queue_id(memory: &Memory, queue: QueueIx) -> Option<QueueId> {
    let core = &memory.core;
    let known = |queue: QueueIx| memory.queues.iter().position(|&known| known == Some(queue));
    core.upwards(queue).find_map(known).map(QueueId::from_index)
}

/// Checks for a placement: the comparison with the next sibling on each level, then the fit on the node.
pub fn placement_checks(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    found: &CycleResult,
) -> Vec<Check> {
    let core = &memory.core;
    let app = &core.apps[core.asks[found.ask].app];
    let mut path: Vec<QueueIx> = core.upwards(app.queue).collect();
    path.reverse();
    let mut checks = Vec::new();
    for pair in path.windows(2) {
        let Some(order) = orders.iter().find(|order| order.parent == pair[0]) else { continue };
        let Some(at) = order.children.iter().position(|(child, ..)| *child == pair[1]) else { continue };
        let next = order.children.get(at + 1);
        checks.extend(next.and_then(|(next, ..)| siblings(memory, orders, pair[1], *next)));
    }
    let pod = memory.pod_of(found.ask);
    let job = pod.map(|pod| world.cluster.pods[pod].job);
    let queue = queue_id(memory, app.queue);
    let subject = Subject { queue, job, pod, node: Some(memory.nodes[found.node]), ..Subject::default() };
    let of_job = Subject { node: None, pod: None, ..subject };
    checks.extend(application_order_check(world, memory, orders, core.asks[found.ask].app, of_job));
    checks.push(first_fit(memory, found, subject));
    checks
}

/// Check of the order of two siblings, if it follows from their priorities or shares.
pub(super) fn siblings(memory: &Memory, orders: &[Order], first: QueueIx, other: QueueIx) -> Option<Check> {
    let core = &memory.core;
    let order = orders.iter().find(|order| Some(order.parent) == core.queues[first].parent)?;
    let find = |queue: QueueIx| order.children.iter().find(|(child, ..)| *child == queue);
    let (&(_, priority, share), &(_, other_priority, other_share)) = (find(first)?, find(other)?);
    let subject = Subject {
        queue: queue_id(memory, first),
        other_queue: queue_id(memory, other),
        ..Subject::default()
    };
    let by_priority = core.queues[order.parent].properties.sort_priority;
    if by_priority && priority != other_priority {
        let values = [priority, other_priority].map(|priority| Value::Count(i64::from(priority)));
        return Some(rules::compare(rules::PRIORITY, subject, Quantity::Priority, values, Op::AtLeast));
    }
    let values = [share, other_share].map(Value::Real);
    let check = rules::compare(rules::SHARE, subject, Quantity::DominantShare, values, Op::AtMost);
    check.holds.then_some(check)
}

/// Check against the next application of the leaf.
fn application_order_check(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    app: AppIx,
    subject: Subject,
) -> Option<Check> {
    let core = &memory.core;
    let order = orders.iter().find(|order| order.parent == core.apps[app].queue)?;
    let at = order.apps.iter().position(|(own, ..)| *own == app)?;
    let &(next, ..) = order.apps.get(at + 1)?;
    let jobs = world.cluster.live_jobs.iter();
    let other_job = jobs.copied().find(|&job| application(world.cluster, job) == core.apps[next].id);
    application_order(memory, orders, [app, next], Subject { other_job, ..subject })
}

/// Check of the order of two applications of a leaf.
pub(super) fn application_order(
    memory: &Memory,
    orders: &[Order],
    [first, other]: [AppIx; 2],
    subject: Subject,
) -> Option<Check> {
    let core = &memory.core;
    let order = orders.iter().find(|order| order.parent == core.apps[first].queue)?;
    let find = |app: AppIx| order.apps.iter().find(|(own, ..)| *own == app);
    let (&(_, priority, submitted), &(_, next_priority, next_submitted)) = (find(first)?, find(other)?);
    let properties = &core.queues[order.parent].properties;
    let is_fifo = properties.sort_policy == SortPolicy::Fifo;
    let by_priority = properties.sort_priority && priority != next_priority;
    Some(if by_priority {
        let values = [priority, next_priority].map(|p| Value::Count(i64::from(p)));
        rules::compare(rules::APPLICATION, subject, Quantity::Priority, values, Op::AtLeast)
    } else if is_fifo && submitted != next_submitted {
        let values = [submitted, next_submitted].map(|ms| Value::Time(Time::from_millis(ms)));
        rules::compare(rules::APPLICATION, subject, Quantity::Created, values, Op::AtMost)
    } else {
        applies(rules::APPLICATION, subject)
    })
}

/// Check of the request against the resources that the node had before.
fn first_fit(memory: &Memory, found: &CycleResult, subject: Subject) -> Check {
    let core = &memory.core;
    let wanted = &core.asks[found.ask].resource;
    let first = memory.resource_types.accounted().find(|&(_, of)| wanted.get(of) > 0);
    let Some((resource, of)) = first else { return applies(rules::FIRST_FIT, subject) };
    let free = core.nodes[found.node].available.get(of).saturating_add(wanted.get(of));
    let subject = Subject { resource: Some(resource), ..subject };
    let (left, right) = ((Quantity::Request, wanted.get(of)), (Quantity::Idle, free));
    rules::amounts(rules::FIRST_FIT, subject, left, Op::AtMost, right)
}

/// Subject with the leaves and jobs of two asks.
pub(super) fn between(world: PartitionView<'_>, memory: &Memory, own: AskIx, other: AskIx) -> Subject {
    let core = &memory.core;
    let leaf = |ask: AskIx| queue_id(memory, core.apps[core.asks[ask].app].queue);
    let job = |ask: AskIx| memory.pod_of(ask).map(|pod| world.cluster.pods[pod].job);
    Subject {
        queue: leaf(own),
        job: job(own),
        other_queue: leaf(other),
        other_job: job(other),
        ..Subject::default()
    }
}

/// The ledger. The fair share of a queue is its guarantee.
pub fn ledger(world: PartitionView<'_>) -> Ledger {
    let mut rows = rows(world);
    for (row, queue) in rows.iter_mut().zip(world.queues().values()) {
        let of = |bound: Bound, r: Resource, without: f64| match bound {
            Bound::At(amount) => amount.in_policy_units(r),
            Bound::Unset | Bound::Unlimited => without,
        };
        row.quota = PerResource::of(|r| of(queue.resources.get(r).quota, r, 0.0));
        row.limit = PerResource::of(|r| of(queue.resources.get(r).limit, r, f64::INFINITY));
        row.fair_share = Some(row.quota);
    }
    Ledger { rows, total: in_policy_units(&world.capacity()) }
}

/// First queue on the path whose maximum the ask would exceed, with the resource; the root is excluded because its maximum
/// is the capacity of the nodes.
pub fn short_of(memory: &Memory, ask: AskIx) -> Option<(QueueIx, Resource)> {
    let core = &memory.core;
    let wanted = &core.asks[ask].resource;
    let leaf = core.apps[core.asks[ask].app].queue;
    core.upwards(leaf).find_map(|at| {
        let queue = &core.queues[at];
        let short = |r: &Resource| {
            memory.resource_types.of(*r).is_some_and(|of| {
                wanted.has(of)
                    && queue.max.has(of)
                    && queue.allocated.get(of).saturating_add(wanted.get(of)) > queue.max.get(of)
            })
        };
        let resource = Resource::ACCOUNTED.into_iter().find(short)?;
        Some((at, resource))
    })
}
