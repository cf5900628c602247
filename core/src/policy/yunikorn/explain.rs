//! Why an ask was placed or a task marked, and what the core believes about every queue.
//!
//! # Source
//! yunikorn.md 3.2, 3.4, 4.1, 5

use super::adapter::Memory;
use super::cycle::Found;
use super::model::{AskIx, Core, QueueIx};
use super::rules;
use crate::cluster::request_of;
use crate::id::{Id, QueueId};
use crate::policy::PartitionView;
use crate::trace::{Check, Ledger, LedgerRow, Op, Quantity, Subject, Value};
use crate::units::{Amount, Bound, PerResource, Resource};

/// Children of a queue in the order of one pass, each with what it was sorted by.
#[derive(Clone, Debug)]
pub struct Order {
    parent: QueueIx,
    /// Queue, effective priority, share.
    children: Vec<(QueueIx, i32, f64)>,
}

/// The orders of all queues with several candidates, before a pass.
pub fn orders(core: &Core) -> Vec<Order> {
    let parents = (0..core.queues.len()).filter(|&at| !core.queues[at].is_leaf);
    let order = |parent| {
        let sorted = core.sorted_children(parent);
        let of = |child: QueueIx| (child, core.queues[child].effective(), core.share(child).share);
        Order { parent, children: sorted.into_iter().map(of).collect() }
    };
    parents.map(order).filter(|order| order.children.len() > 1).collect()
}

/// A queue of the core in the cluster; one that placement made stands for the queue it was made in.
fn queue_id(memory: &Memory, core: &Core, queue: QueueIx) -> Option<QueueId> {
    let known = |queue: QueueIx| memory.queues.iter().position(|&known| known == queue);
    core.upwards(queue).find_map(known).map(QueueId::from_index)
}

/// Why an ask was placed: on each level the comparison with the next sibling, then the node.
pub fn why(
    world: PartitionView<'_>,
    memory: &Memory,
    core: &Core,
    orders: &[Order],
    found: &Found,
) -> Vec<Check> {
    let app = &core.apps[core.asks[found.ask].app];
    let mut path: Vec<QueueIx> = core.upwards(app.queue).collect();
    path.reverse();
    let mut checks = Vec::new();
    for pair in path.windows(2) {
        let Some(order) = orders.iter().find(|order| order.parent == pair[0]) else { continue };
        let Some(at) = order.children.iter().position(|(child, ..)| *child == pair[1]) else { continue };
        let Some(next) = order.children.get(at + 1) else { continue };
        let (own, eff, share) = order.children[at];
        let subject = Subject {
            queue: queue_id(memory, core, own),
            other_queue: queue_id(memory, core, next.0),
            ..Subject::default()
        };
        let by_priority = core.queues[order.parent].properties.sort_priority;
        if by_priority && eff != next.1 {
            let values = [Value::Count(i64::from(eff)), Value::Count(i64::from(next.1))];
            checks.push(rules::compare(rules::PRIORITY, subject, Quantity::Priority, values, Op::AtLeast));
        } else if share <= next.2 {
            let values = [Value::Real(share), Value::Real(next.2)];
            checks.push(rules::compare(rules::SHARE, subject, Quantity::DominantShare, values, Op::AtMost));
        }
    }
    let pod = memory.pods.get(&found.ask).copied();
    let job = pod.map(|pod| world.cluster.pods[pod].job);
    let queue = queue_id(memory, core, app.queue);
    let subject = Subject { queue, job, pod, node: Some(memory.nodes[found.node]), ..Subject::default() };
    if core.queues[app.queue].apps.len() > 1 {
        checks.push(rules::applies(rules::APPLICATION, Subject { node: None, ..subject }));
    }
    checks.push(rules::applies(rules::FIRST_FIT, subject));
    checks
}

