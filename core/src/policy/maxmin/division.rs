//! One level of the max-min division.
//!
//! # Rule
//! In each round, the remaining amount `rest` is offered to the queues with unmet demand in proportion to their
//! weights: `rest × w / Σw`. Queues whose demand is at most their offer receive their demand, and the next round
//! divides the remainder; if there is no such queue, each receives its offer. Queues of weight 0 come after all others,
//! in file order. Each resource is divided on its own.
//!
//! # Source
//! Bertsekas, Gallager, *Data Networks*, 6.5.2
//!
//! # Differs
//! nothing

use super::rules::RULES;
use crate::policy::filling::{Child, DivisionLevel};
use crate::trace::{DivisionRound, DivisionStep};
use crate::units::Resource;

/// Amount granted to a child in a round.
struct Grant {
    child: usize,
    round: u32,
    rest: f64,
    weight: f64,
    weights: f64,
    offer: f64,
    given: f64,
}

/// Divides `has` among members given as `(weight, wanted)`.
fn level(has: f64, members: &[(f64, f64)]) -> Vec<Grant> {
    let mut open: Vec<usize> = (0..members.len()).filter(|&i| members[i].1 > 0.0 && members[i].0 > 0.0).collect();
    let (mut grants, mut rest, mut round) = (Vec::new(), has, 0);
    while !open.is_empty() && rest > 0.0 {
        round += 1;
        let weights: f64 = open.iter().map(|&i| members[i].0).sum();
        let offer = |i: usize| rest * members[i].0 / weights;
        let mut served: Vec<usize> = open.iter().copied().filter(|&i| members[i].1 <= offer(i)).collect();
        if served.is_empty() {
            served.clone_from(&open);
        }
        let of = |child: usize| {
            let (weight, wanted) = members[child];
            let offer = offer(child);
            Grant { child, round, rest, weight, weights, offer, given: offer.min(wanted) }
        };
        let given: Vec<Grant> = served.iter().map(|&i| of(i)).collect();
        let all = served.len() == open.len();
        rest -= given.iter().map(|grant| grant.given).sum::<f64>();
        grants.extend(given);
        open.retain(|i| !served.contains(i));
        if all {
            break;
        }
    }
    for (child, &(weight, wanted)) in members.iter().enumerate().filter(|(_, m)| m.0 <= 0.0) {
        let given = wanted.min(rest.max(0.0));
        if given > 0.0 {
            round += 1;
            grants.push(Grant { child, round, rest, weight, weights: 1.0, offer: rest, given });
            rest -= given;
        }
    }
    grants
}

fn members(children: impl Iterator<Item = Child>, r: Resource) -> Vec<(f64, f64)> {
    children.map(|child| (child.weight[r.index()], child.wanted[r.index()])).collect()
}

/// Divides each resource among the children.
pub fn divide(has: [f64; 3], children: &[Child], _total: [f64; 3]) -> Vec<[f64; 3]> {
    let mut parts = vec![[0.0; 3]; children.len()];
    for r in Resource::ACCOUNTED {
        for grant in level(has[r.index()], &members(children.iter().copied(), r)) {
            parts[grant.child][r.index()] += grant.given;
        }
    }
    parts
}

/// Appends the rounds of one level.
pub fn steps(of: &DivisionLevel<'_>, r: Resource, steps: &mut Vec<DivisionStep>) {
    for grant in level(of.has[r.index()], &members(of.children.iter().map(|(_, child)| *child), r)) {
        let (queue, child) = of.children[grant.child];
        let part = if grant.weight > 0.0 { (grant.weight, grant.weights) } else { (1.0, 1.0) };
        steps.push(DivisionStep::Round(DivisionRound {
            rule: RULES.division,
            priority: 0,
            round: grant.round,
            queue,
            pot: grant.rest,
            weight: grant.weight,
            past: None,
            part,
            offer: grant.offer,
            wanted: child.wanted[r.index()],
            given: grant.given,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(has: f64, members: &[(f64, f64)]) -> Vec<f64> {
        let mut parts = vec![0.0; members.len()];
        for grant in level(has, members) {
            parts[grant.child] += grant.given;
        }
        parts
    }

    /// Unweighted textbook example: demands 2, 2.6, 4 and 5 on a link of 10.
    #[test]
    fn small_demands_are_met_and_the_rest_is_equal() {
        let parts = parts(10.0, &[(1.0, 2.0), (1.0, 2.6), (1.0, 4.0), (1.0, 5.0)]);
        let expected = [2.0, 2.6, 2.7, 2.7];
        assert!(parts.iter().zip(expected).all(|(part, expected)| (part - expected).abs() < 1e-12), "{parts:?}");
    }

    /// Weighted textbook example: demands 4, 2, 10, 4 with weights 2.5, 4, 0.5, 1 on a link of 16.
    #[test]
    fn shares_are_proportional_to_weights() {
        let parts = parts(16.0, &[(2.5, 4.0), (4.0, 2.0), (0.5, 10.0), (1.0, 4.0)]);
        let expected = [4.0, 2.0, 6.0, 4.0];
        assert!(parts.iter().zip(expected).all(|(part, expected)| (part - expected).abs() < 1e-12), "{parts:?}");
    }

    #[test]
    fn weight_zero_comes_last() {
        assert_eq!(parts(10.0, &[(0.0, 4.0), (1.0, 7.0), (0.0, 4.0)]), [3.0, 7.0, 0.0]);
    }
}
