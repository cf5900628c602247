//! Derivations of fair shares.

use crate::cluster::Cluster;
use crate::sim::Simulation;
use crate::trace::{DivisionRound, DivisionStep};
use crate::units::Resource;

use super::orders::pools_with_work;
use super::{AlternativeShare, LadderLevel, LadderLine};

/// The levels in the derivation of a queue's present fair share, from the root down.
pub fn levels(sim: &Simulation, queue: &str, resource: Resource) -> Vec<LadderLevel> {
    let cluster = sim.cluster();
    let queue = cluster.queues.iter().find(|(_, q)| &*q.name == queue);
    let Some((id, _)) = queue.filter(|_| resource.is_accounted()) else { return Vec::new() };
    let has_one_pool = cluster.partitions.ids().count() == 1;
    pools_with_work(sim, id)
        .into_iter()
        .flat_map(|pool| {
            let mut levels = ladder(cluster, &sim.derive_in(pool, id, resource));
            if !has_one_pool {
                let name = &cluster.partitions[pool].name;
                levels.iter_mut().for_each(|level| level.pool = name.to_string());
            }
            levels
        })
        .collect()
}

/// Groups the steps of a division into levels.
pub fn ladder(cluster: &Cluster, steps: &[DivisionStep]) -> Vec<LadderLevel> {
    let name = |id| cluster.queues[id].name.to_string();
    let mut levels: Vec<LadderLevel> = Vec::new();
    for step in steps {
        if let DivisionStep::Capacity { of: parent, amount } = step {
            let parent = parent.map(name).unwrap_or_default();
            levels.push(LadderLevel { of: parent, capacity: *amount, ..LadderLevel::default() });
            continue;
        }
        let Some(level) = levels.last_mut() else { continue };
        match step {
            DivisionStep::Capacity { .. } => {}
            DivisionStep::Result { queue, fair_share } => {
                (level.queue, level.fair_share) = (name(*queue), *fair_share);
            }
            DivisionStep::AlternativeShare { rule, fair_share, .. } => {
                level.alternatives.push(AlternativeShare { rule: *rule, fair_share: *fair_share });
            }
            DivisionStep::Quota { queue, .. }
            | DivisionStep::Round(DivisionRound { queue, .. })
            | DivisionStep::Rise { queue, .. }
            | DivisionStep::Remainder { queue, .. } => {
                level.lines.push(LadderLine { queue: name(*queue), step: *step });
            }
        }
    }
    levels
}