/// Why a task was marked.
pub fn why_evicted(
    world: PartitionView<'_>,
    memory: &Memory,
    core: &Core,
    ask: AskIx,
    victim: AskIx,
) -> Vec<Check> {
    let leaf = |ask: AskIx| queue_id(memory, core, core.apps[core.asks[ask].app].queue);
    let job = |ask: AskIx| memory.pods.get(&ask).map(|&pod| world.cluster.pods[pod].job);
    let subject = |own: AskIx, other: AskIx| Subject {
        queue: leaf(own),
        job: job(own),
        other_queue: leaf(other),
        other_job: job(other),
        ..Subject::default()
    };
    vec![
        rules::applies(rules::BELOW_GUARANTEE, subject(ask, victim)),
        rules::applies(rules::ABOVE_GUARANTEE, subject(victim, ask)),
    ]
}

/// The rows of all queues. A queue's entitlement is its guarantee, as far as it wants it.
pub fn ledger(world: PartitionView<'_>) -> Ledger {
    let cluster = world.cluster;
    let mut rows: Vec<LedgerRow> = cluster.queues.ids().map(|queue| row(world, queue)).collect();
    let mut total = PerResource::default();
    for (_, node) in cluster.nodes.iter().filter(|(_, node)| node.partition == world.partition && node.ready)
    {
        for r in Resource::ACCOUNTED {
            total.set(r, total.get(r) + node.capacity.get(r).in_policy_units(r));
        }
    }
    for &job in &cluster.live_jobs {
        for (_, pod) in cluster.pods_of(job) {
            let runs = pod.phase.holds() && super::adapter::until(pod.phase).is_none();
            if !runs && pod.phase != crate::cluster::Phase::Pending {
                continue;
            }
            let ask = request_of(&pod.request);
            for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                let row = &mut rows[queue.index()];
                let fixed = runs && !cluster.jobs[job].preemptible;
                let columns =
                    [(&mut row.allocated, runs), (&mut row.non_preemptible, fixed), (&mut row.request, true)];
                for (column, _) in columns.into_iter().filter(|(_, counts)| *counts) {
                    for r in Resource::ACCOUNTED {
                        let amount = Amount::base_units(ask[r.index()]).in_policy_units(r);
                        column.set(r, column.get(r) + amount);
                    }
                }
            }
        }
    }
    for row in &mut rows {
        let mut share = PerResource::default();
        for r in Resource::ACCOUNTED {
            share.set(r, row.quota.get(r).min(row.request.get(r)));
        }
        row.fair_share = Some(share);
    }
    Ledger { rows, total }
}

fn row(world: PartitionView<'_>, queue: QueueId) -> LedgerRow {
    let mut row = LedgerRow {
        queue,
        allocated: PerResource::default(),
        non_preemptible: PerResource::default(),
        request: PerResource::default(),
        usage: None,
        fair_share: None,
        quota: PerResource::default(),
        limit: PerResource::all(f64::INFINITY),
    };
    for r in Resource::ACCOUNTED {
        let values = world.cluster.queues[queue].resources.get(r);
        if let Bound::At(amount) = values.quota {
            row.quota.set(r, amount.in_policy_units(r));
        }
        if let Bound::At(amount) = values.limit {
            row.limit.set(r, amount.in_policy_units(r));
        }
    }
    row
}

/// The resource for which a queue on the way has no room for an ask, and that queue; the root, whose room is the
/// nodes', aside.
pub fn short_of(memory: &Memory, core: &Core, ask: AskIx) -> Option<(QueueId, Resource)> {
    let wanted = &core.asks[ask].resource;
    let leaf = core.apps[core.asks[ask].app].queue;
    core.upwards(leaf).find_map(|at| {
        let queue = &core.queues[at];
        let short = |r: &Resource| {
            memory.kinds.of(*r).is_some_and(|of| {
                wanted.has(of)
                    && queue.max.has(of)
                    && queue.allocated.get(of).saturating_add(wanted.get(of)) > queue.max.get(of)
            })
        };
        let resource = Resource::ACCOUNTED.into_iter().find(short)?;
        Some((queue_id(memory, core, at)?, resource))
    })
}
