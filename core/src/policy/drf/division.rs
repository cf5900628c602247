//! One level of the division by dominant shares.
//!
//! # Rule
//! A child that receives the fraction `f` of its demand, `d(r)` per resource, has the dominant share `s = f × m` with
//! `m = max over r of d(r) / (w(r) × R(r))`. All `s` rise together. A child stops when its demand is met (`f = 1`) or a
//! resource that it demands is exhausted. Children of weight 0 come after all others, in file order.
//!
//! # Source
//! Ghodsi et al., NSDI 2011, 4.1
//!
//! # Differs
//! nothing

use super::rules::RULES;
use crate::policy::filling::{Child, DivisionLevel};
use crate::trace::{DivisionStep, RiseEnd};
use crate::units::Resource;

/// Interval in which the shares of the open children rise together.
struct Round {
    /// Shares before and after; `None` for children of weight 0, which are served one by one.
    shares: Option<(f64, f64)>,
    /// Child, amount granted per resource, and its state after the round.
    grants: Vec<(usize, [f64; 3], RiseEnd)>,
}

/// Divides `has` among the children; `total` is the capacity of the cluster.
pub fn divide(has: [f64; 3], children: &[Child], total: [f64; 3]) -> Vec<[f64; 3]> {
    let mut parts = vec![[0.0; 3]; children.len()];
    for (i, grant, _) in rounds(has, children, total).into_iter().flat_map(|round| round.grants) {
        for (part, grant) in parts[i].iter_mut().zip(grant) {
            *part += grant;
        }
    }
    parts
}

fn rounds(has: [f64; 3], children: &[Child], total: [f64; 3]) -> Vec<Round> {
    let m: Vec<f64> = children.iter().map(|child| per_whole(child, total)).collect();
    let mut rounds = Vec::new();
    let mut rest = has;
    let mut open: Vec<usize> = (0..children.len()).filter(|&i| m[i] > 0.0 && m[i].is_finite()).collect();
    let mut s = 0.0;
    loop {
        open.retain(|&i| lacking(&children[i], &rest).is_none());
        if open.is_empty() {
            break;
        }
        // The share at which the next child has its demand met or, if that is smaller, a resource is exhausted.
        let mut next = open.iter().map(|&i| m[i]).fold(f64::INFINITY, f64::min);
        let mut used_up = None;
        for (r, rest) in rest.iter().enumerate() {
            let speed: f64 = open.iter().map(|&i| children[i].wanted[r] / m[i]).sum();
            if speed > 0.0 && s + rest / speed < next {
                (next, used_up) = (s + rest / speed, Some(r));
            }
        }
        let mut grants = Vec::new();
        for &i in &open {
            let grant = children[i].wanted.map(|wanted| (next - s) / m[i] * wanted);
            rest.iter_mut().zip(grant).for_each(|(rest, grant)| *rest -= grant);
            grants.push((i, grant));
        }
        // Guarantees progress: rounding must not leave a remainder of the exhausted resource.
        if let Some(r) = used_up {
            rest[r] = 0.0;
        }
        let end = |i: usize| match lacking(&children[i], &rest) {
            _ if used_up.is_none() && m[i] <= next => RiseEnd::HasAll,
            Some(r) => RiseEnd::UsedUp(r),
            None => RiseEnd::GoesOn,
        };
        let grants: Vec<(usize, [f64; 3], RiseEnd)> = grants.into_iter().map(|(i, grant)| (i, grant, end(i))).collect();
        open.retain(|&i| used_up.is_some() || m[i] > next);
        rounds.push(Round { shares: Some((s, next)), grants });
        s = next;
    }
    for (i, child) in children.iter().enumerate().filter(|(i, _)| m[*i] == f64::INFINITY) {
        let fits = (0..3).filter(|&r| child.wanted[r] > 0.0).map(|r| rest[r].max(0.0) / child.wanted[r]);
        let f = fits.fold(1.0, f64::min);
        let grant = child.wanted.map(|wanted| f * wanted);
        rest.iter_mut().zip(grant).for_each(|(rest, grant)| *rest -= grant);
        let short = (0..3).find(|&r| child.wanted[r] > 0.0 && rest[r] <= 0.0).map(of_index);
        let end = if f >= 1.0 { RiseEnd::HasAll } else { short.map_or(RiseEnd::GoesOn, RiseEnd::UsedUp) };
        rounds.push(Round { shares: None, grants: vec![(i, grant, end)] });
    }
    rounds
}

