//! The ledger: allocation and request per queue, and the fair share that filling would give with divisible pods.
//!
//! # Rule
//! From the root down, the share of a queue is divided among its children. The demand of a child is what the leaves of its
//! subtree hold and request, capped by the limit of each queue on the path. Quotas do not enter.
//!
//! # Source
//! the division of each policy
//!
//! # Differs
//! nothing

use super::cycle_state::{total, weights};
use super::measure::{Child, Measure, Triple};
use crate::cluster::{Phase, Preemptible, request_of};
use crate::id::{Arena, QueueId};
use crate::policy::PartitionView;
use crate::trace::{DivisionStep, Ledger, LedgerRow};
use crate::units::{Amount, Bound, PerResource, Resource};

/// Converts base units to policy units.
fn real(amounts: &Triple) -> [f64; 3] {
    Resource::ACCOUNTED.map(|r| Amount::base_units(amounts[r.index()]).in_policy_units(r))
}

fn per_resource(values: [f64; 3]) -> PerResource<f64> {
    PerResource { cpu: values[0], memory: values[1], gpu: values[2] }
}

fn resolve(bound: Bound, r: Resource, unset: f64) -> f64 {
    match bound {
        Bound::Unset => unset,
        Bound::Unlimited => f64::INFINITY,
        Bound::At(amount) => amount.in_policy_units(r),
    }
}

/// Demand and fair share of every queue, in policy units.
struct Division {
    total: [f64; 3],
    tops: Vec<QueueId>,
    children: Arena<QueueId, Child>,
    shares: Arena<QueueId, [f64; 3]>,
}

impl Division {
    fn of(measure: &Measure, world: PartitionView<'_>, asked: &Arena<QueueId, Triple>) -> Division {
        let cluster = world.cluster;
        let wanted = wanted(world, asked);
        let child = |queue: QueueId| Child { weight: weights(&world.queues()[queue]), wanted: wanted[queue] };
        let mut division = Division {
            total: real(&total(world)),
            tops: cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect(),
            children: cluster.queues.ids().map(child).collect(),
            shares: cluster.queues.ids().map(|_| [0.0; 3]).collect(),
        };
        let mut levels = vec![(division.total, division.tops.clone())];
        while let Some((has, queues)) = levels.pop() {
            let members: Vec<Child> = queues.iter().map(|&q| division.children[q]).collect();
            let parts = (measure.divide)(has, &members, division.total);
            for (queue, part) in queues.into_iter().zip(parts) {
                division.shares[queue] = part;
                levels.push((part, cluster.queues[queue].children.clone()));
            }
        }
        division
    }
}

/// Demand of every queue, capped by its limit: allocation plus pending requests for a leaf, the sum of the children otherwise.
fn wanted(world: PartitionView<'_>, asked: &Arena<QueueId, Triple>) -> Arena<QueueId, [f64; 3]> {
    let cluster = world.cluster;
    let mut wanted: Arena<QueueId, [f64; 3]> = cluster.queues.ids().map(|_| [0.0; 3]).collect();
    let mut order: Vec<QueueId> = Vec::new();
    let mut next: Vec<QueueId> =
        cluster.queues.ids().filter(|&q| cluster.queues[q].parent.is_none()).collect();
    while let Some(queue) = next.pop() {
        order.push(queue);
        next.extend(&cluster.queues[queue].children);
    }
    // Parents precede their children in `order`.
    for &queue in order.iter().rev() {
        let q = &world.queues()[queue];
        let mut sum = if q.children.is_empty() { real(&asked[queue]) } else { [0.0; 3] };
        for r in Resource::ACCOUNTED {
            sum[r.index()] += q.children.iter().map(|&child| wanted[child][r.index()]).sum::<f64>();
            sum[r.index()] = sum[r.index()].min(resolve(q.resources.get(r).limit, r, f64::INFINITY));
        }
        wanted[queue] = sum;
    }
    wanted
}

/// Sums per queue, descendants included: allocated; allocated to non-preemptible jobs; allocated or pending.
fn sums(world: PartitionView<'_>) -> [Arena<QueueId, Triple>; 3] {
    let cluster = world.cluster;
    let zero = || cluster.queues.ids().map(|_| [0; 3]).collect::<Arena<QueueId, Triple>>();
    let mut sums = [zero(), zero(), zero()];
    for job in world.live_jobs() {
        let j = &cluster.jobs[job];
        for (_, pod) in cluster.pods_of(job) {
            let holds = matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
            let counts =
                [holds, holds && j.preemptible == Preemptible::No, holds || pod.phase == Phase::Pending];
            let ask = request_of(&pod.request);
            for queue in cluster.path_to_root(j.queue) {
                for (sum, _) in sums.iter_mut().zip(counts).filter(|(_, counts)| *counts) {
                    // Only CPU, memory and GPUs are divided, not named resources.
                    for (sum, ask) in sum[queue].iter_mut().zip(ask) {
                        *sum += ask;
                    }
                }
            }
        }
    }
    sums
}

/// The ledger of a policy with progressive filling.
pub fn ledger(measure: &Measure, world: PartitionView<'_>) -> Ledger {
    let [held, fixed, asked] = sums(world);
    let division = Division::of(measure, world, &asked);
    let row = |queue: QueueId| {
        let q = &world.queues()[queue];
        let of = |bound: fn(crate::cluster::QueueResource) -> Bound, unset: f64| {
            per_resource(Resource::ACCOUNTED.map(|r| resolve(bound(q.resources.get(r)), r, unset)))
        };
        LedgerRow {
            queue,
            allocated: per_resource(real(&held[queue])),
            non_preemptible: per_resource(real(&fixed[queue])),
            request: per_resource(real(&asked[queue])),
            fair_share: Some(per_resource(division.shares[queue])),
            quota: of(|values| values.quota, 0.0),
            limit: of(|values| values.limit, f64::INFINITY),
            usage: None,
        }
    };
    Ledger { rows: world.cluster.queues.ids().map(row).collect(), total: per_resource(division.total) }
}

/// One level of the division, in policy units.
pub struct DivisionLevel<'a> {
    /// Amounts to divide.
    pub has: [f64; 3],
    /// Capacity of the cluster.
    pub total: [f64; 3],
    /// Queues among which the level is divided.
    pub children: &'a [(QueueId, Child)],
}

/// Appends the steps of the division of a level for one resource; the result equals that of [`Measure::divide`].
pub type Steps = fn(&DivisionLevel<'_>, Resource, &mut Vec<DivisionStep>);

/// Derivation of the fair share of a queue, level by level from the root.
pub fn derive(
    measure: &Measure,
    world: PartitionView<'_>,
    queue: QueueId,
    resource: Resource,
    steps_of_level: Steps,
) -> Vec<DivisionStep> {
    let [_, _, asked] = sums(world);
    let division = Division::of(measure, world, &asked);
    let mut path: Vec<QueueId> = world.cluster.path_to_root(queue).collect();
    path.reverse();
    let mut steps = Vec::new();
    let (mut of, mut has, mut members) = (None, division.total, &division.tops);
    for on_path in path {
        steps.push(DivisionStep::Capacity { of, amount: has[resource.index()] });
        let named: Vec<(QueueId, Child)> = members.iter().map(|&q| (q, division.children[q])).collect();
        let level = DivisionLevel { has, total: division.total, children: &named };
        steps_of_level(&level, resource, &mut steps);
        has = division.shares[on_path];
        steps.push(DivisionStep::Result { queue: on_path, fair_share: has[resource.index()] });
        (of, members) = (Some(on_path), &world.queues()[on_path].children);
    }
    steps
}
