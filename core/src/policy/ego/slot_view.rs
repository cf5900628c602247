//! Displayed numbers of a slot plan: quotas in slots, their derivation, and reasons of pending jobs.
//!
//! # Rule
//! All numbers come from the functions that decide.
//!
//! # Source
//! ego.md 10
//!
//! # Differs
//! nothing

use super::ids::{ConsumerId, InPool, SubId};
use super::model::{CycleState, Model};
use super::number::{Fraction, Nat};
use super::plan::ShareQuota;
use super::rules::{self, SLOT_QUOTA};
use super::slot::{SlotOffer, Slots};
use super::slot_cycle::{self, SlotStatus};
use crate::id::QueueId;
use crate::policy::checks::term;
use crate::trace::{Check, DivisionRound, DivisionStep, Op, Quantity, QuotaStep, Value};

/// Numbers of a slot plan.
pub(super) struct SlotView {
    /// Number of slots of the pool.
    pub slots: u64,
    /// Slots that are neither used nor held by an earmark.
    pub free: u64,
    /// Static and dynamic quota.
    pub quotas: [InPool<u64>; 2],
    /// Whether reclaim uses the static quota.
    is_static: bool,
    /// Demand of every consumer.
    demand: InPool<u64>,
    /// Slots held, earmarked ones included.
    held: InPool<u64>,
    limits: InPool<Option<u64>>,
    offers: Vec<SlotOffer>,
}

impl SlotView {
    /// Computes the numbers; `None` for a multidimensional plan.
    pub fn new(model: &Model, current: &CycleState<'_>) -> Option<SlotView> {
        let rules = model.plan.slots?;
        let limits = slot_cycle::limits(&current.state);
        let slots: Slots<'_> = slot_cycle::slots(&current.state, rules, &limits);
        let (_, offers) = slots.divided(rules.share_quota);
        Some(SlotView {
            slots: slots.slots,
            free: slot_cycle::slots_in(&current.state.free),
            quotas: [ShareQuota::Static, ShareQuota::Dynamic].map(|kind| slots.quota(kind)),
            is_static: rules.share_quota == ShareQuota::Static,
            demand: slots.demand(),
            held: InPool::new(slots.held.ids(), |c| slots.held_below(c)),
            offers,
            limits,
        })
    }

    /// Quota that reclaim uses.
    pub fn quota(&self) -> &InPool<u64> {
        &self.quotas[usize::from(!self.is_static)]
    }

    /// Slots as a fraction of the pool.
    pub fn part(&self, slots: u64) -> Fraction {
        Fraction { n: Nat::from(slots), d: Nat::from(self.slots.max(1)) }
    }

    /// Demand of a consumer under the quota in force.
    fn wanted(&self, consumer: ConsumerId) -> u64 {
        let slots_max = self.limits[consumer].unwrap_or(self.slots);
        if self.is_static { slots_max } else { self.demand[consumer] }
    }

    /// Derivation of a quota, level by level.
    pub fn derive(&self, model: &Model, queue: QueueId) -> Vec<DivisionStep> {
        let plan = &model.plan;
        let mut path: Vec<ConsumerId> = plan.path(model.consumer(queue)).collect();
        path.reverse();
        let mut steps = Vec::new();
        for pair in path.windows(2) {
            let amount = self.quota()[pair[0]] as f64;
            steps.push(DivisionStep::Capacity { of: model.queues[pair[0]], amount });
            let of_level = self.offers.iter().filter(|o| plan.consumers[o.consumer].parent == Some(pair[0]));
            steps.extend(of_level.filter_map(|offer| self.round(model, offer)));
            if let Some(queue) = model.queues[pair[1]] {
                steps.push(DivisionStep::Result { queue, fair_share: self.quota()[pair[1]] as f64 });
            }
        }
        steps
    }

    fn round(&self, model: &Model, offer: &SlotOffer) -> Option<DivisionStep> {
        let ratio = model.plan.consumers[offer.consumer].ratio as f64;
        let is_last = !self.offers.iter().any(|o| o.consumer == offer.consumer && o.round > offer.round);
        Some(DivisionStep::Round(DivisionRound {
            rule: SLOT_QUOTA,
            priority: 0,
            round: offer.round,
            queue: model.queues[offer.consumer]?,
            pot: offer.rest as f64,
            weight: ratio,
            past: None,
            part: (ratio, offer.ratios as f64),
            offer: offer.rest as f64 * ratio / offer.ratios as f64,
            wanted: self.wanted(offer.consumer) as f64,
            given: if is_last { offer.quota as f64 } else { 0.0 },
        }))
    }

    /// Division in fractions of the pool.
    pub fn steps(&self, model: &Model) -> Vec<QuotaStep> {
        let step = |offer: &SlotOffer| {
            let entry = &model.plan.consumers[offer.consumer];
            QuotaStep {
                of: entry.parent.and_then(|parent| model.queues[parent]),
                queue: model.queues[offer.consumer],
                priority: 0,
                rest: self.part(offer.rest).exact(),
                ratio: (entry.ratio, offer.ratios),
                offer: self.part(offer.rest).portion(entry.ratio, offer.ratios).exact(),
                demand: self.part(self.wanted(offer.consumer)).exact(),
                quota: self.part(offer.quota).exact(),
            }
        };
        self.offers.iter().map(step).collect()
    }

    /// First consumer whose limit one more slot of a leaf would exceed.
    pub fn at_limit(&self, model: &Model, leaf: ConsumerId) -> Option<ConsumerId> {
        model.plan.path(leaf).find(|&c| self.limits[c].is_some_and(|limit| self.held[c] >= limit))
    }

    /// Check that the leaf holds its quota.
    pub fn holds_quota(&self, model: &Model, leaf: ConsumerId) -> Option<Check> {
        let check = below(model, (leaf, self.held[leaf], self.quota()[leaf]));
        let [left, right] = [&check.left, &check.right].map(Clone::clone);
        (!check.holds).then(|| Check::new(rules::BELOW_SLOT_QUOTA, check.subject, left, Op::AtLeast, right))
    }

    /// Check of the quota that protects the other leaf with the most slots.
    pub fn protection(&self, model: &Model, current: &CycleState<'_>, sub: SubId) -> Option<Check> {
        let leaf = current.state.subs[sub].leaf;
        let others = self.held.ids().filter(|&c| c != leaf && model.plan.is_leaf(c) && self.held[c] > 0);
        let other = others.max_by_key(|&c| (self.held[c], std::cmp::Reverse(c)))?;
        let check = above(model, (other, self.held[other], self.quota()[other]));
        (!check.holds).then_some(check)
    }
}

fn slots(quantity: Quantity, n: u64) -> crate::trace::Term {
    term(quantity, Value::Real(n as f64))
}

/// Check that a consumer holds fewer slots than its quota.
pub(super) fn below(model: &Model, (consumer, slots_held, quota): SlotStatus) -> Check {
    let subject = rules::between(model.queues[consumer], None);
    let (slots_held, quota) = (slots(Quantity::Usage, slots_held), slots(Quantity::FairShare, quota));
    Check::new(rules::BELOW_SLOT_QUOTA, subject, slots_held, Op::Less, quota)
}

/// Check that a consumer holds more slots than its quota.
pub(super) fn above(model: &Model, (consumer, slots_held, quota): SlotStatus) -> Check {
    let subject = rules::between(model.queues[consumer], None);
    let (slots_held, quota) = (slots(Quantity::Usage, slots_held), slots(Quantity::FairShare, quota));
    Check::new(rules::ABOVE_SLOT_QUOTA, subject, slots_held, Op::Exceeds, quota)
}
