//! One level of the fair-share division: one amount, one resource, one set of siblings.
//!
//! # Rule
//! Letters: `T` is the total to divide, `rem` the remaining amount, `k` the weight of past usage.
//! *Requestable* = `min(limit, request)`; *wanted* = requestable − fair share.
//!
//! 1. Quota: every queue gets `min(quota, requestable)`; an unlimited quota counts as `T`. The sum has no cap.
//! 2. Rounds, priority by priority, highest first. With `A = rem` and `W` = sum of the weights of queues with wanted > 0:
//!    `n = weight/W`, `s = max(0, n + k·(n − usage))`, `S` = sum of `s`, offer `f = A·(s/S)`. A queue with wanted ≤ `f`
//!    gets wanted, any other `floor(f)`. Another round follows if any queue wanted less than `f`.
//! 3. Remainders, priority by priority: `min(1, rem)` to each queue with a rounded-off part, largest part first,
//!    then oldest, then by name, bytewise.
//!
//! All rounds of all priorities come before any remainder. Sums run over the queues by (creation, name).
//!
//! # Source
//! kai.md 2.3, 2.4, N-1; upstream plugin `proportion`, resource division
//!
//! # Differs
//! nothing; Q-3 (a remainder may exceed request or limit by less than one unit) is reproduced

use std::cmp::{Ordering, Reverse};

use crate::id::QueueId;
use crate::policy::kai::number::UNLIMITED;
use crate::trace::{DivisionRound, DivisionStep, Rule, RuleRecord};

/// Grants up to the quota.
pub static QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/division/quota",
    says: "every queue first gets what it requests, up to its quota",
    formula: "min(quota, limit, request)",
    source: "kai.md 2.3 pass D",
    differs: "",
});

/// Order of the rounds.
pub static PRIORITY: Rule = Rule(&RuleRecord {
    key: "kai/division/priority",
    says: "among siblings, unused capacity goes to those of the highest priority first",
    formula: "priority(first) > priority(other)",
    source: "kai.md 2.3 pass O",
    differs: "",
});

/// Offers of one round.
pub static ROUND: Rule = Rule(&RuleRecord {
    key: "kai/division/round",
    says: "unused capacity is shared by weight, adjusted for past usage, in whole units",
    formula: "f = A·(s/S), s = max(0, n + k·(n − usage)), n = weight/W; gift = wanted if wanted <= f, else floor(f)",
    source: "kai.md 2.3 pass O",
    differs: "",
});

/// Leftover units.
pub static REMAINDER: Rule = Rule(&RuleRecord {
    key: "kai/division/remainder",
    says: "remaining units go to the largest fraction lost to rounding, then to the oldest queue",
    formula: "min(1, rem)",
    source: "kai.md 2.3 pass R",
    differs: "",
});

/// Input and result of one queue for one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sibling<'a> {
    /// Unique among the siblings; last tie-break.
    pub name: &'a str,
    /// Higher priorities are served first in the rounds and in the remainders.
    pub priority: i64,
    /// Creation time in seconds; first tie-break, older first.
    pub created_s: f64,
    /// Quota, or `UNLIMITED`.
    pub deserved: f64,
    /// Limit, or `UNLIMITED`.
    pub limit: f64,
    /// Over-quota weight.
    pub weight: f64,
    /// Total request, not capped by the limit.
    pub request: f64,
    /// Past usage as a share of the cluster's capacity.
    pub usage: f64,
    /// Result; the division adds to the initial value.
    pub fair_share: f64,
}

impl Sibling<'_> {
    /// `min(limit, request)`.
    pub(super) fn requestable(&self) -> f64 {
        if self.limit == UNLIMITED { self.request } else { self.limit.min(self.request) }
    }

    /// By creation, then by name, bytewise.
    fn canonical_cmp(&self, other: &Self) -> Ordering {
        let by_age = self.created_s.partial_cmp(&other.created_s).expect("times are never NaN");
        by_age.then_with(|| self.name.cmp(other.name))
    }
}

/// One line of the derivation; `sibling` is the index in the divided slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SiblingStep {
    /// A grant up to the quota.
    Quota {
        /// Index of the receiving sibling.
        sibling: usize,
        /// The quota, with unlimited replaced by the total.
        quota: f64,
        /// `min(limit, request)`.
        requestable: f64,
        /// The grant.
        granted: f64,
        /// Amount left after the grant.
        remaining: f64,
    },
    /// One queue's part in one round.
    Round {
        /// Index of the receiving sibling.
        sibling: usize,
        /// Number of the round within its priority, from 1.
        round: u32,
        /// Amount that the round divides.
        pot: f64,
        /// `s` and `S`.
        part: (f64, f64),
        /// The offer; 0 for a queue without weight.
        offer: f64,
        /// Wanted amount before the round.
        wanted: f64,
        /// Amount given.
        given: f64,
    },
    /// A leftover unit.
    Remainder {
        /// Index of the receiving sibling.
        sibling: usize,
        /// Rounded-off part, which determines the order.
        fraction: f64,
        /// Amount given, at most one unit.
        given: f64,
    },
    /// Final fair share.
    Result {
        /// Index of the sibling.
        sibling: usize,
        /// The fair share.
        fair_share: f64,
    },
}

