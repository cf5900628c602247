//! Values that the policy has no counterpart for: one finding per kind of value, at its first place.

use super::super::codes;
use super::super::schema::{JobEntry, QueueEntry, ResourceEntry, Scalar, Scenario};
use super::jobs::Jobs;
use super::queues::Queues;
use crate::id::{Id, QueueId};
use crate::policy::Policy;
use crate::scenario::findings::{Findings, quoted};

/// What a policy is called in these findings, and which values of queues and of jobs it ignores.
type Ignores = (&'static str, &'static [&'static str], &'static [&'static str]);

const FIFO: Ignores = (
    "first in, first out",
    &["limit", "weight", "usage", "priority", "preempt-min-runtime", "reclaim-min-runtime"],
    &["priority", "preemptible", "min-available"],
);

#[cfg(feature = "baselines")]
const FILLING: (&[&str], &[&str]) = (
    &["quota", "usage", "priority", "preempt-min-runtime", "reclaim-min-runtime"],
    &["priority", "preemptible"],
);

fn ignores(policy: &Policy) -> Option<Ignores> {
    match policy {
        Policy::Fifo(_) => Some(FIFO),
        #[cfg(feature = "baselines")]
        Policy::MaxMin(_) => Some(("max-min fairness", FILLING.0, FILLING.1)),
        #[cfg(feature = "baselines")]
        Policy::Drf(_) => Some(("plain DRF", FILLING.0, FILLING.1)),
        _ => None,
    }
}

/// Values of queues.
pub fn of_queues(s: &Scenario, policy: &Policy, queues: &Queues, f: &mut Findings) {
    let Some((name, of_queues, _)) = ignores(policy) else { return };
    for what in of_queues {
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
    let Some((name, _, of_jobs)) = ignores(policy) else { return };
    for what in of_jobs {
        let Some((i, first, more)) = first_and_more(&s.jobs, |j| job_says(j, what)) else { continue };
        let says = format!("{name} ignores {what} (of {}{more})", quoted(&first.name));
        f.add(codes::NOT_EXPRESSED, jobs.here(s, i).field(what), says, None);
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
    let any = |value: fn(&ResourceEntry) -> &Option<Scalar>, nothing: &[&str]| {
        let is_said = |v: &Scalar| !nothing.contains(&v.0.trim());
        [&q.gpu, &q.cpu, &q.memory].iter().any(|r| value(r).as_ref().is_some_and(is_said))
    };
    match what {
        "quota" => any(|r| &r.quota, &["unlimited", "-1", "0"]),
        "limit" => any(|r| &r.limit, &["unlimited"]),
        "weight" => any(|r| &r.weight, &["1"]),
        "usage" => any(|r| &r.usage, &[]),
        "priority" => q.priority.is_some(),
        "preempt-min-runtime" => q.preempt_min_runtime.is_some(),
        _ => q.reclaim_min_runtime.is_some(),
    }
}

fn job_says(j: &JobEntry, what: &str) -> bool {
    match what {
        "priority" => j.priority.is_some(),
        "preemptible" => j.preemptible.is_some(),
        _ => j.min_available.is_some(),
    }
}
