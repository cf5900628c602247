//! What the policy believes about every queue, under its own column names, and how a number came about.

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::id::QueueId;
use crate::units::{PerResource, Resource};

/// The policy's numbers for every queue at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// One row per queue, in queue order.
    pub rows: Vec<LedgerRow>,
    /// What was divided at the root.
    pub total: PerResource<f64>,
}

/// One queue's numbers, in policy units (millicores, bytes, GPUs). Unlimited is `f64::INFINITY`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerRow {
    /// The queue.
    pub queue: QueueId,
    /// Allocated, without what is leaving.
    pub allocated: PerResource<f64>,
    /// Allocated and not to be taken.
    pub non_preemptible: PerResource<f64>,
    /// Allocated plus waiting.
    pub request: PerResource<f64>,
    /// What it is entitled to; `None` under a policy without entitlement.
    pub fair_share: Option<PerResource<f64>>,
    /// The guaranteed part as the policy resolved it.
    pub quota: PerResource<f64>,
    /// The ceiling as the policy resolved it.
    pub limit: PerResource<f64>,
    /// Past usage as a share of the cluster; `None` where no queue has any.
    pub usage: Option<PerResource<f64>>,
}

impl LedgerRow {
    /// A queue that holds and wants nothing, has no quota, no limit and no entitlement.
    pub fn empty(queue: QueueId) -> LedgerRow {
        let none = PerResource::default();
        LedgerRow {
            queue,
            allocated: none,
            non_preemptible: none,
            request: none,
            fair_share: None,
            quota: none,
            limit: PerResource::all(f64::INFINITY),
            usage: None,
        }
    }
}

/// A column of the ledger, to ask for its derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Allocated.
    Allocated,
    /// Request.
    Request,
    /// Fair share.
    FairShare,
}

/// How a queue stands after a round in which shares rose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RiseEnd {
    /// It takes part in the next one.
    GoesOn,
    /// It has all that it wants.
    HasAll,
    /// Nothing is left of a resource that it wants.
    UsedUp(Resource),
}

/// One line of the ladder that ends in a queue's entitlement, for one level and one resource.
#[derive(Clone, Debug, PartialEq)]
pub enum DivisionStep {
    /// What this level divides.
    Capacity {
        /// The parent whose entitlement it is; `None`: the cluster.
        of: Option<QueueId>,
        /// How much.
        amount: f64,
    },
    /// `min(quota, requestable)` is granted first.
    Quota {
        /// The rule.
        rule: Rule,
        /// The queue that receives it.
        queue: QueueId,
        /// The quota as divided with (the whole amount when unlimited).
        quota: f64,
        /// `min(limit, request)`.
        requestable: f64,
        /// The grant.
        granted: f64,
        /// What remains.
        remaining: f64,
    },
    /// One queue's part in one round of one priority group.
    Round {
        /// The rule.
        rule: Rule,
        /// Priority of the group.
        priority: i32,
        /// Round number, from 1.
        round: u32,
        /// The queue that receives it.
        queue: QueueId,
        /// What the round divides.
        pot: f64,
        /// The queue's weight.
        weight: f64,
        /// Its past usage as a share of the cluster, and how strongly that counts; `None`: the policy does not count it.
        past: Option<(f64, f64)>,
        /// Its part after past usage was taken into account, and the sum of parts.
        part: (f64, f64),
        /// The offer before rounding.
        offer: f64,
        /// What it still wanted.
        wanted: f64,
        /// The gift.
        given: f64,
    },
    /// One queue in a round in which the dominant shares of all that take part rise together.
    Rise {
        /// The rule.
        rule: Rule,
        /// Round number, from 1.
        round: u32,
        /// The queue.
        queue: QueueId,
        /// The dominant share of everybody before and after the round, per weight; `None`: the queue has no weight and gets what
        /// the others left.
        shares: Option<(f64, f64)>,
        /// The resource of which it takes the largest part.
        dominant: Resource,
        /// Its weight for the resource that is explained.
        weight: f64,
        /// What it wants of that in all.
        wanted: f64,
        /// What the round gives of it.
        given: f64,
        /// How it stands after the round.
        end: RiseEnd,
    },
    /// A left-over unit.
    Remainder {
        /// The rule.
        rule: Rule,
        /// The queue that receives it.
        queue: QueueId,
        /// The rounded-off part that ordered it.
        fraction: f64,
        /// The gift, at most one unit.
        given: f64,
    },
    /// The result.
    Result {
        /// The queue.
        queue: QueueId,
        /// Its entitlement.
        fair_share: f64,
    },
    /// What it would be by another reckoning, by which nothing is decided.
    AlternativeShare {
        /// The reckoning.
        rule: Rule,
        /// The queue.
        queue: QueueId,
        /// Its entitlement by that.
        fair_share: f64,
    },
}
