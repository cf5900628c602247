//! Advice on queues, their limits and sums: values that are valid but may not have the intended effect.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::{Jobs, Template};
use super::nodes::Nodes;
use super::patterns::SEED_DEFAULT;
use super::queues::Queues;
use super::scheduling::Pools;
use super::{Location, Path, ignored};
use crate::cluster::{GpuRequest, Queue};
use crate::format::{Findings, Scenario, codes, quoted};
use crate::id::{Arena, Id, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::description::{Description, Gangs};
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

/// Jobs that need more than a limit.
struct TooLarge<'a> {
    /// The one that needs most.
    name: &'a str,
    need: Amount,
    others: usize,
}

/// Reports limits of queues that are below what a job needs to start, in each node pool that it may use.
pub fn small_limits(
    scenario: &Scenario,
    policy: &Policy,
    (pools, queues): (&Pools, &Queues),
    jobs: &Jobs,
    f: &mut Findings,
) {
    let (description, inherits) = (policy.description(), policy.inherits_limits());
    // Limits on shares are counted in other units than requests.
    let Some(limit) = description.queue.limit.filter(|_| !description.supports.share_usage) else { return };
    let mut too_large: BTreeMap<(QueueId, PartitionId, Resource), TooLarge<'_>> = BTreeMap::new();
    for (entry, template) in scenario.jobs.iter().zip(&jobs.templates) {
        if !entry.on.is_empty() || template.queue.index() >= queues.all.len() {
            continue;
        }
        for resource in Resource::ACCOUNTED {
            if limit.of_gpus_alone && resource != Resource::GPU {
                continue;
            }
            let Some(need) = least_to_start(template, description, resource) else { continue };
            let mut below = template.pools.iter().map(|&pool| {
                let mut path = path(queues, pool, template.queue, if inherits { usize::MAX } else { 1 });
                path.find(|&queue| is_below(queues, (pool, queue), (resource, need))).map(|queue| (queue, pool))
            });
            let Some(Some((queue, pool))) = below.next() else { continue };
            if below.any(|limited| limited.is_none()) {
                continue;
            }
            let jobs = too_large
                .entry((queue, pool, resource))
                .and_modify(|jobs| jobs.others += 1)
                .or_insert(TooLarge { name: &entry.name, need, others: 0 });
            if need > jobs.need {
                (jobs.name, jobs.need) = (&entry.name, need);
            }
        }
    }
    for ((queue, pool, resource), jobs) in too_large {
        report(scenario, (pools, queues), (queue, pool, resource), &jobs, f);
    }
}

fn report(
    scenario: &Scenario,
    (pools, queues): (&Pools, &Queues),
    (queue, pool, resource): (QueueId, PartitionId, Resource),
    jobs: &TooLarge<'_>,
    f: &mut Findings,
) {
    let limited = &queues.in_pool(pool)[queue];
    let Bound::At(limit) = limited.resources.get(resource).limit else { return };
    let (what, need) = (resource.name(), print_amount(jobs.need, resource));
    let others = if jobs.others == 0 { String::new() } else { format!(" (and {} more)", jobs.others) };
    let message = format!(
        "{}{others} needs {what} {need} to start, more than the [limit] of {} ({}), so it waits until the [limit] is raised",
        quoted(jobs.name),
        quoted(&limited.name),
        print_amount(limit, resource),
    );
    let (location, _) = queues.location_in(scenario, queue, &pools.names[pool.index()]);
    let path = location.path().field(what).field("limit");
    f.suggest(codes::LIMIT_BELOW_JOB, path, message, &need, format!("Set the {what} [limit] to {need}"));
}

/// The least amount with which some pods of a job start; `None` if that depends on the node.
fn least_to_start(template: &Template, policy: &Description, resource: Resource) -> Option<Amount> {
    let in_parts = |gpu: GpuRequest| matches!(gpu, GpuRequest::Memory { .. });
    if resource == Resource::GPU && template.sets.iter().any(|set| in_parts(set.request.gpu)) {
        return None;
    }
    let of_pod = |set: &super::jobs::Set| set.request.resources.get(resource);
    let smallest = template.sets.iter().map(of_pod).min()?;
    let is_gang = policy.supports.gangs == Gangs::Together && template.sets.iter().all(|set| set.path.is_empty());
    let total: i64 = match template.in_common {
        _ if !is_gang => 0,
        Some(n) => times(smallest, n),
        None => {
            let mut of_sets: Vec<i64> = template.sets.iter().map(|set| times(of_pod(set), set.min_available)).collect();
            of_sets.sort_unstable();
            // Without groups, the only minimum of subgroups is that of the job.
            let n = template.min_sub_groups.first().map_or(of_sets.len(), |(_, n)| *n as usize);
            of_sets.into_iter().take(n).fold(0, i64::saturating_add)
        }
    };
    Some(Amount::base_units(total).max(smallest))
}

fn times(amount: Amount, n: u32) -> i64 {
    amount.in_base_units().saturating_mul(i64::from(n))
}

/// The first queues from a leaf towards the root.
fn path(queues: &Queues, pool: PartitionId, leaf: QueueId, n_max: usize) -> impl Iterator<Item = QueueId> {
    let all = queues.in_pool(pool);
    std::iter::successors(Some(leaf), |&queue| all[queue].parent).take(n_max.min(all.len()))
}

/// Whether a queue's limit in a pool is below an amount. Limits of 0 are reported elsewhere.
fn is_below(queues: &Queues, (pool, queue): (PartitionId, QueueId), (resource, need): (Resource, Amount)) -> bool {
    match queues.in_pool(pool)[queue].resources.get(resource).limit {
        Bound::At(limit) => limit > Amount::ZERO && limit < need,
        Bound::Unset | Bound::Unlimited => false,
    }
}

/// Reports patterns with equal random numbers.
pub fn same_seeds(scenario: &Scenario, jobs: &Jobs, f: &mut Findings) {
    let drawing = |i: usize| {
        let template = &jobs.templates[i];
        let arrivals = template.arrivals.every.is_random && template.arrivals.count > 1;
        let lengths = template.lasts.is_some_and(|lasts| lasts.is_drawn());
        [("arrive", arrivals), ("last", lengths)].into_iter().filter_map(|(what, is_drawn)| is_drawn.then_some(what))
    };
    let seed = |i: usize| jobs.templates[i].arrivals.seed;
    let entries = || (0..jobs.templates.len()).filter(|&i| drawing(i).next().is_some());
    let mut used: BTreeSet<u64> = entries().map(seed).collect();
    let mut first: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for i in entries() {
        let firsts: Vec<_> = drawing(i).map(|what| (what, *first.entry((what, seed(i))).or_insert(i))).collect();
        let Some(&(what, other)) = firsts.iter().find(|(_, other)| *other != i) else { continue };
        if f.only_counts(codes::SAME_SEED) {
            continue;
        }
        let free = (1..).find(|n| !used.contains(n)).unwrap_or(SEED_DEFAULT);
        used.insert(free);
        let path = jobs.location(scenario, i).field("seed");
        let how = if what == "arrive" { "arrive in the same rhythm" } else { "draw the same runtimes" };
        let (name, other) = (quoted(&scenario.jobs[i].name), quoted(&scenario.jobs[other].name));
        let message =
            format!("the [jobs] of {name} and {other} {how}: both have seed {}; give {name} another", seed(i));
        f.suggest(codes::SAME_SEED, path, message, free.to_string(), format!("Set its seed to {free}"));
    }
}
