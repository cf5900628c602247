//! The state of one partition in a run: its scheduler, the scheduler's memory and its latest results.

use std::sync::Arc;

use crate::id::PartitionId;
use crate::policy::{Memory, PartitionScheduler, Rhythm, Wake};
use crate::scenario::Plan;
use crate::time::{Span, Time};
use crate::trace::{Ledger, LedgerRow, Refusal};
use crate::units::{PerResource, Resource};

/// The mutable state of one partition, apart from the world.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionState {
    /// The partition's scheduler; timeline entries may replace it to change its settings.
    pub(super) policy: Arc<PartitionScheduler>,
    pub(super) memory: Memory,
    /// The latest wake-up request; before the first cycle it follows from the rhythm.
    pub(super) wake: Wake,
    /// An external event concerns the partition and its scheduler has not run since.
    pub(super) is_triggered: bool,
    /// A job was offered to the partition and its scheduler has not run since.
    pub(super) has_offer: bool,
    /// A gang became incomplete since the last cycle.
    pub(super) saw_incomplete_gang: bool,
    /// Runs of the scheduler since the last change in any partition.
    pub(super) n_unchanged: u32,
    pub(super) ledger: Arc<Ledger>,
    pub(super) row_hashes: Vec<u64>,
    pub(super) refusals: Vec<Refusal>,
}

impl PartitionState {
    /// Creates the state before the first cycle: a scheduler with an empty memory.
    pub fn open(plan: &Plan, partition: PartitionId) -> PartitionState {
        let (policy, rhythm) = plan.scheduling(partition);
        let (policy, memory) = PartitionScheduler::new(policy, rhythm);
        let wake = match rhythm {
            Rhythm::Every { first, .. } => Wake::At(Time::ZERO + first.max(Span::from_millis(1))),
            Rhythm::OnChange { .. } | Rhythm::OnEvents => Wake::OnChange { not_before: Time::ZERO },
        };
        PartitionState {
            policy: Arc::new(policy),
            memory,
            wake,
            is_triggered: false,
            has_offer: false,
            saw_incomplete_gang: false,
            n_unchanged: 0,
            ledger: Arc::default(),
            row_hashes: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// Whether the scheduler has to run again without a further change.
    pub(super) fn runs_again(&self) -> bool {
        matches!(self.wake, Wake::Again | Wake::OnChangeOrAt { .. }) || self.is_triggered
    }
}

/// Number of runs without any change after which every partition in every job's list has refused the job.
pub fn rounds(plan: &Plan) -> u32 {
    let longest = plan.cluster.jobs.values().map(|job| job.pools.len()).max().unwrap_or(0);
    if longest < 2 { 1 } else { u32::try_from(longest).unwrap_or(u32::MAX).saturating_add(1) }
}

/// Adds up the ledgers of the partitions. Past usage is left out: its shares refer to different totals.
pub fn sum<'a>(ledgers: impl Iterator<Item = &'a Ledger>) -> Ledger {
    let mut combined = Ledger::default();
    for ledger in ledgers {
        add(&mut combined.total, &ledger.total);
        for (i, row) in ledger.rows.iter().enumerate() {
            let Some(sum) = combined.rows.get_mut(i) else {
                combined.rows.push(LedgerRow { usage: None, ..*row });
                continue;
            };
            add(&mut sum.allocated, &row.allocated);
            add(&mut sum.non_preemptible, &row.non_preemptible);
            add(&mut sum.request, &row.request);
            add(&mut sum.quota, &row.quota);
            add(&mut sum.limit, &row.limit);
            if let (Some(sum), Some(share)) = (&mut sum.fair_share, &row.fair_share) {
                add(sum, share);
            }
        }
    }
    combined
}

fn add(sum: &mut PerResource<f64>, amounts: &PerResource<f64>) {
    for r in Resource::ACCOUNTED {
        sum.set(r, sum.get(r) + amounts.get(r));
    }
}
