//! Conversion of departments and projects to queues of the engine.
//!
//! # Rule
//! A top-level queue with children is a department, a queue below it a project. An absent quota is 0 for GPUs and
//! unlimited for CPU and memory, an absent limit unlimited; queues without rank are equal. Weight and limit come from
//! [`super::terms`]. In a tree of one level all queues are projects of one department that has the whole pool.
//!
//! # Source
//! runai.md 2, 4.2, 9
//!
//! # Differs
//! In KAI, a queue without quota, weight and limit cannot run anything.

use super::config::Sharing;
use super::exact::Exact;
use super::terms::OverQuota;
use crate::cluster::Queue;
use crate::policy::PartitionView;
use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::queues::{QueueSpec, snapshot_queues};
use crate::units::{Amount, Bound, Resource};

/// Queues of the engine, in the order of the cluster.
pub(super) fn queues(world: PartitionView<'_>, sharing: &Sharing) -> Vec<QueueSpec> {
    let of_world = world.queues().values();
    let mut queues = snapshot_queues(world);
    for (queue, world_queue) in queues.iter_mut().zip(of_world) {
        let [cpu, memory, gpu] = Resource::ACCOUNTED.map(|r| Terms::of(world_queue, r, sharing));
        let quantities =
            |value: fn(&Terms) -> f64| Quantities { cpu: value(&cpu), memory: value(&memory), gpu: value(&gpu) };
        queue.quota = quantities(|t| as_bound(t.quota));
        queue.limit = quantities(|t| as_bound(t.limit));
        queue.weight = quantities(|t| t.weight.as_real());
    }
    queues
}

/// A quota or limit as the engine reads it; `None` is no bound.
pub(super) fn as_bound(bound: Option<Exact>) -> f64 {
    bound.map_or(UNLIMITED, Exact::as_real)
}

/// Terms of a queue for one resource.
pub(super) struct Terms {
    pub quota: Option<Exact>,
    pub limit: Option<Exact>,
    pub weight: Exact,
    /// Whether it may exceed its quota.
    pub over_quota: bool,
}

impl Terms {
    pub fn of(queue: &Queue, r: Resource, sharing: &Sharing) -> Terms {
        let is_department = queue.parent.is_none() && !queue.children.is_empty();
        let by_quota = if is_department { !sharing.departments_by_weight } else { sharing.projects_by_quota };
        let own_weight = sharing.over_quota.get(&queue.name).copied();
        let bounds = queue.resources.get(r);
        let quota = match bounds.quota {
            Bound::Unset if r == Resource::GPU => Some(Exact::ZERO),
            Bound::Unset | Bound::Unlimited => None,
            Bound::At(amount) => Some(exact(amount, r)),
        };
        let limit = match bounds.limit {
            Bound::Unset | Bound::Unlimited => None,
            Bound::At(amount) => Some(exact(amount, r)),
        };
        let typed = bounds.weight.map(|w| OverQuota::millionths(w.in_millionths()));
        let over_quota = own_weight.or(typed).unwrap_or_default();
        Terms {
            quota,
            limit: over_quota.limit(quota, limit),
            weight: over_quota.weight(by_quota, quota),
            over_quota: over_quota != OverQuota::Off,
        }
    }
}

/// Converts to units of the engine: devices, millicores, bytes.
fn exact(amount: Amount, r: Resource) -> Exact {
    let per_unit = if r == Resource::GPU { 1000 } else { 1 };
    Exact::new(i128::from(amount.in_base_units()), per_unit).unwrap_or(Exact::ZERO)
}
