//! Pods that are terminating when the scenario begins: their ends, and the jobs for which they were evicted.

use super::jobs::Jobs;
use super::{Location, names};
use crate::format::{Findings, JobEntry, Scalar, Scenario, codes, quantity, quoted, set};
use crate::id::JobId;
use crate::time::Time;

/// The times at which the pods in `on` are gone, in order; `None`: the pod is not terminating.
pub fn ends(entry: &JobEntry, is_later: bool, location: Location<'_>, f: &mut Findings) -> Vec<Option<Time>> {
    let path = || location.field("terminating");
    not_more_than_on(entry, &entry.terminating, location, "terminating", f);
    let mut ends = Vec::with_capacity(entry.terminating.len());
    for text in &entry.terminating {
        let typed = Some(Scalar(text.clone())).filter(|_| !text.trim().is_empty());
        let end = typed.is_some().then(|| f.time(&typed, 0, &path, &quantity::millis));
        if end.is_some_and(|end| end < 0) {
            let message = format!("a [pod] with terminating {} is gone before the scenario begins", quoted(text));
            f.suggest(codes::NOT_AT_START, path(), message, "", "Let them run on");
        }
        if end.is_some() && is_later {
            let message = "only [pods] that run from the start are terminating; submit the [job] at 0";
            f.suggest(codes::NOT_AT_START, path(), message, "", "Let them run on");
            return Vec::new();
        }
        ends.push(end.map(Time::from_millis));
    }
    ends
}

/// Resolves the jobs for which pods are being evicted.
pub fn evicting_jobs(scenario: &Scenario, jobs: &mut Jobs, f: &mut Findings) {
    for (i, entry) in scenario.jobs.iter().enumerate() {
        let Some(name) = &entry.evicted_for else { continue };
        let location = jobs.location(scenario, i);
        let path = location.field("evicted-for");
        if entry.terminating.iter().all(|text| text.trim().is_empty()) {
            let message = "evicted-for has no effect: no [pod] of this [job] is terminating";
            f.suggest(codes::NO_EFFECT, path, message, "", "Remove evicted-for");
            continue;
        }
        match jobs.index.find(name) {
            Some(job) => jobs.templates[i].evicted_for = Some(JobId(job)),
            None if jobs.complete => {
                let none = set(path.clone(), "", "Name none");
                names::unknown(codes::NO_JOB, "job", name, &jobs.index, path, none, f);
            }
            None => {}
        }
    }
}

/// Reports a per-pod list that has more entries than `on`.
pub fn not_more_than_on(
    entry: &JobEntry,
    list: &[String],
    location: Location<'_>,
    field: &'static str,
    f: &mut Findings,
) {
    let (n, n_on) = (list.len(), entry.on.len());
    if n > n_on {
        let message = format!("{field} has {n} entries for the {n_on} of on; remove some");
        let path = location.field(field);
        f.suggest(codes::TOO_MANY_ON, path, message, list[..n_on].join(", "), format!("Keep the first {n_on}"));
    }
}
