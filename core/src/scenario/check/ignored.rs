//! Values that the policy does not read: one finding per kind of value, at its first occurrence.

use super::jobs::Jobs;
use super::names;
use super::priority::is_semi;
use super::queues::Queues;
use crate::format::{
    Findings, JobEntry, PodSetEntry, QueueEntry, ResourceEntry, Scalar, Scenario, codes, orders_pods, quantity, quoted,
};
use crate::id::{Id, QueueId};
use crate::policy::description::{Description, Features, Gangs, QueueValues};

/// A value of queues that a policy may ignore.
struct QueueValue {
    key: &'static str,
    is_read: fn(&QueueValues) -> bool,
    is_set: InQueue,
}

/// Whether a value differs from its neutral one.
enum InQueue {
    Once(fn(&QueueEntry) -> bool),
    /// For each resource.
    PerResource(fn(&ResourceEntry) -> bool),
}

const QUEUE: [QueueValue; 7] = {
    use InQueue::{Once, PerResource};
    const fn value(key: &'static str, is_read: fn(&QueueValues) -> bool, is_set: InQueue) -> QueueValue {
        QueueValue { key, is_read, is_set }
    }
    [
        value("quota", |queue| queue.quota.is_some(), PerResource(|entry| sets(&entry.quota, is_no_quota))),
        value("limit", |queue| queue.limit.is_some(), PerResource(|entry| sets(&entry.limit, quantity::is_no_ceiling))),
        value("weight", |queue| queue.weight.is_some(), PerResource(|entry| sets(&entry.weight, |text| text == "1"))),
        value("usage", |queue| queue.history, PerResource(|entry| entry.usage.is_some())),
        value("priority", |queue| queue.priority.is_some(), Once(|queue| queue.priority.is_some())),
        value("preempt-min-runtime", |queue| queue.history, Once(|queue| queue.preempt_min_runtime.is_some())),
        value("reclaim-min-runtime", |queue| queue.history, Once(|queue| queue.reclaim_min_runtime.is_some())),
    ]
};

/// A value of jobs that a policy may ignore.
struct JobValue {
    key: &'static str,
    field: &'static str,
    /// What is ignored; empty if the policy says it in its own words.
    shown: &'static str,
    is_read: fn(&Features) -> bool,
    in_job: fn(&JobEntry) -> bool,
    in_pod_set: fn(&PodSetEntry) -> bool,
}

impl JobValue {
    const fn new(key: &'static str, is_read: fn(&Features) -> bool, in_job: fn(&JobEntry) -> bool) -> JobValue {
        JobValue { key, field: key, shown: key, is_read, in_job, in_pod_set: |_| false }
    }
    const fn or_in_pod_set(self, in_pod_set: fn(&PodSetEntry) -> bool) -> JobValue {
        JobValue { in_pod_set, ..self }
    }
    const fn shown(self, field: &'static str, shown: &'static str) -> JobValue {
        JobValue { field, shown, ..self }
    }
}

