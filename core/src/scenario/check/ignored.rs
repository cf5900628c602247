//! Values that the policy has no counterpart for: one finding per kind of value, at its first place.

use std::collections::BTreeMap;

use super::super::codes;
use super::super::quantity;
use super::super::schema::{JobEntry, PodSetEntry, QueueEntry, ResourceEntry, Scalar, Scenario};
use super::jobs::Jobs;
use super::names;
use super::preemptible::is_semi;
use super::queues::Queues;
use crate::id::{Id, QueueId};
use crate::policy::Policy;
use crate::scenario::findings::{Findings, quoted};

/// What a policy is called in these findings, and which values of queues, jobs and nodes it ignores.
struct Ignores {
    name: &'static str,
    queues: &'static [&'static str],
    jobs: &'static [&'static str],
    nodes: &'static [&'static str],
}

/// What only KAI and Run:ai, which run on one engine, know of jobs.
#[cfg(feature = "yunikorn")]
macro_rules! kai_only {
    ($($more:literal),*) => {
        &[$($more,)* "group", "labels", "scheduling-backoff", "nominated-node"]
    };
}

/// What only YuniKorn knows of jobs.
macro_rules! yunikorn_only {
    ($($more:literal),*) => {
        &[$($more,)* "application", "originator", "preempts", "required-node", "groups"]
    };
}

/// What only one of them knows of jobs.
macro_rules! either_only {
    ($($more:literal),*) => {
        yunikorn_only!($($more,)* "group", "labels", "scheduling-backoff", "nominated-node")
    };
}

const KAI: Ignores = Ignores { name: "KAI", queues: &[], jobs: yunikorn_only!["semi"], nodes: &[] };

const FIFO: Ignores = Ignores {
    name: "first in, first out",
    queues: &["limit", "weight", "usage", "priority", "preempt-min-runtime", "reclaim-min-runtime"],
    jobs: either_only!["priority", "preemptible", "min-available"],
    nodes: &[],
};

#[cfg(feature = "baselines")]
const FILLING: Ignores = Ignores {
    name: "max-min fairness",
    queues: &["quota", "usage", "priority", "preempt-min-runtime", "reclaim-min-runtime"],
    jobs: either_only!["priority", "preemptible"],
    nodes: &[],
};

#[cfg(feature = "yunikorn")]
const YUNIKORN: Ignores = Ignores {
    name: "YuniKorn",
    // Weights stand in nearly every scenario; translating one tells of them.
    queues: &["usage", "preempt-min-runtime", "reclaim-min-runtime"],
    jobs: kai_only!["semi", "gangs"],
    nodes: &[],
};

#[cfg(feature = "ego")]
const EGO: Ignores = Ignores {
    name: "EGO",
    queues: &["usage", "preempt-min-runtime", "reclaim-min-runtime"],
    jobs: either_only!["semi", "tolerations", "affinity"],
    nodes: &["taints"],
};

fn ignores(policy: &Policy) -> Ignores {
    match policy {
        Policy::Kai(_) => KAI,
        Policy::Fifo(_) => FIFO,
        #[cfg(feature = "baselines")]
        Policy::MaxMin(_) => FILLING,
        #[cfg(feature = "baselines")]
        Policy::Drf(_) => Ignores { name: "plain DRF", ..FILLING },
        #[cfg(feature = "yunikorn")]
        Policy::YuniKorn(_) => YUNIKORN,
        #[cfg(feature = "ego")]
        Policy::Ego(_) => EGO,
        #[cfg(feature = "runai")]
        Policy::Runai(_) => Ignores { name: "Run:ai", queues: &[], jobs: yunikorn_only![], nodes: &[] },
    }
}

/// Values of queues.
pub fn of_queues(s: &Scenario, policy: &Policy, queues: &Queues, f: &mut Findings) {
    let Ignores { name, queues: ignored, .. } = ignores(policy);
    for what in ignored {
        let Some((i, first, more)) = first_and_more(&s.queues, |q| queue_says(q, what)) else { continue };
        let says = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        let here = queues.here(s, QueueId::from_index(i));
        let at = match *what {
            "quota" | "limit" | "weight" | "usage" => here.path().field("gpu").field(what),
            _ => here.field(what),
        };
        f.add(codes::NOT_EXPRESSED, at, says, None);
    }
}

/// Values of jobs.
pub fn of_jobs(s: &Scenario, policy: &Policy, jobs: &Jobs, f: &mut Findings) {
    let Ignores { name, jobs: ignored, .. } = ignores(policy);
    for what in ignored {
        let Some((i, first, more)) = first_and_more(&s.jobs, |j| job_says(j, what)) else { continue };
        let (shown, field) = match *what {
            "gangs" => ("how many pods must start together", "min-available"),
            "labels" => ("the labels that order the pods of a job", "labels"),
            "group" => ("subgroups", "group"),
            "semi" => ("", "preemptible"),
            what => (what, what),
        };
        let first_name = quoted(&first.name);
        let says = match *what {
            "semi" => format!("{} (of {first_name}{more})", no_semi(policy)),
            _ => format!("{name} ignores {shown} (of {first_name}{more})"),
        };
        let set = first.pod_sets.iter().position(|set| set_says(set, what));
        let here = match set.filter(|_| !says_itself(first, what)) {
            Some(k) => jobs.here(s, i).inside("pod-sets", k, Some(first.pod_sets[k].name.as_str())),
            None => jobs.here(s, i),
        };
        f.add(codes::NOT_EXPRESSED, here.field(field), says, None);
    }
}

