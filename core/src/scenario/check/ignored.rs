//! Values that the policy does not read: one finding per kind of value, at its first occurrence.

use super::jobs::Jobs;
use super::names;
use super::preemptible::is_semi;
use super::queues::Queues;
use crate::format::{
    Findings, JobEntry, PodSetEntry, QueueEntry, ResourceEntry, Scalar, Scenario, codes, orders_pods, quantity, quoted,
};
use crate::id::{Id, QueueId};
use crate::policy::description::Description;

/// Reports values of queues.
pub fn of_queues(s: &Scenario, policy: &Description, queues: &Queues, f: &mut Findings) {
    let name = policy.name;
    for what in policy.ignored_of_queues() {
        let Some((i, first, more)) = first_and_more(&s.queues, |q| queue_sets(q, what)) else { continue };
        let says = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        let here = queues.here(s, QueueId::from_index(i));
        let of = resources(first).into_iter().find(|(_, entry)| resource_sets(entry, what));
        let at = match of {
            Some((resource, _)) => here.path().field(resource).field(what),
            None => here.field(what),
        };
        f.add(codes::NOT_EXPRESSED, at, says, None);
    }
    of_other_resources(s, policy, queues, f);
}

/// Reports values that the policy reads for GPUs alone.
fn of_other_resources(s: &Scenario, policy: &Description, queues: &Queues, f: &mut Findings) {
    let read = [("quota", policy.queue.quota), ("limit", policy.queue.limit), ("weight", policy.queue.weight)];
    let of_gpus_alone = read.into_iter().filter(|(_, value)| value.is_some_and(|value| value.of_gpus_alone));
    for (what, _) in of_gpus_alone {
        let set = |q: &QueueEntry| {
            let others = resources(q).into_iter().filter(|(resource, _)| *resource != "gpu");
            others.filter(|(_, entry)| resource_sets(entry, what)).map(|(resource, _)| resource).next()
        };
        let Some((i, first, more)) = first_and_more(&s.queues, |q| set(q).is_some()) else { continue };
        let resource = set(first).unwrap_or_default();
        let says = format!("{} ignores {what} of {resource} (of {}{more})", policy.name, quoted(&first.name));
        let at = queues.here(s, QueueId::from_index(i)).path().field(resource).field(what);
        f.add(codes::NOT_EXPRESSED, at, says, None);
    }
}

/// Reports values of jobs.
pub fn of_jobs(s: &Scenario, policy: &Description, jobs: &Jobs, f: &mut Findings) {
    let name = policy.name;
    for what in policy.ignored_of_jobs() {
        let Some((i, first, more)) = first_and_more(&s.jobs, |j| job_sets(j, what)) else { continue };
        let (shown, field) = match what {
            "gangs" => ("how many [pods] must start together", "min-available"),
            "labels" => ("the labels that order the [pods] of [a job]", "labels"),
            "group" => ("subgroups", "group"),
            "after" => ("that [pods] join their [job] later", "after"),
            "semi" => ("", "preemptible"),
            what => (what, what),
        };
        let first_name = quoted(&first.name);
        let says = match what {
            "semi" => format!("{} (of {first_name}{more})", policy.knows.semi.err().unwrap_or_default()),
            _ => format!("{name} ignores {shown} (of {first_name}{more})"),
        };
        let set = first.pod_sets.iter().position(|set| pod_set_sets(set, what));
        let here = match set.filter(|_| !sets_itself(first, what)) {
            Some(k) => jobs.here(s, i).pod_sets(first)(k),
            None => jobs.here(s, i),
        };
        f.add(codes::NOT_EXPRESSED, here.field(field), says, None);
    }
}

/// Reports values of nodes.
pub fn of_nodes(s: &Scenario, policy: &Description, f: &mut Findings) {
    let name = policy.name;
    for what in policy.ignored_of_nodes() {
        let Some((i, first, more)) = first_and_more(&s.nodes, |n| !n.taints.is_empty()) else { continue };
        let says = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        let repeats = names::repeats(s.nodes.iter().map(|n| n.name.as_str()));
        let here = names::here("nodes", i, &first.name, &repeats);
        f.add(codes::NOT_EXPRESSED, here.field(what), says, None);
    }
}

