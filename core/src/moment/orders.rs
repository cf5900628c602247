//! The part of the protocol that is about who is looked at before whom, and its conversion from the engine's types.

use crate::cluster::Cluster;
use crate::id::{Id, JobId, PartitionId, QueueId};
use crate::sim::Simulation;
use crate::trace::{OrderLevel, OrderPlace};
use serde::{Deserialize, Serialize};

use super::decisions;
use super::{CheckRow, QueueRow, ValueRow};

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

/// One level of the order in which queues and jobs are looked at next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderRow {
    /// Name of the queue whose children or jobs these are; empty: the root.
    pub of: String,
    /// How many are in the order.
    pub n: u32,
    /// Some of them, in order.
    pub places: Vec<PlaceRow>,
    /// The selected one wants nothing, so it has no place.
    pub absent: bool,
}

/// A queue or a job in an order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaceRow {
    /// From 1.
    pub position: u32,
    /// Its name.
    pub name: String,
    /// It is a job.
    pub is_job: bool,
    /// It can be selected.
    pub known: bool,
    /// It, or something below it, is selected.
    pub own: bool,
    /// Its own numbers: kebab-case quantities and values, in the order in which they count.
    pub keys: Vec<(String, ValueRow)>,
    /// How it compares with the one before it; the last decided.
    pub behind: Vec<CheckRow>,
}

/// The order around a queue or a job as it will be looked at next, from the root down.
pub fn orders(sim: &Simulation, queue: &str, job: Option<&str>) -> Vec<OrderRow> {
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
    let levels = pools.into_iter().flat_map(|pool| sim.order_in(pool, queue, job));
    levels.map(|level| row(cluster, level)).collect()
}

fn row(cluster: &Cluster, level: OrderLevel) -> OrderRow {
    let name = |queue: QueueId| cluster.queues[queue].name.to_string();
    let place = |place: OrderPlace| PlaceRow {
        position: place.position,
        known: place.queue.is_some() || place.job.is_some(),
        is_job: place.job.is_some(),
        // The policy's own name may be another one than the scenario's.
        name: place.queue.map_or(place.name, name),
        own: place.is_subject,
        keys: place.keys.iter().map(decisions::term).collect(),
        behind: place.behind.iter().map(|check| decisions::check(cluster, check)).collect(),
    };
    OrderRow {
        of: level.of.map(name).unwrap_or_default(),
        n: level.n,
        places: level.places.into_iter().map(place).collect(),
        absent: level.subject_is_absent,
    }
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
