//! Checks behind placements, and the ledger.
//!
//! # Source
//! yunikorn.md 3.2, 3.4, 4.1

use super::amounts::{self, Amounts};
use super::cycle::CycleResult;
use super::memory::{Memory, application};
use super::model::{App, AppIx, AskIx, Core, QueueIx};
use super::near_nodes;
use super::order::largest_difference;
use super::properties::SortPolicy;
use super::rules;
use super::shares::{UsageShares, usage_shares};
use crate::id::{Id, QueueId};
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::policy::ledger::{in_policy_units, rows};
use crate::time::Time;
use crate::trace::{Check, Ledger, Op, Quantity, Rule, Subject, Value};
use crate::units::{Bound, PerResource, Resource};

/// Children of a queue, or applications of a leaf, in the order of one pass with their sort keys.
#[derive(Clone, Debug)]
pub struct Order {
    parent: QueueIx,
    children: Vec<Child>,
    apps: Vec<ComparedApplication>,
}

/// Sort keys of a child of a queue.
#[derive(Clone, Debug)]
struct Child {
    queue: QueueIx,
    /// Effective priority.
    priority: i32,
    share: f64,
    pending: Amounts,
}

/// Sort keys of an application of a leaf.
#[derive(Clone, Debug)]
struct ComparedApplication {
    app: AppIx,
    priority: i32,
    /// Time of the submission in milliseconds.
    submitted: i64,
    /// Usage relative to the leaf's guarantee.
    usage: UsageShares,
}

/// Returns the order of every queue with more than one candidate, before a pass.
pub fn orders(core: &Core) -> Vec<Order> {
    let busy = (0..core.queues.len()).filter(|&ix| core.queues[ix].pending.positive());
    let order = |parent: QueueIx| {
        let (mut children, mut apps) = (Vec::new(), Vec::new());
        if core.queues[parent].is_leaf {
            let application = |app: AppIx| {
                let App { priority, submitted, ref allocated, .. } = core.apps[app];
                let usage = usage_shares(allocated, &core.queues[parent].guaranteed);
                ComparedApplication { app, priority, submitted, usage }
            };
            apps = core.sorted_apps(parent).into_iter().map(application).collect();
        } else {
            let contender = |queue: QueueIx| {
                let compared_queue = &core.queues[queue];
                let (priority, share) = (compared_queue.effective(), core.share(queue).share);
                Child { queue, priority, share, pending: compared_queue.pending }
            };
            children = core.sorted_children(parent).into_iter().map(contender).collect();
        }
        Order { parent, children, apps }
    };
    busy.map(order).filter(|order| order.children.len() > 1 || order.apps.len() > 1).collect()
}

/// Queue of the cluster for a queue of the core; a dynamic queue maps to its nearest configured ancestor.
pub(super) fn queue_id(memory: &Memory, queue: QueueIx) -> Option<QueueId> {
    let core = &memory.core;
    let to_queue = |queue: QueueIx| memory.queues.iter().position(|&other| other == Some(queue));
    core.upwards(queue).find_map(to_queue).map(QueueId::from_index)
}

/// Checks for a placement: the comparison with the next sibling on each level, then the fit on the node.
pub fn placement_checks(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    result: &CycleResult,
) -> Vec<Check> {
    let core = &memory.core;
    let app = &core.apps[core.asks[result.ask].app];
    let mut path: Vec<QueueIx> = core.upwards(app.queue).collect();
    path.reverse();
    let mut checks = Vec::new();
    for pair in path.windows(2) {
        let Some(order) = orders.iter().find(|order| order.parent == pair[0]) else { continue };
        let Some(index) = order.children.iter().position(|child| child.queue == pair[1]) else { continue };
        let next = order.children.get(index + 1);
        checks.extend(next.and_then(|next| siblings(memory, orders, pair[1], next.queue)));
    }
    let pod = memory.pod_of(result.ask);
    let job = pod.map(|pod| world.cluster.pods[pod].job);
    let queue = queue_id(memory, app.queue);
    let subject = Subject { queue, job, pod, node: Some(memory.nodes[result.node]), ..Subject::default() };
    let of_job = Subject { node: None, pod: None, ..subject };
    checks.extend(application_order_check(world, memory, orders, core.asks[result.ask].app, of_job));
    let near = result.near.iter().map(|near| (result.ask, result.node, near));
    checks.extend(near.flat_map(|near| near_nodes::checks(world, memory, near, subject)));
    checks.push(if result.room_was_kept {
        applies(rules::RESERVED, subject)
    } else {
        first_fit(memory, result, subject)
    });
    checks
}

