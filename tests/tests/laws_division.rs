//! Laws of the division of one level (kai.md 2.3).
//!
//! Amounts are multiples of a quarter, so that all sums are exact and the laws hold to the last bit. Some statements do
//! *not* hold: the sum may exceed the total (quotas), a share may exceed request and limit by less than a unit
//! (remainders), and a larger request may get less (offered 1.5: a request of 1.5 gets 1.5, one of 1.6 gets 1).

use fairground::policy::kai::share::division::{Sibling, SiblingStep, divide, divide_recorded};
use proptest::prelude::*;

/// A queue without its name.
#[derive(Clone, Debug)]
struct Queue {
    priority: i64,
    created_s: f64,
    deserved: f64,
    limit: f64,
    weight: f64,
    request: f64,
    usage: f64,
}

fn quarters(end: u32) -> impl Strategy<Value = f64> {
    (0..end * 4).prop_map(|n| f64::from(n) / 4.0)
}

fn or_unlimited(amount: impl Strategy<Value = f64>) -> impl Strategy<Value = f64> {
    (0..3, amount).prop_map(|(n, amount)| if n == 0 { -1.0 } else { amount })
}

prop_compose! {
    fn queue()(
        priority in 0..3i64,
        created in 0..4u32,
        deserved in or_unlimited(quarters(6)),
        limit in or_unlimited(quarters(12)),
        weight in 0..4u32,
        request in quarters(16),
        usage in quarters(2),
    ) -> Queue {
        let (created_s, weight) = (f64::from(created), f64::from(weight));
        Queue { priority, created_s, deserved, limit, weight, request, usage }
    }
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

fn siblings(queues: &[Queue]) -> Vec<Sibling<'static>> {
    let named = queues.iter().zip(NAMES).map(|(q, name)| Sibling {
        name,
        priority: q.priority,
        created_s: q.created_s,
        deserved: q.deserved,
        limit: q.limit,
        weight: q.weight,
        request: q.request,
        usage: q.usage,
        fair_share: 0.0,
    });
    named.collect()
}

fn requestable(s: &Sibling<'_>) -> f64 {
    if s.limit == -1.0 { s.request } else { s.limit.min(s.request) }
}

fn granted(s: &Sibling<'_>, total: f64) -> f64 {
    let quota = if s.deserved == -1.0 { total } else { s.deserved };
    quota.min(requestable(s))
}

