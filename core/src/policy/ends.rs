//! Which jobs end by themselves, and when.

use super::PartitionView;
use crate::cluster::Phase;
use crate::id::JobId;
use crate::kit::sort::sort_by;
use crate::time::Time;

/// Most jobs whose end is considered for one pending job.
pub(super) const ENDS_MAX: usize = 64;

/// Jobs all of whose pods run until a known moment, with that of the last pod, ascending.
pub(super) fn ends(world: PartitionView<'_>) -> Vec<(Time, JobId)> {
    let mut ends: Vec<(Time, JobId)> =
        world.live_jobs().filter_map(|job| Some((end(world, job)?, job))).collect();
    sort_by(&mut ends, Ord::cmp);
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
