//! The order of queues and jobs in the next pass, as serialisable data.

use std::collections::BTreeSet;

use crate::cluster::Phase;
use crate::id::{Id, JobId, PartitionId, QueueId};
use crate::sim::Simulation;
use crate::trace::OrderLevel;
use serde::{Deserialize, Serialize};

use super::QueueRow;

/// The priority by which a queue is compared with its siblings, under a policy that derives one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorityRow {
    /// Largest priority of pending requests below the queue; `None`: nothing is pending.
    pub raw: Option<i32>,
    /// Offset that the queue adds.
    pub offset: i32,
    /// Whether the offset replaces the priorities from below.
    pub fence: bool,
    /// Priority that the parent sees; `None`: nothing is pending.
    pub effective: Option<i32>,
}

/// The order around a queue or a job in the next pass, from the root down.
pub fn orders(sim: &Simulation, queue: &str, job: Option<&str>) -> Vec<OrderLevel> {
    let cluster = sim.cluster();
    let found = match job {
        Some(name) => {
            let mut jobs = cluster.live_jobs.iter().copied();
            let found = jobs.find(|&id: &JobId| *cluster.jobs[id].name == *name);
            found.map(|id| (cluster.jobs[id].queue, Some(id)))
        }
        None => cluster.queues.iter().find(|(_, q)| *q.name == *queue).map(|(id, _)| (id, None)),
    };
    let Some((queue, job)) = found else { return Vec::new() };
    let pools = match job {
        Some(job) => vec![cluster.jobs[job].partition],
        None => pools_with_work(sim, queue),
    };
    pools.into_iter().flat_map(|pool| sim.order_in(pool, queue, job)).collect()
}

/// The pools in which a queue has work, in order.
pub fn pools_with_work(sim: &Simulation, queue: QueueId) -> Vec<PartitionId> {
    let ledgers = sim.ledgers();
    let has_work = |pool: &PartitionId| {
        let row = ledgers.get(pool.index()).map(|ledger| &ledger.rows[queue.index()]);
        row.is_none_or(|row| row.request != Default::default())
    };
    sim.cluster().partitions.ids().filter(has_work).collect()
}

/// Largest number of leaf queues whose path from the root is listed by [`serving`].
const LEAVES_MAX: usize = 12;

/// The complete order of the next cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Serving {
    /// The cycle after which the order applies.
    pub cycle: u32,
    /// Pools with pending jobs, each with its levels; a queue's level precedes those below it.
    pub pools: Vec<(PartitionId, Vec<OrderLevel>)>,
    /// Number of leaf queues with pending jobs beyond the limit.
    pub n_left_out: u32,
}

/// The order of the next cycle: siblings along the path to every leaf queue with pending jobs, and its jobs.
pub fn serving(sim: &Simulation) -> Serving {
    let cluster = sim.cluster();
    let mut waiting: BTreeSet<(PartitionId, QueueId)> = BTreeSet::new();
    for &job in &cluster.live_jobs {
        let is_pending = || cluster.pods_of(job).any(|(_, pod)| matches!(pod.phase, Phase::Pending));
        let at = (cluster.jobs[job].partition, cluster.jobs[job].queue);
        if !waiting.contains(&at) && is_pending() {
            waiting.insert(at);
        }
    }
    let n_left_out = u32::try_from(waiting.len().saturating_sub(LEAVES_MAX)).unwrap_or(u32::MAX);
    let mut pools: Vec<(PartitionId, Vec<OrderLevel>)> = Vec::new();
    for (pool, leaf) in waiting.into_iter().take(LEAVES_MAX) {
        if pools.last().is_none_or(|last| last.0 != pool) {
            pools.push((pool, Vec::new()));
        }
        let Some((_, levels)) = pools.last_mut() else { continue };
        for level in sim.order_in(pool, leaf, None) {
            // Paths to other leaves share their first levels.
            if !level.places.is_empty() && levels.iter().all(|known| known.of != level.of) {
                levels.push(without_subject(level));
            }
        }
    }
    Serving { cycle: sim.cycle(), pools, n_left_out }
}

/// Clears the subject of the query in a level.
fn without_subject(mut level: OrderLevel) -> OrderLevel {
    level.subject_is_absent = false;
    level.places.iter_mut().for_each(|place| place.is_subject = false);
    level
}

/// Fills in the priorities of the queues in a pool.
pub fn put_priorities(sim: &Simulation, pool: PartitionId, rows: &mut [QueueRow]) {
    for priority in sim.priorities_in(pool) {
        if let Some(row) = rows.get_mut(priority.queue.index()) {
            let crate::trace::QueuePriority { raw, offset, is_fence: fence, effective, .. } = priority;
            row.priority = Some(PriorityRow { raw, offset, fence, effective });
        }
    }
}