/// Parameters of a division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DivisionParams {
    /// Weight of past usage.
    pub k: f64,
    /// Whether a remainder is capped by the wanted amount, which KAI does not do.
    pub caps_remainders: bool,
}

/// KAI's parameters with this `k`.
impl From<f64> for DivisionParams {
    fn from(k: f64) -> DivisionParams {
        DivisionParams { k, caps_remainders: false }
    }
}

/// Divides `total` among the siblings, adding to their fair shares; returns the unassigned amount.
///
/// The order of the slice does not matter; sums run over (creation, name).
pub fn divide(total: f64, params: impl Into<DivisionParams>, siblings: &mut [Sibling<'_>]) -> f64 {
    run(total, params.into(), siblings, &mut Off)
}

/// Like [`divide`], with the derivation; the last steps are the results.
pub fn divide_recorded(
    total: f64,
    params: impl Into<DivisionParams>,
    siblings: &mut [Sibling<'_>],
) -> Vec<SiblingStep> {
    let mut steps = Vec::new();
    run(total, params.into(), siblings, &mut steps);
    steps
}

/// The derivation of one level for the trace; `queues` are the siblings' ids.
pub fn ladder(
    parent: Option<QueueId>,
    total: f64,
    params: DivisionParams,
    siblings: &mut [Sibling<'_>],
    queues: &[QueueId],
) -> Vec<DivisionStep> {
    let steps = divide_recorded(total, params, siblings);
    let mut lines = vec![DivisionStep::Capacity { of: parent, amount: total }];
    lines.extend(steps.into_iter().map(|step| line(step, params.k, siblings, queues)));
    lines
}

fn line(step: SiblingStep, k: f64, siblings: &[Sibling<'_>], queues: &[QueueId]) -> DivisionStep {
    match step {
        SiblingStep::Quota { sibling, quota, requestable, granted, remaining } => {
            DivisionStep::Quota { rule: QUOTA, queue: queues[sibling], quota, requestable, granted, remaining }
        }
        SiblingStep::Round { sibling, round, pot, part, offer, wanted, given } => {
            let Sibling { priority, weight, usage, .. } = siblings[sibling];
            let priority = i32::try_from(priority).unwrap_or(if priority < 0 { i32::MIN } else { i32::MAX });
            let queue = queues[sibling];
            DivisionStep::Round(DivisionRound {
                rule: ROUND,
                priority,
                round,
                queue,
                pot,
                weight,
                past: Some((usage, k)),
                part,
                offer,
                wanted,
                given,
            })
        }
        SiblingStep::Remainder { sibling, fraction, given } => {
            DivisionStep::Remainder { rule: REMAINDER, queue: queues[sibling], fraction, given }
        }
        SiblingStep::Result { sibling, fair_share } => DivisionStep::Result { queue: queues[sibling], fair_share },
    }
}

/// Receiver of the steps; compiles to nothing when disabled.
trait Recorder {
    /// Whether steps are recorded.
    const ON: bool;
    fn record(&mut self, step: impl FnOnce() -> SiblingStep);
}

struct Off;
impl Recorder for Off {
    const ON: bool = false;
    fn record(&mut self, _step: impl FnOnce() -> SiblingStep) {}
}
impl Recorder for Vec<SiblingStep> {
    const ON: bool = true;
    fn record(&mut self, step: impl FnOnce() -> SiblingStep) {
        self.push(step());
    }
}

fn run<R: Recorder>(
    total: f64,
    DivisionParams { k, caps_remainders }: DivisionParams,
    siblings: &mut [Sibling<'_>],
    recorder: &mut R,
) -> f64 {
    let (mut takers, mut rem) = grant_quotas(total, siblings, recorder);
    if rem > 0.0 {
        takers.sort_by_key(|taker| Reverse(taker.priority));
        for equals in takers.chunk_by_mut(|l, r| l.priority == r.priority) {
            serve(equals, k, &mut rem, recorder);
        }
        for equals in takers.chunk_by_mut(|l, r| l.priority == r.priority) {
            give_remainders(equals, caps_remainders, &mut rem, recorder);
        }
        for taker in takers {
            siblings[taker.sibling].fair_share = taker.fair_share;
        }
    } else {
        rem = 0.0;
    }
    if R::ON {
        for (sibling, s) in siblings.iter().enumerate() {
            recorder.record(|| SiblingStep::Result { sibling, fair_share: s.fair_share });
        }
    }
    rem
}

/// A queue that wants more than its quota grant.
struct Taker {
    /// Index of the sibling.
    sibling: usize,
    priority: i64,
    weight: f64,
    usage: f64,
    requestable: f64,
    /// Fair share so far.
    fair_share: f64,
    /// `s` of the current round.
    part: f64,
    /// Rounded-off part; 0 for none.
    fraction: f64,
}

impl Taker {
    fn wanted(&self) -> f64 {
        self.requestable - self.fair_share
    }
}

/// Step 1. Returns the queues that want more, in canonical order, and the remaining amount, which is negative under
/// over-subscribed quotas.
fn grant_quotas<R: Recorder>(total: f64, siblings: &mut [Sibling<'_>], recorder: &mut R) -> (Vec<Taker>, f64) {
    let mut order: Vec<usize> = (0..siblings.len()).collect();
    order.sort_by(|&l, &r| siblings[l].canonical_cmp(&siblings[r]));
    let mut takers = Vec::with_capacity(siblings.len());
    let mut rem = total;
    for sibling in order {
        let s = &mut siblings[sibling];
        let quota = if s.deserved == UNLIMITED { total } else { s.deserved };
        let requestable = s.requestable();
        let granted = quota.min(requestable);
        s.fair_share += granted;
        rem -= granted;
        if s.fair_share < requestable {
            let Sibling { priority, weight, usage, fair_share, .. } = *s;
            let (part, fraction) = (0.0, 0.0);
            takers.push(Taker { sibling, priority, weight, usage, requestable, fair_share, part, fraction });
        }
        recorder.record(|| SiblingStep::Quota { sibling, quota, requestable, granted, remaining: rem });
    }
    (takers, rem)
}

/// Step 2 for one priority: rounds until no queue wants less than its offer.
fn serve<R: Recorder>(takers: &mut [Taker], k: f64, rem: &mut f64, recorder: &mut R) {
    let mut unsatisfied: Vec<&mut Taker> = takers.iter_mut().collect();
    for round in 1.. {
        let weights = sum(unsatisfied.iter().map(|taker| taker.weight));
        if *rem == 0.0 || weights == 0.0 {
            return;
        }
        for taker in &mut unsatisfied {
            let n = taker.weight / weights;
            let corrected = n + k * (n - taker.usage);
            taker.part = if corrected > 0.0 { corrected } else { 0.0 };
        }
        let parts = sum(unsatisfied.iter().map(|taker| taker.part));
        if parts == 0.0 || !give(&mut unsatisfied, (round, parts), rem, recorder) {
            return;
        }
        unsatisfied.retain(|taker| taker.fair_share < taker.requestable);
    }
}

/// Gives the amounts of one round; whether any queue wanted less than its offer.
fn give<R: Recorder>(takers: &mut [&mut Taker], (round, parts): (u32, f64), rem: &mut f64, recorder: &mut R) -> bool {
    let pot = *rem;
    let mut is_less_wanted = false;
    for taker in takers {
        if *rem == 0.0 {
            break;
        }
        let offer = if taker.weight != 0.0 { pot * (taker.part / parts) } else { 0.0 };
        let wanted = taker.wanted();
        is_less_wanted |= wanted < offer;
        let given = if wanted <= offer { wanted } else { offer.floor() };
        if wanted <= offer {
            taker.fraction = 0.0;
        } else if offer > given {
            taker.fraction = offer - given;
        }
        taker.fair_share += given;
        *rem -= given;
        let (sibling, part) = (taker.sibling, (taker.part, parts));
        recorder.record(|| SiblingStep::Round { sibling, round, pot, part, offer, wanted, given });
    }
    is_less_wanted
}

/// Step 3 for one priority.
fn give_remainders<R: Recorder>(takers: &mut [Taker], caps: bool, rem: &mut f64, recorder: &mut R) {
    let mut rounded: Vec<&mut Taker> = takers.iter_mut().filter(|taker| taker.fraction > 0.0).collect();
    rounded.sort_by(|l, r| r.fraction.total_cmp(&l.fraction));
    for taker in rounded {
        let most = if caps { taker.wanted() } else { 1.0 };
        let given = rem.min(1.0).min(most);
        if given <= 0.0 {
            continue;
        }
        taker.fair_share += given;
        *rem -= given;
        let (sibling, fraction) = (taker.sibling, taker.fraction);
        recorder.record(|| SiblingStep::Remainder { sibling, fraction, given });
    }
}

/// Sum from left to right.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

#[cfg(test)]
#[path = "division_tests.rs"]
mod tests;
