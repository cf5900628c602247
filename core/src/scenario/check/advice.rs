//! Advice on queues and sums: values that are valid but may not have the intended effect.

use super::jobs::Jobs;
use super::nodes::Nodes;
use super::pools::Pools;
use super::queues::Queues;
use super::{Location, Path, ignored};
use crate::cluster::Queue;
use crate::format::{Findings, Scenario, codes, quoted};
use crate::id::{Arena, Id, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::draft::DraftQueue;
use crate::scenario::quantity::print_amount;
use crate::units::{Amount, Bound, Resource};

/// Largest permitted sum: half the range of an `i64`.
const SUM_MAX: i128 = 1 << 62;

/// Reports advice on queues and sums.
pub fn advice(
    scenario: &Scenario,
    policy: &Policy,
    pools: &Pools,
    nodes: &Nodes,
    queues: &Queues,
    jobs: &Jobs,
    f: &mut Findings,
) {
    totals(nodes, queues, jobs, f);
    // Values that a pool does not override are checked once.
    let mut checked = vec![false; queues.all.len()];
    let anywhere = requested(queues, jobs, None);
    for pool in pools.ids() {
        let in_pool = if pools.len() > 1 { requested(queues, jobs, Some(pool)) } else { Vec::new() };
        let name = &pools.names[pool.index()];
        let all = queues.in_pool(pool);
        for (id, queue) in all.iter() {
            let (location, is_own) = queues.location_in(scenario, id, name);
            let is_new = !std::mem::replace(&mut checked[id.index()], true) || is_own;
            let requested = if is_own { in_pool.get(id.index()) } else { None };
            let requested = requested.unwrap_or(&anywhere[id.index()]);
            let checks_children =
                is_new || queue.children.iter().any(|&child| queues.location_in(scenario, child, name).1);
            if is_new {
                policy.advise_queue(&DraftQueue { queue, requested: *requested, at: &|| location.path() }, f);
            }
            for resource in [Resource::GPU, Resource::CPU, Resource::MEMORY] {
                if checks_children {
                    children(location, all, id, resource, f);
                }
            }
        }
    }
    ignored::of_queues(scenario, policy.description(), queues, f);
    for pool in pools.ids().filter(|_| nodes.complete) {
        let name = (pools.len() > 1).then(|| &*pools.names[pool.index()]);
        oversubscribed(queues.in_pool(pool), name, capacity(nodes, pool), f);
    }
    same_age(scenario, queues, f);
}

/// The resources requested by the jobs in and below each queue; with a pool, only by those that may run there.
fn requested(queues: &Queues, jobs: &Jobs, pool: Option<PartitionId>) -> Vec<[bool; 3]> {
    let mut requested = vec![[false; 3]; queues.all.len()];
    let templates = jobs.templates.iter().filter(|t| t.queue.index() < queues.all.len());
    for template in templates.filter(|t| pool.is_none_or(|pool| t.pools.contains(&pool))) {
        let mut job_requests = [false; 3];
        for set in &template.sets {
            for resource in Resource::ACCOUNTED {
                job_requests[resource.index()] |= set.request.resources.get(resource) > Amount::ZERO;
            }
            job_requests[Resource::GPU.index()] |= set.request.gpu != crate::cluster::GpuRequest::None;
        }
        let path = std::iter::successors(Some(template.queue), |&q| queues.all[q].parent);
        for queue in path.take(queues.all.len()) {
            let queue_requests = &mut requested[queue.index()];
            if (0..3).all(|r| queue_requests[r] || !job_requests[r]) {
                break;
            }
            for r in 0..3 {
                queue_requests[r] |= job_requests[r];
            }
        }
    }
    requested
}

/// Total capacity of the ready nodes of a pool.
fn capacity(nodes: &Nodes, pool: PartitionId) -> [i128; 3] {
    Resource::ACCOUNTED.map(|resource| {
        let ready = nodes.kinds.iter().filter(|(node, _)| node.ready && node.partition == pool);
        ready.map(|kind| capacity_of(kind, resource)).sum()
    })
}

/// Capacity of all nodes of one kind.
fn capacity_of((node, n): &(crate::cluster::Node, u64), resource: Resource) -> i128 {
    i128::from(node.capacity.get(resource).in_base_units()) * i128::from(*n)
}

/// Rejects sums above [`SUM_MAX`].
fn totals(nodes: &Nodes, queues: &Queues, jobs: &Jobs, f: &mut Findings) {
    for resource in Resource::ACCOUNTED {
        let all: i128 = nodes.kinds.iter().map(|kind| capacity_of(kind, resource)).sum();
        let mut requests = 0i128;
        for template in &jobs.templates {
            for set in &template.sets {
                let per_pod = i128::from(set.request.resources.get(resource).in_base_units());
                requests += per_pod * i128::from(set.pods) * i128::from(template.n_jobs());
            }
        }
        let pools = std::iter::once(&queues.all).chain(&queues.further);
        let quotas: i128 =
            pools.flat_map(|queues| queues.values()).map(|q| finite(q.resources.get(resource).quota)).sum();
        let sums = [("nodes", all, nodes.complete), ("queues", quotas, true), ("jobs", requests, jobs.complete)];
        for (section, sum, complete) in sums {
            if sum > SUM_MAX && complete {
                let message = format!("all {} of the {section} together is too much to be counted", resource.name());
                f.add(codes::LARGE, Path::default().field(section), message, None);
            }
        }
    }
}

/// A finite bound in base units, else 0.
fn finite(bound: Bound) -> i128 {
    match bound {
        Bound::At(amount) => i128::from(amount.in_base_units()),
        _ => 0,
    }
}

/// Formats a sum.
fn print(sum: i128, resource: Resource) -> String {
    print_amount(Amount::base_units(i64::try_from(sum).unwrap_or(i64::MAX)), resource)
}

/// Compares the quotas of children with that of their parent.
fn children(location: Location<'_>, queues: &Arena<QueueId, Queue>, id: QueueId, resource: Resource, f: &mut Findings) {
    let queue = &queues[id];
    let Bound::At(quota) = queue.resources.get(resource).quota else { return };
    let sum: i128 = queue.children.iter().map(|&c| finite(queues[c].resources.get(resource).quota)).sum();
    if sum > i128::from(quota.in_base_units()) {
        let (sum, quota) = (print(sum, resource), print_amount(quota, resource));
        let name = quoted(&queue.name);
        let what = resource.name();
        let message = format!(
            "[quotas] of the [queues] below {name} add up to {}, but {name} itself has only {quota}",
            in_words(&sum, resource)
        );
        let path = location.group(what).field("quota");
        f.suggest(codes::CHILDREN_QUOTA, path, message, &sum, format!("Raise the [quota] of {name} to {sum}"));
    }
}

fn oversubscribed(queues: &Arena<QueueId, Queue>, pool: Option<&str>, capacity: [i128; 3], f: &mut Findings) {
    for resource in Resource::ACCOUNTED {
        let top = queues.values().filter(|q| q.parent.is_none());
        let sum: i128 = top.map(|q| finite(q.resources.get(resource).quota)).sum();
        let there_is = capacity[resource.index()];
        if sum > there_is && capacity != [0; 3] {
            let (sum, there_is) = (print(sum, resource), print(there_is, resource));
            let of_pool = pool.map(|pool| format!(" of the pool {}", quoted(pool))).unwrap_or_default();
            let message = format!(
                "[quotas] of the [top-level queues] add up to {}, but all ready [nodes]{of_pool} have only {there_is}",
                in_words(&sum, resource)
            );
            f.add(codes::OVERSUBSCRIBED, Path::default().field("queues"), message, None);
        }
    }
}

/// Adds the unit to a formatted amount: *6 GPUs*, *8 cores*, *64Gi of memory*.
fn in_words(printed: &str, resource: Resource) -> String {
    let unit = match (resource, printed) {
        (Resource::MEMORY, _) => "of memory",
        (Resource::CPU, "1") => "core",
        (Resource::CPU, _) => "cores",
        (_, "1") => "GPU",
        _ => "GPUs",
    };
    [printed, " ", unit].concat()
}

fn same_age(scenario: &Scenario, queues: &Queues, f: &mut Findings) {
    let all: Vec<&crate::cluster::Queue> = queues.all.values().collect();
    let age = |i: usize| (all[i].parent, all[i].created);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&i| age(i));
    for pair in order.windows(2) {
        let [a, b] = [all[pair[0]], all[pair[1]]];
        if a.parent == b.parent && a.created == b.created {
            let place = queues.location(scenario, QueueId::from_index(pair[1])).field("created");
            let message =
                format!("{} and {} are of the same age, so their names break ties", quoted(&a.name), quoted(&b.name));
            // Later than every sibling, so that the fix creates no other equal pair.
            let later = queues.all.values().filter(|q| q.parent == b.parent).map(|q| q.created).max();
            let later = later.unwrap_or(b.created).as_millis().saturating_add(1);
            let later = crate::scenario::quantity::print_millis(later);
            f.suggest(codes::SAME_AGE, place, message, later, format!("Make {} younger", quoted(&b.name)));
        }
    }
}
