//! Integrals over time, exact: thousandths of GPUs × milliseconds.
//!
//! # Rule
//! Between two instants nothing changes, so every integral grows by its present value times the distance. What
//! a queue *owes nobody but is owed* is `max(0, min(entitlement, allocated + waiting) − allocated)`, what it
//! *borrows* is `max(0, allocated − quota)`; both use the latest ledger, the quota standing in for the entitlement under
//! a policy without one. With several partitions, each has an entitlement and a quota of its own, so both are taken in each and
//! added up: a queue may be owed in one what it borrows in another, and both count. What it is *due* is `max(0, min(entitlement, allocated + waiting))`; it is *short* while it is owed
//! something, in any partition. *Idle while wanted* is `min(free, waiting)` of the whole cluster, where free is the capacity of ready nodes that
//! nobody holds. Entitlements are rounded to thousandths of a GPU.

use crate::cluster::{QueueSums, World};
use crate::id::{Arena, NodeId, PartitionId, QueueId};
use crate::time::Time;
use crate::trace::LedgerRow;
use crate::units::Resource;

const GPU: usize = 2;

/// The integrals of one queue and its descendants: thousandths of GPUs × milliseconds.
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
    queues: Arena<QueueId, Integrals>,
    /// The same in each of several partitions; empty if there is only one.
    pools: Arena<PartitionId, Arena<QueueId, Integrals>>,
    /// Capacity of ready nodes.
    capacity: i128,
    capacity_now: i64,
    /// Free while somebody waited.
    idle_wanted: i128,
    /// Entitlement and quota of each queue in each partition, thousandths of GPUs.
    claims: Arena<PartitionId, Arena<QueueId, (i64, i64)>>,
}

impl Integrals {
    /// What so many milliseconds come to.
    fn over(ms: i128, sums: &QueueSums, (entitlement, quota): (i64, i64)) -> Integrals {
        let allocated = sums.allocated[GPU];
        let due = entitlement.min(allocated + sums.waiting[GPU]).max(0);
        let owed = due - allocated;
        Integrals {
            used: i128::from(allocated + sums.leaving[GPU]) * ms,
            owed: i128::from(owed.max(0)) * ms,
            borrowed: i128::from((allocated - quota).max(0)) * ms,
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
        let nothing = || queues.ids().map(|_| Integrals::default()).collect();
        let several = partitions.ids().filter(|_| partitions.len() > 1);
        let mut meter = Meter {
            queues: nothing(),
            pools: several.map(|_| nothing()).collect(),
            claims: partitions.ids().map(|_| queues.ids().map(|_| (0, 0)).collect()).collect(),
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
        self.capacity += i128::from(self.capacity_now) * ms;
        self.idle_wanted += i128::from(self.idle_wanted_now(world)) * ms;
        for queue in self.queues.ids() {
            let mut whole = Integrals::default();
            for (partition, claims) in self.claims.iter() {
                let part = Integrals::over(ms, world.queue_sums_in(partition, queue), claims[queue]);
                if let Some(pool) = self.pools.get_mut(partition) {
                    pool[queue].grow(&part);
                }
                whole.grow(&part);
            }
            // Owed in two partitions at once is short once.
            whole.short_ms = whole.short_ms.min(ms);
            self.queues[queue].grow(&whole);
        }
    }

    fn idle_wanted_now(&self, world: &World) -> i64 {
        let (mut held, mut waiting) = (0, 0);
        for (id, queue) in world.cluster().queues.iter() {
            if queue.parent.is_none() {
                let sums = world.queue_sums(id);
                held += sums.allocated[GPU] + sums.leaving[GPU];
                waiting += sums.waiting[GPU];
            }
        }
        (self.capacity_now - held).min(waiting).max(0)
    }

    /// Nodes came or went.
    pub fn nodes_changed(&mut self, world: &World) {
        let nodes = &world.cluster().nodes;
        let gpus = |id: NodeId| nodes[id].capacity.get(Resource::GPU).in_base_units();
        self.capacity_now = nodes.ids().filter(|&id| nodes[id].ready).map(gpus).sum();
    }

    /// The policy's numbers of one queue changed in a partition.
    pub fn row_changed(&mut self, partition: PartitionId, row: &LedgerRow) {
        let quota = milli(row.quota.gpu);
        let entitlement = row.fair_share.map_or(quota, |fair_share| milli(fair_share.gpu));
        self.claims[partition][row.queue] = (entitlement, quota);
    }

    /// The integrals of a queue and its descendants.
    pub fn queue(&self, queue: QueueId) -> &Integrals {
        &self.queues[queue]
    }
    /// The same in each of several partitions, in their order; nothing if there is only one.
    pub fn in_pools(&self, queue: QueueId) -> impl Iterator<Item = &Integrals> {
        self.pools.values().map(move |pool| &pool[queue])
    }
    /// Capacity of ready nodes: thousandths of GPUs × milliseconds.
    pub fn capacity(&self) -> i128 {
        self.capacity
    }
    /// Free while somebody waited: thousandths of GPUs × milliseconds.
    pub fn idle_wanted(&self) -> i128 {
        self.idle_wanted
    }
    /// Until when the integrals are taken.
    pub fn at(&self) -> Time {
        self.at
    }
}

/// GPUs as thousandths, rounded; unlimited is more than any cluster has.
fn milli(gpus: f64) -> i64 {
    const LARGEST: f64 = 1e15;
    (gpus * 1000.0).round().clamp(-LARGEST, LARGEST) as i64
}
