//! Integrals over time for each resource, exact: base units × milliseconds.
//!
//! # Rule
//! Nothing changes between two instants, so every integral grows by its present value times the elapsed time. A queue
//! is *owed* `max(0, min(entitlement, allocated + waiting) − allocated)` and *borrows* `max(0, allocated − quota)`;
//! both use the latest ledger, with the quota in place of the entitlement under a policy without entitlements. With
//! several partitions both are computed per partition and added up: a queue may be owed in one what it borrows in
//! another, and both count. A queue is *due* `max(0, min(entitlement, allocated + waiting))`, and *short* while it is
//! owed something in any partition. *Idle while wanted* is `min(free, waiting)` of the whole cluster, where free is the
//! unallocated capacity of ready nodes. Entitlements are rounded to base units. Named resources have neither
//! entitlement nor quota, so nothing of them is owed or borrowed.

use crate::cluster::{ClusterState, QueueSums, Sums};
use crate::id::{Arena, PartitionId, QueueId};
use crate::time::Time;
use crate::trace::LedgerRow;
use crate::units::{RESOURCES_MAX, Resource};

/// The integrals of one resource for one queue and its descendants: base units × milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integrals {
    /// Held by starting, running and terminating pods.
    pub used: i128,
    /// Below the entitlement while more is requested.
    pub owed: i128,
    /// Above the quota.
    pub borrowed: i128,
    /// The entitlement, or the whole request if that is less.
    pub due: i128,
    /// Time during which something was owed, in milliseconds.
    pub short_ms: i128,
}

/// The integrals of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meter {
    /// End of the integrated interval.
    until: Time,
    /// Number of resources.
    n_resources: usize,
    queues: Arena<QueueId, PerResource>,
    /// The integrals of each partition; empty if there is only one.
    pools: Arena<PartitionId, Arena<QueueId, PerResource>>,
    /// Capacity of ready nodes.
    capacity: [i128; RESOURCES_MAX],
    capacity_now: Sums,
    /// Free capacity that pending pods requested.
    idle_wanted: [i128; RESOURCES_MAX],
    /// Entitlement and quota of each queue in each partition.
    claims: Arena<PartitionId, Arena<QueueId, [(i64, i64); 3]>>,
}

type PerResource = [Integrals; RESOURCES_MAX];

impl Integrals {
    /// Integrals of one resource over `ms` milliseconds.
    fn over(ms: i128, sums: &QueueSums, r: usize, (entitlement, quota): (i64, i64)) -> Integrals {
        let allocated = sums.allocated[r];
        let due = entitlement.min(allocated + sums.waiting[r]).max(0);
        let owed = due - allocated;
        Integrals {
            used: i128::from(allocated + sums.leaving[r]) * ms,
            owed: i128::from(owed.max(0)) * ms,
            borrowed: i128::from(allocated.saturating_sub(quota).max(0)) * ms,
            due: i128::from(due) * ms,
            short_ms: if owed > 0 { ms } else { 0 },
        }
    }

    pub(super) fn grow(&mut self, part: &Integrals) {
        self.used += part.used;
        self.owed += part.owed;
        self.borrowed += part.borrowed;
        self.due += part.due;
        self.short_ms += part.short_ms;
    }
}

impl Meter {
    /// Creates the integrals at the start of the scenario, all zero.
    pub fn new(world: &ClusterState) -> Meter {
        let (queues, partitions) = (&world.cluster().queues, &world.cluster().partitions);
        let zeros = || queues.ids().map(|_| Default::default()).collect();
        let several = partitions.ids().filter(|_| partitions.len() > 1);
        let mut meter = Meter {
            n_resources: Resource::ACCOUNTED.len() + world.cluster().named.len(),
            queues: zeros(),
            pools: several.map(|_| zeros()).collect(),
            claims: partitions.ids().map(|_| queues.ids().map(|_| Default::default()).collect()).collect(),
            ..Meter::default()
        };
        meter.nodes_changed(world);
        meter
    }

    /// Integrates up to an instant; the world must not contain changes of that instant yet.
    pub fn move_to(&mut self, now: Time, world: &ClusterState) {
        let ms = (now - self.until).as_millis();
        if ms <= 0 {
            return;
        }
        self.until = now;
        let ms = i128::from(ms);
        for r in 0..self.n_resources {
            self.capacity[r] += i128::from(self.capacity_now[r]) * ms;
            self.idle_wanted[r] += i128::from(self.idle_wanted_now(world, r)) * ms;
        }
        for queue in self.queues.ids() {
            for r in 0..self.n_resources {
                let mut sum = Integrals::default();
                for (partition, claims) in self.claims.iter() {
                    let claim = claims[queue].get(r).copied().unwrap_or((0, i64::MAX));
                    let part = Integrals::over(ms, world.queue_sums_in(partition, queue), r, claim);
                    if let Some(pool) = self.pools.get_mut(partition) {
                        pool[queue][r].grow(&part);
                    }
                    sum.grow(&part);
                }
                // Time in which the queue is owed something in two partitions counts once.
                sum.short_ms = sum.short_ms.min(ms);
                self.queues[queue][r].grow(&sum);
            }
        }
    }

    fn idle_wanted_now(&self, world: &ClusterState, r: usize) -> i64 {
        let (mut used, mut waiting) = (0, 0);
        for (id, queue) in world.cluster().queues.iter() {
            if queue.parent.is_none() {
                let sums = world.queue_sums(id);
                used += sums.allocated[r] + sums.leaving[r];
                waiting += sums.waiting[r];
            }
        }
        (self.capacity_now[r] - used).min(waiting).max(0)
    }

    /// Updates the present capacity after nodes changed.
    pub fn nodes_changed(&mut self, world: &ClusterState) {
        self.capacity_now = Sums::default();
        for node in world.cluster().nodes.values().filter(|node| node.ready) {
            let capacity = node.capacity.in_base_units();
            self.capacity_now.iter_mut().zip(capacity).for_each(|(sum, capacity)| *sum += capacity);
        }
    }

    /// Updates entitlement and quota of a queue in a partition.
    pub fn row_changed(&mut self, partition: PartitionId, row: &LedgerRow) {
        self.claims[partition][row.queue] = Resource::ACCOUNTED.map(|r| {
            let quota = base_units(r, row.quota.get(r));
            (row.fair_share.map_or(quota, |share| base_units(r, share.get(r))), quota)
        });
    }

    /// The integrals of a resource for a queue and its descendants.
    pub fn queue(&self, queue: QueueId, resource: Resource) -> &Integrals {
        &self.queues[queue][resource.index()]
    }
    /// The integrals of a resource for a queue in each partition, in partition order; empty if there is only one.
    pub fn in_pools(&self, queue: QueueId, resource: Resource) -> impl Iterator<Item = &Integrals> {
        self.pools.values().map(move |pool| &pool[queue][resource.index()])
    }

    /// Capacity of ready nodes: base units × milliseconds.
    pub fn capacity(&self, resource: Resource) -> i128 {
        self.capacity[resource.index()]
    }

    /// Free capacity that pending pods requested: base units × milliseconds.
    pub fn idle_wanted(&self, resource: Resource) -> i128 {
        self.idle_wanted[resource.index()]
    }
}

/// Rounds a policy's number to base units; unlimited becomes 1e18.
fn base_units(resource: Resource, amount: f64) -> i64 {
    const LARGEST: f64 = 1e18;
    let per_one = if resource == Resource::GPU { 1000.0 } else { 1.0 };
    (amount * per_one).round().clamp(-LARGEST, LARGEST) as i64
}
