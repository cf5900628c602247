//! Leaves that lost nothing to a reclaim, and the comparisons that spared them.
//!
//! # Rule
//! A leaf with reclaimable units in the pool is spared if it, or its side where the paths split, is not above its
//! quota, if its side has the higher share priority, if the loss of its newest unit would leave its side with less
//! usage over ratio than the reclaimer's side, or because more over-used leaves sufficed.
//!
//! # Source
//! ego.md 8.3
//!
//! # Differs
//! leaves that reclaimed or lost units themselves in the same pass (OC-18), and those whose hosts could not give
//! enough, have no comparison and are left out

use super::cycle::Cycle;
use super::ids::{ConsumerId, SubId};
use super::memory::job_of;
use super::model::{CycleState, Model};
use super::number::{Fraction, Nat};
use super::ranking::compare_per_ratio;
use super::reclaim::{ReclaimOption, ReclaimPass, Round, Spared, SparedBy};
use super::rules;
use crate::id::QueueId;
use crate::policy::PartitionView;
use crate::trace::{Candidate, Check, NotSelected, Op, Protection, Quantity};

/// Largest number of leaves that are recorded for a reclaim.
const RECORDED: usize = 6;

impl ReclaimPass<'_, '_, '_> {
    /// The leaves that a reclaim for a leaf spares, in the order of the plan. The unit is not included in the
    /// projection.
    pub(super) fn spared(
        &mut self,
        leaf: ConsumerId,
        sub: SubId,
        round: &Round<'_>,
        room: &ReclaimOption,
    ) -> Vec<Spared> {
        let losers: Vec<ConsumerId> =
            room.victims.iter().map(|&id| self.state.subs[self.state.units[id].sub].leaf).collect();
        self.book.project(self.state, sub, true);
        let mut all = Vec::new();
        for other in self.book.consumers() {
            let is_open = other != leaf && !losers.contains(&other) && !self.was_reclaimer[other];
            if all.len() < RECORDED && is_open && !self.units_of[other].is_empty() {
                all.extend(self.what_spares(leaf, other, round, room).map(|by| Spared { leaf: other, by }));
            }
        }
        self.book.project(self.state, sub, false);
        all
    }

    fn what_spares(
        &mut self,
        leaf: ConsumerId,
        other: ConsumerId,
        round: &Round<'_>,
        room: &ReclaimOption,
    ) -> Option<SparedBy> {
        let (a, b) = self.state.plan.split(leaf, other)?;
        for consumer in [other, b] {
            if !self.is_over(consumer, round.quota) {
                let usage = self.book.projected(consumer).clone();
                return Some(SparedBy::Quota(consumer, usage, round.quota[consumer].clone()));
            }
        }
        let plan = self.state.plan;
        let (side_a, side_b) = (&plan.consumers[a], &plan.consumers[b]);
        if side_a.priority < side_b.priority {
            return Some(SparedBy::Priority([a, b]));
        }
        if side_a.priority == side_b.priority {
            let newest = self.state.units[*self.units_of[other].last()?].sub;
            self.book.project(self.state, newest, false);
            let usage_after = [a, b].map(|side| self.book.projected(side).clone());
            self.book.project(self.state, newest, true);
            if compare_per_ratio(&usage_after[1], side_b.ratio, &usage_after[0], side_a.ratio).is_lt() {
                return Some(SparedBy::Inversion([a, b], usage_after));
            }
        }
        let comes_later = round.ranks[other] != u32::MAX && round.ranks[other] > room.worst_rank;
        let usage = || self.book.projected(other).clone();
        comes_later.then(|| SparedBy::Later(usage(), round.quota[other].clone()))
    }
}

/// Records what the reclaims of a cycle spared. A leaf is recorded once per job, and not if it lost a unit to the job.
pub fn spared(world: PartitionView<'_>, model: &Model, current: &CycleState<'_>, cycle: &Cycle) -> Vec<NotSelected> {
    let reclaims = || cycle.passes.iter().flat_map(|(_, pass)| &pass.reclaims);
    let job = |sub: SubId| job_of(world, current.pod_sets[sub]);
    let queue = |consumer: ConsumerId| model.queues[consumer];
    let has_lost = |by, queue_lost: Option<QueueId>| {
        let own_reclaims = reclaims().filter(|reclaim| reclaim.by.and_then(|(_, sub)| sub).map(job) == Some(by));
        let units = own_reclaims.flat_map(|reclaim| &reclaim.victims);
        units.map(|&id| queue(current.state.subs[current.state.units[id].sub].leaf)).any(|loser| loser == queue_lost)
    };
    let mut all: Vec<NotSelected> = Vec::new();
    for reclaim in reclaims() {
        let Some((why, sub)) = reclaim.why.as_ref().zip(reclaim.by.and_then(|(_, sub)| sub)) else {
            continue;
        };
        let by = job(sub);
        for spared in &reclaim.spared {
            let Some(candidate) = queue(spared.leaf).map(Candidate::Queue) else { continue };
            let is_known = all.iter().any(|other| other.by == by && other.candidate == candidate);
            if !is_known && !has_lost(by, queue(spared.leaf)) {
                all.push(NotSelected { by, candidate, why: protection(model, spared, &why.whole) });
            }
        }
    }
    all
}

fn protection(model: &Model, spared: &Spared, whole: &Nat) -> Protection {
    let queue = |consumer: ConsumerId| model.queues[consumer];
    let over_quota = |consumer: ConsumerId, usage: &Nat, quota: &Fraction| {
        let (used, quota) = (rules::part(Quantity::Usage, usage, whole), rules::quota(quota, whole));
        Check::new(rules::OVER_QUOTA, rules::between(queue(consumer), None), used, Op::Exceeds, quota)
    };
    match &spared.by {
        SparedBy::Quota(consumer, usage, quota) => Protection::Failed(over_quota(*consumer, usage, quota)),
        SparedBy::Later(usage, quota) => Protection::Later(over_quota(spared.leaf, usage, quota)),
        SparedBy::Priority([a, b]) => {
            let subject = rules::between(queue(*a), queue(*b));
            let [left, right] = [a, b].map(|side| rules::priority(model.plan.consumers[*side].priority));
            Protection::Failed(Check::new(rules::SHARE_PRIORITY, subject, left, Op::AtLeast, right))
        }
        SparedBy::Inversion([a, b], [after_a, after_b]) => {
            let subject = rules::between(queue(*a), queue(*b));
            let ratio = |side: ConsumerId| model.plan.consumers[side].ratio;
            let left = rules::per_ratio(after_a, whole, ratio(*a));
            let right = rules::per_ratio(after_b, whole, ratio(*b));
            Protection::Failed(Check::new(rules::NO_INVERSION, subject, left, Op::AtMost, right))
        }
    }
}