/// Check of the order of two siblings: the first sort key in which they differ, else their names. `None`: the share
/// that decided was measured at another position.
pub(super) fn siblings(memory: &Memory, orders: &[Order], first: QueueIx, other: QueueIx) -> Option<Check> {
    let core = &memory.core;
    let order = orders.iter().find(|order| Some(order.parent) == core.queues[first].parent)?;
    let find = |queue: QueueIx| order.children.iter().find(|child| child.queue == queue);
    let (a, b) = (find(first)?, find(other)?);
    let subject =
        Subject { queue: queue_id(memory, first), other_queue: queue_id(memory, other), ..Subject::default() };
    let priority = || by_priority(rules::PRIORITY, subject, [a.priority, b.priority]);
    let share = || {
        let values = [a.share, b.share].map(Value::Real);
        (a.share != b.share).then(|| rules::compare(rules::SHARE, subject, Quantity::DominantShare, values, Op::Less))
    };
    let decides = if core.queues[order.parent].properties.sort_priority {
        priority().or_else(share)
    } else {
        share().or_else(priority)
    };
    let check = decides.unwrap_or_else(|| {
        if amounts::gt(&amounts::difference(&a.pending, &b.pending), &Amounts::EMPTY) {
            let values = [b, a].map(|child| memory.resource_types.triple(&child.pending));
            let subject = Subject { queue: subject.other_queue, other_queue: subject.queue, ..subject };
            return rules::compare(rules::PENDING, subject, Quantity::Remaining, values, Op::AtMost);
        }
        by_name(subject, [a, b].map(|child| core.queues[child.queue].name.as_str()))
    });
    check.holds.then_some(check)
}

/// Check of two priorities, if they differ.
pub(super) fn by_priority(rule: Rule, subject: Subject, priorities: [i32; 2]) -> Option<Check> {
    let values = priorities.map(|priority| Value::Count(i64::from(priority)));
    let check = || rules::compare(rule, subject, Quantity::Priority, values, Op::Exceeds);
    (priorities[0] != priorities[1]).then(check)
}

/// Check of two times in milliseconds, if they differ.
pub(super) fn by_time(rule: Rule, subject: Subject, times: [i64; 2]) -> Option<Check> {
    let values = times.map(|ms| Value::Time(Time::from_millis(ms)));
    let check = || rules::compare(rule, subject, Quantity::Created, values, Op::Less);
    (times[0] != times[1]).then(check)
}

/// Check of two names, which keep their order where all keys are equal.
fn by_name(subject: Subject, names: [&str; 2]) -> Check {
    let values = names.map(|name| Value::Name(name.into()));
    rules::compare(rules::TIE, subject, Quantity::Name, values, Op::Less)
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
    let index = order.apps.iter().position(|entry| entry.app == app)?;
    let next = order.apps.get(index + 1)?.app;
    let jobs = world.cluster.live_jobs.iter();
    let other_job = jobs.copied().find(|&job| application(world.cluster, job) == core.apps[next].id);
    application_order(memory, orders, [app, next], Subject { other_job, ..subject })
}

