//! How a fair share came about.

use crate::id::Id;
use crate::sim::Simulation;
use crate::units::Resource;

use super::LadderLevel;
use super::decisions;

/// The levels of a queue's ladder at the present cycle, from the root down.
pub fn levels(sim: &Simulation, queue: &str, resource: u8) -> Vec<LadderLevel> {
    let cluster = sim.cluster();
    let found = cluster.queues.iter().find(|(_, q)| &*q.name == queue);
    let Some((id, _)) = found.filter(|_| resource < 3) else { return Vec::new() };
    // Of several pools those in which the queue has work, one after the other.
    let ledgers = sim.ledgers();
    let has_work = |at: usize| {
        ledgers.get(at).is_none_or(|ledger| ledger.rows[id.index()].request != Default::default())
    };
    let pools = cluster.partitions.ids().filter(|pool| has_work(pool.index()));
    let is_one = cluster.partitions.ids().count() == 1;
    pools
        .flat_map(|pool| {
            let mut levels = decisions::ladder(cluster, &sim.derive_in(pool, id, Resource(resource)));
            if !is_one {
                let name = &cluster.partitions[pool].name;
                levels.iter_mut().for_each(|level| level.pool = name.to_string());
            }
            levels
        })
        .collect()
}
