//! Derivations of fair shares.

use crate::cluster::Cluster;
use crate::sim::Simulation;
use crate::trace::{DivisionStep, Rule};
use crate::units::Resource;

use super::orders::pools_with_work;
use super::{AlternativeShare, LadderLevel, LadderLine, LineKind};

/// The levels in the derivation of a queue's present fair share, from the root down.
pub fn levels(sim: &Simulation, queue: &str, resource: Resource) -> Vec<LadderLevel> {
    let cluster = sim.cluster();
    let found = cluster.queues.iter().find(|(_, q)| &*q.name == queue);
    let Some((id, _)) = found.filter(|_| resource.is_accounted()) else { return Vec::new() };
    let is_one = cluster.partitions.ids().count() == 1;
    pools_with_work(sim, id)
        .into_iter()
        .flat_map(|pool| {
            let mut levels = ladder(cluster, &sim.derive_in(pool, id, resource));
            if !is_one {
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
        let line = match step {
            DivisionStep::Capacity { of, amount } => {
                let of = of.map(name).unwrap_or_default();
                levels.push(LadderLevel { of, capacity: *amount, ..LadderLevel::default() });
                continue;
            }
            DivisionStep::Result { queue, fair_share } => {
                if let Some(level) = levels.last_mut() {
                    level.queue = name(*queue);
                    level.fair_share = *fair_share;
                }
                continue;
            }
            DivisionStep::AlternativeShare { rule, fair_share, .. } => {
                if let Some(level) = levels.last_mut() {
                    level.alternatives.push(AlternativeShare { rule: *rule, fair_share: *fair_share });
                }
                continue;
            }
            DivisionStep::Quota { rule, queue, quota, requestable, granted, remaining } => LadderLine {
                kind: LineKind::Quota,
                pot: *quota,
                weight: *requestable,
                given: *granted,
                remaining: *remaining,
                ..line(*rule, name(*queue))
            },
            DivisionStep::Round { rule, priority, round, queue, pot, weight, past, part, offer, wanted, given } => {
                LadderLine {
                    kind: LineKind::Round,
                    priority: *priority,
                    round: *round,
                    pot: *pot,
                    weight: *weight,
                    past: *past,
                    part: *part,
                    offer: *offer,
                    wanted: *wanted,
                    given: *given,
                    ..line(*rule, name(*queue))
                }
            }
            DivisionStep::Rise { rule, queue, .. } => rise(step, line(*rule, name(*queue))),
            DivisionStep::Remainder { rule, queue, fraction, given } => {
                LadderLine { kind: LineKind::Remainder, offer: *fraction, given: *given, ..line(*rule, name(*queue)) }
            }
        };
        if let Some(level) = levels.last_mut() {
            level.lines.push(line);
        }
    }
    levels
}

/// A round in which dominant shares rise.
fn rise(step: &DivisionStep, line: LadderLine) -> LadderLine {
    let DivisionStep::Rise { round, shares, dominant, weight, wanted, given, end, .. } = step else {
        return line;
    };
    LadderLine {
        kind: if shares.is_some() { LineKind::Rise } else { LineKind::Rest },
        round: *round,
        weight: *weight,
        part: shares.unwrap_or_default(),
        wanted: *wanted,
        given: *given,
        dominant: Some(*dominant),
        end: Some(*end),
        ..line
    }
}

fn line(rule: Rule, queue: String) -> LadderLine {
    LadderLine { rule, queue, ..LadderLine::default() }
}