/// Check of the order of two applications of a leaf: the first sort key in which they differ, else their names.
pub(super) fn application_order(
    memory: &Memory,
    orders: &[Order],
    [first, other]: [AppIx; 2],
    subject: Subject,
) -> Option<Check> {
    let core = &memory.core;
    let order = orders.iter().find(|order| order.parent == core.apps[first].queue)?;
    let find = |app: AppIx| order.apps.iter().find(|entry| entry.app == app);
    let (a, b) = (find(first)?, find(other)?);
    let properties = &core.queues[order.parent].properties;
    let priority = || by_priority(rules::APPLICATION, subject, [a.priority, b.priority]);
    let second = || match properties.sort_policy {
        SortPolicy::Fair => {
            let (share, other) = largest_difference(&a.usage, &b.usage);
            let values = [share, other].map(Value::Real);
            let check = || rules::compare(rules::APPLICATION, subject, Quantity::DominantShare, values, Op::Less);
            (share != other).then(check)
        }
        SortPolicy::Fifo => by_time(rules::APPLICATION, subject, [a.submitted, b.submitted]),
    };
    let decides = if properties.sort_priority { priority().or_else(second) } else { second().or_else(priority) };
    let check = decides.unwrap_or_else(|| by_name(subject, [a, b].map(|entry| core.apps[entry.app].id.as_str())));
    check.holds.then_some(check)
}

/// Check of the request against the resources that the node had before.
fn first_fit(memory: &Memory, result: &CycleResult, subject: Subject) -> Check {
    let core = &memory.core;
    let request = &core.asks[result.ask].resource;
    let first = memory.resource_types.accounted().find(|&(_, type_ix)| request.get(type_ix) > 0);
    let Some((resource, type_ix)) = first else { return applies(rules::FIRST_FIT, subject) };
    let free = core.nodes[result.node].available.get(type_ix).saturating_add(request.get(type_ix));
    let subject = Subject { resource: Some(resource), ..subject };
    let (left, right) = ((Quantity::Request, request.get(type_ix)), (Quantity::Idle, free));
    rules::amounts(rules::FIRST_FIT, subject, left, Op::AtMost, right)
}

/// Subject with the leaves and jobs of two asks.
pub(super) fn between(world: PartitionView<'_>, memory: &Memory, a: AskIx, b: AskIx) -> Subject {
    let core = &memory.core;
    let leaf = |ask: AskIx| queue_id(memory, core.apps[core.asks[ask].app].queue);
    let job = |ask: AskIx| memory.pod_of(ask).map(|pod| world.cluster.pods[pod].job);
    Subject { queue: leaf(a), job: job(a), other_queue: leaf(b), other_job: job(b), ..Subject::default() }
}

/// The ledger. The fair share of a queue is its guarantee.
pub fn ledger(world: PartitionView<'_>) -> Ledger {
    let mut rows = rows(world);
    for (row, queue) in rows.iter_mut().zip(world.queues().values()) {
        let amount = |bound: Bound, r: Resource, without: f64| match bound {
            Bound::At(amount) => amount.in_policy_units(r),
            Bound::Unset | Bound::Unlimited => without,
        };
        row.quota = PerResource::of(|r| amount(queue.resources.get(r).quota, r, 0.0));
        row.limit = PerResource::of(|r| amount(queue.resources.get(r).limit, r, f64::INFINITY));
        row.fair_share = Some(row.quota);
    }
    Ledger { rows, total: in_policy_units(&world.capacity()) }
}

/// First queue on the path whose maximum the ask would exceed, with the resource; the root is excluded because its
/// maximum is the capacity of the nodes.
pub fn short_of(memory: &Memory, ask: AskIx) -> Option<(QueueIx, Resource)> {
    let core = &memory.core;
    let request = &core.asks[ask].resource;
    let leaf = core.apps[core.asks[ask].app].queue;
    core.upwards(leaf).find_map(|ix| {
        let queue = &core.queues[ix];
        let short = |r: &Resource| {
            memory.resource_types.of(*r).is_some_and(|type_ix| {
                request.has(type_ix)
                    && queue.max.has(type_ix)
                    && queue.allocated.get(type_ix).saturating_add(request.get(type_ix)) > queue.max.get(type_ix)
            })
        };
        let resource = Resource::ACCOUNTED.into_iter().find(short)?;
        Some((ix, resource))
    })
}
