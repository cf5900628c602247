//! Pods that join their job after its submission.

use super::Location;
use crate::format::{Findings, JobEntry, codes, quantity, quoted};
use crate::policy::description::Description;
use crate::time::Span;

/// The delay after which each pod set joins the job, `None` for those submitted with it; reports invalid delays.
pub fn delays(entry: &JobEntry, location: Location<'_>, policy: &Description, f: &mut Findings) -> Vec<Option<Span>> {
    let inner = location.pod_sets(entry);
    let mut delays = Vec::with_capacity(entry.pod_sets.len());
    for (k, set) in entry.pod_sets.iter().enumerate() {
        let delay = f.time(&set.after, Span::ZERO, &|| inner(k).field("after"), &quantity::span);
        delays.push(Some(delay).filter(|&delay| delay > Span::ZERO && policy.supports.joining_pods));
    }
    if !delays.is_empty() && delays.iter().all(Option::is_some) {
        let message = format!(
            "all [pods] of {} join it later; let one [pod] set come with the [job], or submit the [job] later",
            quoted(&entry.name)
        );
        let path = inner(0).field("after");
        f.suggest(codes::CONFLICT, path, message, "", "Let the first [pod] set come with the [job]");
    }
    delays
}
