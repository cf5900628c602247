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
use std::ops::Range;

use crate::id::QueueId;
use crate::policy::kai::number::UNLIMITED;
use crate::trace::{DivisionStep, Rule, RuleRecord};

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
pub enum Step {
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
) -> Vec<Step> {
    let mut steps = Vec::new();
    run(total, params.into(), siblings, &mut steps);
    steps
}

/// The derivation of one level for the trace; `queues` are the siblings' ids.
pub fn ladder(
    of: Option<QueueId>,
    total: f64,
    params: DivisionParams,
    siblings: &mut [Sibling<'_>],
    queues: &[QueueId],
) -> Vec<DivisionStep> {
    let steps = divide_recorded(total, params, siblings);
    let mut lines = vec![DivisionStep::Capacity { of, amount: total }];
    lines.extend(steps.into_iter().map(|step| line(step, params.k, siblings, queues)));
    lines
}

fn line(step: Step, k: f64, siblings: &[Sibling<'_>], queues: &[QueueId]) -> DivisionStep {
    match step {
        Step::Quota { sibling, quota, requestable, granted, remaining } => DivisionStep::Quota {
            rule: QUOTA,
            queue: queues[sibling],
            quota,
            requestable,
            granted,
            remaining,
        },
        Step::Round { sibling, round, pot, part, offer, wanted, given } => {
            let Sibling { priority, weight, usage, .. } = siblings[sibling];
            let priority = i32::try_from(priority).unwrap_or(if priority < 0 { i32::MIN } else { i32::MAX });
            let queue = queues[sibling];
            DivisionStep::Round {
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
            }
        }
        Step::Remainder { sibling, fraction, given } => {
            DivisionStep::Remainder { rule: REMAINDER, queue: queues[sibling], fraction, given }
        }
        Step::Result { sibling, fair_share } => DivisionStep::Result { queue: queues[sibling], fair_share },
    }
}

/// Receiver of the steps; compiles to nothing when disabled.
trait Recorder {
    /// Whether steps are recorded.
    const ON: bool;
    fn record(&mut self, step: impl FnOnce() -> Step);
}

struct Off;
impl Recorder for Off {
    const ON: bool = false;
    fn record(&mut self, _step: impl FnOnce() -> Step) {}
}
impl Recorder for Vec<Step> {
    const ON: bool = true;
    fn record(&mut self, step: impl FnOnce() -> Step) {
        self.push(step());
    }
}

fn run<R: Recorder>(
    total: f64,
    params: DivisionParams,
    siblings: &mut [Sibling<'_>],
    recorder: &mut R,
) -> f64 {
    let order = canonical_order(siblings);
    let mut takers = Takers::with_capacity(siblings.len());
    let mut rem = takers.grant_quotas(total, siblings, order.as_deref(), recorder);
    if rem > 0.0 {
        takers.group_by_priority(siblings);
        let groups = std::mem::take(&mut takers.groups);
        for group in &groups {
            takers.serve(group.clone(), params.k, &mut rem, recorder);
        }
        for group in groups {
            if rem > 0.0 {
                takers.give_remainders(group, params.caps_remainders, &mut rem, recorder);
            }
        }
        for taker in takers.all {
            siblings[taker.sibling as usize].fair_share = taker.fair_share;
        }
    } else {
        rem = 0.0;
    }
    if R::ON {
        for (sibling, s) in siblings.iter().enumerate() {
            recorder.record(|| Step::Result { sibling, fair_share: s.fair_share });
        }
    }
    rem
}

/// The summation order; `None` if it equals that of the slice.
fn canonical_order(siblings: &[Sibling<'_>]) -> Option<Vec<u32>> {
    let n = u32::try_from(siblings.len()).expect("arenas stay below 2^32 items");
    if siblings.is_sorted_by(|a, b| a.canonical_cmp(b).is_le()) {
        return None;
    }
    let mut order: Vec<u32> = (0..n).collect();
    order.sort_by(|&a, &b| siblings[a as usize].canonical_cmp(&siblings[b as usize]));
    Some(order)
}

/// A queue that wants more than its quota grant.
#[derive(Clone, Copy)]
struct Taker {
    /// Index of the sibling.
    sibling: u32,
    requestable: f64,
    /// Fair share so far.
    fair_share: f64,
    /// Rounded-off part; 0 for none.
    left: f64,
}

/// Takers by priority, each priority in canonical order.
///
/// `all` keeps its order; the other lists are compacted within a group as queues are satisfied, so that a round
/// visits only unsatisfied queues, in unchanged order. The lists are separate arrays so that their loops
/// vectorize; only sums are sequential.
#[derive(Default)]
struct Takers {
    groups: Vec<Range<usize>>,
    all: Vec<Taker>,
    /// Index into `all`.
    place: Vec<u32>,
    weight: Vec<f64>,
    usage: Vec<f64>,
    /// `s` of the current round.
    part: Vec<f64>,
}

impl Takers {
    fn with_capacity(n: usize) -> Takers {
        let weight = Vec::with_capacity(n);
        let usage = Vec::with_capacity(n);
        Takers { all: Vec::with_capacity(n), weight, usage, ..Takers::default() }
    }

    /// Pass D; returns the remaining amount, which is negative under over-subscribed quotas.
    fn grant_quotas<R: Recorder>(
        &mut self,
        total: f64,
        siblings: &mut [Sibling<'_>],
        order: Option<&[u32]>,
        recorder: &mut R,
    ) -> f64 {
        let mut rem = total;
        for at in 0..siblings.len() {
            let i = order.map_or(at, |order| order[at] as usize);
            let s = &mut siblings[i];
            let quota = if s.deserved == UNLIMITED { total } else { s.deserved };
            let requestable = s.requestable();
            let granted = quota.min(requestable);
            s.fair_share += granted;
            rem -= granted;
            if s.fair_share < requestable {
                self.all.push(Taker { sibling: i as u32, requestable, fair_share: s.fair_share, left: 0.0 });
                self.weight.push(s.weight);
                self.usage.push(s.usage);
            }
            recorder.record(|| Step::Quota { sibling: i, quota, requestable, granted, remaining: rem });
        }
        rem
    }

    /// Groups the takers in the order of the rounds.
    fn group_by_priority(&mut self, siblings: &[Sibling<'_>]) {
        let n = self.all.len();
        let priority = |taker: &Taker| siblings[taker.sibling as usize].priority;
        if !self.all.is_sorted_by(|a, b| priority(a) >= priority(b)) {
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|&i| Reverse(priority(&self.all[i as usize])));
            self.all = order.iter().map(|&i| self.all[i as usize]).collect();
            self.weight = order.iter().map(|&i| self.weight[i as usize]).collect();
            self.usage = order.iter().map(|&i| self.usage[i as usize]).collect();
        }
        let mut start = 0;
        for end in 1..=n {
            if end == n || priority(&self.all[end]) != priority(&self.all[start]) {
                self.groups.push(start..end);
                start = end;
            }
        }
        self.place = (0..n as u32).collect();
        self.part = vec![0.0; n];
    }

    /// Pass O for one priority: rounds until no taker wants less than its offer.
    fn serve<R: Recorder>(&mut self, mut group: Range<usize>, k: f64, rem: &mut f64, recorder: &mut R) {
        let mut w = sum(&self.weight[group.clone()]);
        let mut round = 1;
        while *rem != 0.0 && w != 0.0 {
            let s_sum = self.set_parts(group.clone(), k, w);
            if s_sum == 0.0 {
                return;
            }
            let next = self.give(group.clone(), round, s_sum, rem, recorder);
            if !next.wanted {
                return;
            }
            group.end = next.end;
            w = next.w;
            round += 1;
        }
    }

    /// Step 2 of a round: every taker's `s`; returns their sum `S`.
    fn set_parts(&mut self, group: Range<usize>, k: f64, w: f64) -> f64 {
        let (weights, usages) = (&self.weight[group.clone()], &self.usage[group.clone()]);
        let parts = &mut self.part[group];
        for ((s, weight), usage) in parts.iter_mut().zip(weights).zip(usages) {
            let n = weight / w;
            let corrected = n + k * (n - usage);
            *s = if corrected > 0.0 { corrected } else { 0.0 };
        }
        sum(parts)
    }

    /// Step 3 of a round: gives the amounts and moves unsatisfied takers to the front of the group.
    ///
    /// Selects values instead of branching: which takers are satisfied is unpredictable.
    fn give<R: Recorder>(
        &mut self,
        group: Range<usize>,
        round: u32,
        s_sum: f64,
        pot: &mut f64,
        recorder: &mut R,
    ) -> NextRound {
        let a = *pot;
        let mut rem = a;
        let mut next = NextRound { wanted: false, end: group.start, w: 0.0 };
        let is_small = is_small(a);
        for i in group {
            if rem == 0.0 {
                break;
            }
            let (s, weight) = (self.part[i], self.weight[i]);
            let f = a * (s / s_sum);
            let offer = if weight != 0.0 { f } else { 0.0 };
            let whole = if is_small { floor_small(offer) } else { offer.floor() };
            let taker = &mut self.all[self.place[i] as usize];
            let wanted = taker.requestable - taker.fair_share;
            let is_enough = wanted <= offer;
            let given = if is_enough { wanted } else { whole };
            let fraction = offer - whole;
            let older = if is_enough { 0.0 } else { taker.left };
            taker.left = if !is_enough && fraction > 0.0 { fraction } else { older };
            taker.fair_share += given;
            rem -= given;
            next.wanted |= wanted < offer;
            let sibling = taker.sibling as usize;
            let part = (s, s_sum);
            recorder.record(|| Step::Round { sibling, round, pot: a, part, offer, wanted, given });
            let wants_more = taker.fair_share < taker.requestable;
            next.w += if wants_more { weight } else { 0.0 };
            self.place[next.end] = self.place[i];
            self.weight[next.end] = weight;
            self.usage[next.end] = self.usage[i];
            next.end += usize::from(wants_more);
        }
        *pot = rem;
        next
    }

    /// Pass R for one priority. Every taker served before the last one gets exactly one unit, so without a record
    /// the list need not be sorted: partitioning off the first `floor(rem)` suffices.
    fn give_remainders<R: Recorder>(&mut self, group: Range<usize>, caps: bool, rem: &mut f64, out: &mut R) {
        // Indices are in canonical order; positive doubles are ordered like their bits.
        let mut queue: Vec<(u64, u32)> = group
            .filter(|&p| self.all[p].left > 0.0)
            .map(|p| (!self.all[p].left.to_bits(), p as u32))
            .collect();
        let units = *rem as usize;
        if R::ON || caps {
            queue.sort_unstable();
        } else if units < queue.len() {
            queue.select_nth_unstable(units);
        }
        for (_, place) in queue {
            if *rem == 0.0 {
                return;
            }
            let taker = &mut self.all[place as usize];
            let open = if caps { taker.requestable - taker.fair_share } else { 1.0 };
            let given = rem.min(1.0).min(open);
            if given <= 0.0 {
                continue;
            }
            taker.fair_share += given;
            *rem -= given;
            let (sibling, fraction) = (taker.sibling as usize, taker.left);
            out.record(|| Step::Remainder { sibling, fraction, given });
        }
    }
}

/// Input of the next round.
struct NextRound {
    /// Whether any taker wanted less than its offer.
    wanted: bool,
    /// End of the unsatisfied takers.
    end: usize,
    /// Sum of their weights.
    w: f64,
}

/// 2^52: doubles from here on have no fraction.
const NO_FRACTION: f64 = (1u64 << 52) as f64;

/// Whether [`floor_small`] is valid for the offers of a round that divides `a`. Parts are not negative and at most a few
/// ulp above 1, so no offer exceeds twice `a`.
fn is_small(a: f64) -> bool {
    (0.0..NO_FRACTION / 4.0).contains(&a)
}

/// `floor` of a number below 2^51, without the library call that `f64::floor` becomes on processors that lack an
/// instruction: adding 2^52 rounds to the nearest whole number.
fn floor_small(x: f64) -> f64 {
    let nearest = (x + NO_FRACTION) - NO_FRACTION;
    nearest - if nearest > x { 1.0 } else { 0.0 }
}

/// Sum from left to right.
fn sum(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| sum + value)
}

#[cfg(test)]
#[path = "division_tests.rs"]
mod tests;