const JOB: [JobValue; 23] = [
    JobValue::new("priority", |policy| policy.job_priority, |job| job.priority.is_some()),
    JobValue::new("preemptible", |policy| policy.evictions, |job| job.preemptible.is_some()),
    JobValue::new("semi", |policy| policy.semi.is_ok() || !policy.evictions, |job| is_semi(&job.preemptible))
        .shown("preemptible", ""),
    JobValue::new("min-available", |policy| policy.gangs != Gangs::Never, |job| job.min_available.is_some())
        .or_in_pod_set(|set| set.min_available.is_some()),
    JobValue::new("gangs", |policy| policy.gangs != Gangs::WithPlaceholders, |job| is_gang(&job.min_available))
        .or_in_pod_set(|set| is_gang(&set.min_available))
        .shown("min-available", "how many [pods] must start together"),
    JobValue::new("after", |policy| policy.joining_pods, |_| false)
        .or_in_pod_set(|set| set.after.is_some())
        .shown("after", "that [pods] join their [job] later"),
    JobValue::new("evicted-for", |policy| policy.evicted_for, |job| job.evicted_for.is_some()),
    JobValue::new("tolerations", |policy| policy.taints, |job| !job.tolerations.is_empty()),
    JobValue::new("affinity", |policy| policy.taints, |job| !job.affinity.is_empty())
        .or_in_pod_set(|set| !set.affinity.is_empty()),
    JobValue::new("application", |policy| policy.applications, |job| job.application.is_some()),
    JobValue::new("originator", |policy| policy.applications, |job| sets(&job.originator, |text| text == "false")),
    JobValue::new("preempts", |policy| policy.applications, |job| sets(&job.preempts, |text| text == "true")),
    JobValue::new("required-node", |policy| policy.applications, |job| job.required_node.is_some()),
    JobValue::new("user", |policy| policy.applications, |job| job.user.is_some()),
    JobValue::new("groups", |policy| policy.applications, |job| !job.groups.is_empty()),
    JobValue::new("group", |policy| policy.subgroups, |_| false)
        .or_in_pod_set(|set| !set.group.is_empty())
        .shown("group", "subgroups"),
    JobValue::new("labels", |policy| policy.subgroups, |job| orders_pods(&job.labels))
        .or_in_pod_set(|set| orders_pods(&set.labels))
        .shown("labels", "the labels that order the [pods] of [a job]"),
    JobValue::new(
        "scheduling-backoff",
        |policy| policy.subgroups,
        |job| sets(&job.scheduling_backoff, |text| text == "-1"),
    ),
    JobValue::new("preemption-delay", |policy| policy.optional_members, |job| job.preemption_delay.is_some()),
    JobValue::new("staleness-grace", |policy| policy.optional_members, |job| job.staleness_grace.is_some()),
    JobValue::new("min-subgroups", |policy| policy.optional_members, |job| job.min_subgroups.is_some()),
    JobValue::new("min-subgroups-of", |policy| policy.optional_members, |job| !job.min_subgroups_of.is_empty()),
    JobValue::new("nominated-node", |policy| policy.subgroups, |job| job.nominated_node.is_some())
        .or_in_pod_set(|set| set.nominated_node.is_some()),
];

/// Whether a policy reads a field of jobs.
pub fn reads_of_jobs(policy: &Description, field: &str) -> bool {
    JOB.iter().all(|value| value.key != field || (value.is_read)(&policy.supports))
}

/// Whether a policy reads a field of nodes.
pub fn reads_of_nodes(policy: &Description, field: &str) -> bool {
    field != "taints" || policy.supports.taints
}

/// Reports values of queues.
pub fn of_queues(scenario: &Scenario, policy: &Description, queues: &Queues, f: &mut Findings) {
    let name = policy.name;
    let is_ignored = |value: &&QueueValue| !(value.is_read)(&policy.queue) && !policy.silent.contains(&value.key);
    for QueueValue { key: what, is_set, .. } in QUEUE.iter().filter(is_ignored) {
        let is_in = |queue: &QueueEntry| match is_set {
            InQueue::Once(is_set) => is_set(queue),
            InQueue::PerResource(is_set) => resources(queue).iter().any(|(_, entry)| is_set(entry)),
        };
        let Some((i, first, more)) = first_and_more(&scenario.queues, is_in) else { continue };
        let message = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        let location = queues.location(scenario, QueueId::from_index(i));
        let part = match is_set {
            InQueue::Once(_) => None,
            InQueue::PerResource(is_set) => resources(first).into_iter().find(|(_, entry)| is_set(entry)),
        };
        let path = match part {
            Some((resource, _)) => location.path().field(resource).field(what),
            None => location.field(what),
        };
        f.add(codes::NOT_EXPRESSED, path, message, None);
    }
    of_other_resources(scenario, policy, queues, f);
}

