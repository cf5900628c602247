//! Fair share of GPUs by the published pseudo-code, shown beside the one in effect. No decision depends on it.
//!
//! # Rule
//! Every queue gets `min(deserved, requested)`. Priority by priority, what remains is given in rounds: `min(remaining ·
//! weight / Σ weights, what it still requests)` to each. Nothing is rounded to whole GPUs, and nothing is left over for
//! remainders.
//!
//! # Source
//! KAI Scheduler, `docs/fairness/README.md`
//!
//! # Differs
//! *Remaining* is what remained when a round began, and *Σ weights* is of those that still request: read line by line,
//! the pseudo-code gives more to queues that stand earlier in the list, and does not end where all requests are met.

use super::division::Sibling;
use crate::policy::kai::number::UNLIMITED;
use crate::trace::{Rule, RuleRecord};

/// The pseudo-code of the documentation.
pub static PUBLISHED: Rule = Rule(&RuleRecord {
    key: "kai/division/published-formula",
    says: "by the published pseudo-code, without whole units and remainders",
    formula: "min(deserved, requested) + rounds of min(remaining · weight / Σ weights, still requested)",
    source: "kai.md 2.3; docs/fairness/README.md",
    differs: "for teaching; the share in whole units decides",
});

/// The pseudo-code as it is written.
pub static LINE_BY_LINE: Rule = Rule(&RuleRecord {
    key: "kai/division/published-line-by-line",
    says: "by the published pseudo-code read line by line, where each queue gets its part of what the queues before it left",
    formula: "for each queue in turn: given = remaining · weight / Σ weights; remaining −= given",
    source: "kai.md 2.3; docs/fairness/README.md",
    differs: "for teaching; the scheduler divides each round at once, so of two equal queues that share 3 GPUs the first does not \
              get 2 and the second 1",
});

/// How the pseudo-code is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The queues of a round share what was left when it began.
    ByRound,
    /// Each queue gets its part of what the queues before it left.
    LineByLine,
}

/// Amounts below this count as zero, in GPUs.
const LEAST: f64 = 1e-6;

/// Fair share of each sibling by the pseudo-code.
pub fn divide(total: f64, siblings: &[Sibling<'_>], reading: Reading) -> Vec<f64> {
    let deserved = |s: &Sibling<'_>| if s.deserved == UNLIMITED { total } else { s.deserved };
    let mut shares: Vec<f64> = siblings.iter().map(|s| deserved(s).min(s.requestable())).collect();
    let mut remaining = total - shares.iter().sum::<f64>();
    let mut priorities: Vec<i64> = siblings.iter().map(|s| s.priority).collect();
    priorities.sort_unstable();
    priorities.dedup();
    for priority in priorities.into_iter().rev() {
        while remaining > LEAST {
            let wants = |i: &usize| {
                let sibling = &siblings[*i];
                sibling.priority == priority && sibling.weight > 0.0 && sibling.requestable() - shares[*i] > LEAST
            };
            let wanting: Vec<usize> = (0..siblings.len()).filter(wants).collect();
            let weights: f64 = wanting.iter().map(|&i| siblings[i].weight).sum();
            if wanting.is_empty() {
                break;
            }
            let at_once = remaining;
            for i in wanting {
                let pot = if reading == Reading::ByRound { at_once } else { remaining };
                let given = (pot * siblings[i].weight / weights).min(siblings[i].requestable() - shares[i]);
                shares[i] += given;
                remaining -= given;
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{Reading, Sibling, UNLIMITED, divide};

    fn wants(weight: f64, request: f64) -> Sibling<'static> {
        Sibling { deserved: 1.0, limit: UNLIMITED, weight, request, ..Sibling::default() }
    }

    #[test]
    fn line_by_line_the_first_of_two_equal_queues_gets_more() {
        let two = [(); 2].map(|()| Sibling { deserved: 0.0, ..wants(1.0, 10.0) });
        let shares = divide(3.0, &two, Reading::LineByLine);
        assert!(shares.iter().zip([2.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-5), "{shares:?}");
        assert_eq!(divide(3.0, &two, Reading::ByRound), [1.5, 1.5]);
    }

    #[test]
    fn what_one_does_not_request_goes_to_another_round() {
        let shares = divide(8.0, &[wants(1.0, 10.0), wants(2.0, 2.0), wants(2.0, 10.0)], Reading::ByRound);
        let expected = [1.0 + 4.0 / 3.0, 2.0, 1.0 + 8.0 / 3.0];
        assert!(shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{shares:?}");
        assert_eq!(divide(8.0, &[wants(1.0, 2.0), wants(0.0, 5.0)], Reading::ByRound), [2.0, 1.0]);
        assert_eq!(divide(1.0, &[wants(1.0, 2.0), wants(1.0, 5.0)], Reading::ByRound), [1.0, 1.0]);
    }
}