fn shares(total: f64, k: f64, siblings: &[Sibling<'_>]) -> (Vec<f64>, f64) {
    let mut siblings = siblings.to_vec();
    let rem = divide(total, k, &mut siblings);
    (siblings.iter().map(|s| s.fair_share).collect(), rem)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The order of the input does not matter.
    #[test]
    fn order_is_irrelevant(
        queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32, seed in any::<u64>(),
    ) {
        let plain = siblings(&queues);
        let mut mixed: Vec<(u64, usize)> =
            (0..plain.len()).map(|i| (seed.rotate_left(i as u32 * 7).wrapping_mul(0x9e3779b97f4a7c15), i)).collect();
        mixed.sort();
        let shuffled: Vec<Sibling<'_>> = mixed.iter().map(|&(_, i)| plain[i]).collect();
        let (expected, rem) = shares(total, f64::from(k), &plain);
        let (got, rem_shuffled) = shares(total, f64::from(k), &shuffled);
        prop_assert_eq!(rem.to_bits(), rem_shuffled.to_bits());
        for (at, &(_, i)) in mixed.iter().enumerate() {
            prop_assert_eq!(got[at].to_bits(), expected[i].to_bits());
        }
    }

    /// Recording changes nothing, and the recorded amounts add up to the result.
    #[test]
    fn the_record_is_the_result(
        queues in prop::collection::vec(queue(), 1..8), total in 0.0..40.0f64, k in 0.0..2.0f64,
    ) {
        let mut recorded = siblings(&queues);
        let steps = divide_recorded(total, k, &mut recorded);
        let (expected, _) = shares(total, k, &siblings(&queues));
        let mut sums = vec![0.0; queues.len()];
        for step in &steps {
            match *step {
                SiblingStep::Quota { sibling, granted, .. } => sums[sibling] += granted,
                SiblingStep::Round { sibling, given, .. } | SiblingStep::Remainder { sibling, given, .. } => sums[sibling] += given,
                SiblingStep::Result { sibling, fair_share } => prop_assert_eq!(fair_share.to_bits(), expected[sibling].to_bits()),
            }
        }
        for ((sum, expected), recorded) in sums.iter().zip(&expected).zip(&recorded) {
            prop_assert_eq!(*sum, *expected);
            prop_assert_eq!(recorded.fair_share.to_bits(), expected.to_bits());
        }
    }

    /// The amount granted for the quota is kept; no share exceeds limit or request by a whole unit.
    #[test]
    fn bounds(queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32) {
        let siblings = siblings(&queues);
        let (got, _) = shares(total, f64::from(k), &siblings);
        for (s, got) in siblings.iter().zip(got) {
            prop_assert!(got >= granted(s, total));
            prop_assert!(got < requestable(s) + 1.0 || got == granted(s, total));
        }
    }

    /// Shares and rest add up to the total, unless the quotas alone exceed it; then no queue gets more than its quota.
    #[test]
    fn sums(queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32) {
        let siblings = siblings(&queues);
        let (got, rem) = shares(total, f64::from(k), &siblings);
        let quotas: Vec<f64> = siblings.iter().map(|s| granted(s, total)).collect();
        if quotas.iter().sum::<f64>() >= total {
            prop_assert_eq!(got, quotas);
            prop_assert_eq!(rem, 0.0);
        } else {
            prop_assert!(rem >= 0.0);
            prop_assert_eq!(got.iter().sum::<f64>() + rem, total);
        }
    }

    /// A queue of weight 0 gets its quota only.
    #[test]
    fn no_weight_no_surplus(queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32) {
        let siblings = siblings(&queues);
        let (got, _) = shares(total, f64::from(k), &siblings);
        for (s, got) in siblings.iter().zip(got).filter(|(s, _)| s.weight == 0.0) {
            prop_assert_eq!(got, granted(s, total));
        }
    }

    /// If all queues have weight and no usage history, a rest remains only without unmet demand.
    #[test]
    fn nothing_is_wasted(
        queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32,
    ) {
        let mut siblings = siblings(&queues);
        for s in &mut siblings {
            (s.weight, s.usage) = (s.weight + 1.0, 0.0);
        }
        let (got, rem) = shares(total, f64::from(k), &siblings);
        if rem > 0.0 {
            for (s, got) in siblings.iter().zip(got) {
                prop_assert!(got >= requestable(s));
            }
        }
    }

    /// Queues of lower priority without quota cost the others at most the rounded unit.
    #[test]
    fn lower_priority_takes_only_remainders(
        queues in prop::collection::vec(queue(), 1..8), total in quarters(40), k in 0..3u32,
    ) {
        let mut all = siblings(&queues);
        for s in all.iter_mut().filter(|s| s.priority == 0) {
            s.deserved = 0.0;
        }
        let upper: Vec<Sibling<'_>> = all.iter().filter(|s| s.priority > 0).copied().collect();
        let (with, _) = shares(total, f64::from(k), &all);
        let (without, _) = shares(total, f64::from(k), &upper);
        let with = all.iter().zip(with).filter(|(s, _)| s.priority > 0).map(|(_, share)| share);
        for (with, without) in with.zip(without) {
            prop_assert!(with <= without && without <= with + 1.0, "{} with, {} without", with, without);
        }
    }

    /// Equal queues get equal shares except for one unit, which goes to the older one.
    #[test]
    fn twins(
        queues in prop::collection::vec(queue(), 1..7), total in quarters(40), k in 0..3u32,
    ) {
        let mut queues = queues;
        queues.push(Queue { created_s: queues[0].created_s + 0.5, ..queues[0].clone() });
        let (got, _) = shares(total, f64::from(k), &siblings(&queues));
        let (older, younger) = (got[0], got[got.len() - 1]);
        prop_assert!(younger <= older && older <= younger + 1.0, "{} and {}", older, younger);
    }
}
