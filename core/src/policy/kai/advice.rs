//! Values of queues whose meaning under KAI may surprise.
//!
//! # Source
//! kai.md 2.1, 2.4; kai-v0.18.md 2.2

use std::collections::{BTreeMap, BTreeSet};

use super::config::{Action, Config};
use super::export::PRIORITY;
use crate::cluster::Queue;
use crate::format::quantity::print_amount;
use crate::format::{Findings, codes, quoted, set};
use crate::id::QueueId;
use crate::policy::draft::{Draft, DraftQueue};
use crate::units::{Amount, Bound, Resource};

/// Reports questionable values of a queue.
pub fn queue(draft: &DraftQueue<'_>, f: &mut Findings) {
    for resource in [Resource::GPU, Resource::CPU, Resource::MEMORY] {
        values(draft, resource, f);
    }
    small_units(draft, f);
}

/// CPU below one core and memory below one gigabyte: probably cores and gigabytes, where the `Queue` of KAI, which
/// Run:ai uses as well, has millicores and megabytes.
pub fn small_units(draft: &DraftQueue<'_>, f: &mut Findings) {
    const UNITS: [(Resource, i64, i64, [&str; 4]); 2] = [
        (Resource::CPU, 1, 1000, ["millicores", "cores", "one core", ""]),
        (Resource::MEMORY, 1_000_000, 1_000_000_000, ["megabytes", "gigabytes", "one gigabyte", "G"]),
    ];
    for (resource, counted, usual, [unit, meant, one, suffix]) in UNITS {
        let values = draft.queue.resources.get(resource);
        for (field, bound) in [("quota", values.quota), ("limit", values.limit)] {
            let Bound::At(amount) = bound else { continue };
            let n = amount.in_base_units();
            if n <= 0 || n >= usual || n % counted != 0 {
                continue;
            }
            let (what, name, n) = (resource.name(), quoted(&draft.queue.name), n / counted);
            let message = format!(
                "{name} has a {what} [{field}] of {}, less than {one}: a queue counts {what} in {unit}, so that {n} {meant} are {}",
                print_amount(amount, resource),
                n * 1000,
            );
            let label = format!("Set the {what} [{field}] to {n} {meant}");
            f.suggest(codes::UNIT, draft.place(resource, field), message, format!("{n}{suffix}"), label);
        }
    }
}

/// Queues with a GPU quota that never reclaim by priority, because a quota left out is 0 and their jobs need that
/// resource.
pub fn priority_within_quota(config: &Config, draft: &Draft<'_>, f: &mut Findings) {
    if !config.priority_in_quota_reclaim || !config.actions.contains(&Action::Reclaim) {
        return;
    }
    let priority = |queue: &Queue| queue.priority.unwrap_or(PRIORITY);
    let mut lowest: BTreeMap<Option<QueueId>, i32> = BTreeMap::new();
    for queue in draft.queues.values() {
        let lowest = lowest.entry(queue.parent).or_insert(priority(queue));
        *lowest = (*lowest).min(priority(queue));
    }
    let has_lower = |queue: &Queue| lowest[&queue.parent] < priority(queue);
    let requested = requested(draft);
    let is_nothing = |quota: Bound| matches!(quota, Bound::Unset | Bound::At(Amount::ZERO));
    for (id, queue) in draft.queues.iter() {
        if is_nothing(queue.resources.gpu.quota) || !has_lower(queue) {
            continue;
        }
        for resource in [Resource::CPU, Resource::MEMORY] {
            if !is_nothing(queue.resources.get(resource).quota) || !requested.contains(&(id, resource)) {
                continue;
            }
            let (what, name) = (resource.name(), quoted(&queue.name));
            let message = format!(
                "queue-priority-in-quota-reclaim has no effect for {name}: its jobs need {what}, and its {what} [quota] is 0, so it \
                 is never within its [quota] of all resources; write unlimited or [a quota]"
            );
            let path = (draft.queue_at)(id).field(what).field("quota");
            let fix = set(path.clone(), "unlimited", format!("Set the {what} [quota] to unlimited"));
            f.add(codes::NO_EFFECT, path, message, fix);
        }
    }
}

