//! The ledger: allocation and request per queue, and the fair share that filling would give with divisible pods.
//!
//! # Rule
//! From the root down, the share of a queue is divided among its children. The demand of a child is what the leaves of
//! its subtree hold and request, capped by the limit of each queue on the path. Quotas do not enter.
//!
//! # Source
//! the division of each policy
//!
//! # Differs
//! nothing

use super::cycle_state::weights;
use super::measure::{Child, DivisionLevel, Measure};
use crate::cluster::Sums;
use crate::id::{Arena, QueueId};
use crate::policy::PartitionView;
use crate::policy::ledger::{bounded, resolve};
use crate::trace::{DivisionStep, Ledger};
use crate::units::{Amount, PerResource, Resource};

/// Converts base units to policy units.
fn real(amounts: &Sums) -> [f64; 3] {
    Resource::ACCOUNTED.map(|r| Amount::base_units(amounts[r.index()]).in_policy_units(r))
}

/// Demand and fair share of every queue, in policy units.
struct Division {
    total: [f64; 3],
    tops: Vec<QueueId>,
    children: Arena<QueueId, Child>,
    shares: Arena<QueueId, [f64; 3]>,
}

impl Division {
    fn of(measure: &Measure, world: PartitionView<'_>) -> Division {
        let cluster = world.cluster;
        let demands = wanted(world);
        let child = |queue: QueueId| Child { weight: weights(&world.queues()[queue]), wanted: demands[queue] };
        let mut division = Division {
            total: real(&world.capacity()),
            tops: cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect(),
            children: cluster.queues.ids().map(child).collect(),
            shares: cluster.queues.ids().map(|_| [0.0; 3]).collect(),
        };
        let mut levels = vec![(division.total, division.tops.clone())];
        while let Some((amount, queues)) = levels.pop() {
            let members: Vec<Child> = queues.iter().map(|&q| division.children[q]).collect();
            let parts = (measure.divide)(amount, &members, division.total);
            for (queue, part) in queues.into_iter().zip(parts) {
                division.shares[queue] = part;
                levels.push((part, cluster.queues[queue].children.clone()));
            }
        }
        division
    }
}

/// Demand of every queue, capped by its limit: allocation plus pending requests for a leaf, the sum of the children
/// otherwise.
fn wanted(world: PartitionView<'_>) -> Arena<QueueId, [f64; 3]> {
    let cluster = world.cluster;
    let mut demands: Arena<QueueId, [f64; 3]> = cluster.queues.ids().map(|_| [0.0; 3]).collect();
    let mut order: Vec<QueueId> = Vec::new();
    let mut next: Vec<QueueId> = cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect();
    while let Some(queue) = next.pop() {
        order.push(queue);
        next.extend(&cluster.queues[queue].children);
    }
    // Parents precede their children in `order`.
    for &queue in order.iter().rev() {
        let q = &world.queues()[queue];
        let mut sum = if q.children.is_empty() { real(&world.sums[queue].requested()) } else { [0.0; 3] };
        for r in Resource::ACCOUNTED {
            sum[r.index()] += q.children.iter().map(|&child| demands[child][r.index()]).sum::<f64>();
            sum[r.index()] = sum[r.index()].min(resolve(q.resources.get(r).limit, r, f64::INFINITY));
        }
        demands[queue] = sum;
    }
    demands
}

/// The ledger of a policy with progressive filling.
pub fn ledger(measure: &Measure, world: PartitionView<'_>) -> Ledger {
    let mut ledger = bounded(world);
    for (row, share) in ledger.rows.iter_mut().zip(Division::of(measure, world).shares.values()) {
        row.fair_share = Some(PerResource::of(|r| share[r.index()]));
    }
    ledger
}

/// Derivation of the fair share of a queue, level by level from the root.
pub fn derive(measure: &Measure, world: PartitionView<'_>, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
    let division = Division::of(measure, world);
    let mut path: Vec<QueueId> = world.cluster.path_to_root(queue).collect();
    path.reverse();
    let mut steps = Vec::new();
    let (mut parent, mut amount, mut members) = (None, division.total, &division.tops);
    for on_path in path {
        steps.push(DivisionStep::Capacity { of: parent, amount: amount[resource.index()] });
        let named: Vec<(QueueId, Child)> = members.iter().map(|&q| (q, division.children[q])).collect();
        let level = DivisionLevel { has: amount, total: division.total, children: &named };
        (measure.steps)(&level, resource, &mut steps);
        amount = division.shares[on_path];
        steps.push(DivisionStep::Result { queue: on_path, fair_share: amount[resource.index()] });
        (parent, members) = (Some(on_path), &world.queues()[on_path].children);
    }
    steps
}
