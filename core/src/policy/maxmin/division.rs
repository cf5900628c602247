//! One level of the max-min division.
//!
//! # Rule
//! In each round what is left, `rest`, is offered in proportion to the weights of those who still want something:
//! `rest × w / Σw`. Those who want no more than that get what they want, and the next round divides what they leave; when there is
//! nobody like that, everybody takes the offer. Queues of weight 0 come after all others, in file order. Each
//! resource is divided on its own.
//!
//! # Source
//! Bertsekas, Gallager, *Data Networks*, 6.5.2
//!
//! # Differs
//! nothing

use super::rules::DIVISION;
use crate::policy::filling::{Child, LevelOf};
use crate::trace::DivisionStep;
use crate::units::Resource;

/// A gift of a round.
struct Gift {
    child: usize,
    round: u32,
    rest: f64,
    weight: f64,
    weights: f64,
    offer: f64,
    given: f64,
}

/// Divides `has` among members by `(weight, wanted)`.
fn level(has: f64, members: &[(f64, f64)]) -> Vec<Gift> {
    let mut open: Vec<usize> =
        (0..members.len()).filter(|&i| members[i].1 > 0.0 && members[i].0 > 0.0).collect();
    let (mut gifts, mut rest, mut round) = (Vec::new(), has, 0);
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
            Gift { child, round, rest, weight, weights, offer, given: offer.min(wanted) }
        };
        let given: Vec<Gift> = served.iter().map(|&i| of(i)).collect();
        let all = served.len() == open.len();
        rest -= given.iter().map(|gift| gift.given).sum::<f64>();
        gifts.extend(given);
        open.retain(|i| !served.contains(i));
        if all {
            break;
        }
    }
    for (child, &(weight, wanted)) in members.iter().enumerate().filter(|(_, m)| m.0 <= 0.0) {
        let given = wanted.min(rest.max(0.0));
        if given > 0.0 {
            round += 1;
            gifts.push(Gift { child, round, rest, weight, weights: 1.0, offer: rest, given });
            rest -= given;
        }
    }
    gifts
}

fn members(children: impl Iterator<Item = Child>, r: Resource) -> Vec<(f64, f64)> {
    children.map(|child| (child.weight[r.index()], child.wanted[r.index()])).collect()
}

/// The parts of all children.
pub fn divide(has: [f64; 3], children: &[Child], _total: [f64; 3]) -> Vec<[f64; 3]> {
    let mut parts = vec![[0.0; 3]; children.len()];
    for r in Resource::ACCOUNTED {
        for gift in level(has[r.index()], &members(children.iter().copied(), r)) {
            parts[gift.child][r.index()] += gift.given;
        }
    }
    parts
}

/// The rounds of one level.
pub fn steps(of: &LevelOf<'_>, r: Resource, steps: &mut Vec<DivisionStep>) {
    for gift in level(of.has[r.index()], &members(of.children.iter().map(|(_, child)| *child), r)) {
        let (queue, child) = of.children[gift.child];
        let part = if gift.weight > 0.0 { (gift.weight, gift.weights) } else { (1.0, 1.0) };
        steps.push(DivisionStep::Round {
            rule: DIVISION,
            priority: 0,
            round: gift.round,
            queue,
            pot: gift.rest,
            weight: gift.weight,
            past: None,
            part,
            offer: gift.offer,
            wanted: child.wanted[r.index()],
            given: gift.given,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(has: f64, members: &[(f64, f64)]) -> Vec<f64> {
        let mut parts = vec![0.0; members.len()];
        for gift in level(has, members) {
            parts[gift.child] += gift.given;
        }
        parts
    }

    /// The textbook example: demands 2, 2.6, 4 and 5 on a link of 10.
    #[test]
    fn who_wants_less_gets_it_and_the_rest_is_equal() {
        let parts = parts(10.0, &[(1.0, 2.0), (1.0, 2.6), (1.0, 4.0), (1.0, 5.0)]);
        let expected = [2.0, 2.6, 2.7, 2.7];
        assert!(
            parts.iter().zip(expected).all(|(part, expected)| (part - expected).abs() < 1e-12),
            "{parts:?}"
        );
    }

    /// The weighted one: demands 4, 2, 10, 4 with weights 2.5, 4, 0.5, 1 on a link of 16.
    #[test]
    fn weights_count() {
        let parts = parts(16.0, &[(2.5, 4.0), (4.0, 2.0), (0.5, 10.0), (1.0, 4.0)]);
        let expected = [4.0, 2.0, 6.0, 4.0];
        assert!(
            parts.iter().zip(expected).all(|(part, expected)| (part - expected).abs() < 1e-12),
            "{parts:?}"
        );
    }

    #[test]
    fn without_weight_one_comes_last() {
        assert_eq!(parts(10.0, &[(0.0, 4.0), (1.0, 7.0), (0.0, 4.0)]), [3.0, 7.0, 0.0]);
    }
}