/// First resource that the child demands and that is exhausted.
fn lacking(child: &Child, rest: &[f64; 3]) -> Option<Resource> {
    (0..3).find(|&r| child.wanted[r] > 0.0 && rest[r] <= 0.0).map(of_index)
}

fn of_index(r: usize) -> Resource {
    Resource::ACCOUNTED[r]
}

/// Appends the rounds of one level, with the amounts granted of one resource.
pub fn steps(of: &DivisionLevel<'_>, r: Resource, steps: &mut Vec<DivisionStep>) {
    let children: Vec<Child> = of.children.iter().map(|(_, child)| *child).collect();
    for (round, number) in rounds(of.has, &children, of.total).into_iter().zip(1..) {
        for (i, grant, end) in round.grants {
            let (queue, child) = of.children[i];
            steps.push(DivisionStep::Rise {
                rule: RULES.division,
                round: number,
                queue,
                shares: round.shares,
                dominant: dominant(&child, of.total),
                weight: child.weight[r.index()],
                wanted: child.wanted[r.index()],
                given: grant[r.index()],
                end,
            });
        }
    }
}

/// Resource with the largest weighted demand of the child, relative to the cluster.
fn dominant(child: &Child, total: [f64; 3]) -> Resource {
    let share = |r: usize| match (child.wanted[r] > 0.0 && total[r] > 0.0, child.weight[r]) {
        (false, _) => -1.0,
        (true, w) if w > 0.0 => child.wanted[r] / (w * total[r]),
        (true, _) => f64::INFINITY,
    };
    let first = |best: usize, r: usize| if share(r) > share(best) { r } else { best };
    of_index((0..3).fold(0, first))
}

/// `m`: dominant share of a child whose demand is met; 0 if it demands nothing that the cluster has.
fn per_whole(child: &Child, total: [f64; 3]) -> f64 {
    let has_no_weight = child.weight.iter().all(|w| *w <= 0.0);
    let mut m = 0.0f64;
    for r in (0..3).filter(|&r| child.wanted[r] > 0.0 && total[r] > 0.0) {
        let w = if has_no_weight { 0.0 } else { child.weight[r] };
        m = m.max(if w > 0.0 { child.wanted[r] / (w * total[r]) } else { f64::INFINITY });
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(weight: f64, wanted: [f64; 3]) -> Child {
        Child { weight: [weight; 3], wanted }
    }

    fn close(parts: &[[f64; 3]], expected: &[[f64; 3]]) -> bool {
        parts.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    /// Section 4.1 of the paper: 9 CPUs, 18 GB; tasks of 1 CPU and 4 GB, and of 3 CPUs and 1 GB.
    #[test]
    fn the_example_of_the_paper() {
        let total = [9.0, 18.0, 0.0];
        let parts = divide(total, &[child(1.0, [10.0, 40.0, 0.0]), child(1.0, [30.0, 10.0, 0.0])], total);
        assert!(close(&parts, &[[3.0, 12.0, 0.0], [6.0, 2.0, 0.0]]), "{parts:?}");
    }

    #[test]
    fn small_demands_leave_the_rest_to_others() {
        let total = [9.0, 18.0, 0.0];
        let parts = divide(total, &[child(1.0, [1.0, 4.0, 0.0]), child(1.0, [30.0, 10.0, 0.0])], total);
        assert!(close(&parts, &[[1.0, 4.0, 0.0], [8.0, 8.0 / 3.0, 0.0]]), "{parts:?}");
    }

    #[test]
    fn shares_are_proportional_to_weights_and_weight_zero_comes_last() {
        let total = [0.0, 0.0, 8.0];
        let wants = [0.0, 0.0, 8.0];
        let parts = divide(total, &[child(0.0, wants), child(3.0, wants), child(1.0, [0.0, 0.0, 1.0])], total);
        assert!(close(&parts, &[[0.0; 3], [0.0, 0.0, 7.0], [0.0, 0.0, 1.0]]), "{parts:?}");
    }

    #[test]
    fn a_demand_for_a_resource_the_cluster_lacks_gets_nothing() {
        let parts = divide([4.0, 4.0, 0.0], &[child(1.0, [0.0, 0.0, 2.0])], [4.0, 4.0, 0.0]);
        assert!(close(&parts, &[[0.0; 3]]), "{parts:?}");
    }
}
