//! Advice on limits below which no job can start.

use std::collections::BTreeMap;

use super::jobs::{Jobs, Template};
use super::pools::Pools;
use super::queues::Queues;
use crate::cluster::GpuRequest;
use crate::format::{Findings, Scenario, codes, quoted};
use crate::id::{Id, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::description::{Description, Gangs};
use crate::scenario::quantity::print_amount;
use crate::units::{Amount, Bound, Resource};

/// Jobs that need more than a limit.
struct TooLarge<'a> {
    /// The one that needs most.
    name: &'a str,
    need: Amount,
    others: usize,
}

/// Reports limits of queues that are below what a job needs to start, in each node pool that it may use.
pub fn advice(scenario: &Scenario, policy: &Policy, (pools, queues): (&Pools, &Queues), jobs: &Jobs, f: &mut Findings) {
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
