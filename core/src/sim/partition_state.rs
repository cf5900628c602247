//! What a run keeps about one partition: its scheduler, the scheduler's memory, what it said last.

use std::sync::Arc;

use crate::id::PartitionId;
use crate::policy::{InCharge, Memory, Rhythm, Wake};
use crate::scenario::Plan;
use crate::time::{Span, Time};
use crate::trace::{Ledger, LedgerRow, Refusal};
use crate::units::{PerResource, Resource};

/// What changes about one partition, beside the world.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionState {
    /// Who decides; the timeline may change its switches.
    pub(super) policy: Arc<InCharge>,
    pub(super) memory: Memory,
    /// What the policy said last; before the first cycle what its rhythm says.
    pub(super) wake: Wake,
    /// News the policy has not been asked about yet.
    pub(super) has_news: bool,
    /// A job was offered that no other partition of its list placed.
    pub(super) has_offer: bool,
    /// A gang became incomplete since the last cycle.
    pub(super) saw_incomplete_gang: bool,
    /// How often it was asked since something last changed anywhere.
    pub(super) n_still: u32,
    pub(super) ledger: Arc<Ledger>,
    pub(super) row_hashes: Vec<u64>,
    pub(super) refusals: Vec<Refusal>,
}

impl PartitionState {
    /// Before the first cycle: a scheduler with an empty memory.
    pub fn open(plan: &Plan, partition: PartitionId) -> PartitionState {
        let (policy, rhythm) = plan.scheduling(partition);
        let (policy, memory) = InCharge::new(policy, rhythm);
        let wake = match rhythm {
            Rhythm::Every { first, .. } => Wake::At(Time::ZERO + first.max(Span::from_millis(1))),
            Rhythm::OnChange { .. } | Rhythm::OnEvents => Wake::OnChange { not_before: Time::ZERO },
        };
        PartitionState {
            policy: Arc::new(policy),
            memory,
            wake,
            has_news: false,
            has_offer: false,
            saw_incomplete_gang: false,
            n_still: 0,
            ledger: Arc::default(),
            row_hashes: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// Whether the policy wants to be asked at once if something changes.
    pub(super) fn is_asked_again(&self) -> bool {
        matches!(self.wake, Wake::Again | Wake::OnChangeOrAt { .. }) || self.has_news
    }
}

/// How often each partition has to be asked without any change until every job with a list was refused by all of it.
pub fn rounds(plan: &Plan) -> u32 {
    let longest = plan.cluster.jobs.values().map(|job| job.pools.len()).max().unwrap_or(0);
    if longest < 2 { 1 } else { u32::try_from(longest).unwrap_or(u32::MAX).saturating_add(1) }
}

/// The sums of the partitions' numbers. Shares of past usage are parts of different wholes and have no sum.
pub fn sum<'a>(ledgers: impl Iterator<Item = &'a Ledger>) -> Ledger {
    let mut all = Ledger::default();
    for ledger in ledgers {
        add(&mut all.total, &ledger.total);
        for (at, row) in ledger.rows.iter().enumerate() {
            let Some(into) = all.rows.get_mut(at) else {
                all.rows.push(LedgerRow { usage: None, ..*row });
                continue;
            };
            add(&mut into.allocated, &row.allocated);
            add(&mut into.non_preemptible, &row.non_preemptible);
            add(&mut into.request, &row.request);
            add(&mut into.quota, &row.quota);
            add(&mut into.limit, &row.limit);
            if let (Some(into), Some(share)) = (&mut into.fair_share, &row.fair_share) {
                add(into, share);
            }
        }
    }
    all
}

fn add(into: &mut PerResource<f64>, more: &PerResource<f64>) {
    for r in Resource::ACCOUNTED {
        into.set(r, into.get(r) + more.get(r));
    }
}