/// Reports values that the policy reads for GPUs alone.
fn of_other_resources(scenario: &Scenario, policy: &Description, queues: &Queues, f: &mut Findings) {
    let read = [policy.queue.quota, policy.queue.limit, policy.queue.weight];
    let of_gpus_alone = QUEUE.iter().zip(read).filter(|(_, read)| read.is_some_and(|read| read.of_gpus_alone));
    for (QueueValue { key: what, is_set, .. }, _) in of_gpus_alone {
        let InQueue::PerResource(is_set) = is_set else { continue };
        let set = |q: &QueueEntry| {
            let others = resources(q).into_iter().filter(|(resource, _)| *resource != "gpu");
            others.filter(|(_, entry)| is_set(entry)).map(|(resource, _)| resource).next()
        };
        let Some((i, first, more)) = first_and_more(&scenario.queues, |q| set(q).is_some()) else { continue };
        let resource = set(first).unwrap_or_default();
        let message = format!("{} ignores {what} of {resource} (of {}{more})", policy.name, quoted(&first.name));
        let path = queues.location(scenario, QueueId::from_index(i)).path().field(resource).field(what);
        f.add(codes::NOT_EXPRESSED, path, message, None);
    }
}

/// Reports values of jobs.
pub fn of_jobs(scenario: &Scenario, policy: &Description, jobs: &Jobs, f: &mut Findings) {
    let name = policy.name;
    for value in JOB.iter().filter(|value| !(value.is_read)(&policy.supports)) {
        let is_in = |job: &JobEntry| (value.in_job)(job) || job.pod_sets.iter().any(value.in_pod_set);
        let Some((i, first, more)) = first_and_more(&scenario.jobs, is_in) else { continue };
        let suffix = format!("(of {}{more})", quoted(&first.name));
        let message = match value.shown {
            "" => format!("{} {suffix}", policy.supports.semi.err().unwrap_or_default()),
            shown => format!("{name} ignores {shown} {suffix}"),
        };
        let set = first.pod_sets.iter().position(value.in_pod_set);
        let location = match set.filter(|_| !(value.in_job)(first)) {
            Some(k) => jobs.location(scenario, i).pod_sets(first)(k),
            None => jobs.location(scenario, i),
        };
        f.add(codes::NOT_EXPRESSED, location.field(value.field), message, None);
    }
}

/// Reports values of nodes.
pub fn of_nodes(scenario: &Scenario, policy: &Description, f: &mut Findings) {
    let what = "taints";
    let with_taints = first_and_more(&scenario.nodes, |n| !n.taints.is_empty());
    let Some((i, first, more)) = with_taints.filter(|_| !reads_of_nodes(policy, what)) else { return };
    let message = format!("{} ignores {what} (of {}{more})", policy.name, quoted(&first.name));
    let repeats = names::repeats(scenario.nodes.iter().map(|n| n.name.as_str()));
    let location = names::location("nodes", i, &first.name, &repeats);
    f.add(codes::NOT_EXPRESSED, location.field(what), message, None);
}

/// The first entry with a value, its position, and a phrase with the number of further ones.
fn first_and_more<T>(entries: &[T], is_set: impl Fn(&T) -> bool) -> Option<(usize, &T, String)> {
    let mut matching = entries.iter().enumerate().filter(|(_, entry)| is_set(entry));
    let (i, first) = matching.next()?;
    let more = match matching.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some((i, first, more))
}

fn resources(q: &QueueEntry) -> [(&'static str, &ResourceEntry); 3] {
    [("gpu", &q.gpu), ("cpu", &q.cpu), ("memory", &q.memory)]
}

/// Whether a value is set, and not to a neutral one.
fn sets(value: &Option<Scalar>, is_neutral: fn(&str) -> bool) -> bool {
    value.as_ref().is_some_and(|value| !is_neutral(value.0.trim()))
}

fn is_no_quota(text: &str) -> bool {
    matches!(text, "-1" | "0") || quantity::is_unlimited(text)
}

/// Whether several pods have to start together.
fn is_gang(min_available: &Option<Scalar>) -> bool {
    sets(min_available, |text| text == "1")
}
