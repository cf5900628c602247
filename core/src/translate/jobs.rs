//! Translation of jobs: priorities, preemptibility, gangs, parts of GPUs and placement.

use std::sync::Arc;

use super::{NoteKind, Translator};
use crate::policy::JobDefaults;
use crate::policy::description::{Description, Gangs};
use crate::scenario::{JobEntry, Path, PodSetEntry, Scalar, orders_pods};

/// Translates jobs.
pub fn jobs(work: &mut Translator<'_>) {
    default_priority(work);
    priorities(work);
    semi(work);
    in_common(work);
    joining(work);
    let (from, to, name) = (work.from, work.to, work.to.name);
    let one_by_one = (from.supports.gangs, to.supports.gangs) == (Gangs::Together, Gangs::WithPlaceholders);
    let never = to.supports.gangs == Gangs::Never;
    let together = if never {
        format!("{name} starts all pods of a job together")
    } else {
        format!("{name} starts pods one by one, unless the job says `gang: soft` or `gang: hard`")
    };
    let parts = format!("{name} counts a part of a GPU as a whole one");
    let priority = format!("{name} does not read priorities of jobs");
    let preemptible = format!("{name} evicts no pods");
    let placeholders = format!("{name} holds no room with placeholders");
    let applied = no_applications(name);
    let subgroups = format!("{name} has no subgroups and no order among the pods of a job");
    let backoff = format!("{name} tries a job that waits for as long as it waits");
    let nominated = format!("{name} does not look at nominated nodes");
    let room = format!("{name} holds the room of pods that are being evicted for no job");
    let taints = format!("{name} knows labels of hosts, but no taints, tolerations or affinity");
    for (i, job) in work.old.jobs.iter().enumerate() {
        let path = place(job, i);
        let mut lost = |is_lost: bool, field: &str, message: &str| {
            if is_lost {
                work.note(NoteKind::Dropped, path.field(field), message);
            }
        };
        lost(from.supports.job_priority && !to.supports.job_priority && job.priority.is_some(), "priority", &priority);
        lost(
            from.supports.evictions && !to.supports.evictions && job.preemptible.is_some(),
            "preemptible",
            &preemptible,
        );
        whole_jobs(job).into_iter().for_each(|(field, is_set)| lost(never && is_set, field, &together));
        gang(job).into_iter().for_each(|(field, is_set)| lost(one_by_one && is_set, field, &together));
        if from.supports.applications {
            lost(job.gang.is_some(), "gang", &placeholders);
            lost(job.placeholder_timeout.is_some(), "placeholder-timeout", &placeholders);
            applications(job).into_iter().for_each(|(field, is_set)| lost(is_set, field, &applied));
        }
        let loses_parts = from.supports.parts && !to.supports.parts;
        part(job).into_iter().for_each(|(field, is_set)| lost(loses_parts && is_set, field, &parts));
        if from.supports.subgroups && !to.supports.subgroups {
            let [group, order, back_off, nominates] = subgrouped(job);
            lost(group, "pod-sets", &subgroups);
            lost(order, "labels", &subgroups);
            lost(back_off, "scheduling-backoff", &backoff);
            lost(nominates, "nominated-node", &nominated);
        }
        if from.supports.optional_members && !to.supports.optional_members {
            for (field, is_set, lacks) in optional(job) {
                lost(is_set, field, &format!("{name} has {lacks}"));
            }
        }
        lost(from.supports.evicted_for && job.evicted_for.is_some(), "evicted-for", &room);
        lost(!to.supports.taints && !job.tolerations.is_empty(), "tolerations", &taints);
        lost(!to.supports.taints && !job.affinity.is_empty(), "affinity", &taints);
        let sets_select = job.pod_sets.iter().any(|set| !set.affinity.is_empty());
        lost(!to.supports.taints && sets_select, "pod-sets", &taints);
    }
    tainted_nodes(work, &taints);
}

/// The path of a job.
fn place(job: &JobEntry, i: usize) -> Path {
    match job.name.as_str() {
        "" => Path::default().field("jobs").at(u32::try_from(i).unwrap_or(u32::MAX)),
        name => Path::default().field("jobs").named(name),
    }
}

/// The fields of optional members and times of a job, each with whether the job uses it, and what a policy without it
/// lacks.
fn optional(job: &JobEntry) -> [(&'static str, bool, &'static str); 4] {
    let members = "no jobs that need only some of their subgroups";
    [
        ("preemption-delay", job.preemption_delay.is_some(), "no delay before a job may evict others"),
        ("staleness-grace", job.staleness_grace.is_some(), "no grace period of single jobs below their minimum"),
        ("min-subgroups", job.min_subgroups.is_some(), members),
        ("min-subgroups-of", !job.min_subgroups_of.is_empty(), members),
    ]
}

