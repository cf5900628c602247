//! Over-commitment: the capacity of nodes times the over-commit ratio of the policy of their pool.

use std::sync::Arc;

use super::super::NODE_GPUS_MAX;
use super::super::plan::{PlanChange, Planned};
use super::nodes::Nodes;
use super::pools::Pools;
use crate::format::{Findings, Path, Scenario, codes, quoted};
use crate::id::{Id, PartitionId};
use crate::policy::{Policy, Rhythm};
use crate::units::{Amount, Resource, ResourceVec, Weight};

/// Applies the over-commit ratios to the nodes at the start and to changes of capacity in the timeline.
pub fn apply(
    scenario: &Scenario,
    (charges, pools): (&[(Policy, Rhythm)], &Pools),
    nodes: &mut Nodes,
    timeline: &mut [Planned],
    f: &mut Findings,
) {
    let mut too_many = None;
    let mut offer = |pool: PartitionId, name: &Arc<str>, amounts: &mut ResourceVec| {
        let offered = offered(&charges[pool.index()].0, amounts);
        if offered.get(Resource::GPU) > Amount::gpus(NODE_GPUS_MAX) {
            too_many.get_or_insert((pool, name.clone()));
        } else {
            *amounts = offered;
        }
    };
    for node in nodes.all.values_mut().chain(nodes.kinds.iter_mut().map(|(node, _)| node)) {
        offer(node.partition, &node.name, &mut node.capacity);
    }
    for planned in timeline {
        let PlanChange::Node { node, capacity: Some(capacity), .. } = &mut planned.change else { continue };
        let node = &nodes.all[*node];
        offer(node.partition, &node.name, &mut capacity.amounts);
    }
    if let Some((pool, name)) = too_many {
        let ratio = charges[pool.index()].0.over_commit(Resource::GPU).as_real();
        let message = format!(
            "with an over-commit ratio of {ratio} the [node] {} offers more than {NODE_GPUS_MAX} GPUs, the most that is simulated; lower \
             the ratio or the GPUs of the [node]",
            quoted(&name)
        );
        f.add(codes::LARGE, settings_of(scenario, pools, pool), message, None);
    }
}

/// The path of a pool's settings.
fn settings_of(scenario: &Scenario, pools: &Pools, pool: PartitionId) -> Path {
    let has_own = scenario.pools.get(pool.index()).is_some_and(|pool| !pool.settings.is_empty());
    let owner =
        if has_own { Path::default().field("pools").named(&pools.names[pool.index()]) } else { Path::default() };
    owner.field("settings")
}

fn offered(policy: &Policy, capacity: &ResourceVec) -> ResourceVec {
    let mut offered = *capacity;
    for resource in Resource::ACCOUNTED.into_iter().filter(|&resource| capacity.has(resource)) {
        let ratio = policy.over_commit(resource);
        if ratio == Weight::ONE {
            continue;
        }
        let product = i128::from(capacity.get(resource).in_base_units()) * i128::from(ratio.in_millionths());
        // Nodes have whole GPUs.
        let step = if resource == Resource::GPU { 1000 } else { 1 };
        let base = product / 1_000_000 / step * step;
        offered.set(resource, Amount::base_units(i64::try_from(base).unwrap_or(i64::MAX)));
    }
    offered
}
