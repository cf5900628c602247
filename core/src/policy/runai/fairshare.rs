//! Fairshare: the exact value for display, the whole one for decisions, and the published formula.
//!
//! # Rule
//! A level divides an amount of one resource among siblings. Each first gets `min(quota, request)`; the rest of the
//! amount is the level's *unused* amount. It is divided by weight among those with unmet demand, rank by rank, in
//! rounds: none gets more than its demand, and another round follows if a demand was below its offer. The whole value
//! comes from the engine, which offers whole units and distributes the remainder one by one.
//!
//! The published formula is one sum over all projects of a pool: `quota + weight / Σ weights · unused`.
//!
//! # Source
//! runai.md 4.3, 4.4; docs.run.ai, "The Run:ai Scheduler"
//!
//! # Differs
//! RC-3: a unit of the remainder is capped by the unmet demand. RC-4: the engine's value decides, the published one is
//! shown. RC-5: over-subscribed quotas are not scaled down. RC-15: the whole values are divided in floating point, so
//! that either of two queues with equal remainders may get the unit.

use super::exact::Exact;
use super::queues::as_bound;
use crate::policy::kai::share::division::{DivisionParams, Sibling, divide};

/// A queue in the division of one resource; amounts are not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Name, unique among siblings.
    pub name: &'a str,
    /// Rank, larger first.
    pub rank: i64,
    /// Quota; `None` is unlimited.
    pub quota: Option<Exact>,
    /// Limit, with over-quota already applied; `None` is unlimited.
    pub limit: Option<Exact>,
    /// Effective over-quota weight.
    pub weight: Exact,
    /// Running and pending requests of the subtree.
    pub request: Exact,
    /// Past usage as a share of the pool.
    pub usage: Exact,
}

impl Member<'_> {
    /// Request capped by the limit.
    fn wanted(&self) -> Exact {
        self.limit.map_or(self.request, |limit| limit.min(self.request))
    }

    /// Requested part of its quota.
    fn in_quota(&self, total: Exact) -> Exact {
        self.quota.unwrap_or(total).min(self.wanted())
    }
}

/// Amount left by the quotas in use; negative if they are over-subscribed. `None` on overflow.
pub fn unused(total: Exact, members: &[Member<'_>]) -> Option<Exact> {
    members.iter().try_fold(total, |rest, m| rest.minus(m.in_quota(total)))
}

/// Exact fairshares of a level, in its order; `k` weights the usage history. `None` on overflow.
pub fn exact(total: Exact, k: Exact, members: &[Member<'_>]) -> Option<Vec<Exact>> {
    let mut shares: Vec<Exact> = members.iter().map(|m| m.in_quota(total)).collect();
    let mut rest = unused(total, members)?;
    let mut last = None;
    while let Some(rank) = next_rank(members, last) {
        last = Some(rank);
        while rest.is_positive() && round(rank, k, members, &mut shares, &mut rest)? {}
    }
    Some(shares)
}

/// Highest rank below another.
fn next_rank(members: &[Member<'_>], limit: Option<i64>) -> Option<i64> {
    members.iter().map(|m| m.rank).filter(|rank| limit.is_none_or(|b| *rank < b)).max()
}

/// One round of one rank: `offer = rest · p / Σ p`, `p = max(0, w' + k·(w' − usage))`, `w' = weight / Σ weights`.
/// Returns whether a demand was below its offer.
fn round(rank: i64, k: Exact, members: &[Member<'_>], shares: &mut [Exact], rest: &mut Exact) -> Option<bool> {
    let is_open = |i: usize, shares: &[Exact]| members[i].rank == rank && shares[i] < members[i].wanted();
    let participants: Vec<usize> = (0..members.len()).filter(|&i| is_open(i, shares)).collect();
    let weights = participants.iter().try_fold(Exact::ZERO, |sum, &i| sum.plus(members[i].weight))?;
    if !weights.is_positive() {
        return Some(false);
    }
    let mut parts = Vec::with_capacity(participants.len());
    let mut sum = Exact::ZERO;
    for &i in &participants {
        let weight = members[i].weight.over(weights)?;
        let adjusted = weight.plus(k.times(weight.minus(members[i].usage)?)?)?.max(Exact::ZERO);
        sum = sum.plus(adjusted)?;
        parts.push(adjusted);
    }
    if !sum.is_positive() {
        return Some(false);
    }
    let pot = *rest;
    let mut again = false;
    for (&i, part) in participants.iter().zip(parts) {
        // A queue of weight 0 is offered nothing, whatever its usage history.
        let has_weight = members[i].weight.is_positive();
        let offer = if has_weight { pot.times(part)?.over(sum)? } else { Exact::ZERO };
        let missing = members[i].wanted().minus(shares[i])?;
        let granted = offer.min(missing);
        shares[i] = shares[i].plus(granted)?;
        *rest = rest.minus(granted)?;
        again |= missing < offer;
    }
    Some(again)
}

/// Whole fairshares of a level, in its order, from the engine; queues are created in this order.
pub fn whole(total: f64, k: f64, members: &[Member<'_>]) -> Vec<f64> {
    let sibling = |(age, m): (usize, &Member<'_>)| Sibling {
        name: "",
        priority: m.rank,
        created_s: age as f64,
        deserved: as_bound(m.quota),
        limit: as_bound(m.limit),
        weight: m.weight.as_real(),
        request: m.request.as_real(),
        usage: m.usage.as_real(),
        fair_share: 0.0,
    };
    let mut level: Vec<Sibling<'static>> = members.iter().enumerate().map(sibling).collect();
    divide(total, DivisionParams { k, caps_remainders: true }, &mut level);
    level.iter().map(|s| s.fair_share).collect()
}

/// A project in the published formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectTerms {
    pub quota: Exact,
    /// Running and pending requests.
    pub request: Exact,
    /// Over-quota weight; `None` if over-quota is off.
    pub weight: Option<Exact>,
}

/// Published formula over all projects of a pool: no departments, no caps, idle projects included.
/// `None` on overflow.
pub fn published(total: Exact, projects: &[ProjectTerms]) -> Option<Vec<Exact>> {
    let (mut unused, mut weights) = (total, Exact::ZERO);
    for p in projects {
        unused = unused.minus(p.quota.min(p.request))?;
        weights = weights.plus(p.weight.unwrap_or(Exact::ZERO))?;
    }
    let unused = unused.max(Exact::ZERO);
    let weight_of = |p: &ProjectTerms| match p.weight {
        Some(weight) if weights.is_positive() => p.quota.plus(weight.over(weights)?.times(unused)?),
        _ => Some(p.quota),
    };
    projects.iter().map(weight_of).collect()
}
