//! The order of queues and jobs in the next pass, as serialisable data.

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
    let subject = match job {
        Some(name) => {
            let mut jobs = cluster.live_jobs.iter().copied();
            let subject = jobs.find(|&id: &JobId| *cluster.jobs[id].name == *name);
            subject.map(|id| (cluster.jobs[id].queue, Some(id)))
        }
        None => cluster.queues.iter().find(|(_, q)| *q.name == *queue).map(|(id, _)| (id, None)),
    };
    let Some((queue, job)) = subject else { return Vec::new() };
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

/// Fills in the priorities of the queues in a pool.
pub fn put_priorities(sim: &Simulation, pool: PartitionId, rows: &mut [QueueRow]) {
    for priority in sim.priorities_in(pool) {
        if let Some(row) = rows.get_mut(priority.queue.index()) {
            let crate::trace::QueuePriority { raw, offset, is_fence: fence, effective, .. } = priority;
            row.priority = Some(PriorityRow { raw, offset, fence, effective });
        }
    }
}
