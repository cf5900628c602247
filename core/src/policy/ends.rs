//! Jobs with a known end.

use super::PartitionView;
use crate::cluster::Phase;
use crate::id::JobId;
use crate::time::Time;

/// Maximum number of ends considered for one pending job.
pub(super) const ENDS_MAX: usize = 64;

/// Jobs all of whose pods have a known end, with the last of these times, ascending.
pub(super) fn ends(world: PartitionView<'_>) -> Vec<(Time, JobId)> {
    let mut ends: Vec<(Time, JobId)> = world.live_jobs().filter_map(|job| Some((end(world, job)?, job))).collect();
    ends.sort();
    ends.truncate(ENDS_MAX);
    ends
}

fn end(world: PartitionView<'_>, job: JobId) -> Option<Time> {
    let mut last = None;
    for (_, pod) in world.cluster.pods_of(job) {
        match pod.phase {
            Phase::Running { until: Some(until), .. } => last = last.max(Some(until)),
            Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. } => {}
            _ => return None,
        }
    }
    last
}
