//! Jobs of which pods are gated are refused under every policy.
//!
//! # Rule
//! A gated pod takes no part in scheduling. A job that has one, and of which a policy says nothing else, is not ready; if all
//! of its pods are gated, only an edit changes that.
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

/// Adds a refusal for each job that has gated pods and none yet.
pub(super) fn refuse(world: PartitionView<'_>, trace: &mut Trace) {
    if trace.level < Level::Decisive {
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

/// What ends the wait for gates to be lifted; none if no pod is gated.
fn outlook(world: PartitionView<'_>, job: JobId) -> Option<Outlook> {
    let (mut is_gated, mut may_start) = (false, false);
    for (_, pod) in world.cluster.pods_of(job) {
        match pod.phase {
            Phase::Gated => is_gated = true,
            Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. } => {}
            // It waits, joins later, or may come back once it is evicted.
            _ => may_start = true,
        }
    }
    is_gated.then_some(if may_start { Outlook::NotForeseeable } else { Outlook::OnlyByEdit })
}
