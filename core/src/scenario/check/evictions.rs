//! Pods that are terminating when the scenario begins: their ends, and the jobs for which they were evicted.

use super::jobs::Jobs;
use super::{Here, names};
use crate::format::{Findings, JobEntry, Scalar, Scenario, codes, quantity, quoted, set};
use crate::id::JobId;
use crate::time::Time;

/// The times at which the pods in `on` are gone, in order; `None`: the pod is not terminating.
pub fn ends(entry: &JobEntry, is_later: bool, here: Here<'_>, f: &mut Findings) -> Vec<Option<Time>> {
    let at = || here.field("terminating");
    not_more_than_on(entry, &entry.terminating, here, "terminating", f);
    let mut ends = Vec::with_capacity(entry.terminating.len());
    for text in &entry.terminating {
        let typed = Some(Scalar(text.clone())).filter(|_| !text.trim().is_empty());
        let end = typed.is_some().then(|| f.time(&typed, 0, &at, &quantity::millis));
        if end.is_some_and(|end| end < 0) {
            let says = format!("a [pod] with terminating {} is gone before the scenario begins", quoted(text));
            f.suggest(codes::NOT_AT_START, at(), says, "", "Let them run on");
        }
        if end.is_some() && is_later {
            let says = "only [pods] that run from the start are terminating; submit the [job] at 0";
            f.suggest(codes::NOT_AT_START, at(), says, "", "Let them run on");
            return Vec::new();
        }
        ends.push(end.map(Time::from_millis));
    }
    ends
}

/// Resolves the jobs for which pods are being evicted.
pub fn for_whom(s: &Scenario, jobs: &mut Jobs, f: &mut Findings) {
    for (i, entry) in s.jobs.iter().enumerate() {
        let Some(name) = &entry.evicted_for else { continue };
        let here = jobs.here(s, i);
        let at = here.field("evicted-for");
        if entry.terminating.iter().all(|text| text.trim().is_empty()) {
            let says = "evicted-for has no effect: no [pod] of this [job] is terminating";
            f.suggest(codes::NO_EFFECT, at, says, "", "Remove evicted-for");
            continue;
        }
        match jobs.index.find(name) {
            Some(found) => jobs.templates[i].evicted_for = Some(JobId(found)),
            None if jobs.complete => {
                let none = set(at.clone(), "", "Name none");
                names::unknown(codes::NO_JOB, "job", name, &jobs.index, at, none, f);
            }
            None => {}
        }
    }
}

/// Reports a per-pod list that has more entries than `on`.
pub fn not_more_than_on(entry: &JobEntry, list: &[String], here: Here<'_>, field: &'static str, f: &mut Findings) {
    let (n, n_on) = (list.len(), entry.on.len());
    if n > n_on {
        let says = format!("{field} has {n} entries for the {n_on} of on; remove some");
        let at = here.field(field);
        f.suggest(codes::TOO_MANY_ON, at, says, list[..n_on].join(", "), format!("Keep the first {n_on}"));
    }
}
