//! Columns of the ledger that the world determines, common to several policies.

use super::PartitionView;
use crate::cluster::{QueueSums, Sums};
use crate::id::QueueId;
use crate::trace::{Ledger, LedgerRow};
use crate::units::{Amount, Bound, PerResource, Resource};

/// Converts base units to policy units.
pub(super) fn in_policy_units(sums: &Sums) -> PerResource<f64> {
    PerResource::of(|r| Amount::base_units(sums[r.index()]).in_policy_units(r))
}

/// A bound in policy units; an absent one is `unset`.
pub(super) fn resolve(bound: Bound, r: Resource, unset: f64) -> f64 {
    match bound {
        Bound::Unset => unset,
        Bound::Unlimited => f64::INFINITY,
        Bound::At(amount) => amount.in_policy_units(r),
    }
}

/// Rows with allocated, non-preemptible and requested amounts only.
pub(super) fn rows(world: PartitionView<'_>) -> Vec<LedgerRow> {
    let row = |(queue, sums): (QueueId, &QueueSums)| LedgerRow {
        allocated: in_policy_units(&sums.allocated),
        non_preemptible: in_policy_units(&sums.non_preemptible),
        request: in_policy_units(&sums.requested()),
        ..LedgerRow::empty(queue)
    };
    world.sums.iter().map(row).collect()
}

/// The same rows with quotas and limits, an absent quota as 0 and an absent limit as unlimited, and the capacity.
pub(super) fn bounded(world: PartitionView<'_>) -> Ledger {
    let mut rows = rows(world);
    for (row, queue) in rows.iter_mut().zip(world.queues().values()) {
        row.quota = PerResource::of(|r| resolve(queue.resources.get(r).quota, r, 0.0));
        row.limit = PerResource::of(|r| resolve(queue.resources.get(r).limit, r, f64::INFINITY));
    }
    Ledger { rows, total: in_policy_units(&world.capacity()) }
}