/// The first entry with a value, its position, and a phrase with the number of further ones.
fn first_and_more<T>(entries: &[T], says: impl Fn(&T) -> bool) -> Option<(usize, &T, String)> {
    let mut with = entries.iter().enumerate().filter(|(_, entry)| says(entry));
    let (i, first) = with.next()?;
    let more = match with.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some((i, first, more))
}

/// Whether a field of a queue differs from its neutral value.
fn queue_sets(q: &QueueEntry, what: &str) -> bool {
    match what {
        "priority" => q.priority.is_some(),
        "preempt-min-runtime" => q.preempt_min_runtime.is_some(),
        "reclaim-min-runtime" => q.reclaim_min_runtime.is_some(),
        what => resources(q).iter().any(|(_, entry)| resource_sets(entry, what)),
    }
}

fn resources(q: &QueueEntry) -> [(&'static str, &ResourceEntry); 3] {
    [("gpu", &q.gpu), ("cpu", &q.cpu), ("memory", &q.memory)]
}

/// Whether a field of one resource of a queue differs from its neutral value.
fn resource_sets(entry: &ResourceEntry, what: &str) -> bool {
    let is_set = |value: &Option<Scalar>, is_neutral: fn(&str) -> bool| {
        value.as_ref().is_some_and(|value| !is_neutral(value.0.trim()))
    };
    match what {
        "quota" => is_set(&entry.quota, |text| matches!(text, "-1" | "0") || quantity::is_unlimited(text)),
        "limit" => is_set(&entry.limit, quantity::is_no_ceiling),
        "weight" => is_set(&entry.weight, |text| text == "1"),
        "usage" => is_set(&entry.usage, |_| false),
        _ => false,
    }
}

/// Whether several pods have to start together.
fn is_gang(min_available: &Option<Scalar>) -> bool {
    min_available.as_ref().is_some_and(|n| n.0.trim() != "1")
}

/// Whether a job or one of its kinds of pods sets a field.
fn job_sets(j: &JobEntry, what: &str) -> bool {
    sets_itself(j, what) || j.pod_sets.iter().any(|set| pod_set_sets(set, what))
}

fn sets_itself(j: &JobEntry, what: &str) -> bool {
    match what {
        "priority" => j.priority.is_some(),
        "preemptible" => j.preemptible.is_some(),
        "semi" => is_semi(&j.preemptible),
        "min-available" => j.min_available.is_some(),
        "gangs" => is_gang(&j.min_available),
        "tolerations" => !j.tolerations.is_empty(),
        "affinity" => !j.affinity.is_empty(),
        "labels" => orders_pods(&j.labels),
        "scheduling-backoff" => j.scheduling_backoff.as_ref().is_some_and(|n| n.0.trim() != "-1"),
        "preemption-delay" => j.preemption_delay.is_some(),
        "staleness-grace" => j.staleness_grace.is_some(),
        "min-subgroups" => j.min_subgroups.is_some(),
        "min-subgroups-of" => !j.min_subgroups_of.is_empty(),
        "nominated-node" => j.nominated_node.is_some(),
        "application" => j.application.is_some(),
        "originator" => j.originator.as_ref().is_some_and(|typed| typed.0.trim() != "false"),
        "preempts" => j.preempts.as_ref().is_some_and(|typed| typed.0.trim() != "true"),
        "required-node" => j.required_node.is_some(),
        "groups" => !j.groups.is_empty(),
        "user" => j.user.is_some(),
        "evicted-for" => j.evicted_for.is_some(),
        _ => false,
    }
}

fn pod_set_sets(set: &PodSetEntry, what: &str) -> bool {
    match what {
        "min-available" => set.min_available.is_some(),
        "gangs" => is_gang(&set.min_available),
        "labels" => orders_pods(&set.labels),
        "nominated-node" => set.nominated_node.is_some(),
        "group" => !set.group.is_empty(),
        "affinity" => !set.affinity.is_empty(),
        "after" => set.after.is_some(),
        _ => false,
    }
}
