//! Examples and invariants of the division.

use super::*;

fn sibling(name: &str, created_s: f64, deserved: f64, weight: f64, request: f64) -> Sibling<'_> {
    Sibling { name, created_s, deserved, weight, request, limit: -1.0, priority: 100, ..Sibling::default() }
}

fn shares(total: f64, k: f64, siblings: &[Sibling<'_>]) -> Vec<f64> {
    let mut plain = siblings.to_vec();
    divide(total, k, &mut plain);
    let mut recorded = siblings.to_vec();
    divide_recorded(total, k, &mut recorded);
    assert_eq!(plain, recorded);
    plain.iter().map(|s| s.fair_share).collect()
}

#[test]
fn e2_1_lower_priority_is_served_before_remainders() {
    let a = sibling("a", 0.0, 2.0, 1.0, 10.0);
    let b = sibling("b", 1.0, 1.0, 2.0, 10.0);
    let c = Sibling { priority: 50, ..sibling("c", 2.0, 0.0, 1.0, 10.0) };
    assert_eq!(shares(10.0, 1.0, &[a, b, c]), [4.0, 5.0, 1.0]);
    assert_eq!(shares(10.0, 1.0, &[a, b]), [4.0, 6.0]);
}

#[test]
fn e2_2_what_a_limit_leaves_goes_to_another_round() {
    let a = Sibling { limit: 4.0, ..sibling("a", 0.0, 2.0, 1.0, 10.0) };
    assert_eq!(shares(12.0, 1.0, &[a, sibling("b", 1.0, 2.0, 1.0, 10.0)]), [4.0, 8.0]);
}

#[test]
fn e2_3_past_usage_reduces_the_part() {
    let a = Sibling { usage: 0.6, ..sibling("a", 0.0, 0.0, 1.0, 20.0) };
    let b = Sibling { usage: 0.2, ..sibling("b", 1.0, 0.0, 1.0, 20.0) };
    assert_eq!(shares(12.0, 1.0, &[a, b]), [4.0, 8.0]);
}

#[test]
fn e2_4_excess_usage_skips_a_round() {
    let a = Sibling { usage: 1.2, ..sibling("a", 0.0, 0.0, 1.0, 20.0) };
    let b = Sibling { usage: 0.2, ..sibling("b", 1.0, 0.0, 1.0, 4.0) };
    assert_eq!(shares(12.0, 1.0, &[a, b]), [8.0, 4.0]);
}

#[test]
fn e2_5_a_remainder_may_exceed_the_request() {
    let a = sibling("a", 0.0, 0.0, 1.0, 1.6);
    assert_eq!(shares(3.0, 1.0, &[a, sibling("b", 1.0, 0.0, 1.0, 10.0)]), [2.0, 1.0]);
}

#[test]
fn e2_6_quotas_may_exceed_the_total() {
    let a = sibling("a", 0.0, 3.0, 1.0, 5.0);
    assert_eq!(shares(4.0, 1.0, &[a, sibling("b", 1.0, 3.0, 1.0, 5.0)]), [3.0, 3.0]);
}

#[test]
fn amounts_may_be_too_large_for_fractions() {
    let unit = (1u64 << 52) as f64;
    let siblings = [sibling("a", 0.0, 0.0, 1.0, 1e17), sibling("b", 1.0, 0.0, 3.0, 1e17)];
    assert_eq!(shares(4.0 * unit, 1.0, &siblings), [unit, 3.0 * unit]);
}

#[test]
fn the_ladder_ends_in_the_results() {
    let mut siblings = [sibling("a", 0.0, 2.0, 1.0, 10.0), sibling("b", 1.0, 1.0, 2.0, 10.0)];
    let lines =
        ladder(None, 10.0, DivisionParams { k: 1.0, caps_remainders: false }, &mut siblings, &[QueueId(7), QueueId(8)]);
    assert_eq!(lines[0], DivisionStep::Capacity { of: None, amount: 10.0 });
    assert_eq!(lines.last(), Some(&DivisionStep::Result { queue: QueueId(8), fair_share: 6.0 }));
    assert_eq!(lines.len(), 1 + 2 + 2 + 1 + 2);
}
