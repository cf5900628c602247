//! The policy's numbers for every queue, and the derivation of fair shares.

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::id::QueueId;
use crate::units::{PerResource, Resource};

/// The policy's numbers for every queue at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// One row per queue, in queue order.
    pub rows: Vec<LedgerRow>,
    /// Amount divided at the root.
    pub total: PerResource<f64>,
}

/// One queue's numbers, in policy units (millicores, bytes, GPUs). Unlimited is `f64::INFINITY`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerRow {
    /// The queue.
    pub queue: QueueId,
    /// Allocated, without terminating pods.
    pub allocated: PerResource<f64>,
    /// Allocated by non-preemptible jobs.
    pub non_preemptible: PerResource<f64>,
    /// Allocated plus pending.
    pub request: PerResource<f64>,
    /// Entitlement; `None` under a policy without entitlements.
    pub fair_share: Option<PerResource<f64>>,
    /// Quota as resolved by the policy.
    pub quota: PerResource<f64>,
    /// Limit as resolved by the policy.
    pub limit: PerResource<f64>,
    /// Past usage as a share of the cluster; `None` where no queue has any.
    pub usage: Option<PerResource<f64>>,
}

impl LedgerRow {
    /// The row of a queue without allocation, request, quota, limit and entitlement.
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

/// State of a queue after a round in which shares rose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RiseEnd {
    /// It takes part in the next one.
    GoesOn,
    /// Its request is satisfied.
    HasAll,
    /// A requested resource is used up.
    UsedUp(Resource),
}

/// One queue's part in one round of one priority group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DivisionRound {
    /// The rule.
    #[serde(skip)]
    pub rule: Rule,
    /// Priority of the group.
    pub priority: i32,
    /// Round number, from 1.
    pub round: u32,
    /// The queue that receives it.
    pub queue: QueueId,
    /// Amount that the round divides.
    pub pot: f64,
    /// The queue's weight.
    pub weight: f64,
    /// Past usage as a share of the cluster, and its factor; `None`: the policy does not use it.
    pub past: Option<(f64, f64)>,
    /// Weight after the correction by past usage, and the sum over the queues of the round.
    pub part: (f64, f64),
    /// The offer before rounding.
    pub offer: f64,
    /// Remaining request before the round.
    pub wanted: f64,
    /// Given amount.
    pub given: f64,
}

/// One step in the derivation of a queue's entitlement, for one level and one resource.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum DivisionStep {
    /// The amount that this level divides.
    Capacity {
        /// The parent whose entitlement is divided; `None`: the cluster.
        of: Option<QueueId>,
        /// Divided amount.
        amount: f64,
    },
    /// `min(quota, requestable)` is granted first.
    Quota {
        /// The rule.
        #[serde(skip)]
        rule: Rule,
        /// The queue that receives it.
        queue: QueueId,
        /// Quota used in the division; the whole amount if unlimited.
        quota: f64,
        /// `min(limit, request)`.
        requestable: f64,
        /// Granted amount.
        granted: f64,
        /// Amount that remains.
        remaining: f64,
    },
    /// One queue's part in one round of one priority group.
    Round(DivisionRound),
    /// One queue in a round in which the dominant shares of all participating queues rise together.
    Rise {
        /// The rule.
        #[serde(skip)]
        rule: Rule,
        /// Round number, from 1.
        round: u32,
        /// The queue.
        queue: QueueId,
        /// The common dominant share before and after the round, per weight; `None`: the queue has no weight and gets
        /// the rest.
        shares: Option<(f64, f64)>,
        /// Its dominant resource.
        dominant: Resource,
        /// Its weight for the derived resource.
        weight: f64,
        /// Its total request of the derived resource.
        wanted: f64,
        /// Amount of the derived resource given in the round.
        given: f64,
        /// State after the round.
        end: RiseEnd,
    },
    /// A left-over unit.
    Remainder {
        /// The rule.
        #[serde(skip)]
        rule: Rule,
        /// The queue that receives it.
        queue: QueueId,
        /// Fractional part that determined its position.
        fraction: f64,
        /// Given amount, at most one unit.
        given: f64,
    },
    /// The result.
    Result {
        /// The queue.
        queue: QueueId,
        /// Its entitlement.
        fair_share: f64,
    },
    /// The entitlement by another calculation, for information only.
    AlternativeShare {
        /// The calculation.
        #[serde(skip)]
        rule: Rule,
        /// The queue.
        queue: QueueId,
        /// Its entitlement by that calculation.
        fair_share: f64,
    },
}

impl DivisionStep {
    /// The rule that it applies; [`DivisionStep::Capacity`] and [`DivisionStep::Result`] apply none.
    pub fn rule_mut(&mut self) -> Option<&mut Rule> {
        match self {
            DivisionStep::Quota { rule, .. }
            | DivisionStep::Round(DivisionRound { rule, .. })
            | DivisionStep::Rise { rule, .. }
            | DivisionStep::Remainder { rule, .. }
            | DivisionStep::AlternativeShare { rule, .. } => Some(rule),
            DivisionStep::Capacity { .. } | DivisionStep::Result { .. } => None,
        }
    }

    /// The key of that rule.
    pub fn rule_key(mut self) -> Option<&'static str> {
        self.rule_mut().map(|rule| rule.key())
    }

    /// The amount that its queue receives.
    pub fn given(&self) -> f64 {
        match self {
            DivisionStep::Quota { granted: given, .. }
            | DivisionStep::Round(DivisionRound { given, .. })
            | DivisionStep::Rise { given, .. }
            | DivisionStep::Remainder { given, .. } => *given,
            DivisionStep::Capacity { .. } | DivisionStep::Result { .. } | DivisionStep::AlternativeShare { .. } => 0.0,
        }
    }

    /// Priority and number of the round that it belongs to; quotas and remainders belong to none.
    pub fn round(&self) -> Option<(i32, u32)> {
        match self {
            DivisionStep::Round(DivisionRound { priority, round, .. }) => Some((*priority, *round)),
            DivisionStep::Rise { round, .. } => Some((0, *round)),
            _ => None,
        }
    }
}
