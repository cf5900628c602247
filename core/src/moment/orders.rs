//! The part of the protocol that is about who is looked at before whom.

use crate::id::{Id, JobId, PartitionId};
use crate::sim::Simulation;
use crate::trace::OrderLevel;
use serde::{Deserialize, Serialize};

use super::QueueRow;

/// What a queue shows its siblings, under a policy whose queues have such a priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorityRow {
    /// The largest that comes up from below; `None`: nothing is outstanding.
    pub raw: Option<i32>,
    /// What the queue adds.
    pub offset: i32,
    /// It shows its offset alone.
    pub fence: bool,
    /// What the parent sees; `None`: nothing is outstanding.
    pub effective: Option<i32>,
}

/// The order around a queue or a job as it will be looked at next, from the root down.
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
    let has_work = |pool: &PartitionId| {
        let ledgers = sim.ledgers();
        ledgers
            .get(pool.index())
            .is_none_or(|ledger| ledger.rows[queue.index()].request != Default::default())
    };
    let pools: Vec<PartitionId> = match job {
        Some(job) => vec![cluster.jobs[job].partition],
        None => cluster.partitions.ids().filter(has_work).collect(),
    };
    pools.into_iter().flat_map(|pool| sim.order_in(pool, queue, job)).collect()
}

/// Writes down what each queue of a pool shows its siblings.
pub fn put_priorities(sim: &Simulation, pool: PartitionId, rows: &mut [QueueRow]) {
    for priority in sim.priorities_in(pool) {
        if let Some(row) = rows.get_mut(priority.queue.index()) {
            let crate::trace::QueuePriority { raw, offset, is_fence: fence, effective, .. } = priority;
            row.priority = Some(PriorityRow { raw, offset, fence, effective });
        }
    }
}