/// That a policy knows no semi-preemptible jobs.
fn no_semi(policy: &Policy) -> &'static str {
    match policy {
        Policy::Kai(_) => {
            "the release of KAI that is simulated has no semi-preemptible jobs, only a design for them; a job that says \
             semi is preemptible if its priority is below 100"
        }
        _ => "only Run:ai has semi-preemptible jobs; here a job that says semi is preemptible",
    }
}

/// Values of nodes.
pub fn of_nodes(s: &Scenario, policy: &Policy, f: &mut Findings) {
    let Ignores { name, nodes: ignored, .. } = ignores(policy);
    for what in ignored {
        let Some((i, first, more)) = first_and_more(&s.nodes, |n| !n.taints.is_empty()) else { continue };
        let says = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        let repeats = names::repeats(s.nodes.iter().map(|n| n.name.as_str()));
        let here = names::here("nodes", i, &first.name, &repeats);
        f.add(codes::NOT_EXPRESSED, here.field(what), says, None);
    }
}

/// The first entry that says it, with its position and how many more there are, in words.
fn first_and_more<T>(entries: &[T], says: impl Fn(&T) -> bool) -> Option<(usize, &T, String)> {
    let mut with = entries.iter().enumerate().filter(|(_, entry)| says(entry));
    let (i, first) = with.next()?;
    let more = match with.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some((i, first, more))
}

/// Whether a queue says something else than what means nothing.
fn queue_says(q: &QueueEntry, what: &str) -> bool {
    let any = |value: fn(&ResourceEntry) -> &Option<Scalar>, is_nothing: fn(&str) -> bool| {
        let is_said = |v: &Scalar| !is_nothing(v.0.trim());
        [&q.gpu, &q.cpu, &q.memory].iter().any(|r| value(r).as_ref().is_some_and(is_said))
    };
    match what {
        "quota" => any(|r| &r.quota, |text| matches!(text, "-1" | "0") || quantity::is_unlimited(text)),
        "limit" => any(|r| &r.limit, quantity::is_no_ceiling),
        "weight" => any(|r| &r.weight, |text| text == "1"),
        "usage" => any(|r| &r.usage, |_| false),
        "priority" => q.priority.is_some(),
        "preempt-min-runtime" => q.preempt_min_runtime.is_some(),
        _ => q.reclaim_min_runtime.is_some(),
    }
}

/// Labels by which KAI orders the pods of a job.
const ORDER_LABELS: [&str; 3] =
    ["kai.scheduler/task-priority", "training.kubeflow.org/job-role", "ray.io/node-type"];

fn orders(labels: &BTreeMap<String, String>) -> bool {
    ORDER_LABELS.iter().any(|label| labels.contains_key(*label))
}

/// Whether several pods must start together.
fn is_gang(min_available: &Option<Scalar>) -> bool {
    min_available.as_ref().is_some_and(|n| n.0.trim() != "1")
}

/// Whether a job or one of its kinds of pods says it.
fn job_says(j: &JobEntry, what: &str) -> bool {
    says_itself(j, what) || j.pod_sets.iter().any(|set| set_says(set, what))
}

fn says_itself(j: &JobEntry, what: &str) -> bool {
    match what {
        "priority" => j.priority.is_some(),
        "preemptible" => j.preemptible.is_some(),
        "semi" => is_semi(&j.preemptible),
        "min-available" => j.min_available.is_some(),
        "gangs" => is_gang(&j.min_available),
        "tolerations" => !j.tolerations.is_empty(),
        "affinity" => !j.affinity.is_empty(),
        "labels" => orders(&j.labels),
        "scheduling-backoff" => j.scheduling_backoff.as_ref().is_some_and(|n| n.0.trim() != "-1"),
        "nominated-node" => j.nominated_node.is_some(),
        "application" => j.application.is_some(),
        "originator" => j.originator.as_ref().is_some_and(|typed| typed.0.trim() != "false"),
        "preempts" => j.preempts.as_ref().is_some_and(|typed| typed.0.trim() != "true"),
        "required-node" => j.required_node.is_some(),
        "groups" => !j.groups.is_empty(),
        _ => false,
    }
}

fn set_says(set: &PodSetEntry, what: &str) -> bool {
    match what {
        "min-available" => set.min_available.is_some(),
        "gangs" => is_gang(&set.min_available),
        "labels" => orders(&set.labels),
        "nominated-node" => set.nominated_node.is_some(),
        "group" => !set.group.is_empty(),
        "affinity" => !set.affinity.is_empty(),
        _ => false,
    }
}