/// The resources that jobs in a queue or below it request.
fn requested(draft: &Draft<'_>) -> BTreeSet<(QueueId, Resource)> {
    let by_name: BTreeMap<&str, QueueId> = draft.queues.iter().map(|(id, queue)| (&*queue.name, id)).collect();
    let mut requested = BTreeSet::new();
    for (entry, job) in draft.scenario.jobs.iter().zip(&draft.jobs) {
        let leaf = by_name.get(&*entry.queue).copied();
        for resource in [Resource::CPU, Resource::MEMORY] {
            if job.requests.iter().any(|request| request.resources.get(resource) > Amount::ZERO) {
                let path = std::iter::successors(leaf, |id| draft.queues[*id].parent);
                requested.extend(path.map(|queue| (queue, resource)));
            }
        }
    }
    requested
}

fn values(draft: &DraftQueue<'_>, resource: Resource, f: &mut Findings) {
    let (queue, requested) = (draft.queue, draft.requested[resource.index()]);
    let name = quoted(&queue.name);
    let values = queue.resources.get(resource);
    let what = resource.name();
    let place = |field| draft.place(resource, field);
    let is_gpu = resource == Resource::GPU;
    if matches!(values.limit, Bound::Unset | Bound::At(Amount::ZERO)) && (requested || is_gpu) {
        let message = match values.limit {
            Bound::Unset => {
                format!("{name} has no {what} [limit], which allows nothing in KAI; write unlimited")
            }
            _ => {
                format!("{name} has a {what} [limit] of 0, so nothing that requests {what} can run; raise it")
            }
        };
        let fix = set(place("limit"), "unlimited", format!("Set the {what} [limit] to unlimited"));
        f.add(codes::NOTHING_ALLOWED, place("limit"), message, fix);
    }
    limit_below_quota(draft, resource, f);
    if values.quota == Bound::Unset && requested && !is_gpu {
        let message = format!(
            "{name} has no {what} [quota], which counts as 0: all of its {what} is above [quota]; write unlimited or [a quota]"
        );
        let fix = set(place("quota"), "unlimited", format!("Set the {what} [quota] to unlimited"));
        f.add(codes::NO_QUOTA, place("quota"), message, fix);
    }
    let nothing = values.weight.is_none_or(|w| w.in_millionths() == 0);
    let bounded = matches!(values.quota, Bound::At(_)) || is_gpu && values.quota == Bound::Unset;
    if nothing && bounded && (requested || is_gpu) {
        let message = format!("{name} has {what} [weight] 0, so it gets nothing of what others leave unused; write 1");
        f.add(
            codes::NO_WEIGHT,
            place("weight"),
            message,
            set(place("weight"), "1", format!("Set the {what} [weight] to 1")),
        );
    }
}

/// A limit above 0 and below the quota.
pub fn limit_below_quota(draft: &DraftQueue<'_>, resource: Resource, f: &mut Findings) {
    let values = draft.queue.resources.get(resource);
    if let (Bound::At(quota), Bound::At(limit)) = (values.quota, values.limit)
        && limit < quota
        && limit > Amount::ZERO
    {
        let (what, name) = (resource.name(), quoted(&draft.queue.name));
        let (quota, limit) = (print_amount(quota, resource), print_amount(limit, resource));
        let message = format!("{name} has a {what} [limit] of {limit} below its [quota] of {quota}; the [limit] wins");
        let path = draft.place(resource, "limit");
        let fix = set(path.clone(), &quota, format!("Raise the {what} [limit] to {quota}"));
        f.add(codes::LIMIT_BELOW_QUOTA, path, message, fix);
    }
}

/// A limit of 0, where an omitted one means no limit.
pub fn nothing_allowed(draft: &DraftQueue<'_>, resource: Resource, f: &mut Findings) {
    if draft.queue.resources.get(resource).limit == Bound::At(Amount::ZERO) {
        let (what, name) = (resource.name(), quoted(&draft.queue.name));
        let message = format!("{name} has a {what} [limit] of 0, so nothing that requests {what} can run; raise it");
        let path = draft.place(resource, "limit");
        let fix = set(path.clone(), "unlimited", format!("Set the {what} [limit] to unlimited"));
        f.add(codes::NOTHING_ALLOWED, path, message, fix);
    }
}