/// Whether a job has subgroups, an order among its pods, a back-off and nominated nodes.
fn subgrouped(job: &JobEntry) -> [bool; 4] {
    let any_set = |is_set: &dyn Fn(&PodSetEntry) -> bool| job.pod_sets.iter().any(is_set);
    [
        any_set(&|set| !set.group.is_empty()),
        orders_pods(&job.labels) || any_set(&|set| orders_pods(&set.labels)),
        job.scheduling_backoff.as_ref().is_some_and(|n| n.0.trim() != "-1"),
        job.nominated_node.is_some() || any_set(&|set| set.nominated_node.is_some()),
    ]
}

fn tainted_nodes(work: &mut Translator<'_>, message: &str) {
    for node in work.old.nodes.iter().filter(|node| !work.to.supports.taints && !node.taints.is_empty()) {
        let path = Path::default().field("nodes").named(&node.name).field("taints");
        work.note(NoteKind::Dropped, path, message);
    }
}

/// The fields that make pods start together: more than one pod of a kind, or a minimum.
fn gang(job: &JobEntry) -> [(&'static str, bool); 3] {
    let several = |pods: &Option<Scalar>| pods.as_ref().is_some_and(|pods| pods.0.trim() != "1");
    let single = |min: &Option<Scalar>| min.as_ref().is_some_and(|min| min.0.trim() == "1");
    [
        ("min-available", job.min_available.is_some() && !single(&job.min_available)),
        ("pods", several(&job.pods) && job.min_available.is_none()),
        ("pod-sets", !job.pod_sets.is_empty() && job.min_available.is_none()),
    ]
}

fn no_applications(name: &str) -> String {
    format!("{name} does not know applications of several jobs, originators, required nodes and groups of users")
}

/// The fields of pods that only YuniKorn reads, each with whether the job uses it.
fn applications(job: &JobEntry) -> [(&'static str, bool); 5] {
    [
        ("application", job.application.is_some()),
        ("originator", job.originator.is_some()),
        ("preempts", job.preempts.is_some()),
        ("required-node", job.required_node.is_some()),
        ("groups", !job.groups.is_empty()),
    ]
}

/// The fields that let fewer than all pods start, for a policy that starts all pods together.
fn whole_jobs(job: &JobEntry) -> [(&'static str, bool); 2] {
    let of_sets = job.pod_sets.iter().any(|set| set.min_available.is_some());
    [("min-available", job.min_available.is_some()), ("pod-sets", of_sets)]
}

/// The fields that request parts of GPUs.
fn part(job: &JobEntry) -> [(&'static str, bool); 3] {
    let is_part = |gpu: &Option<Scalar>| gpu.as_ref().is_some_and(|gpu| gpu.0.contains(['.', 'm', '%']));
    let of_sets = job.pod_sets.iter().any(|set| is_part(&set.gpu) || set.gpu_memory.is_some());
    [("gpu", is_part(&job.gpu)), ("gpu-memory", job.gpu_memory.is_some()), ("pod-sets", of_sets)]
}

/// Makes the defaults of priority and preemptibility, and the values of priority classes, explicit where the products
/// differ.
fn priorities(work: &mut Translator<'_>) {
    let (from, to) = (work.from, work.to);
    let (old, new) = (from.jobs, to.jobs);
    if old == new {
        return;
    }
    for i in 0..work.new.jobs.len() {
        let job = &mut Arc::make_mut(&mut work.new.jobs)[i];
        let path = Path::default().field("jobs").named(&job.name);
        let text = job.priority.as_ref().map(|typed| typed.0.trim().to_owned());
        let typed = text.as_deref().and_then(|text| old.value(text, &work.old.settings));
        let value = typed.unwrap_or(old.priority);
        let is_class = typed.is_some() && text.as_deref().is_some_and(|text| text.parse::<i32>().is_err());
        let mut notes = Vec::new();
        if is_class && text.as_deref().and_then(|text| new.value(text, &work.new.settings)) != typed {
            job.priority = Some(Scalar(value.to_string()));
            let message = format!("{} has no such priority class: a class becomes its number", to.name);
            notes.push((path.field("priority"), message));
        }
        let both_read = from.supports.job_priority && to.supports.job_priority;
        if text.is_none() && both_read && old.priority != new.priority {
            job.priority = Some(Scalar(value.to_string()));
            let message = format!(
                "a job without a priority has {} in {} and {} in {}: {value} is written out",
                old.priority, from.name, new.priority, to.name
            );
            notes.push((path.field("priority"), message));
        }
        let is_unset = job.preemptible.as_ref().is_none_or(|typed| typed.0.trim() == "semi" && !has_semi(from));
        let was_preemptible = old.is_preemptible(value);
        if is_unset && from.supports.evictions && to.supports.evictions && was_preemptible != new.is_preemptible(value)
        {
            job.preemptible = Some(was_preemptible.to_string().as_str().into());
            notes.push((path.field("preemptible"), by_priority((from, &old), (to, &new), was_preemptible)));
        }
        for (path, message) in notes {
            work.note(NoteKind::Changed, path, message);
        }
    }
}

/// The note about preemptibility that is made explicit.
fn by_priority(
    (from, old): (&Description, &JobDefaults),
    (to, new): (&Description, &JobDefaults),
    is_preemptible: bool,
) -> String {
    let (one, least, other) = match (old.non_preemptible_from, new.non_preemptible_from) {
        (Some(least), _) => (from.name, least, to.name),
        (None, least) => (to.name, least.unwrap_or_default(), from.name),
    };
    format!(
        "{one} does not preempt jobs of priority {least} or more unless they say so, {other} does: preemptible \
         {is_preemptible} is written out"
    )
}

/// Whether a policy supports semi-preemptible jobs.
fn has_semi(policy: &Description) -> bool {
    policy.supports.semi.is_ok()
}

/// Translates minimums over all kinds of pods; EGO has minimums per kind only.
fn in_common(work: &mut Translator<'_>) {
    let to = work.to;
    for (i, job) in work.old.jobs.iter().enumerate() {
        if to.supports.common_minimum || job.pod_sets.is_empty() || job.min_available.is_none() {
            continue;
        }
        let path = Path::default().field("jobs").named(&job.name).field("min-available");
        Arc::make_mut(&mut work.new.jobs)[i].min_available = None;
        let message = format!(
            "{} has no minimum that pods of several kinds have in common: all of each kind start together",
            to.name
        );
        work.note(NoteKind::Dropped, path, message);
    }
}

/// Translates joining pods; under a policy that does not support them they arrive with their job.
fn joining(work: &mut Translator<'_>) {
    if work.to.supports.joining_pods {
        return;
    }
    let message = format!("{} has all pods of a job from its submission on", work.to.name);
    for (i, job) in work.old.jobs.iter().enumerate() {
        for (k, set) in job.pod_sets.iter().enumerate().filter(|(_, set)| set.after.is_some()) {
            let path = place(job, i).field("pod-sets").named(&set.name).field("after");
            Arc::make_mut(&mut work.new.jobs)[i].pod_sets[k].after = None;
            work.note(NoteKind::Dropped, path, &message);
        }
    }
}

/// Translates semi-preemptible jobs, which only Run:ai supports.
fn semi(work: &mut Translator<'_>) {
    let (from, to) = (work.from, work.to);
    for (i, job) in work.old.jobs.iter().enumerate() {
        if job.preemptible.as_ref().is_none_or(|typed| typed.0.trim() != "semi") {
            continue;
        }
        let path = Path::default().field("jobs").named(&job.name).field("preemptible");
        if has_semi(from) && to.supports.evictions {
            Arc::make_mut(&mut work.new.jobs)[i].preemptible = None;
            let decides = match to.jobs.non_preemptible_from {
                Some(_) => "their priority decides about all of their pods",
                None => "all of their pods may be evicted",
            };
            let message = format!("{} has no semi-preemptible jobs: {decides}", to.name);
            work.note(NoteKind::Dropped, path, message);
        } else if has_semi(to) {
            let message =
                format!("{} has no semi-preemptible jobs; from now on the first pods of these stay", from.name);
            work.note(NoteKind::Assumed, path, message);
        }
    }
}

/// Writes the default priority into the jobs if the new policy has no setting for it.
fn default_priority(work: &mut Translator<'_>) {
    let Some(name) = work.from.translation.default_priority else { return };
    let Some(typed) = work.old.settings.get(name).filter(|_| !work.new.settings.contains_key(name)) else {
        return;
    };
    for job in Arc::make_mut(&mut work.new.jobs).iter_mut().filter(|job| job.priority.is_none()) {
        job.priority = Some(typed.clone());
    }
}
