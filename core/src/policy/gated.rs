//! Refusals of jobs with gated pods, common to all policies.
//!
//! # Rule
//! A gated pod takes no part in scheduling. A job with a gated pod and without a refusal by the policy is not ready; if
//! all of its pods are gated, only an edit changes that.
//!
//! # Source
//! kai.md 1.5
//!
//! # Differs
//! nothing

use std::collections::BTreeSet;

use super::PartitionView;
use crate::cluster::Phase;
use crate::id::JobId;
use crate::trace::{Gate, Level, Outlook, Refusal, Trace};

/// Adds a refusal for each job that has gated pods and no refusal yet.
pub(super) fn refuse(world: PartitionView<'_>, trace: &mut Trace) {
    if trace.level < Level::Refusals {
        return;
    }
    let refused: BTreeSet<JobId> = trace.refusals.iter().map(|refusal| refusal.job).collect();
    for job in world.live_jobs() {
        let Some(outlook) = outlook(world, job) else { continue };
        if !refused.contains(&job) {
            let (also, checks) = (Vec::new(), Vec::new());
            trace.refusal(|| Refusal { job, gate: Gate::NotReady, also, checks, outlook });
        }
    }
    if trace.refusals.len() > refused.len() {
        trace.refusals.sort_by_key(|refusal: &Refusal| refusal.job);
    }
}

/// The end of the wait for gates to be removed; `None` if no pod is gated.
fn outlook(world: PartitionView<'_>, job: JobId) -> Option<Outlook> {
    let (mut is_gated, mut may_start) = (false, false);
    for (_, pod) in world.cluster.pods_of(job) {
        match pod.phase {
            Phase::Gated => is_gated = true,
            Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. } => {}
            // It is pending, joins later, or may be replaced once it is evicted.
            _ => may_start = true,
        }
    }
    is_gated.then_some(if may_start { Outlook::NotForeseeable } else { Outlook::OnlyByEdit })
}
