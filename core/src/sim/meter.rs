//! Integrals over time for each resource, exact: base units × milliseconds.
//!
//! # Rule
//! Between two instants nothing changes, so every integral grows by its present value times the distance. What
//! a queue *owes nobody but is owed* is `max(0, min(entitlement, allocated + waiting) − allocated)`, what it
//! *borrows* is `max(0, allocated − quota)`; both use the latest ledger, the quota standing in for the entitlement under
//! a policy without one. With several partitions, each has an entitlement and a quota of its own, so both are taken in each and
//! added up: a queue may be owed in one what it borrows in another, and both count. What it is *due* is
//! `max(0, min(entitlement, allocated + waiting))`; it is *short* while it is owed something, in any partition. *Idle while
//! wanted* is `min(free, waiting)` of the whole cluster, where free is the capacity of ready nodes that nobody holds.
//! Entitlements are rounded to base units; of resources that the scenario names itself nobody has an entitlement
//! or a quota, so nothing of them is owed or borrowed.

use crate::cluster::{QueueSums, Sums, World};
use crate::id::{Arena, PartitionId, QueueId};
use crate::time::Time;
use crate::trace::LedgerRow;
use crate::units::{RESOURCES_MAX, Resource};

/// The integrals of one resource for one queue and its descendants: base units × milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integrals {
    /// Held, while starting, running or leaving.
    pub used: i128,
    /// Below the entitlement while asking for more.
    pub owed: i128,
    /// Above the quota.
    pub borrowed: i128,
    /// What it was to have: the entitlement, or all that it asked for if that is less.
    pub due: i128,
    /// For how long it was owed something, milliseconds.
    pub short_ms: i128,
}

/// The integrals of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meter {
    /// Until when they are taken.
    at: Time,
    /// How many resources there are.
    n: usize,
    queues: Arena<QueueId, PerResource>,
    /// The same in each of several partitions; empty if there is only one.
    pools: Arena<PartitionId, Arena<QueueId, PerResource>>,
    /// Capacity of ready nodes.
    capacity: [i128; RESOURCES_MAX],
    capacity_now: Sums,
    /// Free while somebody waited.
    idle_wanted: [i128; RESOURCES_MAX],
    /// Entitlement and quota of each queue in each partition.
    claims: Arena<PartitionId, Arena<QueueId, [(i64, i64); 3]>>,
}

type PerResource = [Integrals; RESOURCES_MAX];

impl Integrals {
    /// What so many milliseconds come to, of one resource.
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

    pub(super) fn grow(&mut self, by: &Integrals) {
        self.used += by.used;
        self.owed += by.owed;
        self.borrowed += by.borrowed;
        self.due += by.due;
        self.short_ms += by.short_ms;
    }
}

impl Meter {
    /// Starts at the scenario's start.
    pub fn new(world: &World) -> Meter {
        let (queues, partitions) = (&world.cluster().queues, &world.cluster().partitions);
        let nothing = || queues.ids().map(|_| Default::default()).collect();
        let several = partitions.ids().filter(|_| partitions.len() > 1);
        let mut meter = Meter {
            n: Resource::ACCOUNTED.len() + world.cluster().named.len(),
            queues: nothing(),
            pools: several.map(|_| nothing()).collect(),
            claims: partitions.ids().map(|_| queues.ids().map(|_| Default::default()).collect()).collect(),
            ..Meter::default()
        };
        meter.nodes_changed(world);
        meter
    }

    /// Moves on to an instant; the world is still as it was before it.
    pub fn move_to(&mut self, now: Time, world: &World) {
        let ms = (now - self.at).as_millis();
        if ms <= 0 {
            return;
        }
        self.at = now;
        let ms = i128::from(ms);
        for r in 0..self.n {
            self.capacity[r] += i128::from(self.capacity_now[r]) * ms;
            self.idle_wanted[r] += i128::from(self.idle_wanted_now(world, r)) * ms;
        }
        for queue in self.queues.ids() {
            for r in 0..self.n {
                let mut whole = Integrals::default();
                for (partition, claims) in self.claims.iter() {
                    let claim = claims[queue].get(r).copied().unwrap_or((0, i64::MAX));
                    let part = Integrals::over(ms, world.queue_sums_in(partition, queue), r, claim);
                    if let Some(pool) = self.pools.get_mut(partition) {
                        pool[queue][r].grow(&part);
                    }
                    whole.grow(&part);
                }
                // Owed in two partitions at once is short once.
                whole.short_ms = whole.short_ms.min(ms);
                self.queues[queue][r].grow(&whole);
            }
        }
    }

    fn idle_wanted_now(&self, world: &World, r: usize) -> i64 {
        let (mut held, mut waiting) = (0, 0);
        for (id, queue) in world.cluster().queues.iter() {
            if queue.parent.is_none() {
                let sums = world.queue_sums(id);
                held += sums.allocated[r] + sums.leaving[r];
                waiting += sums.waiting[r];
            }
        }
        (self.capacity_now[r] - held).min(waiting).max(0)
    }

    /// Nodes came or went.
    pub fn nodes_changed(&mut self, world: &World) {
        self.capacity_now = Sums::default();
        for node in world.cluster().nodes.values().filter(|node| node.ready) {
            let there = node.capacity.in_base_units();
            self.capacity_now.iter_mut().zip(there).for_each(|(sum, there)| *sum += there);
        }
    }

    /// The policy's numbers of one queue changed in a partition.
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
    /// The same in each of several partitions, in their order; nothing if there is only one.
    pub fn in_pools(&self, queue: QueueId, resource: Resource) -> impl Iterator<Item = &Integrals> {
        self.pools.values().map(move |pool| &pool[queue][resource.index()])
    }

    /// Capacity of ready nodes: base units × milliseconds.
    pub fn capacity(&self, resource: Resource) -> i128 {
        self.capacity[resource.index()]
    }

    /// Free while somebody waited: base units × milliseconds.
    pub fn idle_wanted(&self, resource: Resource) -> i128 {
        self.idle_wanted[resource.index()]
    }

    /// Until when the integrals are taken.
    pub fn at(&self) -> Time {
        self.at
    }
}

/// A policy's number in base units, rounded; unlimited is more than any cluster has.
fn base_units(resource: Resource, amount: f64) -> i64 {
    const LARGEST: f64 = 1e18;
    let per_one = if resource == Resource::GPU { 1000.0 } else { 1.0 };
    (amount * per_one).round().clamp(-LARGEST, LARGEST) as i64
}
